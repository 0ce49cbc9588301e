"""Impacts of two balls of which contact may be left: they bounce, stay together, wake a sleeper."""

from typing import Any

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import log_event
from spheresim.collision.response import CollisionResult, exchange
from spheresim.collision.thresholds import RAPID_BOUNCES, rising_speed
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    PILE_AT,
    PROOF_DUE,
    WOKEN,
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.pile import calls_for_step, join, keep_apart, release
from spheresim.engines.event_driven.supports import ASLEEP
from spheresim.numerics.vector import TVector


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
    pull = motion.acceleration_of(ball_a) - motion.acceleration_of(ball_b)
    press = max(pull.mag(), motion.gravity.mag())
    # A hard impact wakes who is asleep.
    if w > rising_speed(press, radius, contact.wake_height):
        if body_a.held == ASLEEP:
            wake(environment, state, a, now)
        if body_b.held == ASLEEP:
            wake(environment, state, b, now)
    # A hard one ends what pushed them; a soft one they do not part from.
    is_hard = w > rising_speed(press, radius, contact.soft_height)
    if is_hard:
        release(environment, state, a, now)
        release(environment, state, b, now)
    if not _lasts(environment, state, a, b, restitution, w, press):
        return _part(state, a, b, n, restitution, w)
    if body_a.held != ASLEEP:
        join(environment, state, a, now)
    if body_b.held != ASLEEP:
        join(environment, state, b, now)
    after = _part(state, a, b, n, 0.0, w)
    if not calls_for_step(state):
        keep_apart(environment, state, a, b, n, v_a - v_b)
    return after


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
    if restitution == 1.0 or environment.motion.gravity.mag_sqr() == 0.0:
        return False
    radius, contact = min(state.ball[a].radius, state.ball[b].radius), environment.contact
    again = _meets_again(state, a) and _meets_again(state, b)
    height = contact.soft_height if again else contact.rest_height
    return bool(restitution * w <= rising_speed(press, radius, height))


@inlined
def _meets_again(state: EngineState, i: Any) -> bool:
    body = state.body[i]
    return bool((body.held >= ASLEEP) | (body.rapid >= RAPID_BOUNCES))


@inlined
def _part(
    state: EngineState, a: Any, b: Any, n: TVector, restitution: float, w: float
) -> CollisionResult:
    """The velocities after an impact of two balls, one of which may be asleep: it stays."""
    v_a, v_b = velocity_at_clock(state.ball[a]), velocity_at_clock(state.ball[b])
    mass_a, mass_b = state.body[a].mass, state.body[b].mass
    speed = w * (1.0 + restitution)
    if state.body[a].held == ASLEEP:
        return CollisionResult(v_a, v_b - n * speed, restitution * w, mass_b * speed)
    if state.body[b].held == ASLEEP:
        return CollisionResult(v_a + n * speed, v_b, restitution * w, mass_a * speed)
    return exchange(v_a, v_b, mass_a, mass_b, n, restitution)


@routine
def wake(environment: Environment, state: EngineState, i: Any, now: float) -> None:
    """Wake ball i: it falls, until what is under it stops it."""
    environment.contact.let_go(state, i)
    ball, body = state.ball[i], state.body[i]
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    state.count[WOKEN] += 1
    state.measure[PILE_AT] = min(state.measure[PILE_AT], now)  # what it pushed
    state.count[PROOF_DUE] = 1
    up = environment.motion.gravity.unit() * -1.0
    x = position_at_clock(ball) + image_shift(state.image, i, environment.space.size)
    time = absolute(state, now)
    log_event(state, WAKE, int(body.name), -1, 0, time, x - up * ball.radius, up, 0.0, 0.0, 0.0)
