"""Whether anything will happen any more: what a run for a number of impacts must know."""

import math
from typing import Any

import numpy as np

from spheresim.collision.toi import pair_toi
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.engine_state import NOW, Around, Flight
from spheresim.engines.event_driven.pair_toi import bent_meeting, rare_meeting
from spheresim.engines.event_driven.predict import lies_on, obstacle_time
from spheresim.engines.event_driven.space import NOWHERE, folded
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import PLANE

_MOST = 30_000
"""Balls of which all pairs can be asked in a second or two."""


@kernel
def is_over(around: Around, flight: Flight) -> bool:
    """Whether no ball will ever hit anything again: then this is certain.

    Not every world can be told: where something moves round a periodic axis, it may hit after
    any number of turns. Of very many balls it is not asked.
    """
    now, n = flight.measure[NOW], len(flight.ball)
    if n > _MOST:
        return False
    for k in range(n):
        i: Any = np.uint32(k)
        x = around.motion.position_of(flight.ball[i], now)
        v = around.motion.velocity_of(flight.ball[i], now)
        if _may_hit_an_obstacle(around, flight, i, x, v):
            return False
        for m in range(k + 1, n):
            j: Any = np.uint32(m)
            if _may_meet(around, flight, i, j, now, x, v):
                return False
    return True


@routine
def _may_hit_an_obstacle(around: Around, flight: Flight, i: int, x: TVector, v: TVector) -> bool:
    obstacles, radius = around.obstacles, flight.ball[i].radius
    pull = around.motion.pull_of(flight.ball[i])
    for k in range(obstacles.kind.size):
        if lies_on(around, k, x, v, pull, radius):
            continue
        if obstacles.kind[k] != PLANE and _goes_round(around, v):
            return True
        nearest, side = folded(around.space, obstacles, k, x), around.space.size
        for image in range(27):
            # Along open axes `side` is 0, and all these are one.
            turns = TVector(image % 3 - 1.0, image // 3 % 3 - 1.0, image // 9 - 1.0)
            there = nearest + TVector(turns.x * side.x, turns.y * side.y, turns.z * side.z)
            if obstacle_time(around, k, there, v, pull, radius, math.inf) < math.inf:
                return True
    return False


@routine
def _may_meet(
    around: Around, flight: Flight, i: int, j: int, now: float, x: TVector, v: TVector
) -> bool:
    other = flight.ball[j]
    d = around.space.between(x, around.motion.position_of(other, now))
    w = v - around.motion.velocity_of(other, now)
    s = flight.ball[i].radius + other.radius
    if not around.motion.pulled_alike(flight.ball[i], other):
        pull = around.motion.pull_of(flight.ball[i]) - around.motion.pull_of(other)
        return _goes_round(around, w) or bent_meeting(d, w, pull, s, math.inf) < math.inf
    if not _goes_round(around, w):
        return rare_meeting(around, flight, i, j, now, x, v) < math.inf
    # Seen along the periodic axes: if they pass each other there, they always do.
    d, w = _across(around, d), _across(around, w)
    return d.mag_sqr() <= s * s or pair_toi(d, w, s, NOWHERE, NOWHERE, 0.0) < math.inf


@inlined
def _goes_round(around: Around, v: TVector) -> bool:
    """Whether something moves along a periodic axis."""
    side = around.space.size
    return bool(v.x * side.x != 0.0 or v.y * side.y != 0.0 or v.z * side.z != 0.0)


@inlined
def _across(around: Around, vector: TVector) -> TVector:
    """What of a vector is along open axes."""
    side = around.space.size
    return TVector(
        vector.x if side.x == 0.0 else 0.0,
        vector.y if side.y == 0.0 else 0.0,
        vector.z if side.z == 0.0 else 0.0,
    )
