"""The calendars of the slabs: their turns, and the events that are shared out among them."""

import math
from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.calendar_turns import move_epoch, width_of_next_turn
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    centre_of,
    since_epoch,
)
from spheresim.engines.event_driven.event_calendar import (
    NONE,
    buckets_overfull,
    clear,
    empty_turn,
    enter,
    passed,
)
from spheresim.engines.event_driven.neighbour_lists import has_overflowed
from spheresim.engines.event_driven.rounding_bounds import reset_bounds, update_coordinate_bound
from spheresim.engines.event_driven.threads.slab import slab_at
from spheresim.engines.event_driven.threads.team import LINE, NO_JOB, Team
from spheresim.engines.event_driven.threads.window import start_counts


@inlined
def is_overfull(state: EngineState, states: tuple[EngineState, ...]) -> bool:
    """Whether the buckets of the turn are too wide."""
    return buckets_overfull(state.calendar, state.measure.now, _fired(states))


@inlined
def _fired(states: tuple[EngineState, ...]) -> int:
    """How many events have fired in this turn."""
    fired = 0
    for k in range(len(states)):
        fired += states[k].calendar.turn.fired
    return fired


@routine
def start_turn(environment: Environment, state: EngineState, team: Team, until: float) -> bool:
    """Start another turn of the calendars; False if it is not due. See `calendar_turns`."""
    earliest = math.inf
    for k in range(len(team.ordered)):
        earliest = min(earliest, team.found[LINE * k])
    if earliest == math.inf or earliest > since_epoch(state, until):
        return False
    # The new turn's buckets and epoch.
    calendar = state.calendar
    buckets = len(calendar.row)
    calendar.turn.fired = _fired(team.states)
    now, overfull = float(state.measure.now), is_overfull(state, team.states)
    before = passed(calendar, now) if overfull else buckets - 1
    team.plan.shift, team.plan.span = earliest, calendar.turn.width * buckets
    empty_turn(calendar, width_of_next_turn(state, before))
    move_epoch(environment, state, earliest)
    reset_bounds(state.measure, team.plan.span + calendar.turn.width * buckets)
    for k in range(len(team.states)):
        empty_turn(team.states[k].calendar, calendar.turn.width)
    start_all_counts(state, team.states, team.ordered)
    team.plan.has_overflowed = 0
    return True


@inlined
def bound_all(state: EngineState, states: tuple[EngineState, ...]) -> None:
    """Let the bounds hold for the balls of all threads."""
    for k in range(len(states)):
        own, all_of = states[k].measure, state.measure
        reach = max(all_of.initial_coordinate_bound, own.initial_coordinate_bound)
        all_of.initial_coordinate_bound = reach
        all_of.speed_bound = max(all_of.speed_bound, own.speed_bound)
    update_coordinate_bound(state.measure)


@inlined
def enter_slab(state: EngineState, k: int) -> None:
    """Enter the events of slab k into its calendar."""
    for m in range(len(state.event)):
        i: Any = np.uint32(m)
        if int(state.event[i].slab) == k:
            state.event[i].bucket = NONE
            enter(state.calendar, state.event, state.body, i)


@inlined
def start_all_counts(
    state: EngineState, states: tuple[EngineState, ...], ordered: tuple[EngineState, ...]
) -> None:
    """Let all threads count from 0, see `start_counts`."""
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
        enter_slab(team.states[k], k)
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
