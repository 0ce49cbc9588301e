"""Impacts of two balls that may lie, slide, hop or sleep: what the contacts leave of an impact.

An impact too slow to lose energy is a hop of a contact that lasts. It finds both balls on what
holds them: they can only move along their supports, and a ball that is asleep not at all. A
harder impact is one of two free balls; what it pushes into a support bounces off it next.
"""

from typing import Any

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import log_event
from spheresim.collision.response import CollisionResult, exchange
from spheresim.collision.supports import Normals, Triple, along_supports, held_forces, present
from spheresim.collision.thresholds import (
    MOST_HOPS,
    NO_ROOM,
    RAPID_HOPS,
    least_hop,
    rising_speed,
    vn_after_soft_impact,
)
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    PROOF_DUE,
    SOFT,
    SOFT_UNTIL,
    WOKEN,
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.falling_toi import IDLE_PAIR
from spheresim.engines.event_driven.holding import pull_off
from spheresim.engines.event_driven.supports import ASLEEP, HELD, support_normals
from spheresim.numerics.vector import TVector

ON_SLEEPER = 10
"""So many soft impacts one on a ball that sleeps counts for, until a proof of rest is due."""


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
    # The speed of a hop; where there is no room to hop, hops end.
    hold_a, hold_b = state.hold[a], state.hold[b]
    hold_a.shaken = hold_b.shaken = MOST_HOPS
    falls_on_sleeper = (body_a.held == ASLEEP) | (body_b.held == ASLEEP)
    are_hopping = (min(body_a.rapid, body_b.rapid) >= RAPID_HOPS) & (not falls_on_sleeper)
    are_hopping &= min(hold_a.calm, hold_b.calm) == 0
    height = contact.hop_height if are_hopping else contact.rest_height
    hop = rising_speed(press, radius, height)
    if min(body_a.stuck, body_b.stuck) >= NO_ROOM:
        hop = 0.0
    is_slow = w < least_hop(press, radius)
    if w > max(hop, least_hop(press, radius)) and not falls_on_sleeper:
        return exchange(v_a, v_b, body_a.mass, body_b.mass, n, max(restitution, min(hop / w, 1.0)))
    # A soft one, or one on a ball that is asleep: along what the contacts leave.
    state.count[SOFT] += ON_SLEEPER if falls_on_sleeper else 1
    if falls_on_sleeper and -pull.dot(n) <= IDLE_PAIR * press:
        hop = 0.0  # beside a sleeper, which nothing presses it onto, it comes to rest
    if state.count[SOFT] >= state.count[SOFT_UNTIL]:
        state.count[PROOF_DUE] = 1
    least = least_hop(max(0.0, -pull.dot(n)), radius)
    if hop == 0.0 and is_slow:
        restitution = 0.0
    w_after = max(vn_after_soft_impact(w, restitution, hop), least)
    return _push_along_contacts(environment, state, a, b, n, w, w_after, now)


@routine
def _push_along_contacts(
    environment: Environment,
    state: EngineState,
    a: Any,
    b: Any,
    n: TVector,
    w: float,
    w_after: float,
    now: float,
) -> CollisionResult:
    """The velocities of two balls that meet with w and part with w_after, along what holds them."""
    body_a, body_b = state.body[a], state.body[b]
    v_a, v_b = velocity_at_clock(state.ball[a]), velocity_at_clock(state.ball[b])
    impulse = 0.0
    turn_a, turn_b = n, n
    for _ in range(7):  # until no support is left any more
        turn_a, pulls_a = _give(environment, state, a, n)
        turn_b, pulls_b = _give(environment, state, b, -n)
        give = turn_a.dot(n) - turn_b.dot(n)
        if give <= 1e-12 * (1.0 / body_a.mass + 1.0 / body_b.mass):
            # Held from all around: as if both were free.
            turn_a, turn_b = n / body_a.mass, -n / body_b.mass
            give = turn_a.dot(n) - turn_b.dot(n)
        impulse = (w + w_after) / give
        left_a = body_a.held == HELD and _leaves(environment, state, a, pulls_a, impulse, now)
        left_b = body_b.held == HELD and _leaves(environment, state, b, pulls_b, impulse, now)
        if not (left_a or left_b):
            break
    return CollisionResult(v_a + turn_a * impulse, v_b + turn_b * impulse, w_after, impulse)


@inlined
def _give(
    environment: Environment, state: EngineState, i: Any, n: TVector
) -> tuple[TVector, Triple]:
    """The velocity that a unit of impulse along n gives to ball i, along what holds it; and how
    fast it would leave each of its supports, if they did not pull."""
    held, mass = state.body[i].held, state.body[i].mass
    if held == HELD:
        return _give_held(environment, state, i, n)
    return n * (0.0 if held == ASLEEP else 1.0 / mass), Triple(0.0, 0.0, 0.0)


@routine
def _give_held(
    environment: Environment, state: EngineState, i: Any, n: TVector
) -> tuple[TVector, Triple]:
    normals: Normals = support_normals(environment, state, i)
    rates = Triple(n.dot(normals.a), n.dot(normals.b), n.dot(normals.c))
    forces, inverse = held_forces(rates, normals), 1.0 / state.body[i].mass
    pulls = Triple(-forces.a * inverse, -forces.b * inverse, -forces.c * inverse)
    return along_supports(n, normals, present(normals)) * inverse, pulls


@inlined
def _leaves(
    environment: Environment,
    state: EngineState,
    i: Any,
    pulls: Triple,
    impulse: float,
    now: float,
) -> bool:
    speeds = Triple(pulls.a * impulse, pulls.b * impulse, pulls.c * impulse)
    return pull_off(environment, state, i, speeds, now)


@routine
def wake(environment: Environment, state: EngineState, i: Any, now: float) -> None:
    """Wake ball i: it falls, until what is under it stops it."""
    environment.contact.let_go(state, i)
    ball, body = state.ball[i], state.body[i]
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    state.count[WOKEN] += 1
    state.count[PROOF_DUE] = 1
    up = environment.motion.gravity.unit() * -1.0
    x = position_at_clock(ball) + image_shift(state.image, i, environment.space.size)
    time = absolute(state, now)
    log_event(state, WAKE, int(body.name), -1, 0, time, x - up * ball.radius, up, 0.0, 0.0, 0.0)
