"""A window of time, in which each thread handles the events of its slab, from its own calendar.

S. Miller and S. Luding, Event-driven molecular dynamics in parallel, Journal of Computational
Physics 193, 2004. An event near a slab's border is deferred, and so is a later one that may
interact with it. When all threads are done, each handles what was deferred at one border, in order
(see `border`). An event that comes too late, because a thread has handled a later one that may
interact with it, rolls the window back (see `rollback`): then one thread handles all of its events
in order.

So each event reads what it would read if one thread did all: the bits are the same. Sums are kept
event by event, and added up in order when the window is done.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL
from spheresim.collision.repeated_impacts import WEDGED_IMPACTS
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import copy_record
from spheresim.engines.event_driven.engine_state import (
    ROW,
    EngineState,
    Environment,
    absolute,
    centre_of,
)
from spheresim.engines.event_driven.event_calendar import (
    bucket_of,
    is_ready,
    open_next,
    take_next,
)
from spheresim.engines.event_driven.neighbour_lists import has_overflowed, neighbour_count
from spheresim.engines.event_driven.predict import predict_next_event
from spheresim.engines.event_driven.prefetch import PREFETCH_FROM, prefetch_ahead
from spheresim.engines.event_driven.resolve import is_live, resolve_event
from spheresim.engines.event_driven.threads.rollback import (
    Log,
    LoggedPlace,
    is_full,
    log_ball,
    set_place,
    start_log,
)
from spheresim.engines.event_driven.threads.slab import (
    Slabs,
    any_may_interact,
    border_at,
    depth_at,
    depth_in,
)
from spheresim.numerics.vector import TVector

_FEW_ROWS = 4
"""Spare rows of cells without which no event is handled: each takes one at most for a ball."""


class Window(NamedTuple):
    """The events before bucket `end` of the calendars, by the time `limit`."""

    end: int
    limit: float


class InSlab(NamedTuple):
    """What a thread works with in slab k: the engine's balls with a calendar and counts of its own,
    and its log of the window."""

    slabs: Slabs
    state: EngineState
    log: Log
    k: int


@inlined
def is_next_in_window(
    environment: Environment, state: EngineState, calendars: int, window: Window
) -> bool:
    """Bring a calendar's next event to the root of its heap; False if there is none in the window.
    calendars: how many there are."""
    calendar, prefetches = state.calendar, len(state.ball) >= PREFETCH_FROM
    while not is_ready(calendar, state.event):
        if calendar.turn.open_bucket + 1 >= window.end:
            return False
        open_next(calendar, state.event, state.body)
        if prefetches:
            prefetch_ahead(environment, state, calendars)
    time = state.event[calendar.heap[0]].time
    return bool((bucket_of(calendar, time) < window.end) & (time <= window.limit))


# --- A thread in its slab -------------------------------------------------------------


@routine
def work_in_slab(
    environment: Environment, states: tuple[EngineState, ...], own: InSlab, window: Window
) -> None:
    """Handle the events of a slab in a window, apart from those that must be deferred: these are
    on no calendar then.

    states: for each slab.
    """
    state, log = own.state, own.log
    start_log(log, state.calendar)
    while is_next_in_window(environment, state, len(states), window):
        if is_full(log, len(state.names)) or state.cells.spares[0] < _FEW_ROWS:
            log.status.rolls_back = 1
            break
        i = take_next(state.calendar, state.event, state.body)
        if _must_be_deferred(environment, own, i):
            state.calendar.turn.fired -= 1
            _defer(environment, own, i)
            continue
        handle(environment, states, own, i, True)
        if log.status.rolls_back > 0:
            break


@inlined
def _must_be_deferred(environment: Environment, own: InSlab, i: int) -> bool:
    """Whether ball i's event is near the border of the slab, or near one that was deferred."""
    state = own.state
    event = state.event[i]
    if _is_near_deferred(environment, own, i, event.time):
        return True
    if event.kind != BALL:
        return False
    if int(state.event[event.other].slab) != own.k:
        return True
    return is_live(state, i) and _is_near_deferred(environment, own, event.other, event.time)


@inlined
def _is_near_deferred(environment: Environment, own: InSlab, i: int, now: float) -> bool:
    """Whether ball i is near the border, or near a place that was deferred."""
    slabs, state, log, k = own
    x = environment.motion.position_of(state.ball[i], now)
    depth = depth_in(slabs, state, k, x)
    if depth < slabs.border:
        return True
    if depth < log.status.deepest + (slabs.near - slabs.border):
        many = int(log.status.deferred_places)
        return any_may_interact(slabs, state, x, log.deferred_place, many, -math.inf)
    return False


@inlined
def _defer(environment: Environment, own: InSlab, i: int) -> None:
    """Leave ball i's event for later, and note where it and its partner are."""
    state, log, event = own.state, own.log, own.state.event[i]
    n = log.status.deferred
    log.status.deferred = n + 1
    log.deferred[n] = i
    x = environment.motion.position_of(state.ball[i], event.time)
    log.deferred_border[n] = border_at(own.slabs, state, x)
    _note_place(own, x, event.time)
    if event.kind == BALL and int(state.event[event.other].slab) == own.k:
        x = environment.motion.position_of(state.ball[event.other], event.time)
        _note_place(own, x, event.time)


@inlined
def _note_place(own: InSlab, x: TVector, time: float) -> None:
    log = own.log
    n = log.status.deferred_places
    log.status.deferred_places = n + 1
    set_place(log.deferred_place, n, x, time)
    depth = depth_in(own.slabs, own.state, own.k, x)
    log.status.deepest = max(log.status.deepest, depth)


# --- An event -------------------------------------------------------------------------


@routine
def handle(
    environment: Environment,
    states: Any,
    own: InSlab,
    i: int,
    may_roll_back: bool,
) -> None:
    """Handle ball i's event, as `advance` does, and log it; decide whether that rolls the window
    back.

    If it may, the next events are entered into the thread's calendar, else into those of `states`,
    one for each slab.
    """
    state, log = own.state, own.log
    event = state.event[i]
    now = float(event.time)
    log.status.last_event = state.measure.now = now
    if may_roll_back:
        _log_changed(environment, own, i, now)
        if is_live(state, i):
            _log_changed(environment, own, event.other, now)
        if state.body[i].wedged >= WEDGED_IMPACTS:
            # It may be taken out of a corner, which would change balls that are not logged.
            log.status.rolls_back = 1
            return
    # What it does.
    bound, rows = state.measure.speed_bound, state.count.recorded
    state.measure.virial = state.measure.dissipated = 0.0
    resolved = resolve_event(environment, state, i, now)
    if resolved.is_impact:
        n = log.status.impacts
        log.status.impacts = n + 1
        log.impact[n, 0] = now
        log.impact[n, 1] = state.measure.virial
        log.impact[n, 2] = state.measure.dissipated
        log.impact[n, 3] = state.count.recorded - rows
    # What others have read or may read otherwise.
    if may_roll_back:
        log.status.rolls_back |= int(state.measure.speed_bound != bound)
    # The next events of the balls whose flight has changed.
    other = resolved.other
    for _ in range(resolved.changed):
        its = state if may_roll_back else states[int(state.event[i].slab)]
        centre = centre_of(state.event[i])
        predict_next_event(environment, its, i, now, resolved.rebuild_threshold)
        is_rebuilt = (centre - centre_of(state.event[i])).mag_sqr() > 0.0
        if is_rebuilt and _has_overflow(state, i):
            log.status.overflowed = 1
            log.status.rolls_back |= int(may_roll_back)
        i, other = other, resolved.third


@inlined
def _log_changed(environment: Environment, own: InSlab, i: int, now: float) -> None:
    x = environment.motion.position_of(own.state.ball[i], now)
    is_near = depth_at(own.slabs, own.state, x) < own.slabs.near
    log_ball(own.log, own.state, i, LoggedPlace(x, now, is_near))


@inlined
def _has_overflow(state: EngineState, i: int) -> bool:
    """Whether ball i's row, or that of a neighbour, has overflowed."""
    overflowed = has_overflowed(state, i)
    first = np.uint64(i) * np.uint64(ROW) + np.uint64(1)
    for k in range(neighbour_count(state, i)):
        overflowed |= has_overflowed(state, state.row[first + np.uint64(k)])
    return bool(overflowed)


# --- Sums -----------------------------------------------------------------------------


@inlined
def start_counts(state: EngineState, own: EngineState) -> None:
    """Let a thread count from 0, with the bounds and the epoch of the engine."""
    copy_record(state.count, own.count)
    copy_record(state.measure, own.measure)
    own.count.ball_impacts = own.count.obstacle_impacts = own.count.collapse_answers = 0
    own.count.recorded = own.count.jammed = 0


@inlined
def add_counts(state: EngineState, own: EngineState) -> None:
    """Add what a thread has counted, in whatever order: numbers, and the largest of all."""
    count, measure = state.count, state.measure
    count.ball_impacts += own.count.ball_impacts
    count.obstacle_impacts += own.count.obstacle_impacts
    count.collapse_answers += own.count.collapse_answers
    count.jammed = max(count.jammed, own.count.jammed)
    measure.deepest_overlap = max(measure.deepest_overlap, own.measure.deepest_overlap)
    measure.speed_bound = max(measure.speed_bound, own.measure.speed_bound)
    measure.coordinate_bound = max(measure.coordinate_bound, own.measure.coordinate_bound)


@inlined
def add_next_impact(state: EngineState, own: EngineState, log: Log) -> None:
    """Add the next impact of a log to the sums and to the journal."""
    n = log.status.added
    log.status.added = n + 1
    state.measure.last_impact = absolute(state, log.impact[n, 0])
    state.measure.virial += log.impact[n, 1]
    state.measure.dissipated += log.impact[n, 2]
    if log.impact[n, 3] == 0.0:
        return
    row, source = state.count.recorded, own.count.recorded
    state.count.recorded, own.count.recorded = row + 1, source + 1
    for column in range(state.names.shape[1]):
        state.names[row, column] = own.names[source, column]
    for column in range(state.numbers.shape[1]):
        state.numbers[row, column] = own.numbers[source, column]


@routine
def add_up(state: EngineState, states: tuple[EngineState, ...], logs: tuple[Log, ...]) -> None:
    """Add up the impacts of all logs, in the order of their times. states: with which they were
    written."""
    for k in range(len(states)):
        add_counts(state, states[k])
        states[k].count.recorded = 0
    state.measure.now = max(state.measure.now, last_event(logs))
    k = _next_log(logs)
    while k >= 0:
        add_next_impact(state, states[k], logs[k])
        k = _next_log(logs)


@inlined
def last_event(logs: tuple[Log, ...]) -> float:
    """The time of the last event."""
    last = -math.inf
    for k in range(len(logs)):
        last = max(last, logs[k].status.last_event)
    return last


@inlined
def _next_log(logs: tuple[Log, ...]) -> int:
    """The log with the next impact; -1 if all have been added."""
    earliest, time = -1, math.inf
    for k in range(len(logs)):
        n = logs[k].status.added
        if n < logs[k].status.impacts and logs[k].impact[n, 0] < time:
            earliest, time = k, logs[k].impact[n, 0]
    return earliest


@routine
def has_ties(logs: tuple[Log, ...]) -> bool:
    """Whether two logs have impacts at the same time, whose order times do not tell."""
    for k in range(len(logs)):
        for m in range(k):
            i, j = 0, 0
            while i < logs[k].status.impacts and j < logs[m].status.impacts:
                s, t = logs[k].impact[i, 0], logs[m].impact[j, 0]
                if s == t:
                    return True
                i, j = (i + 1, j) if s < t else (i, j + 1)
    return False
