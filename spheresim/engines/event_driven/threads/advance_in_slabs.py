"""The loops of the threads: window after window, with as little as possible between them."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import Cells
from spheresim.collision.journal import RECORDS
from spheresim.collision.snapshots import BALLS_SO_FAR
from spheresim.compiler.atomics import load_acquire, store_release
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.advance import (
    count_from_epoch,
    earliest_event,
    move_epoch,
    note_density,
    start_turn_of,
    width_of_next_turn,
)
from spheresim.engines.event_driven.bounds import reset_bounds, update_coordinate_bound
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    centre_of,
    since_epoch,
)
from spheresim.engines.event_driven.event_calendar import (
    NONE,
    bucket_of,
    buckets_overfull,
    clear,
    empty_turn,
    enter,
    has_earlier_root,
    passed,
    take_next,
)
from spheresim.engines.event_driven.neighbour_lists import has_overflowed
from spheresim.engines.event_driven.statistics import block_is_full, take_snapshot
from spheresim.engines.event_driven.threads.border import enter_changed, work_at_border
from spheresim.engines.event_driven.threads.rollback import (
    Log,
    clear_log,
    roll_back,
    start_log,
)
from spheresim.engines.event_driven.threads.slab import Slabs, slab_at
from spheresim.engines.event_driven.threads.window import (
    InSlab,
    Window,
    add_counts,
    add_next_impact,
    add_up,
    handle,
    has_ties,
    is_next_in_window,
    start_counts,
    work_in_slab,
)
from spheresim.numerics.arrays import Floats, Integers

USUAL_WINDOW = 64
"""Buckets in a window, of about one impact each: with more, more windows are rolled back; with
fewer, threads wait for each other more often."""

_FREE_ROWS = 12
"""Rows that the journal must have for one more event."""

_SPARE_ROWS = 64
"""Spare rows of cells that each thread is given for a window."""

_SPINS = 200_000
"""How often a thread tests whether it may go on before Python gives the processor to others: in
about a quarter of a millisecond. It is longer than what one thread does alone in a usual window,
or the others would be on their way through Python when the next window begins."""

LINE = 8
"""Numbers in a cache line: what one thread writes and another waits for has one of its own."""

# Jobs: the events of a window in the slabs, then those at the borders; and what starts a turn of
# the calendars: the earliest event, times from the new epoch on, and the calendars.
NO_JOB, EVENTS, BORDERS, EARLIEST, EPOCH, CALENDARS = range(6)

# Places in `Team.signal`: jobs begun, and 1 when all is done.
BEGUN, STOP = 0, LINE

# Why the first thread returns.
ARRIVED, STOPPED, WAITING = range(3)


class Plan:
    """The fields of `Team.plan`, which the first thread writes between two jobs."""

    job: int
    first: int  # bucket of the window
    end: int  # the bucket behind its last
    buckets: int  # that a window has
    has_overflowed: int  # 1 if a row of neighbours has
    windows: int  # so far
    rolled_back: int  # of them
    in_order: int  # windows that one thread handled from the start
    limit: float  # the time of the end
    shift: float  # how far the epoch is moved
    span: float  # of the last turn


class Team(NamedTuple):
    """What threads work with: slabs; states: the engine's balls with a calendar, counts and scratch
    of their own, for each slab, then for each border, whose calendar is a heap; ordered: the same
    for the first thread between windows, with the calendar of each slab; logs: for each of
    `states`; plan: one record; signal: see above; done, found: for each thread, a cache line apart,
    how many jobs it has done, and the earliest event that it has found."""

    slabs: Slabs
    states: tuple[EngineState, ...]
    ordered: tuple[EngineState, ...]
    logs: tuple[Log, ...]
    plan: Plan
    signal: Integers
    done: Integers
    found: Floats


class End(NamedTuple):
    """Where `advance_in_slabs` stops: at the time `until`, right after impact number `enough`, or
    after as many windows."""

    until: float
    enough: int
    windows: int


@inlined
def _window(team: Team) -> Window:
    """The present window."""
    return Window(team.plan.end, team.plan.limit)


@kernel
def help_in_slab(environment: Environment, team: Team, k: int) -> int:
    """Do the jobs of thread k, until all is done, or nothing has come for a while."""
    done, spins = team.done[LINE * k], 0
    while spins < _SPINS:
        if load_acquire(team.signal, BEGUN) > done:
            _do_job(environment, team, k)
            done, spins = done + 1, 0
            store_release(team.done, LINE * k, done)
        elif load_acquire(team.signal, STOP) > 0:
            return ARRIVED
        else:
            spins += 1
    return WAITING


@kernel(label="the exact engine for several threads", parts=300)
def advance_in_slabs(
    environment: Environment, state: EngineState, team: Team, end: End, is_alone: bool
) -> int:
    """Advance to a time, window by window, as the first of several threads.

    It also stops where `advance` does. is_alone: whether this thread does the jobs of the others,
    too.
    """
    until, enough, windows = end
    while True:
        job = team.plan.job
        if job != NO_JOB and not _all_done(team):
            return WAITING
        team.plan.job = NO_JOB
        if job == NO_JOB:
            if _must_stop(state, team.plan, enough) or windows == 0:
                return STOPPED
            windows -= 1
        elif job == EARLIEST and not _start_turn(environment, state, team, until):
            return ARRIVED
        next_job, is_over = _after_job(job, environment, state, team, end)
        if is_over:
            # The window is done, or as much of it as is before the end.
            if bucket_of(state.calendar, team.plan.limit) < team.plan.end:
                return ARRIVED
            team.plan.first = team.plan.end
        if next_job != NO_JOB:
            # Let the others begin, and do the first thread's part.
            team.plan.job = next_job
            store_release(team.signal, BEGUN, team.signal[BEGUN] + 1)
            for k in range(len(team.ordered) if is_alone else 1):
                _do_job(environment, team, k)
                team.done[LINE * k] = team.signal[BEGUN]


@inlined
def _after_job(
    job: int, environment: Environment, state: EngineState, team: Team, end: End
) -> tuple[int, bool]:
    """What the first thread does when all are done with a job, or there was none: the next job,
    and whether a window is over."""
    until, enough = end.until, end.enough
    if job == EVENTS and _all_go_on(team):
        return BORDERS, False
    if job in (EVENTS, BORDERS):
        if job == BORDERS and _finish_window(state, team, enough):
            return NO_JOB, True
        if job == EVENTS:
            _start_border_logs(team)
        team.plan.rolled_back += 1
        _take_spare_rows_back(state, team.states)
        roll_back(environment, team.states, team.ordered, team.logs)
    elif job == EARLIEST:
        return EPOCH, False
    elif job == EPOCH:
        _bound(state, team.states)
        note_density(state)
        return CALENDARS, False
    elif job == CALENDARS:
        team.plan.first = 0
        return NO_JOB, False
    elif team.plan.first >= len(state.calendar.row) or _is_overfull(state, team.states):
        return EARLIEST, False
    else:
        team.plan.limit = since_epoch(state, until)
        team.plan.end = min(team.plan.first + team.plan.buckets, len(state.calendar.row))
        if _can_share(state, team, enough):
            _start_counts(state, team.states, team.ordered)
            team.plan.windows += 1
            return EVENTS, False
        team.plan.in_order += 1
    return NO_JOB, _handle_in_order(environment, state, team, enough)


@routine
def _do_job(environment: Environment, team: Team, k: int) -> None:
    """Do the part of thread k."""
    job, state, threads = team.plan.job, team.states[k], len(team.ordered)
    balls = len(state.ball)
    first, end = balls * k // threads, balls * (k + 1) // threads
    if job == EVENTS:
        _enter_changed(state, team, k)
        own = InSlab(team.slabs, state, team.logs[k], k)
        work_in_slab(environment, team.ordered, own, _window(team))
    elif job == BORDERS:
        border = InSlab(team.slabs, team.states[threads + k], team.logs[threads + k], k)
        work_at_border(environment, team.ordered, team.logs, border, _window(team))
    elif job == EARLIEST:
        team.found[LINE * k] = earliest_event(state, first, end)
    elif job == EPOCH:
        for m in range(first, end):
            i: Any = np.uint32(m)
            count_from_epoch(state, i, team.plan.shift)
            start_turn_of(environment, state, i, team.plan.span)
            state.event[i].slab = slab_at(team.slabs, state, centre_of(state.event[i]))
    else:
        _enter_all(state, k)


@inlined
def _must_stop(state: EngineState, plan: Plan, enough: int) -> bool:
    """Whether there were enough impacts, or Python is to look first."""
    count = state.count
    done = count.ball_impacts + count.obstacle_impacts >= enough
    free = max(_FREE_ROWS, min(3 * plan.buckets, RECORDS // 2))
    is_full = count.recorded > RECORDS - free
    return bool(done | is_full | (count.jammed + count.layout_due > 0))


@inlined
def _all_done(team: Team) -> bool:
    """Wait until all threads are done; False if that takes long."""
    for k in range(1, len(team.ordered)):
        spins = 0
        while load_acquire(team.done, LINE * k) < team.signal[BEGUN]:
            spins += 1
            if spins > _SPINS:
                return False
    return True


@inlined
def _is_overfull(state: EngineState, states: tuple[EngineState, ...]) -> bool:
    """Whether the buckets of the turn are too wide."""
    return buckets_overfull(state.calendar, state.measure.now, _fired(states))


@inlined
def _fired(states: tuple[EngineState, ...]) -> int:
    """How many events have fired in this turn."""
    fired = 0
    for k in range(len(states)):
        fired += states[k].calendar.turn.fired
    return fired


# --- Windows --------------------------------------------------------------------------


@inlined
def _impacts_left(state: EngineState, enough: int) -> int:
    """Impacts up to the one after which something else is to be done: a snapshot, the end, or to
    empty the journal."""
    count = state.count
    last = int(state.block[count.blocks - 1, BALLS_SO_FAR])
    to_snapshot = last + count.block_impacts - count.ball_impacts
    left = min(to_snapshot, enough - count.ball_impacts - count.obstacle_impacts)
    if count.recording > 0:
        left = min(left, RECORDS - _FREE_ROWS - count.recorded)
    return int(left)


@inlined
def _can_share(state: EngineState, team: Team, enough: int) -> bool:
    """Whether threads may share the next window; gives them spare rows of cells for it."""
    plan, states, pool = team.plan, team.states, state.cells
    if (plan.has_overflowed > 0) | (_impacts_left(state, enough) <= 2 * plan.buckets):
        return False
    for k in range(len(states)):
        own = states[k].cells
        while own.spares[0] < _SPARE_ROWS and pool.spares[0] > 0:
            _move_spare_row(pool, own)
        if own.spares[0] < _SPARE_ROWS:
            _take_spare_rows_back(state, states)
            return False
    return True


@inlined
def _move_spare_row(giver: Cells, taker: Cells) -> None:
    giver.spares[0] -= 1
    taker.spare[taker.spares[0]] = giver.spare[giver.spares[0]]
    taker.spares[0] += 1


@routine
def _take_spare_rows_back(state: EngineState, states: tuple[EngineState, ...]) -> None:
    for k in range(len(states)):
        while states[k].cells.spares[0] > 0:
            _move_spare_row(states[k].cells, state.cells)


@inlined
def _enter_changed(state: EngineState, team: Team, k: int) -> None:
    """Enter the events of slab k that the last window's work at borders has left on no calendar."""
    for n in range(len(team.ordered), len(team.logs)):
        enter_changed(state, k, team.logs[n])


@inlined
def _all_go_on(team: Team) -> bool:
    """Whether no thread rolls the window back after its work in a slab."""
    rolls_back = 0
    for k in range(len(team.ordered)):
        rolls_back |= team.logs[k].status.rolls_back
    return rolls_back == 0


@inlined
def _start_border_logs(team: Team) -> None:
    """Forget what the logs of borders say of the last window."""
    for k in range(len(team.ordered), len(team.logs)):
        start_log(team.logs[k], team.states[k].calendar)


@inlined
def _finish_window(state: EngineState, team: Team, enough: int) -> bool:
    """Add all up; False if the window must be rolled back."""
    rolls_back, impacts = 0, 0
    for k in range(len(team.logs)):
        rolls_back |= team.logs[k].status.rolls_back
        impacts += team.logs[k].status.impacts
    if (
        (rolls_back > 0)
        | (impacts >= _impacts_left(state, enough))
        | _is_overfull(state, team.states)
    ):
        return False
    if has_ties(team.logs):
        return False
    _take_spare_rows_back(state, team.states)
    add_up(state, team.states, team.logs)
    return True


@routine
def _handle_in_order(environment: Environment, state: EngineState, team: Team, enough: int) -> bool:
    """Handle all events of a window in order; False if it stopped before."""
    log, window = team.logs[len(team.ordered)], _window(team)
    for k in range(len(team.ordered)):
        _enter_changed(team.ordered[k], team, k)
    while True:
        if _must_stop(state, team.plan, enough) or _is_overfull(state, team.states):
            return False
        k = _next_slab(environment, team.ordered, window)
        if k < 0:
            return True
        own = team.ordered[k]
        clear_log(log)
        start_counts(state, own)
        i = take_next(own.calendar, own.event, own.body)
        handle(environment, team.ordered, InSlab(team.slabs, own, log, k), i, False)
        is_impact = own.count.ball_impacts > 0
        team.plan.has_overflowed |= log.status.overflowed
        state.measure.now = own.measure.now
        add_counts(state, own)
        own.count.recorded = 0
        if log.status.impacts > 0:
            add_next_impact(state, own, log)
        if is_impact and block_is_full(state):
            take_snapshot(environment, state, state.measure.now)


@inlined
def _next_slab(environment: Environment, ordered: tuple[EngineState, ...], window: Window) -> int:
    """The slab with the next event in the window; -1 if there is none."""
    earliest = -1
    for k in range(len(ordered)):
        if is_next_in_window(environment, ordered[k], len(ordered), window):
            state = ordered[k]
            if earliest < 0 or has_earlier_root(
                state.calendar, ordered[earliest].calendar, state.event, state.body
            ):
                earliest = k
    return earliest


# --- Calendars ------------------------------------------------------------------------


@routine
def _start_turn(environment: Environment, state: EngineState, team: Team, until: float) -> bool:
    """Start another turn of the calendars; False if it is not due. See `advance`."""
    earliest = math.inf
    for k in range(len(team.ordered)):
        earliest = min(earliest, team.found[LINE * k])
    if earliest == math.inf or earliest > since_epoch(state, until):
        return False
    # The new turn's buckets and epoch.
    calendar = state.calendar
    buckets = len(calendar.row)
    calendar.turn.fired = _fired(team.states)
    now, is_overfull = float(state.measure.now), _is_overfull(state, team.states)
    before = passed(calendar, now) if is_overfull else buckets - 1
    team.plan.shift, team.plan.span = earliest, calendar.turn.width * buckets
    empty_turn(calendar, width_of_next_turn(state, before))
    move_epoch(environment, state, earliest)
    reset_bounds(state.measure, team.plan.span + calendar.turn.width * buckets)
    for k in range(len(team.states)):
        empty_turn(team.states[k].calendar, calendar.turn.width)
    _start_counts(state, team.states, team.ordered)
    team.plan.has_overflowed = 0
    return True


@inlined
def _bound(state: EngineState, states: tuple[EngineState, ...]) -> None:
    """Let the bounds hold for the balls of all threads."""
    for k in range(len(states)):
        own, all_of = states[k].measure, state.measure
        reach = max(all_of.initial_coordinate_bound, own.initial_coordinate_bound)
        all_of.initial_coordinate_bound = reach
        all_of.speed_bound = max(all_of.speed_bound, own.speed_bound)
    update_coordinate_bound(state.measure)


@inlined
def _enter_all(state: EngineState, k: int) -> None:
    """Enter the events of slab k into its calendar."""
    for m in range(len(state.event)):
        i: Any = np.uint32(m)
        if int(state.event[i].slab) == k:
            state.event[i].bucket = NONE
            enter(state.calendar, state.event, state.body, i)


@inlined
def _start_counts(
    state: EngineState, states: tuple[EngineState, ...], ordered: tuple[EngineState, ...]
) -> None:
    for k in range(len(states)):
        start_counts(state, states[k])
    start_counts(state, ordered[0])


@kernel
def enter_slabs(state: EngineState, team: Team) -> None:
    """Share all events out among the calendars of the slabs, in the middle of a turn."""
    opened = state.calendar.turn.open_bucket
    overflowed = False
    for m in range(len(state.event)):
        i: Any = np.uint32(m)
        state.event[i].slab = slab_at(team.slabs, state, centre_of(state.event[i]))
        overflowed |= has_overflowed(state, i)
    for k in range(len(team.states)):
        own = team.states[k]
        own.cells.spares[0] = 0
        empty_turn(own.calendar, state.calendar.turn.width)
        own.calendar.turn.open_bucket = opened
    for k in range(len(team.ordered)):
        _enter_all(team.states[k], k)
    team.states[0].calendar.turn.fired = state.calendar.turn.fired
    team.plan.has_overflowed = int(overflowed)
    team.plan.first, team.plan.job = opened, NO_JOB


@kernel
def leave_slabs(state: EngineState, team: Team) -> None:
    """Enter all events into the engine's own calendar again."""
    calendar = state.calendar
    clear(calendar, state.event, calendar.turn.width)
    calendar.turn.fired = _fired(team.states)
    calendar.turn.open_bucket = min(team.plan.first, len(calendar.row) - 1)
    for m in range(len(state.event)):
        i: Any = np.uint32(m)
        state.event[i].slab = 0
        enter(calendar, state.event, state.body, i)
