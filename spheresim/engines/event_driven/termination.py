"""Whether anything will happen any more: what a run for a number of impacts must know."""

import math
from typing import Any

import numpy as np

from spheresim.collision.toi import pair_toi
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.engine_state import NOW, EngineState, Environment
from spheresim.engines.event_driven.pair_toi import bent_meeting, rare_meeting
from spheresim.engines.event_driven.predict import lies_on
from spheresim.engines.event_driven.space import NOWHERE, folded
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import falling_toi, has_images

_MOST = 30_000
"""Balls of which all pairs can be asked in a second or two."""


@kernel
def is_over(environment: Environment, state: EngineState) -> bool:
    """Whether no ball will ever hit anything again: then this is certain.

    Not every world can be told: where something moves round a periodic axis, it may hit after
    any number of turns. Of very many balls it is not asked.
    """
    now, n = state.measure[NOW], len(state.ball)
    if n > _MOST:
        return False
    for k in range(n):
        i: Any = np.uint32(k)
        x = environment.motion.position_of(state.ball[i], now)
        v = environment.motion.velocity_of(state.ball[i], now)
        if _may_hit_an_obstacle(environment, state, i, x, v):
            return False
        for m in range(k + 1, n):
            j: Any = np.uint32(m)
            if _may_meet(environment, state, i, j, now, x, v):
                return False
    return True


@routine
def _may_hit_an_obstacle(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> bool:
    obstacles, radius = environment.obstacles, state.ball[i].radius
    acceleration = environment.motion.acceleration_of(state.ball[i])
    for k in range(obstacles.kind.size):
        if lies_on(environment, k, x, v, acceleration, radius):
            continue
        if has_images(obstacles, k) and _goes_round(environment, v):
            return True
        nearest, side = folded(environment.space, obstacles, k, x), environment.space.size
        for image in range(27):
            # Along open axes `side` is 0, and all these are one.
            turns = TVector(image % 3 - 1.0, image // 3 % 3 - 1.0, image // 9 - 1.0)
            there = nearest + TVector(turns.x * side.x, turns.y * side.y, turns.z * side.z)
            if falling_toi(obstacles, k, there, v, acceleration, radius, math.inf) < math.inf:
                return True
    return False


@routine
def _may_meet(
    environment: Environment, state: EngineState, i: int, j: int, now: float, x: TVector, v: TVector
) -> bool:
    other = state.ball[j]
    d = environment.space.between(x, environment.motion.position_of(other, now))
    w = v - environment.motion.velocity_of(other, now)
    s = state.ball[i].radius + other.radius
    if not environment.motion.same_acceleration(state.ball[i], other):
        acceleration = environment.motion.acceleration_of(
            state.ball[i]
        ) - environment.motion.acceleration_of(other)
        return (
            _goes_round(environment, w) or bent_meeting(d, w, acceleration, s, math.inf) < math.inf
        )
    if not _goes_round(environment, w):
        return rare_meeting(environment, state, i, j, now, x, v) < math.inf
    # Seen along the periodic axes: if they pass each other there, they always do.
    d, w = _across(environment, d), _across(environment, w)
    return d.mag_sqr() <= s * s or pair_toi(d, w, s, NOWHERE, NOWHERE, 0.0) < math.inf


@inlined
def _goes_round(environment: Environment, v: TVector) -> bool:
    """Whether something moves along a periodic axis."""
    side = environment.space.size
    return bool(v.x * side.x != 0.0 or v.y * side.y != 0.0 or v.z * side.z != 0.0)


@inlined
def _across(environment: Environment, vector: TVector) -> TVector:
    """What of a vector is along open axes."""
    side = environment.space.size
    return TVector(
        vector.x if side.x == 0.0 else 0.0,
        vector.y if side.y == 0.0 else 0.0,
        vector.z if side.z == 0.0 else 0.0,
    )
