"""The loops of the threads: window after window, with as little as possible between them."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.atomics import load_acquire, store_release
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.calendar_turns import (
    count_from_epoch,
    earliest_event,
    note_density,
    start_turn_of,
)
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    centre_of,
    since_epoch,
)
from spheresim.engines.event_driven.event_calendar import bucket_of
from spheresim.engines.event_driven.threads.border import work_at_border
from spheresim.engines.event_driven.threads.rollback import roll_back
from spheresim.engines.event_driven.threads.shared_window import (
    all_go_on,
    can_share,
    enter_changed_in_slab,
    finish_window,
    handle_in_order,
    must_stop,
    start_border_logs,
    take_spare_rows_back,
)
from spheresim.engines.event_driven.threads.slab import slab_at
from spheresim.engines.event_driven.threads.slab_calendars import (
    bound_all,
    enter_slab,
    is_overfull,
    start_all_counts,
    start_turn,
)
from spheresim.engines.event_driven.threads.team import (
    BEGUN,
    BORDERS,
    CALENDARS,
    EARLIEST,
    EPOCH,
    EVENTS,
    LINE,
    NO_JOB,
    STOP,
    Team,
    window_of,
)
from spheresim.engines.event_driven.threads.window import InSlab, work_in_slab

USUAL_WINDOW = 64
"""Buckets in a window, of about one impact each: with more, more windows are rolled back; with
fewer, threads wait for each other more often."""

_SPINS = 200_000
"""How often a thread tests whether it may go on before Python gives the processor to others: in
about a quarter of a millisecond. It is longer than what one thread does alone in a usual window,
or the others would be on their way through Python when the next window begins."""

# Why the first thread returns.
ARRIVED, STOPPED, WAITING = range(3)


class End(NamedTuple):
    """Where `advance_in_slabs` stops: at the time `until`, right after impact number `enough`, or
    after as many windows."""

    until: float
    enough: int
    windows: int


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
            if must_stop(state, team.plan, enough) or windows == 0:
                return STOPPED
            windows -= 1
        elif job == EARLIEST and not start_turn(environment, state, team, until):
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
    if job == EVENTS and all_go_on(team):
        return BORDERS, False
    if job in (EVENTS, BORDERS):
        if job == BORDERS and finish_window(state, team, enough):
            return NO_JOB, True
        if job == EVENTS:
            start_border_logs(team)
        team.plan.rolled_back += 1
        take_spare_rows_back(state, team.states)
        roll_back(environment, team.states, team.ordered, team.logs)
    elif job == EARLIEST:
        return EPOCH, False
    elif job == EPOCH:
        bound_all(state, team.states)
        note_density(state)
        return CALENDARS, False
    elif job == CALENDARS:
        team.plan.first = 0
        return NO_JOB, False
    elif team.plan.first >= len(state.calendar.row) or is_overfull(state, team.states):
        return EARLIEST, False
    else:
        team.plan.limit = since_epoch(state, until)
        team.plan.end = min(team.plan.first + team.plan.buckets, len(state.calendar.row))
        if can_share(state, team, enough):
            start_all_counts(state, team.states, team.ordered)
            team.plan.windows += 1
            return EVENTS, False
        team.plan.in_order += 1
    return NO_JOB, handle_in_order(environment, state, team, enough)


@routine
def _do_job(environment: Environment, team: Team, k: int) -> None:
    """Do the part of thread k."""
    job, state, threads = team.plan.job, team.states[k], len(team.ordered)
    balls = len(state.ball)
    first, end = balls * k // threads, balls * (k + 1) // threads
    if job == EVENTS:
        enter_changed_in_slab(state, team, k)
        own = InSlab(team.slabs, state, team.logs[k], k)
        work_in_slab(environment, team.ordered, own, window_of(team))
    elif job == BORDERS:
        border = InSlab(team.slabs, team.states[threads + k], team.logs[threads + k], k)
        work_at_border(environment, team.ordered, team.logs, border, window_of(team))
    elif job == EARLIEST:
        team.found[LINE * k] = earliest_event(state, first, end)
    elif job == EPOCH:
        for m in range(first, end):
            i: Any = np.uint32(m)
            count_from_epoch(state, i, team.plan.shift)
            start_turn_of(environment, state, i, team.plan.span)
            state.event[i].slab = slab_at(team.slabs, state, centre_of(state.event[i]))
    else:
        enter_slab(state, k)


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
