"""Impacts of two balls of which contact may be left: they bounce, stay together, wake a sleeper."""

from typing import Any

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import log_event
from spheresim.collision.response import CollisionResult, exchange, part
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.thresholds import (
    RAPID_BOUNCES,
    elastic_rest_height,
    rising_speed,
)
from spheresim.engines.event_driven.engine_state import (
    PRESS,
    PROOF_DUE,
    WOKEN,
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.kept_pushes import add_contact, release
from spheresim.engines.event_driven.pile import (
    LEAST_TURN,
    QUIET_STEPS,
    call_all,
    calls_for_step,
    is_quiet,
    join,
    keep_apart,
    note_quiet,
    parting_speed,
    turn_within_radius,
)
from spheresim.engines.event_driven.supports import ASLEEP, FREE, is_brought_to_rest
from spheresim.numerics.vector import TVector

WEDGED = 16
"""A ball is wedged in once it had so many impacts in a row without moving between them."""


@routine
def pair_response(
    environment: Environment,
    state: EngineState,
    a: Any,
    b: Any,
    n: TVector,
    restitution: float,
    now: float,
) -> CollisionResult:
    """The velocities after an impact of balls a and b, with the normal n from b to a."""
    # How fast they meet, beside what presses them together.
    ball_a, ball_b, body_a, body_b = state.ball[a], state.ball[b], state.body[a], state.body[b]
    v_a, v_b = velocity_at_clock(ball_a), velocity_at_clock(ball_b)
    w, motion, contact = -(v_a - v_b).dot(n), environment.motion, environment.contact
    radius = min(ball_a.radius, ball_b.radius)
    press = _press(environment, state, a, b)
    # A hard impact wakes who is asleep.
    if w > rising_speed(press, radius, contact.wake_height):
        if body_a.held == ASLEEP:
            wake(environment, state, a, now)
        if body_b.held == ASLEEP:
            wake(environment, state, b, now)
    falls_on_sleeper = (body_a.held == ASLEEP) | (body_b.held == ASLEEP)
    # A hard one ends what pushed them; a soft one they do not part from.
    is_hard = w > rising_speed(press, radius, contact.soft_height)
    if is_hard:
        release(environment, state, a, now)
        release(environment, state, b, now)
    if not _lasts(environment, state, a, b, restitution, w, press):
        if falls_on_sleeper:
            after = part_awake(state, a, b, n, w, restitution * w)
            _ask_for_sleep(environment, state, a, b, after)
            return after
        return exchange(v_a, v_b, body_a.mass, body_b.mass, n, restitution)
    if motion.gravity.mag_sqr() == 0.0:
        state.measure[PRESS] = press
    if body_a.held != ASLEEP:
        join(environment, state, a, now)
    if body_b.held != ASLEEP:
        join(environment, state, b, now)
    after = part_awake(state, a, b, n, w, parting_speed(state, radius))
    if falls_on_sleeper:
        _ask_for_sleep(environment, state, a, b, after)
    if calls_for_step(state, a, b):
        add_contact(state, a, int(b), n, 0.0)  # so that they are known to touch
    else:
        keep_apart(environment, state, a, b, n, v_a - v_b)
    return after


@inlined
def _press(environment: Environment, state: EngineState, a: Any, b: Any) -> float:
    """The acceleration that presses balls a and b together. Where nothing does, but they have no
    room to part, that which would turn their velocities within a radius."""
    motion = environment.motion
    pull = motion.acceleration_of(state.ball[a]) - motion.acceleration_of(state.ball[b])
    press: float = max(pull.mag(), state.measure[PRESS])
    if motion.gravity.mag_sqr() > 0.0:
        return press
    turn = max(turn_within_radius(state, a), turn_within_radius(state, b))
    if press == 0.0:
        has_no_room = is_brought_to_rest(state, a) and is_brought_to_rest(state, b)
        return turn if has_no_room else 0.0
    return max(press, LEAST_TURN * turn)


@inlined
def _lasts(
    environment: Environment,
    state: EngineState,
    a: Any,
    b: Any,
    restitution: float,
    w: float,
    press: float,
) -> bool:
    """Whether two balls that meet with w stay in contact: they would hardly part, again."""
    radius, contact = min(state.ball[a].radius, state.ball[b].radius), environment.contact
    again = _meets_again(state, a) and _meets_again(state, b)
    # Without gravity only what has something behind it, and has hit again and again.
    if environment.motion.gravity.mag_sqr() == 0.0 and not (again and press > 0.0):
        return False
    if again and (is_brought_to_rest(state, a) or is_brought_to_rest(state, b)):
        return True
    height = contact.soft_height if again else contact.rest_height
    # Two that lose nothing bounce for ever, unless others that do lose wedge one of them in.
    is_wedged = again and max(state.body[a].stuck, state.body[b].stuck) >= WEDGED
    if restitution == 1.0 and not is_wedged:
        height = elastic_rest_height(position_at_clock(state.ball[a]), radius) if again else 0.0
    return bool(restitution * w <= rising_speed(press, radius, height))


@inlined
def _meets_again(state: EngineState, i: Any) -> bool:
    body = state.body[i]
    return bool((body.held >= ASLEEP) | (body.rapid >= RAPID_BOUNCES))


@inlined
def _ask_for_sleep(
    environment: Environment, state: EngineState, a: Any, b: Any, after: CollisionResult
) -> None:
    """Let a proof of rest be looked for if what hit the sleeper is held and hardly moves: else it
    would slide to and fro among sleepers for ever."""
    sleeps = state.body[a].held == ASLEEP
    i, v = (b, after.velocity_j) if sleeps else (a, after.velocity_i)
    if state.body[i].held != FREE and is_quiet(environment, state, i, v):
        note_quiet(state, QUIET_STEPS)


@inlined
def part_awake(
    state: EngineState, a: Any, b: Any, n: TVector, w: float, w_after: float
) -> CollisionResult:
    """The velocities of two balls that meet with w and part with w_after; who sleeps stays."""
    v_a, v_b = velocity_at_clock(state.ball[a]), velocity_at_clock(state.ball[b])
    give_a = 0.0 if state.body[a].held == ASLEEP else 1.0 / state.body[a].mass
    give_b = 0.0 if state.body[b].held == ASLEEP else 1.0 / state.body[b].mass
    return part(v_a, v_b, give_a, give_b, n, -w, w_after)


@routine
def wake(environment: Environment, state: EngineState, i: Any, now: float) -> None:
    """Wake ball i: it falls, until what is under it stops it."""
    environment.contact.let_go(state, i)
    ball, body = state.ball[i], state.body[i]
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    state.count[WOKEN] += 1
    call_all(state, now)  # what it pushed
    state.count[PROOF_DUE] = 1
    up = environment.motion.gravity.unit() * -1.0
    x = position_at_clock(ball) + image_shift(state.image, i, environment.space.size)
    time = absolute(state, now)
    log_event(state, WAKE, int(body.name), -1, 0, time, x - up * ball.radius, up, 0.0, 0.0, 0.0)
