"""Impacts of two balls that may lie, slide, hop or sleep: what the contacts leave of an impact.

An impact too slow to lose energy is a hop of a contact that lasts. It finds both balls on what
holds them: they can only move along their supports, and a ball that is asleep not at all. A
harder impact is one of two free balls; what it pushes into a support bounces off it next.
"""

from typing import Any

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import log_event
from spheresim.collision.response import CollisionResult, exchange
from spheresim.collision.supports import Normals, Triple, along_supports, support_forces
from spheresim.collision.thresholds import (
    LEAST_HOP,
    RAPID_HOPS,
    rising_speed,
    vn_after_soft_impact,
)
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    SOFT,
    WOKEN,
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.holding import ASLEEP, FREE, support_normals
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
    press = (motion.acceleration_of(ball_a) - motion.acceleration_of(ball_b)).mag()
    press = max(press, motion.gravity.mag())
    # A hard impact wakes who is asleep.
    if w > rising_speed(press, radius, contact.wake_height):
        if body_a.held == ASLEEP:
            wake(environment, state, a, now)
        if body_b.held == ASLEEP:
            wake(environment, state, b, now)
    # The speed of a hop, faster where they slide along each other.
    hop = rising_speed(press, radius, contact.rest_height)
    if min(body_a.rapid, body_b.rapid) >= RAPID_HOPS:
        hop = max(hop, contact.sliding_ratio * (v_a - v_b).mag())
    if w > hop and body_a.held != ASLEEP and body_b.held != ASLEEP:
        return exchange(
            v_a, v_b, body_a.mass, body_b.mass, n, max(restitution, min(hop / w, 1.0))
        )
    # A soft one, or one on a ball that is asleep: along what the contacts leave.
    state.count[SOFT] += 1
    w_after = max(vn_after_soft_impact(w, restitution, hop), LEAST_HOP * (press * radius) ** 0.5)
    turn_a = _mobility(environment, state, a, n) / body_a.mass
    turn_b = _mobility(environment, state, b, -n) / body_b.mass
    give = turn_a.dot(n) - turn_b.dot(n)
    if give <= 1e-12 * (1.0 / body_a.mass + 1.0 / body_b.mass):
        # Held from all around: as if both were free.
        turn_a, turn_b = n / body_a.mass, -n / body_b.mass
        give = turn_a.dot(n) - turn_b.dot(n)
    impulse = (w + w_after) / give
    return CollisionResult(v_a + turn_a * impulse, v_b + turn_b * impulse, w_after, impulse)


@inlined
def _mobility(environment: Environment, state: EngineState, i: Any, n: TVector) -> TVector:
    """The part of a push along n that the contacts of ball i leave: none of it if it is asleep."""
    held = state.body[i].held
    if held == FREE:
        return n
    if held == ASLEEP:
        return n * 0.0
    return _along_held(environment, state, i, n)


@routine
def _along_held(environment: Environment, state: EngineState, i: Any, n: TVector) -> TVector:
    normals: Normals = support_normals(environment, state, i)
    rates = Triple(n.dot(normals.a), n.dot(normals.b), n.dot(normals.c))
    return along_supports(n, normals, support_forces(rates, normals))


@routine
def wake(environment: Environment, state: EngineState, i: Any, now: float) -> None:
    """Wake ball i: it falls, until what is under it stops it."""
    environment.contact.let_go(state, i)
    ball, body = state.ball[i], state.body[i]
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    state.count[WOKEN] += 1
    up = environment.motion.gravity.unit() * -1.0
    x = position_at_clock(ball) + image_shift(state.image, i, environment.space.size)
    time = absolute(state, now)
    log_event(
        state, WAKE, int(body.name), -1, 0, time, x - up * ball.radius, up, 0.0, 0.0, 0.0
    )
