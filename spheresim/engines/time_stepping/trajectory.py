"""A ball's trajectory: straight inside a step, with a kick of gravity at the start of each."""

import math

from spheresim.collision.collapse import count_repeated_impacts
from spheresim.compiler.decorators import inlined
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

MOST_STEPS_AHEAD = 1e5
"""Steps over which predictions are made; over more, rounding could exceed their tolerances."""

JUST_LONGER = 1.0 + 1e-6
"""Factor on a length of time; exceeds the rounding of times."""


@inlined
def position_at(state: EngineState, i: int, time: float) -> TVector:
    """Ball i's position at a time in the step."""
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    elapsed: float = time - state.ball[i].clock
    return x + v * elapsed


@inlined
def move_to(world: World, state: EngineState, i: int, time: float) -> None:
    """Move ball i to its impact; what was predicted with its old flight becomes stale."""
    x = position_at(state, i, time)
    path = vector_at(state.velocity, i).mag() * (time - state.ball[i].clock)
    count_repeated_impacts(state.ball[i], x, world.radius[i], path)
    state.rule.count_chatter(world, state, i, path)
    set_vector(state.position, i, x)
    state.ball[i].clock = time
    state.ball[i].stamp += 1


@inlined
def time_to_travel(world: World, state: EngineState, speed: float, length: float) -> float:
    """A time in which a ball surely goes no further than `length`, with all kicks of gravity.

    After n kicks of g·h the path is at most |v|·T + g·T·(T + 2h)/2 long.
    """
    gravity = world.gravity.mag()
    first = speed + gravity * state.timestep
    if first == 0.0 or length == math.inf:
        return math.inf
    return 2.0 * length / (first + math.sqrt(first * first + 2.0 * gravity * length))


@inlined
def step_of(state: EngineState, time: float) -> int:
    """The step in which a time, counted from the start of this step, lies."""
    step: int = state.count.step
    return step + int(min(time / state.timestep, MOST_STEPS_AHEAD))
