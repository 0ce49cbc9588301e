"""The tutorial's search for the next impact of two balls: cut what is left of the step into slices.

After every impact of any ball the rest of the step is cut anew. A sliced time is early by at
most one slice, so pairs whose analytic time is later than the best time so far and a slice
need not be sliced.
"""

import math

from spheresim.broadphase.sphere_grids.neighbour_lists import candidates
from spheresim.collision.event_order import ScheduledImpact, comes_before
from spheresim.collision.impacts import BALL
from spheresim.collision.sliced_toi import pair_sliced_toi
from spheresim.compiler.decorators import routine
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.pair_toi import pair_toi_in_step
from spheresim.engines.time_stepping.trajectory import JUST_LONGER, position_at
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at


@routine
def next_sliced_pair(world: World, state: EngineState) -> tuple[int, int, float]:
    """The earliest pair i < j by the sliced search, and its time in the step; inf if none."""
    # The balls that may touch another one before the best time so far and a slice.
    now, length = float(state.measure.now), float(state.measure.length)
    if now >= length:  # the step is over
        return -1, -1, math.inf
    slice_time = (length - now) / state.slices * JUST_LONGER
    first, second, first_time = -1, -1, math.inf
    for m in range(state.count.slice_candidates):
        i = state.slice_candidates[m]
        if state.ball[i].earliest_contact > first_time + slice_time:
            continue
        # All pairs of ball i; the earliest analytic time bounds them until its flight changes.
        earliest = math.inf
        for n in range(candidates(state.lists, state.grid, i, state.found)):
            a, b = min(i, state.found[n]), max(i, state.found[n])
            analytic = pair_toi_in_step(world, state, a, b, now)
            earliest = min(earliest, analytic)
            if analytic > min(first_time + slice_time, length):
                continue
            d = position_at(state, a, now) - position_at(state, b, now)
            v = vector_at(state.velocity, a) - vector_at(state.velocity, b)
            s = world.radius[a] + world.radius[b]
            time = now + pair_sliced_toi(d, v, s, length - now, state.slices, False)
            if comes_before(
                ScheduledImpact(time, BALL, a, b), ScheduledImpact(first_time, BALL, first, second)
            ):
                first, second, first_time = a, b, time
        state.ball[i].earliest_contact = earliest
    return first, second, first_time
