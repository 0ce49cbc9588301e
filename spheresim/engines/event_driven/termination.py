"""Whether any impact is still to come: what ends a run for a number of impacts."""

import math
from typing import Any

import numpy as np

from spheresim.collision.constants import MOST_BALLS_IN_ALL_PAIRS
from spheresim.collision.journal import NOW
from spheresim.collision.toi import pair_toi
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.engines.event_driven.falling_toi import (
    falling_pair_toi,
    rests_on_plane,
)
from spheresim.engines.event_driven.pair_toi import robust_pair_toi
from spheresim.engines.event_driven.predict import time_to_wall
from spheresim.model.space import ZERO, image_near_obstacle
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.toi import LATEST
from spheresim.obstacles.features.index import swept_bounds
from spheresim.obstacles.table import falling_toi, has_images


@kernel
def is_over(environment: Environment, state: EngineState) -> bool:
    """Whether it is certain that no ball will ever hit anything again.

    It is not certain where something moves along a periodic axis, for it may hit after any
    number of periods, and it is not tested for very many balls.
    """
    now, n = state.measure[NOW], len(state.ball)
    if n > MOST_BALLS_IN_ALL_PAIRS or environment.shear.slides():
        return False
    for k in range(n):
        i: Any = np.uint32(k)
        x = environment.motion.position_of(state.ball[i], now)
        v = environment.motion.velocity_of(state.ball[i], now)
        if _may_hit_obstacle(environment, state, i, x, v):
            return False
        for m in range(k + 1, n):
            j: Any = np.uint32(m)
            if _may_hit_ball(environment, state, i, j, now, x, v):
                return False
    return True


@routine
def _may_hit_obstacle(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> bool:
    obstacles, radius = environment.obstacles, state.ball[i].radius
    acceleration = environment.motion.acceleration_of(state.ball[i])
    if _may_hit_feature(environment, x, v, acceleration, radius):
        return True
    if environment.walls.any_move() and _may_hit_wall(environment, state, i, x, v):
        return True
    for n in range(obstacles.unbounded.size):
        k = obstacles.unbounded[n]
        if rests_on_plane(environment.obstacles, k, x, v, acceleration, radius):
            continue
        if has_images(obstacles, k) and _moves_periodically(environment, v):
            return True
        nearest = image_near_obstacle(environment.space, obstacles, k, x)
        side = environment.space.size
        for image in range(27):
            # All images beside it; along open axes `side` is 0, and they are the same.
            periods = TVector(image % 3 - 1.0, image // 3 % 3 - 1.0, image // 9 - 1.0)
            shift = TVector(periods.x * side.x, periods.y * side.y, periods.z * side.z)
            toi = falling_toi(obstacles, k, nearest + shift, v, acceleration, radius, math.inf)
            if toi < math.inf:
                return True
    return False


@routine
def _may_hit_wall(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> bool:
    walls, now = environment.walls, float(state.measure[NOW])
    for n in range(walls.moving_rows()):
        k = walls.moving_row(n)
        met = time_to_wall(environment, state, i, k, now, x, v, LATEST)
        if met.time < LATEST:
            return True
    return False


@routine
def _may_hit_feature(
    environment: Environment, x: TVector, v: TVector, acceleration: TVector, radius: float
) -> bool:
    obstacles = environment.obstacles
    _, ahead = obstacles.features.reach_times(x, v, acceleration, radius)
    if ahead <= 0.0 or (v.mag_sqr() == 0.0 and acceleration.mag_sqr() == 0.0):
        return False
    corners = swept_bounds(x, v, acceleration, radius, 0.0, ahead)
    leaf = obstacles.features.leaf_after(0, corners)
    while leaf > 0:
        k = obstacles.features.feature_at(leaf)
        rests = rests_on_plane(obstacles, k, x, v, acceleration, radius)
        if not rests and falling_toi(obstacles, k, x, v, acceleration, radius, ahead) < math.inf:
            return True
        leaf = obstacles.features.leaf_after(leaf, corners)
    return False


@routine
def _may_hit_ball(
    environment: Environment, state: EngineState, i: int, j: int, now: float, x: TVector, v: TVector
) -> bool:
    other = state.ball[j]
    d = environment.space.minimum_image(x, environment.motion.position_of(other, now))
    w = v - environment.motion.velocity_of(other, now)
    s = state.ball[i].radius + other.radius
    if not environment.motion.same_acceleration(state.ball[i], other):
        acceleration = environment.motion.acceleration_of(state.ball[i])
        acceleration = acceleration - environment.motion.acceleration_of(other)
        toi = falling_pair_toi(d, w, acceleration, s, math.inf)
        return _moves_periodically(environment, w) or toi < math.inf
    if not _moves_periodically(environment, w):
        return robust_pair_toi(environment, state, i, j, now, x, v) < math.inf
    # Projected along the periodic axes: if they miss each other there, they always do.
    d, w = _project(environment, d), _project(environment, w)
    return d.mag_sqr() <= s * s or pair_toi(d, w, s, ZERO, ZERO, 0.0) < math.inf


@inlined
def _moves_periodically(environment: Environment, v: TVector) -> bool:
    """Whether something moves along a periodic axis."""
    side = environment.space.size
    return bool(v.x * side.x != 0.0 or v.y * side.y != 0.0 or v.z * side.z != 0.0)


@inlined
def _project(environment: Environment, vector: TVector) -> TVector:
    """The part of a vector along open axes."""
    side = environment.space.size
    return TVector(
        vector.x if side.x == 0.0 else 0.0,
        vector.y if side.y == 0.0 else 0.0,
        vector.z if side.z == 0.0 else 0.0,
    )
