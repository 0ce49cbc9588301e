"""A window of events that threads share, or that one thread handles in order where they may not."""

from spheresim.broadphase.sphere_grids.cell_list import Cells
from spheresim.collision.gas_sums import BALLS_SO_FAR
from spheresim.collision.journal import RECORDS
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.engines.event_driven.event_calendar import has_earlier_root, take_next
from spheresim.engines.event_driven.statistics import block_is_full, take_snapshot
from spheresim.engines.event_driven.threads.border import enter_changed
from spheresim.engines.event_driven.threads.rollback import clear_log, start_log
from spheresim.engines.event_driven.threads.slab_calendars import is_overfull
from spheresim.engines.event_driven.threads.team import Plan, Team, window_of
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
)

_FREE_ROWS = 12
"""Rows that the journal must have for one more event."""

_SPARE_ROWS = 64
"""Spare rows of cells that each thread is given for a window."""


@inlined
def must_stop(state: EngineState, plan: Plan, enough: int) -> bool:
    """Whether there were enough impacts, or Python is to look first."""
    count = state.count
    done = count.ball_impacts + count.obstacle_impacts >= enough
    free = max(_FREE_ROWS, min(3 * plan.buckets, RECORDS // 2))
    is_full = count.recorded > RECORDS - free
    return bool(done | is_full | (count.jammed + count.layout_due > 0))


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
def can_share(state: EngineState, team: Team, enough: int) -> bool:
    """Whether threads may share the next window; gives them spare rows of cells for it."""
    plan, states, pool = team.plan, team.states, state.cells
    if (plan.has_overflowed > 0) | (_impacts_left(state, enough) <= 2 * plan.buckets):
        return False
    for k in range(len(states)):
        own = states[k].cells
        while own.spares[0] < _SPARE_ROWS and pool.spares[0] > 0:
            _move_spare_row(pool, own)
        if own.spares[0] < _SPARE_ROWS:
            take_spare_rows_back(state, states)
            return False
    return True


@inlined
def _move_spare_row(giver: Cells, taker: Cells) -> None:
    giver.spares[0] -= 1
    taker.spare[taker.spares[0]] = giver.spare[giver.spares[0]]
    taker.spares[0] += 1


@routine
def take_spare_rows_back(state: EngineState, states: tuple[EngineState, ...]) -> None:
    """Take back the spare rows of cells that threads have not used."""
    for k in range(len(states)):
        while states[k].cells.spares[0] > 0:
            _move_spare_row(states[k].cells, state.cells)


@inlined
def enter_changed_in_slab(state: EngineState, team: Team, k: int) -> None:
    """Enter the events of slab k that the last window's work at borders has left on no calendar."""
    for n in range(len(team.ordered), len(team.logs)):
        enter_changed(state, k, team.logs[n])


@inlined
def all_go_on(team: Team) -> bool:
    """Whether no thread rolls the window back after its work in a slab."""
    rolls_back = 0
    for k in range(len(team.ordered)):
        rolls_back |= team.logs[k].status.rolls_back
    return rolls_back == 0


@inlined
def start_border_logs(team: Team) -> None:
    """Forget what the logs of borders say of the last window."""
    for k in range(len(team.ordered), len(team.logs)):
        start_log(team.logs[k], team.states[k].calendar)


@inlined
def finish_window(state: EngineState, team: Team, enough: int) -> bool:
    """Add all up; False if the window must be rolled back."""
    rolls_back, impacts = 0, 0
    for k in range(len(team.logs)):
        rolls_back |= team.logs[k].status.rolls_back
        impacts += team.logs[k].status.impacts
    if (
        (rolls_back > 0)
        | (impacts >= _impacts_left(state, enough))
        | is_overfull(state, team.states)
    ):
        return False
    if has_ties(team.logs):
        return False
    take_spare_rows_back(state, team.states)
    add_up(state, team.states, team.logs)
    return True


@routine
def handle_in_order(environment: Environment, state: EngineState, team: Team, enough: int) -> bool:
    """Handle all events of a window in order; False if it stopped before."""
    log, window = team.logs[len(team.ordered)], window_of(team)
    for k in range(len(team.ordered)):
        enter_changed_in_slab(team.ordered[k], team, k)
    while True:
        if must_stop(state, team.plan, enough) or is_overfull(state, team.states):
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
