"""Elastic balls in corners, where they bounce between two surfaces without time passing.

In a periodic box two images of one obstacle make a corner too.
"""

import math
from typing import Any

import numpy as np

from spheresim.collision.corner import Contact, way_out
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    BALL_IMPACTS,
    OBSTACLE_IMPACTS,
    RECORDING,
    VIRIAL,
    EngineState,
    Environment,
    image_shift,
)
from spheresim.engines.event_driven.journal import log_event, move_to, set_velocity
from spheresim.engines.event_driven.neighbours import images_near
from spheresim.engines.event_driven.space import has_image, shift_of
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import clearance, normal_at

_NONE = -1
"""No image."""


@routine
def leave_corner_between(
    environment: Environment, state: EngineState, a: Any, b: Any, now: float
) -> tuple[Any, bool]:
    """The same as `leave_corner` for two balls, either of which may be the one in the corner."""
    third, leaves = leave_corner(environment, state, a, -1 - int(b), now)
    if not leaves:
        third, leaves = leave_corner(environment, state, b, -1 - int(a), now)
    return third, leaves


@routine
def leave_corner(
    environment: Environment, state: EngineState, i: Any, hit: int, now: float
) -> tuple[Any, bool]:
    """Let ball i leave the corner of what it hits now and what it hit before, if there is one.

    `hit` is an obstacle, or −1 − j for ball j. Each of the two gets a row, with the sum of its
    impulses. Gives a ball that was hit before, else ball i, and whether there was a corner.
    """
    before = int(state.body[i].last)
    third: Any = np.uint32(-1 - before) if before < 0 else i
    free = state.body[i].support < 0 and state.body[third].support < 0
    if not free or _restitution(environment, state, before) < 1.0:
        return i, False
    image = int(state.event[i].other_stamp) if hit >= 0 else _NONE
    image_before = _touched_image(environment, state, i, before, image if before == hit else _NONE)
    if before == hit and image_before == _NONE:
        return i, False
    a = _contact(environment, state, i, hit, image, now)
    b = _contact(environment, state, i, before, image_before, now)
    ball = state.ball[i]
    way = way_out(TVector(ball.vx, ball.vy, ball.vz), state.body[i].mass, a, b)
    if way.bounces == 0.0:
        return i, False
    if before < 0:
        move_to(environment, state, third, now)
        set_velocity(state, third, way.velocity_b)
    if hit < 0:
        partner: Any = np.uint32(-1 - hit)
        set_velocity(state, partner, way.velocity_a)
    set_velocity(state, i, way.velocity)
    _write_bounces(environment, state, i, hit, now, a, way.vn_a, way.vn_after_a, way.impulse_a)
    _write_bounces(environment, state, i, before, now, b, way.vn_b, way.vn_after_b, way.impulse_b)
    return third, True


@inlined
def _restitution(environment: Environment, state: EngineState, hit: int) -> float:
    if hit < 0:
        return float(state.body[np.uint32(-1 - hit)].restitution)
    return float(environment.obstacles.restitution[hit])


@routine
def _touched_image(
    environment: Environment, state: EngineState, i: Any, hit: int, other_than: int
) -> int:
    """Which image of an obstacle ball i touches best, but for one; _NONE if there is no other."""
    best, least = _NONE, math.inf
    if hit < 0:
        return best
    ball = state.ball[i]
    x = TVector(ball.x, ball.y, ball.z)
    images = images_near(environment, state, i, hit, x)
    for part in range(8):
        if part == other_than or not has_image(images, part):
            continue
        there = x - shift_of(images, part)
        apart = abs(clearance(environment.obstacles, hit, there) - ball.radius)
        if apart < least:
            best, least = part, apart
    return best


@routine
def _contact(
    environment: Environment, state: EngineState, i: Any, hit: int, image: int, now: float
) -> Contact:
    ball = state.ball[i]
    x = TVector(ball.x, ball.y, ball.z)
    if hit >= 0:
        there = x - shift_of(images_near(environment, state, i, hit, x), image)
        return Contact(normal_at(environment.obstacles, hit, there), x * 0.0, 0.0)
    j: Any = np.uint32(-1 - hit)
    other = state.ball[j]
    d = environment.space.between(x, environment.motion.position_of(other, now))
    return Contact(d.unit(), environment.motion.velocity_of(other, now), 1.0 / state.body[j].mass)


@routine
def _write_bounces(
    environment: Environment,
    state: EngineState,
    i: Any,
    hit: int,
    now: float,
    contact: Contact,
    vn: float,
    vn_after: float,
    impulse: float,
) -> None:
    """Count the bounces of ball i off one thing as one impact, and write it down."""
    n, size = contact.normal, environment.space.size
    if hit >= 0:
        state.count[OBSTACLE_IMPACTS] += 1
        ball = state.ball[i]
        x = TVector(ball.x, ball.y, ball.z) + image_shift(state.image, i, size)
        log_event(state, OBSTACLE, i, hit, now, x - n * ball.radius, n, vn, vn_after, impulse)
        return
    j: Any = np.uint32(-1 - hit)
    state.count[BALL_IMPACTS] += 1
    state.measure[VIRIAL] += impulse * (state.ball[i].radius + state.ball[j].radius)
    if state.count[RECORDING] == 0:
        return
    lower, higher = (i, j) if state.body[i].name < state.body[j].name else (j, i)
    n = n if lower == i else n * -1.0
    ball = state.ball[higher]
    x = TVector(ball.x, ball.y, ball.z) + image_shift(state.image, higher, size)
    name = int(state.body[higher].name)
    log_event(state, BALL, lower, name, now, x + n * ball.radius, n, vn, vn_after, impulse)
