"""The main loop of the event-driven engine: take the next event, handle it, predict anew."""

import math
from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL, NEIGHBOURHOOD_EXIT, OBSTACLE
from spheresim.collision.journal import RECORDS
from spheresim.compiler.decorators import inlined, kernel
from spheresim.engines.event_driven.calendar_turns import rebuild_calendar
from spheresim.engines.event_driven.engine_state import (
    Counts,
    EngineState,
    Environment,
    absolute,
    since_epoch,
)
from spheresim.engines.event_driven.event_calendar import (
    buckets_overfull,
    is_ready,
    open_next,
    passed,
    take_next,
)
from spheresim.engines.event_driven.predict import is_reached_by, predict_next_event
from spheresim.engines.event_driven.prefetch import PREFETCH_FROM, prefetch_ahead, prefetch_events
from spheresim.engines.event_driven.resolve import Resolved, resolve_event
from spheresim.engines.event_driven.statistics import block_is_full, take_snapshot
from spheresim.obstacles.driven_walls.moving_walls import NO_WALL

STOPPED, ARRIVED, STEP_DUE, _EVENT_DUE = 0, 1, 2, 3
"""Why `advance` ends, unless an event is due."""


@kernel(label="the exact engine", parts=230)
def advance(
    environment: Environment, state: EngineState, until: float, enough: int, events: int
) -> int:
    """Advance to a time; returns why it ended: `ARRIVED`, or `STEP_DUE` where islands make a step.

    It has `STOPPED` right after an impact when there have been enough since the engine was made,
    after so many events, when the journal is full, when a ball is jammed, or when a look at the
    density or an equilibrium test is due.
    """
    count = state.count
    for _ in range(events):
        # The next event, unless islands are next, or have just made their step.
        steps = environment.contact.step_has_moved(state)
        if not steps:
            due = _what_is_due(environment, state, until, enough)
            if due != _EVENT_DUE:
                return due
        i: Any = np.uint32(0) if steps else _take_next(state)
        event = state.event[i]
        kind, hit = int(event.kind), int(event.other)
        now = float(state.measure.now) if steps else float(event.time)
        state.measure.now = now
        # What it does; a ball event whose partner was hit before is stale, and does nothing.
        piston = NO_WALL
        if steps:
            resolved = Resolved(False, 0.0, int(count.step_moved), np.int64(i), np.int64(i))
            count.step_moved = 0
        else:
            resolved = resolve_event(environment, state, i, now)
        changed, other = resolved.changed, resolved.other
        if resolved.is_impact:
            state.measure.last_impact = absolute(state, now)
            if kind == BALL and block_is_full(state):
                take_snapshot(environment, state, now)
            elif kind == OBSTACLE and environment.walls.is_piston(hit):
                piston, changed = hit, len(state.ball)
        elif not steps and kind not in (BALL, NEIGHBOURHOOD_EXIT):
            environment.contact.act(environment, state, i, now)
        # The next events of the balls whose flight has changed, or whose piston's.
        first = i
        for m in range(changed):
            i = _changed_ball(environment, state, i, m, steps, piston)
            _predict_unless_valid(
                environment, state, i, first, piston, now, resolved.rebuild_threshold
            )
            i, other = other, resolved.third
    return STOPPED


@inlined
def _changed_ball(
    environment: Environment, state: EngineState, i: int, m: int, steps: bool, piston: int
) -> Any:
    """Number m of the balls to be predicted: i after an impact, all after that of a piston."""
    if steps:
        return environment.contact.moved_in_step(state, m)
    return np.uint32(m) if piston != NO_WALL else i


@inlined
def _predict_unless_valid(
    environment: Environment,
    state: EngineState,
    i: int,
    first: Any,
    piston: int,
    now: float,
    rebuild_threshold: float,
) -> None:
    """Predict ball i, unless its event still holds after the impact of ball `first` on a piston."""
    is_changed = piston == NO_WALL or i == first
    if is_changed or is_reached_by(environment, state, i, piston, now):
        predict_next_event(environment, state, i, now, rebuild_threshold)
        environment.contact.note_flight(environment, state, i, now)


@inlined
def _what_is_due(environment: Environment, state: EngineState, until: float, enough: int) -> int:
    """Bring the next event to the root of the heap; returns why not to take it, or _EVENT_DUE."""
    if _must_stop(state.count, enough):
        return STOPPED
    is_due = _find_next(environment, state, until)
    if state.count.layout_due:
        return STOPPED
    if _step_is_next(environment, state, until, is_due):
        return STEP_DUE
    return _EVENT_DUE if is_due else ARRIVED


@inlined
def _must_stop(count: Counts, enough: int) -> bool:
    """Whether there were enough impacts, or Python is to look first."""
    done = count.ball_impacts + count.obstacle_impacts >= enough
    return bool(done | (count.recorded > RECORDS - 12) | (count.jammed + count.proof_due > 0))


@inlined
def _step_is_next(environment: Environment, state: EngineState, until: float, is_due: bool) -> bool:
    """Whether a step of islands is due, and no event before it."""
    step = environment.contact.step_time(state)
    if step == math.inf or step > since_epoch(state, until):
        return False
    return not (is_due and _next_time(state) < step)


@inlined
def _find_next(environment: Environment, state: EngineState, until: float) -> bool:
    """Bring the next event to the root of the heap; False if none is due by `until`.

    At the start the first event of each ball is predicted, one ball after the other.
    """
    if state.count.first_predicted < len(state.ball):
        return True
    calendar, prefetches = state.calendar, len(state.ball) >= PREFETCH_FROM
    now, last = float(state.measure.now), len(calendar.row) - 1
    overfull = buckets_overfull(calendar, now, calendar.turn.fired)
    while overfull or not is_ready(calendar, state.event):
        if not overfull and open_next(calendar, state.event, state.body):
            if prefetches:
                prefetch_ahead(environment, state, 1)
            else:
                prefetch_events(state)
        elif not rebuild_calendar(
            environment, state, until, passed(calendar, now) if overfull else last
        ):
            return False
        overfull = False
    due: bool = state.event[state.calendar.heap[0]].time <= since_epoch(state, until)
    return due


@inlined
def _next_time(state: EngineState) -> float:
    """The time of the next event; of a ball's first prediction, now."""
    if state.count.first_predicted < len(state.ball):
        return -math.inf
    time: float = state.event[state.calendar.heap[0]].time
    return time


@inlined
def _take_next(state: EngineState) -> Any:
    """Take the next event off the calendar, and return its ball."""
    if state.count.first_predicted < len(state.ball):
        state.count.first_predicted += 1
        return np.uint32(state.count.first_predicted - 1)
    return take_next(state.calendar, state.event, state.body)
