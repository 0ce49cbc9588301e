"""Elastic balls in corners, where they bounce between two surfaces without time passing.

In a periodic box two images of one obstacle make a corner too.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.corner import Bounces, Contact, corner_exit
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import Event, log_event
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import FREE
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    separation,
    unwrapped,
    velocity_at_clock,
)
from spheresim.engines.event_driven.neighbour_lists import images_near
from spheresim.engines.event_driven.trajectory import move_to, set_velocity
from spheresim.model.periodic_space import has_image, shift_to_image
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import clearance, normal_at

_NO_IMAGE = -1


class _Touched(NamedTuple):
    """Obstacle `hit`, of which an image is touched, or ball −1 − `hit`."""

    hit: int
    image: int


@routine
def leave_corner(
    environment: Environment, state: EngineState, i: int, hit: int, now: float
) -> tuple[Any, bool]:
    """Take ball i out of the corner of what it hits now and what it hit before, if there is one.

    `hit` is an obstacle, or −1 − j for ball j. Each of the two contacts gets a row in the
    journal, with the sum of its impulses. Returns the ball that was hit before, or ball i if
    that was an obstacle, and whether there was a corner.
    """
    # The corner and its exit.
    before = int(state.body[i].last)
    if not _is_in_corner(environment, state, i, hit, before):
        return i, False
    image = int(state.event[i].other_stamp)
    a = _contact(environment, state, i, _Touched(hit, image), now)
    image = _image_before(environment, state, i, hit, before)
    b = _contact(environment, state, i, _Touched(before, image), now)
    way = corner_exit(velocity_at_clock(state.ball[i]), state.body[i].mass, a, b)
    if way.bounces == 0.0:
        return i, False
    # New velocities; the ball that was hit before has not been moved to the impact yet.
    x = position_at_clock(state.ball[i])
    third: Any = np.uint32(-1 - before) if before < 0 else i
    if before < 0:
        move_to(environment, state, third, now)
        _set_velocity_of_image(environment, state, third, x, way.velocity_b)
    if hit < 0:
        partner: Any = np.uint32(-1 - hit)
        _set_velocity_of_image(environment, state, partner, x, way.velocity_a)
    set_velocity(state, i, way.velocity)
    # The journal.
    _log_bounces(environment, state, i, Bounces(hit, a.normal, way.response_a), now)
    _log_bounces(environment, state, i, Bounces(before, b.normal, way.response_b), now)
    return third, True


@inlined
def _set_velocity_of_image(
    environment: Environment, state: EngineState, j: int, x: TVector, u: TVector
) -> None:
    """Let ball j, of which the image nearest to x gets the velocity u, fly on."""
    y = position_at_clock(state.ball[j])
    set_velocity(state, j, environment.shear.own_velocity(environment, x, y, u))


@routine
def _is_in_corner(
    environment: Environment, state: EngineState, i: int, hit: int, before: int
) -> bool:
    """Whether ball i is free to bounce between two different contacts, both elastic."""
    if state.body[i].held != FREE:
        return False
    if environment.walls.moves(before):
        return False
    if before >= 0:
        elastic = environment.obstacles.restitution[before] >= 1.0
        another = before != hit or _image_before(environment, state, i, hit, before) != _NO_IMAGE
        return bool(elastic and another)
    third: Any = np.uint32(-1 - before)
    free = state.body[third].held == FREE and state.body[third].restitution >= 1.0
    return bool(free and before != hit)


@routine
def _image_before(
    environment: Environment, state: EngineState, i: int, hit: int, before: int
) -> int:
    """Which image of the obstacle hit before ball i touches best; _NO_IMAGE if there is none.

    If it hits the same obstacle now, another image than that.
    """
    best, least = _NO_IMAGE, math.inf
    if before < 0:
        return best
    hit_now = int(state.event[i].other_stamp) if before == hit else _NO_IMAGE
    ball = state.ball[i]
    x = position_at_clock(ball)
    images = images_near(environment, state, i, before, x)
    for part in range(8):
        if part == hit_now or not has_image(images, part):
            continue
        distance = clearance(environment.obstacles, before, x - shift_to_image(images, part))
        off = abs(distance - ball.radius)
        if off < least:
            best, least = part, off
    return best


@routine
def _contact(
    environment: Environment, state: EngineState, i: int, touched: _Touched, now: float
) -> Contact:
    x, hit = position_at_clock(state.ball[i]), touched.hit
    if hit >= 0:
        seen_from = x - shift_to_image(images_near(environment, state, i, hit, x), touched.image)
        return Contact(normal_at(environment.obstacles, hit, seen_from), x * 0.0, 0.0)
    j: Any = np.uint32(-1 - hit)
    other = state.ball[j]
    y, u = environment.motion.position_of(other, now), environment.motion.velocity_of(other, now)
    d = separation(environment, state, x, y, now)
    u = environment.shear.image_velocity(environment, x, y, u)
    return Contact(d.unit(), u, 1.0 / state.body[j].mass)


@routine
def _log_bounces(
    environment: Environment, state: EngineState, i: int, bounces: Bounces, now: float
) -> None:
    """Count all bounces of ball i off one contact as one impact, and log it."""
    hit, n, response = bounces
    time, impulse = absolute(state, now), response.impulse
    # On an obstacle.
    if hit >= 0:
        state.count.obstacle_impacts += 1
        ball, name = state.ball[i], int(state.body[i].name)
        x = unwrapped(environment, state, i, position_at_clock(ball), now)
        point = x - n * ball.radius
        log_event(state, Event(OBSTACLE, name, hit, 0, time), point, n, response)
        return
    # On a ball: the one with the lower name comes first, and the normal points to it.
    j: Any = np.uint32(-1 - hit)
    state.count.ball_impacts += 1
    distance = state.ball[i].radius + state.ball[j].radius
    state.measure.virial += impulse * distance
    environment.shear.add_impact(state, n * impulse, n * distance)
    if state.count.recording == 0:
        return
    lower, higher = (i, j) if state.body[i].name < state.body[j].name else (j, i)
    n = n if lower == i else n * -1.0
    ball = state.ball[higher]
    x = unwrapped(environment, state, higher, position_at_clock(ball), now)
    point = x + n * ball.radius
    name, other = int(state.body[lower].name), int(state.body[higher].name)
    log_event(state, Event(BALL, name, other, 0, time), point, n, response)
