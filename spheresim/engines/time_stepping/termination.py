"""Whether any impact is still to come: what ends a run for a number of impacts."""

import math

from spheresim.collision.constants import MOST_BALLS_IN_ALL_PAIRS
from spheresim.collision.journal import NOW
from spheresim.collision.toi import surely_miss
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.contact.ball_state import ASLEEP, FREE, moves_in_contact
from spheresim.engines.time_stepping.engine_state import (
    BEGUN,
    EngineState,
    StepParameters,
    absolute,
)
from spheresim.engines.time_stepping.pair_toi import pair_toi_in_step
from spheresim.engines.time_stepping.trajectory import position_at
from spheresim.model.state import World
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.frame import Path
from spheresim.obstacles.driven_walls.toi import LATEST
from spheresim.obstacles.features.index import swept_bounds
from spheresim.obstacles.table import is_receding, toi


@kernel
def is_over(world: World, state: EngineState, parameters: StepParameters) -> bool:
    """Whether it is certain that no ball will ever hit anything again.

    It is not tested for very many balls. A falling ball is past an obstacle once it moves away
    from it and gravity does not pull it back.
    """
    now = state.measure[NOW] if state.count[BEGUN] == 1 else 0.0
    n, time = state.ball.size, absolute(state, now)
    if n > MOST_BALLS_IN_ALL_PAIRS:
        return False
    for i in range(n):
        x, v = position_at(state, i, now), vector_at(state.velocity, i)
        held = state.ball[i].held
        if moves_in_contact(held) or (
            held == FREE and not _is_past_all(world, state, time, x, v, world.radius[i])
        ):
            return False
        for j in range(i + 1, n):
            d, w = x - position_at(state, j, now), v - vector_at(state.velocity, j)
            if not state.rule.fly_alike(state, i, j):
                if not _is_left(state, i, j, d, w, world.gravity):
                    return False
                continue
            misses = surely_miss(d, w, world.radius[i] + world.radius[j])
            if not misses and pair_toi_in_step(world, state, i, j, now, parameters.step) < math.inf:
                return False
    return True


@routine
def _may_hit_feature(world: World, x: TVector, v: TVector, radius: float) -> bool:
    """Whether a ball may still hit a feature: it does, without gravity, or it is not past all."""
    obstacles, gravity = world.obstacles, world.gravity
    _, ahead = obstacles.features.reach_times(x, v, gravity, radius)
    if ahead <= 0.0 or (v.mag_sqr() == 0.0 and gravity.mag_sqr() == 0.0):
        return False
    if gravity.mag_sqr() > 0.0:
        return True
    corners = swept_bounds(x, v, gravity, radius, 0.0, ahead)
    leaf = obstacles.features.leaf_after(0, corners)
    while leaf > 0:
        if toi(obstacles, obstacles.features.feature_at(leaf), TRay(x, v), radius) < math.inf:
            return True
        leaf = obstacles.features.leaf_after(leaf, corners)
    return False


@inlined
def _is_left(state: EngineState, i: int, j: int, d: TVector, w: TVector, gravity: TVector) -> bool:
    """Whether of two balls one sleeps and the other one falls away from it, or both sleep.

    d, w: the place and the velocity of ball i from ball j.
    """
    falls = int(state.ball[j].held == ASLEEP) - int(state.ball[i].held == ASLEEP)
    return (falls == 0) | ((w.dot(d) >= 0.0) & (falls * gravity.dot(d) >= 0.0))


@routine
def _may_hit_wall(
    world: World, state: EngineState, now: float, x: TVector, v: TVector, radius: float
) -> bool:
    """Whether a ball that falls along a parabola may still hit an obstacle that moves."""
    walls, ball = world.walls, Path(x, v, world.gravity)
    for n in range(walls.moving_rows()):
        k = walls.moving_row(n)
        met = walls.meeting(state.walls, world.obstacles, k, now, ball, radius, LATEST)
        if met.time < LATEST:
            return True
    return False


@inlined
def _is_past_all(
    world: World, state: EngineState, now: float, x: TVector, v: TVector, radius: float
) -> bool:
    """Whether a ball will never hit any obstacle; now: the time, counted from 0."""
    if _may_hit_feature(world, x, v, radius):
        return False
    if world.walls.any_move() and _may_hit_wall(world, state, now, x, v, radius):
        return False
    for n in range(world.obstacles.unbounded.size):
        if not _is_past(world, world.obstacles.unbounded[n], x, v, radius):
            return False
    return True


@inlined
def _is_past(world: World, k: int, x: TVector, v: TVector, radius: float) -> bool:
    """Whether a ball will never hit obstacle k."""
    gravity = world.gravity
    if gravity.mag_sqr() == 0.0:
        return v.mag_sqr() == 0.0 or toi(world.obstacles, k, TRay(x, v), radius) == math.inf
    return is_receding(world.obstacles, k, x, v, gravity)
