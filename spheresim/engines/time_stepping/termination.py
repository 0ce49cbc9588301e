"""Whether anything will happen any more: what a run for a number of impacts must know."""

import math

from spheresim.collision.toi import surely_miss
from spheresim.compiler.decorators import inlined, kernel
from spheresim.engines.time_stepping.engine_state import (
    BEGUN,
    NOW,
    EngineState,
    StepParameters,
    position_at,
)
from spheresim.engines.time_stepping.predict import meeting_time
from spheresim.model.state import World
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import is_receding, toi

_MOST = 30_000
"""Balls of which all pairs can be asked in a second or two."""


@kernel
def is_over(world: World, state: EngineState, parameters: StepParameters) -> bool:
    """Whether no ball will ever hit anything again: then this is certain.

    Of very many balls it is not asked. A falling ball is told to be past an obstacle once it
    moves away from it and is not pulled back.
    """
    now = state.measure[NOW] if state.count[BEGUN] == 1 else 0.0
    n = state.ball.size
    if n > _MOST:
        return False
    for i in range(n):
        x, v = position_at(state, i, now), vector_at(state.velocity, i)
        for k in range(world.obstacles.kind.size):
            if not _is_past(world, k, x, v, world.radius[i]):
                return False
        for j in range(i + 1, n):
            d, w = x - position_at(state, j, now), v - vector_at(state.velocity, j)
            passed = surely_miss(d, w, world.radius[i] + world.radius[j])
            if not passed and meeting_time(world, state, i, j, now, parameters.step) < math.inf:
                return False
    return True


@inlined
def _is_past(world: World, k: int, x: TVector, v: TVector, radius: float) -> bool:
    """Whether a ball will never hit obstacle k."""
    gravity = world.gravity
    if gravity.mag_sqr() == 0.0:
        return v.mag_sqr() == 0.0 or toi(world.obstacles, k, TRay(x, v), radius) == math.inf
    return is_receding(world.obstacles, k, x, v, gravity)
