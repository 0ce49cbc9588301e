"""Impacts of two balls that may lie, slide, hop or sleep: what the contacts leave of an impact.

An impact too slow to lose energy is a hop of a contact that lasts. It finds both balls on what
holds them: they can only move along their supports, and a ball that is asleep not at all. A
harder impact is one of two free balls; what it pushes into a support bounces off it next.
"""

import math
from typing import Any

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import log_event
from spheresim.collision.response import CollisionResult, exchange
from spheresim.collision.supports import Normals, Triple, along_supports, held_forces
from spheresim.collision.thresholds import (
    FADES,
    LEAST_HOP,
    NO_ROOM,
    RAPID_HOPS,
    SPREADS,
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
from spheresim.engines.event_driven.holding import (
    ASLEEP,
    HELD,
    pull_off,
    support_normals,
)
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
    # The speed of a hop, faster where they slide along each other.
    hop = rising_speed(press, radius, contact.rest_height)
    agitation = _agitation(state, a, b, v_a.mag(), v_b.mag())
    if min(body_a.rapid, body_b.rapid) >= RAPID_HOPS:
        hop = max(hop, contact.sliding_ratio * agitation)
    # Where there is no room to hop, hops end.
    if min(body_a.stuck, body_b.stuck) >= NO_ROOM:
        hop = 0.0
    if w > max(hop, LEAST_HOP * math.sqrt(press * radius)) and not (
        body_a.held == ASLEEP or body_b.held == ASLEEP
    ):
        return exchange(v_a, v_b, body_a.mass, body_b.mass, n, max(restitution, min(hop / w, 1.0)))
    # A soft one, or one on a ball that is asleep: along what the contacts leave.
    state.count[SOFT] += 1
    if state.count[SOFT] >= state.count[SOFT_UNTIL]:
        state.count[PROOF_DUE] = 1
    least = LEAST_HOP * math.sqrt(max(0.0, -pull.dot(n)) * radius)
    w_after = max(vn_after_soft_impact(w, restitution if hop > 0.0 else 0.0, hop), least)
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
def _agitation(state: EngineState, a: Any, b: Any, speed_a: float, speed_b: float) -> float:
    """How agitated two balls are that meet: as fast as they, or what they touch, were lately.

    It fades by itself from impact to impact, and from ball to ball: in a pile that hardly moves
    any more, but is still pushed by what slides down on it, contacts hop in proportion to that.
    """
    hold_a, hold_b = state.hold[a], state.hold[b]
    own_a, own_b = max(speed_a, FADES * hold_a.agitation), max(speed_b, FADES * hold_b.agitation)
    hold_a.agitation = max(own_a, SPREADS * own_b)
    hold_b.agitation = max(own_b, SPREADS * own_a)
    return max(own_a, own_b)


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
    lies = Triple(
        1.0 if normals.a.mag_sqr() > 0.0 else 0.0,
        1.0 if normals.b.mag_sqr() > 0.0 else 0.0,
        1.0 if normals.c.mag_sqr() > 0.0 else 0.0,
    )
    pulls = Triple(-forces.a * inverse, -forces.b * inverse, -forces.c * inverse)
    return along_supports(n, normals, lies) * inverse, pulls


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
