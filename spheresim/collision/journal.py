"""The journal of impacts: the rows that kernels write, and the counters beside them.

Both engines' `EngineState` have the arrays `names` and `numbers`, and the records `count` and
`measure`, with the fields below in both. So one kernel writes for either.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector

RECORDS = 4096
"""Rows of impacts that a kernel can write before its caller must empty the journal."""

WITH_FLIGHTS = 2
"""Impacts, and rows of the kind FLIGHT: flights that no impact implies."""

TANGENTIAL = 10
"""The column of `numbers` in which the tangential impulse begins, where there are materials."""


class Counts:
    """What both engines count: the fields with which the record `EngineState.count` begins."""

    recorded: int  # rows in the journal
    ball_impacts: int  # since the engine was made
    obstacle_impacts: int
    collapse_answers: int  # impacts changed by the collapse rule
    recording: int  # what is written into the journal: nothing (0), impacts (1), or WITH_FLIGHTS


class ContactWork:
    """What is counted of contact that lasts: the fields of `EngineState.work` in both engines, and
    those of `collision.impacts.Work`."""

    soft_impacts: int  # impacts from which nothing parts
    islands: int  # solves of their contacts
    rounds: int  # sweeps of these solves
    factors: int  # factorisations


class Measures:
    """The fields with which the record `EngineState.measure` begins in both engines."""

    now: float  # the time of the last event
    deepest_overlap: float  # at an impact
    dissipated: float  # the kinetic energy that impacts have taken


class Event(NamedTuple):
    """What a row of the journal is about: its kind, ball i, the other ball or the obstacle (−1 for
    neither), the step in which the time counts (0 where there are no steps), and the time."""

    kind: int
    i: int
    other: int
    step: int
    time: float


class NormalResponse(NamedTuple):
    """Normal velocity before and after an impact, and the impulse on ball i along the normal."""

    vn: float
    vn_after: float
    impulse: float


NO_RESPONSE = NormalResponse(0.0, 0.0, 0.0)
"""Of a contact that begins or ends without an impact."""


def empty_journal(more: int = 0, has_materials: bool = False) -> tuple[Integers, Floats]:
    """An empty journal: `names`, shape (RECORDS + more, 4), and `numbers`, (RECORDS + more, 10).

    names: kind, i, other, and the step in which the time counts (0 where there are no steps);
    numbers: time, contact point, normal, normal velocity before and after, impulse; with
    materials three columns more, the tangential impulse on i.
    """
    rows = RECORDS + more
    return np.zeros((rows, 4), dtype=np.int64), np.zeros((rows, columns_of(has_materials)))


def columns_of(has_tangential: bool) -> int:
    """How many numbers a row has."""
    return TANGENTIAL + 3 if has_tangential else TANGENTIAL


@inlined
def log_event(
    state: Any,
    event: Event,
    point: TVector,
    normal: TVector,
    response: NormalResponse,
) -> None:
    """Add a row to the journal, if it is kept; `state` is either engine's `EngineState`."""
    if state.count.recording == 0:
        return
    row = state.count.recorded
    state.count.recorded += 1
    names, numbers = state.names, state.numbers
    names[row, 0], names[row, 1] = event.kind, event.i
    names[row, 2], names[row, 3] = event.other, event.step
    numbers[row, 0] = event.time
    numbers[row, 1], numbers[row, 2], numbers[row, 3] = point.x, point.y, point.z
    numbers[row, 4], numbers[row, 5], numbers[row, 6] = normal.x, normal.y, normal.z
    numbers[row, 7], numbers[row, 8] = response.vn, response.vn_after
    numbers[row, 9] = response.impulse


@inlined
def impulse_on(numbers: Floats, side: int) -> TVector:
    """The impulse of a row on its first ball (side 0), or the opposite, on its second (1).

    numbers: of that row; on rough surfaces with the tangential impulse.
    """
    impulse: TVector = TVector(numbers[4], numbers[5], numbers[6]) * numbers[9]
    if numbers.size > TANGENTIAL:
        impulse = impulse + TVector(numbers[10], numbers[11], numbers[12])
    return impulse if side == 0 else impulse * -1.0
