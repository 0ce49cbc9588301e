"""The log of a window: what events have changed, so that all of it can be undone.

As in D. R. Jefferson, Virtual time, ACM Transactions on Programming Languages and Systems 7, 1985,
events are handled before it is certain that none before them is still to come, and rolled back if
one was.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.cell_list import insert, remove
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    BODY_FIELDS,
    EVENT_FIELDS,
    OVERFLOW,
    ROW,
    EngineState,
    Environment,
    centre_of,
    records,
)
from spheresim.engines.event_driven.event_calendar import NONE, Calendar, enter, take_out
from spheresim.engines.event_driven.neighbour_lists import copy_old_neighbours, update_rows
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.records import zero_record
from spheresim.numerics.vector import TVector

MOST_CHANGED = 8192
"""Balls that may change in a window, each as often as it does."""


class Status:
    """The fields of `Log.status`."""

    changed: int  # entries of balls
    near: int  # of these, those near a border
    deferred: int  # events
    deferred_places: int
    impacts: int
    added: int  # impacts that have been added up
    rolls_back: int  # 1 if the window must be rolled back
    overflowed: int  # 1 if a row of neighbours has overflowed
    fired_before: int  # events of the thread's calendar
    last_event: float  # its time
    deepest: float  # how deep in the slab events were deferred


@by_reference
class Log(NamedTuple):
    """What a thread has done in a window, in the order of time.

    index, place, ball, event, body, row: balls as they were before they changed; place: (4, …), the
    last row the time; near: the same of those near a border; deferred: balls whose events were
    deferred, deferred_border: to which border; deferred_place: (4, …), their places, and those of
    their partners in the same slab; impact: (…, 4), time, virial, dissipated energy, rows in the
    journal; status: one record.
    """

    index: Any
    place: Floats
    ball: Records
    event: Records
    body: Records
    row: npt.NDArray[np.uint32]
    near: Floats
    deferred: npt.NDArray[np.uint32]
    deferred_border: npt.NDArray[np.uint32]
    deferred_place: Floats
    impact: Floats
    status: Status


class LoggedPlace(NamedTuple):
    """Where a ball is at a time, and whether events there may interact with those of a border."""

    x: TVector
    time: float
    is_near: bool


def empty_log(state: EngineState) -> Log:
    """A log without entries."""
    n = MOST_CHANGED
    return Log(
        index=np.zeros(n, dtype=np.uint32),
        place=np.zeros((4, n)),
        ball=records(n, state.ball.dtype),
        event=records(n, EVENT_FIELDS),
        body=records(n, BODY_FIELDS),
        row=np.zeros((n, ROW), dtype=np.uint32),
        near=np.zeros((4, n)),
        deferred=np.zeros(n, dtype=np.uint32),
        deferred_border=np.zeros(n, dtype=np.uint32),
        deferred_place=np.zeros((4, n)),
        impact=np.zeros((n, 4)),
        status=zero_record(Status),
    )


@inlined
def clear_log(log: Log) -> None:
    """Forget all entries."""
    status = log.status
    status.changed = status.near = status.impacts = status.added = 0
    status.deferred = status.deferred_places = 0
    status.rolls_back = status.overflowed = status.fired_before = 0
    status.last_event = status.deepest = -np.inf


@inlined
def start_log(log: Log, calendar: Calendar) -> None:
    """Forget all entries, and note how many events of a calendar have fired."""
    clear_log(log)
    log.status.fired_before = calendar.turn.fired


@inlined
def is_full(log: Log, journal_rows: int) -> bool:
    """Whether the next event may find no room."""
    most = max(log.status.changed, log.status.deferred_places, log.status.impacts)
    return bool((most > MOST_CHANGED - 4) | (log.status.impacts > journal_rows - 4))


@inlined
def log_ball(log: Log, state: EngineState, i: int, place: LoggedPlace) -> None:
    """Log ball i before its event changes it."""
    x, now, is_near = place
    n = log.status.changed
    log.status.changed = n + 1
    log.index[n] = i
    set_place(log.place, n, x, now)
    log.ball[n], log.event[n], log.body[n] = state.ball[i], state.event[i], state.body[i]
    first = np.uint64(i) * np.uint64(ROW)
    for k in range(ROW):
        log.row[n, k] = state.row[first + np.uint64(k)]
    if is_near:
        m = log.status.near
        log.status.near = m + 1
        set_place(log.near, m, x, now)


@inlined
def set_place(places: Floats, n: int, x: TVector, time: float) -> None:
    """Write place and time number n."""
    places[0, n], places[1, n], places[2, n], places[3, n] = x.x, x.y, x.z, time


@routine
def roll_back(
    environment: Environment,
    states: tuple[EngineState, ...],
    ordered: tuple[EngineState, ...],
    logs: tuple[Log, ...],
) -> None:
    """Undo all that was changed in a window. states, ordered, logs: as in `Team`."""
    has_overflowed = False
    for k in range(len(logs) - 1, -1, -1):
        log = logs[k]
        has_overflowed |= log.status.overflowed > 0
        for n in range(log.status.changed - 1, -1, -1):
            _restore_ball(environment, ordered, log, n)
        states[k].calendar.turn.fired = log.status.fired_before
    # What was deferred and not handled is on no calendar.
    for k in range(len(ordered)):
        state, log = ordered[k], logs[k]
        for n in range(log.status.deferred):
            i = log.deferred[n]
            if state.event[i].bucket == NONE:
                enter(state.calendar, state.event, state.body, i)
    state = ordered[0]
    if has_overflowed:
        # No row had overflowed before.
        for j in range(len(state.ball)):
            state.row[j * ROW] &= np.uint32(OVERFLOW - 1)


@inlined
def _restore_ball(
    environment: Environment, ordered: tuple[EngineState, ...], log: Log, n: int
) -> None:
    """Let the ball of entry n be what it was."""
    i, before = log.index[n], log.event[n]
    state = ordered[int(before.slab)]
    event, body = state.event[i], state.body[i]
    take_out(state.calendar, state.event, state.body, i)
    was_rebuilt = (
        (event.centre_x != before.centre_x)
        | (event.centre_y != before.centre_y)
        | (event.centre_z != before.centre_z)
        | (event.margin != before.margin)
    )
    if was_rebuilt:
        remove(state.cells, state.body, i)
        old = copy_old_neighbours(environment, state, i, log.place[3, n])
        new = int(log.row[n, 0])
        for k in range(new):
            state.found[old + k] = log.row[n, 1 + k]
        update_rows(state, i, old, new)
    place, cell = body.place, body.cell
    state.ball[i], state.event[i], state.body[i] = log.ball[n], log.event[n], log.body[n]
    body.place, body.cell = place, cell
    if was_rebuilt:
        reach = state.ball[i].radius + event.margin
        insert(state.cells, state.body, i, centre_of(event), reach)
    event.bucket = NONE
    enter(state.calendar, state.event, state.body, i)
