"""The tutorial's search for the next impact of two balls: slice what is left of the step.

After every impact, whoever's it was, the rest of the step is cut anew. An answer is early
by at most one slice, so pairs that really meet later than the best answer so far and a
slice need not be sliced.
"""

import math

from spheresim.broadphase.neighbour_lists import candidates
from spheresim.collision.impacts import BALL, comes_before
from spheresim.collision.toi import pair_sliced_toi
from spheresim.compiler.decorators import routine
from spheresim.engines.time_stepping.engine_state import (
    MEETING,
    NOW,
    EngineState,
    StepParameters,
    position_at,
)
from spheresim.engines.time_stepping.predict import meeting_time
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at

_A_SLICE = 1.0 + 1e-6
"""And a little, for the rounding of times."""


@routine
def next_sliced_pair(
    world: World, state: EngineState, parameters: StepParameters, length: float
) -> tuple[int, int, float]:
    """The earliest pair i < j, and its time in the step; inf if none."""
    now = state.measure[NOW]
    slice_time = (length - now) / parameters.slices * _A_SLICE
    first, second, first_time = -1, -1, math.inf
    for m in range(state.count[MEETING]):
        i = state.meeting[m]
        if state.ball[i].meets > first_time + slice_time:
            continue
        meets = math.inf
        for n in range(candidates(state.lists, state.grid, i, state.found)):
            a, b = min(i, state.found[n]), max(i, state.found[n])
            analytic = meeting_time(world, state, a, b, now, length)
            meets = min(meets, analytic)
            if analytic > min(first_time + slice_time, length):
                continue
            time = now + _sliced_time(world, state, parameters, a, b, now, length)
            if time < math.inf and (
                first < 0 or comes_before(time, BALL, a, b, first_time, BALL, first, second)
            ):
                first, second, first_time = a, b, time
        state.ball[i].meets = meets
    return first, second, first_time


@routine
def _sliced_time(
    world: World,
    state: EngineState,
    parameters: StepParameters,
    a: int,
    b: int,
    now: float,
    length: float,
) -> float:
    d = position_at(state, a, now) - position_at(state, b, now)
    v = vector_at(state.velocity, a) - vector_at(state.velocity, b)
    s = world.radius[a] + world.radius[b]
    if length <= now:
        return math.inf
    return pair_sliced_toi(d, v, s, length - now, parameters.slices, False)
