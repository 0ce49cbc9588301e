"""The engine's balls as `collision.corner` sees them, which takes elastic balls out of corners.

In a periodic box two images of one obstacle make a corner too.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.corner import Bounces, Contact, CornerExit, corner_exit
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import BALL_IMPACTS, OBSTACLE_IMPACTS, RECORDING, log_event
from spheresim.compiler.decorators import routine, value
from spheresim.engines.event_driven.engine_state import (
    VIRIAL,
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.neighbours import images_near
from spheresim.engines.event_driven.space import has_image, shift_to_image
from spheresim.engines.event_driven.trajectory import move_to, set_velocity
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import gap, normal_at

_NO_IMAGE = -1


class _Arrays(NamedTuple):
    environment: Environment
    state: EngineState


@value
class EventBalls(_Arrays):
    """The engine's `CornerBalls`, whose methods are described there."""

    __slots__ = ()

    def hit_before(self, i: Any) -> int:
        return int(self.state.body[i].last)

    def ball_hit(self, hit: int) -> Any:
        return np.uint32(-1 - hit)

    def is_in_corner(self, i: Any, hit: int, before: int) -> bool:
        return _is_in_corner(self.environment, self.state, i, hit, before)

    def contact_now(self, i: Any, hit: int, time: float) -> Contact:
        image = int(self.state.event[i].other_stamp)
        return _contact(self.environment, self.state, i, hit, image, time)

    def contact_before(self, i: Any, hit: int, before: int, time: float) -> Contact:
        image = _image_before(self.environment, self.state, i, hit, before)
        return _contact(self.environment, self.state, i, before, image, time)

    def exit_of(self, i: Any, a: Contact, b: Contact) -> CornerExit:
        return corner_exit(velocity_at_clock(self.state.ball[i]), self.state.body[i].mass, a, b)

    def move_ball(self, i: Any, time: float) -> None:
        move_to(self.environment, self.state, i, time)

    def change_velocity(self, i: Any, velocity: TVector) -> None:
        set_velocity(self.state, i, velocity)

    def log_bounces(self, i: Any, hit: int, time: float, bounces: Bounces) -> None:
        _log_bounces(self.environment, self.state, i, hit, time, bounces)


@routine
def _is_in_corner(
    environment: Environment, state: EngineState, i: Any, hit: int, before: int
) -> bool:
    if state.body[i].support >= 0:
        return False
    if before >= 0:
        elastic = environment.obstacles.restitution[before] >= 1.0
        another = before != hit or _image_before(environment, state, i, hit, before) != _NO_IMAGE
        return bool(elastic and another)
    third: Any = np.uint32(-1 - before)
    free = state.body[third].support < 0 and state.body[third].restitution >= 1.0
    return bool(free and before != hit)


@routine
def _image_before(
    environment: Environment, state: EngineState, i: Any, hit: int, before: int
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
        distance = abs(gap(environment.obstacles, before, x - shift_to_image(images, part)))
        off = abs(distance - ball.radius)
        if off < least:
            best, least = part, off
    return best


@routine
def _contact(
    environment: Environment, state: EngineState, i: Any, hit: int, image: int, now: float
) -> Contact:
    x = position_at_clock(state.ball[i])
    if hit >= 0:
        seen_from = x - shift_to_image(images_near(environment, state, i, hit, x), image)
        return Contact(normal_at(environment.obstacles, hit, seen_from), x * 0.0, 0.0)
    j: Any = np.uint32(-1 - hit)
    other = state.ball[j]
    d = environment.space.minimum_image(x, environment.motion.position_of(other, now))
    return Contact(d.unit(), environment.motion.velocity_of(other, now), 1.0 / state.body[j].mass)


@routine
def _log_bounces(
    environment: Environment, state: EngineState, i: Any, hit: int, now: float, bounces: Bounces
) -> None:
    n, vn, vn_after, impulse = bounces
    period, time = environment.space.size, absolute(state, now)
    # On an obstacle.
    if hit >= 0:
        state.count[OBSTACLE_IMPACTS] += 1
        ball, name = state.ball[i], int(state.body[i].name)
        point = position_at_clock(ball) + image_shift(state.image, i, period) - n * ball.radius
        log_event(state, OBSTACLE, name, hit, 0, time, point, n, vn, vn_after, impulse)
        return
    # On a ball: the one with the lower name comes first, and the normal points to it.
    j: Any = np.uint32(-1 - hit)
    state.count[BALL_IMPACTS] += 1
    state.measure[VIRIAL] += impulse * (state.ball[i].radius + state.ball[j].radius)
    if state.count[RECORDING] == 0:
        return
    lower, higher = (i, j) if state.body[i].name < state.body[j].name else (j, i)
    n = n if lower == i else n * -1.0
    ball = state.ball[higher]
    point = position_at_clock(ball) + image_shift(state.image, higher, period) + n * ball.radius
    name, other = int(state.body[lower].name), int(state.body[higher].name)
    log_event(state, BALL, name, other, 0, time, point, n, vn, vn_after, impulse)
