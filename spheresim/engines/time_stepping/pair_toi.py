"""When two balls touch in a step; pairs that touch already are kept apart from those that will."""

import math

from spheresim.collision.toi import pair_toi
from spheresim.compiler.decorators import inlined
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.trajectory import position_at
from spheresim.model.state import World
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


@inlined
def pair_toi_in_step(world: World, state: EngineState, a: int, b: int, base: float) -> float:
    """The time in the step at which balls a < b touch, seen from the time `base`; inf if never."""
    x_a, x_b = position_at(state, a, base), position_at(state, b, base)
    v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
    radius_a, radius_b = world.radius[a], world.radius[b]
    if _are_in_contact(x_a, x_b, v_a, v_b, radius_a + radius_b, state.measure.length):
        gap = x_a.dist(x_b) - (radius_a + radius_b)
        creep = state.rule.creep(world, state, a, gap)
        creep = min(creep, state.rule.creep(world, state, b, gap))
        return base if _are_approaching(x_a, x_b, v_a, v_b, creep) else math.inf
    return base + pair_toi(x_a, v_a, radius_a, x_b, v_b, radius_b)


@inlined
def _are_in_contact(
    x_a: TVector, x_b: TVector, v_a: TVector, v_b: TVector, s: float, length: float
) -> bool:
    """Whether two balls overlap, or their gap is below the rounding of positions and times."""
    scale = manhattan_norm(x_a) + manhattan_norm(x_b) + s + manhattan_norm(v_a - v_b) * length
    return x_a.dist(x_b) - s <= ROUNDING * scale


@inlined
def _are_approaching(x_a: TVector, x_b: TVector, v_a: TVector, v_b: TVector, creep: float) -> bool:
    """Whether two balls approach each other, by more than `creep` and the rounding of their
    velocities."""
    d = x_a - x_b
    slowest = ROUNDING * (manhattan_norm(v_a) + manhattan_norm(v_b)) + creep
    return (v_a - v_b).dot(d) < -slowest * d.mag()
