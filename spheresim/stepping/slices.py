"""The tutorial's search for the next impact of two balls: slice what is left of the step.

After every impact, whoever's it was, the rest of the step is cut anew.
"""

import math

from spheresim.broadphase.lists import candidates
from spheresim.compiled import routine
from spheresim.impact import never_meet, pair_sliced_toi
from spheresim.impacts import BALL
from spheresim.rows import vector_at
from spheresim.state import World
from spheresim.stepping.calendar import comes_before
from spheresim.stepping.flight import MEETING, NOW, STEP, Flight, Setting, position_at
from spheresim.stepping.predict import approach


@routine
def next_sliced_pair(
    world: World, flight: Flight, setting: Setting, length: float
) -> tuple[int, int, float]:
    """The earliest pair i < j, and its time in the step; inf if none."""
    now = flight.measure[NOW]
    first, second, first_time = -1, -1, math.inf
    for m in range(flight.count[MEETING]):
        i = flight.meeting[m]
        for n in range(candidates(flight.lists, flight.grid, i, flight.found)):
            j = flight.found[n]
            if j < i and flight.ball[j].met == flight.count[STEP]:
                continue  # seen from j
            a, b = min(i, j), max(i, j)
            time = now + _sliced_time(world, flight, setting, a, b, now, length)
            if time < math.inf and (
                first < 0 or comes_before(time, BALL, a, b, first_time, BALL, first, second)
            ):
                first, second, first_time = a, b, time
    return first, second, first_time


@routine
def _sliced_time(
    world: World, flight: Flight, setting: Setting, a: int, b: int, now: float, length: float
) -> float:
    x_a, x_b = position_at(flight, a, now), position_at(flight, b, now)
    v_a, v_b = vector_at(flight.velocity, a), vector_at(flight.velocity, b)
    d, v, s = x_a - x_b, v_a - v_b, world.radius[a] + world.radius[b]
    # The tutorial looks first whether the relative path comes within reach at all.
    if length <= now or never_meet(d, v, s) or not approach(x_a, x_b, v_a, v_b):
        return math.inf
    return pair_sliced_toi(d, v, s, length - now, setting.slices, False)
