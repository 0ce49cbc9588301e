"""What threads have deferred in a window at one border between slabs, handled in order of time.

Each thread does so at one border, while others are at theirs: events so near to different borders
do not interact. Events wait in a heap, not on the calendars of slabs, to which other threads have
access too. Where the next ones of the changed balls belong, they are entered afterwards.
"""

from typing import Any

from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.engines.event_driven.event_calendar import HEAP, NONE, clear_heap, enter, take_next
from spheresim.engines.event_driven.resolve import is_live
from spheresim.engines.event_driven.threads.rollback import Log, is_full, start_log
from spheresim.engines.event_driven.threads.slab import any_may_interact, distance_to_border
from spheresim.engines.event_driven.threads.window import (
    InSlab,
    Window,
    handle,
    is_next_in_window,
)
from spheresim.numerics.vector import TVector


@routine
def work_at_border(
    environment: Environment,
    states: tuple[EngineState, ...],
    logs: tuple[Log, ...],
    own: InSlab,
    window: Window,
) -> None:
    """Handle what was deferred at border `own.k`, until that rolls the window back.

    states: for each slab; logs: those of the slabs come first.
    """
    state, log, many = own.state, own.log, len(own.slabs.first) - 1
    start_log(log, state.calendar)
    state.calendar.turn.buckets, state.calendar.turn.open_bucket = window.end, window.end - 1
    for k in range(many):
        _enter_deferred(own, logs[k])
    while is_next_in_window(environment, state, many, window):
        i = state.calendar.heap[0]
        if is_full(log, len(state.names)) or not _may_handle(environment, own, logs, i):
            log.status.rolls_back = 1
            break
        handle(environment, states, own, take_next(state.calendar, state.event, state.body), True)
        if log.status.rolls_back > 0:
            break
    clear_heap(state.calendar, state.event)


@inlined
def _enter_deferred(own: InSlab, log: Log) -> None:
    """Enter the events that a thread has deferred at this border."""
    state = own.state
    for n in range(log.status.deferred):
        i: Any = log.deferred[n]
        if log.deferred_border[n] == own.k:
            enter(state.calendar, state.event, state.body, i)


@inlined
def enter_changed(state: EngineState, k: int, log: Log) -> None:
    """Enter the events of slab k that are on no calendar since a border's log was written."""
    for n in range(log.status.changed):
        i: Any = log.index[n]
        if int(state.event[i].slab) == k and state.event[i].bucket == NONE:
            enter(state.calendar, state.event, state.body, i)


@inlined
def _may_handle(environment: Environment, own: InSlab, logs: tuple[Log, ...], i: int) -> bool:
    """Whether nothing that ball i's event may interact with comes or has come in another order."""
    state, motion = own.state, environment.motion
    event = state.event[i]
    now = event.time
    if not _is_free(own, logs, motion.position_of(state.ball[i], now), now):
        return False
    if not is_live(state, i):
        return True
    j = event.other
    if state.event[j].bucket == HEAP and not _is_in_heap(state, j):
        return False  # it is in the heap of a slab's calendar
    return _is_free(own, logs, motion.position_of(state.ball[j], now), now)


@inlined
def _is_in_heap(state: EngineState, j: Any) -> bool:
    """Whether ball j's event is in the heap of this calendar."""
    calendar, place = state.calendar, state.event[j].heap_place
    return bool(place < calendar.turn.heap_size and calendar.heap[place] == j)


@inlined
def _is_free(own: InSlab, logs: tuple[Log, ...], x: TVector, now: float) -> bool:
    """Whether an event at a place interacts neither with those at other borders, nor with a later
    one that a thread has handled in its slab."""
    slabs, state = own.slabs, own.state
    depth = distance_to_border(slabs, state, own.k, x)
    if depth >= slabs.deepest:
        return False
    is_in_border = depth < slabs.border
    for k in range(len(slabs.first) - 1):
        places, many = logs[k].place, int(logs[k].status.changed)
        if is_in_border:
            places, many = logs[k].near, int(logs[k].status.near)
        if any_may_interact(slabs, state, x, places, many, now):
            return False
    return True
