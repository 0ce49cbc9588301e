"""Balls in flight: where each was last answered, when it next needs attention.

A ball flies straight inside a step. `position` is where it was at `clock`, the time in
the step of its last impact (0 if it had none), so that a ball is moved only when
something happens to it, and every impact time follows from the state at the step's start
alone: whatever saves work below changes no bit of the result.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.grid import Grid, empty_grid
from spheresim.broadphase.neighbour_lists import Lists, empty_lists
from spheresim.compiler.decorators import inlined
from spheresim.engines.time_stepping.calendar import Calendar, empty_calendar
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

RECORDS = 4096
"""Impacts that a kernel can write down before the caller must empty the book."""

# Places in `Flight.count`.
STEP, BEGUN, RECORDED, BALL_IMPACTS, OBSTACLE_IMPACTS, COLLAPSE_ANSWERS, MEETING = range(7)
# Places in `Flight.measure`.
NOW, DEEPEST_OVERLAP, DISSIPATED = range(3)

BALL_FIELDS = [
    ("clock", "f8"),  # the time in the step at which it was at `position`
    ("stamp", "i8"),  # how often its flight changed: tells a prediction made before
    ("obstacle_due", "i8"),  # the first step in which it may touch an obstacle
    ("ball_due", "i8"),  # the first step in which it may touch a ball, or leave its sphere
    ("met", "i8"),  # the last step in which it was put into `meeting`
    ("meets", "f8"),  # the time in that step before which it meets nobody
    ("rapid", "i8"),  # impacts in a row without going far, see `answer`
    ("stuck", "i8"),  # impacts in a row without going anywhere
    ("last", "i8"),  # what it hit last: obstacle k, or −1 − j for ball j
]

AT_MOST_AHEAD = 1e5
"""Steps; over more, rounding could outgrow the margins of what is predicted."""


class StepParameters(NamedTuple):
    """What a run does not change: step [time], skin [length], slices (0: analytic)."""

    step: float
    skin: float
    slices: int


class EngineState(NamedTuple):
    """The engine's arrays, for n balls; see the module for `position` and `clock`.

    position, velocity: (n, 3); ball: (n,), a record of `BALL_FIELDS` each;
    found, meeting: balls, as scratch;
    numbers: (RECORDS, 10) and names: (RECORDS, 4), the book of impacts;
    count, measure: see the places above.
    """

    position: Any
    velocity: Any
    ball: Any
    found: Any
    meeting: Any
    grid: Grid
    lists: Lists
    calendar: Calendar
    numbers: Any
    names: Any
    count: Any
    measure: Any


def allocate(position: Any, velocity: Any, side: float) -> EngineState:
    """Arrays for balls at the start of a step, all of them due; cells of the given side."""
    n = len(position)
    ball = np.recarray(n, dtype=BALL_FIELDS)
    ball.fill(0)
    ball.met = -1
    return EngineState(
        position=position.copy(),
        velocity=velocity.copy(),
        ball=ball,
        found=np.zeros(n + 1, dtype=np.int64),
        meeting=np.zeros(n, dtype=np.int64),
        grid=empty_grid(n, side),
        lists=empty_lists(n),
        calendar=empty_calendar(n),
        numbers=np.zeros((RECORDS, 10)),
        names=np.zeros((RECORDS, 4), dtype=np.int64),
        count=np.zeros(7, dtype=np.int64),
        measure=np.zeros(3),
    )


@inlined
def position_at(state: EngineState, i: int, time: float) -> TVector:
    """Where ball i is at a time in the step."""
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    elapsed: float = time - state.ball[i].clock
    return x + v * elapsed


@inlined
def size(vector: TVector) -> float:
    """The sum of the components' magnitudes: no less than the length, and cheaper."""
    return abs(vector.x) + abs(vector.y) + abs(vector.z)


@inlined
def time_to_travel(world: World, parameters: StepParameters, speed: float, length: float) -> float:
    """A time in which a ball surely goes no further than `length`, kicks included.

    After n kicks of g·h the path is at most |v|·T + g·T·(T + 2h)/2 long.
    """
    gravity = world.gravity.mag()
    first = speed + gravity * parameters.step
    if first == 0.0 or length == math.inf:
        return math.inf
    return 2.0 * length / (first + math.sqrt(first * first + 2.0 * gravity * length))


@inlined
def step_of(state: EngineState, parameters: StepParameters, time: float) -> int:
    """The step in which a time, counted from the start of this step, lies."""
    step: int = state.count[STEP]
    return step + int(min(time / parameters.step, AT_MOST_AHEAD))
