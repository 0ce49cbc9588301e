"""The main loop of the event-driven engine: take the next event, handle it, predict anew."""

import math
from typing import Any

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import insert
from spheresim.collision.impacts import BALL, NEIGHBOURHOOD_EXIT, OBSTACLE
from spheresim.collision.journal import RECORDS
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.contact.tolerances import LEAST_CLEARANCE
from spheresim.engines.event_driven.bounds import (
    include_in_bounds,
    reset_bounds,
    update_coordinate_bound,
)
from spheresim.engines.event_driven.engine_state import (
    Counts,
    EngineState,
    Environment,
    absolute,
    since_epoch,
    unwrapped,
)
from spheresim.engines.event_driven.event_calendar import (
    better_width,
    buckets_overfull,
    clear,
    enter,
    is_ready,
    open_next,
    passed,
    take_next,
)
from spheresim.engines.event_driven.neighbour_lists import clear_neighbours, neighbour_count
from spheresim.engines.event_driven.predict import is_reached_by, predict_next_event
from spheresim.engines.event_driven.prefetch import PREFETCH_FROM, prefetch_ahead, prefetch_events
from spheresim.engines.event_driven.resolve import Resolved, resolve_event
from spheresim.engines.event_driven.statistics import block_is_full, take_snapshot
from spheresim.engines.event_driven.trajectory import move_to_epoch, start_flight, wrap_position
from spheresim.numerics.arrays import Floats
from spheresim.numerics.double_double import two_sum
from spheresim.numerics.rounding import manhattan_norm
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.driven_walls.moving_walls import NO_WALL

_FEW_NEIGHBOURS = 6
"""Neighbours per ball below which the density may have fallen to half; about 12 are aimed at."""


@kernel(label="the exact engine", parts=230)
def advance(
    environment: Environment, state: EngineState, until: float, impacts: int, events: int
) -> bool:
    """Advance to a time; False if it stopped before.

    It stops right after the last of so many impacts, after so many events, when the journal is
    full, when a ball is jammed, or when a look at the density, an equilibrium test or a step of
    islands is due.
    """
    count = state.count
    count.step_due = 0
    enough = count.ball_impacts + count.obstacle_impacts + impacts
    for _ in range(events):
        # The next event, unless islands are next, or have just made their step.
        steps = environment.contact.step_has_moved(state)
        if not steps:
            if _must_stop(count, enough):
                return False
            is_due = _find_next(environment, state, until)
            count.step_due = int(_step_is_next(environment, state, until, is_due))
            if count.step_due + count.layout_due > 0:
                return False
            if not is_due:
                return True
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
    return False


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
        elif not _rebuild_calendar(
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


@inlined
def _clamped_width(width: float) -> float:
    """A bucket width whose inverse is finite."""
    return min(max(width, 1e-250), 1e250)


@routine
def _rebuild_calendar(
    environment: Environment, state: EngineState, until: float, before: int
) -> bool:
    """Start another turn of the calendar, from the earliest event on; False if it is not due.

    before: how many buckets came before the one in which the last turn ends.

    Until it is due the epoch stays, or a far event would take it away from the present. The
    width of the buckets follows the number of events in the last turn.
    """
    calendar = state.calendar
    earliest = earliest_event(state, 0, len(state.event))
    if earliest == math.inf or earliest > since_epoch(state, until):
        return False
    # The new turn's buckets and epoch.
    span = calendar.turn.width * len(calendar.row)
    clear(calendar, state.event, width_of_next_turn(state, before))
    for k in range(len(state.event)):
        count_from_epoch(state, k, earliest)
    move_epoch(environment, state, earliest)
    environment.shear.move_epoch(environment, state, earliest)
    environment.contact.move_epoch(state, earliest)
    # All balls, with clocks near the epoch, positions in the box, and within the bounds.
    reset_bounds(state.measure, span + calendar.turn.width * len(calendar.row))
    for k in range(len(state.event)):
        i: Any = np.uint32(k)
        start_turn_of(environment, state, i, span)
        enter(calendar, state.event, state.body, i)
    environment.shear.include_in_bounds(environment, state)
    update_coordinate_bound(state.measure)
    note_density(state)
    return True


@inlined
def earliest_event(state: EngineState, first: int, end: int) -> float:
    """The time of the earliest event of the balls from `first` to before `end`."""
    earliest = math.inf
    for k in range(first, end):
        earliest = min(earliest, state.event[k].time)
    return earliest


@inlined
def width_of_next_turn(state: EngineState, before: int) -> float:
    """The width of the buckets of the next turn, see `better_width`."""
    return _clamped_width(better_width(state.calendar, before))


@inlined
def count_from_epoch(state: EngineState, i: int, shift: float) -> None:
    """Count the times of ball i from a later epoch."""
    state.event[i].time -= shift
    state.ball[i].clock -= shift


@inlined
def start_turn_of(environment: Environment, state: EngineState, i: int, span: float) -> None:
    """Ball i at the start of a turn: its clock is near the epoch, after a turn of this span, it is
    in the box, and within the bounds."""
    if state.ball[i].clock < -span:
        move_to_epoch(environment, state, i)
        environment.contact.note_cut(environment, state, i)
    wrap_position(environment, state, i)
    include_in_bounds(state.measure, state.ball[i])


@inlined
def note_density(state: EngineState) -> None:
    """Request a look at the density where neighbours have become few, or cells overfull."""
    count, cells = state.count, state.cells
    if count.layout_in > 0:
        count.layout_in -= 1
    elif count.layout_in == 0:
        neighbours = 0
        for i in range(len(state.ball)):
            neighbours += neighbour_count(state, i)
        spare_rows = len(cells.spare) - cells.spares[0]
        is_thin = neighbours < _FEW_NEIGHBOURS * len(state.ball)
        count.layout_due = int(is_thin | (spare_rows > 1 + len(cells.spare) // 4))


@inlined
def move_epoch(environment: Environment, state: EngineState, shift: float) -> None:
    """Move the epoch, from which the times of all balls are counted already; it is a double-double,
    and loses no digit."""
    state.measure.now -= shift
    epoch = two_sum(state.measure.epoch, shift)
    epoch = two_sum(epoch.high, epoch.low + state.measure.epoch_low)
    state.measure.epoch, state.measure.epoch_low = epoch.high, epoch.low
    environment.growth.move_epoch(state.measure, shift)


@kernel
def sample_state(
    environment: Environment,
    state: EngineState,
    time: float,
    first: int,
    last: int,
    position: Floats,
    velocity: Floats,
) -> None:
    """Copy where the balls from `first` to before `last` are at a time, which changes nothing."""
    now = since_epoch(state, time)
    for i in range(first, last):
        ball, name = state.ball[i], state.body[i].name
        x = environment.motion.position_of(ball, now)
        v = environment.contact.velocity_at(environment, state, i, x, now)
        set_vector(position, name, unwrapped(environment, state, i, x, now))
        set_vector(velocity, name, environment.shear.unwrapped_velocity(state, i, v))


@kernel
def reinitialise(
    environment: Environment,
    state: EngineState,
    time: float,
    position: Floats,
    velocity: Floats,
    margin: Floats,
) -> None:
    """Adopt a state at a time: all neighbourhoods and events are made anew."""
    # The epoch is now.
    environment.growth.move_epoch(state.measure, since_epoch(state, time))
    state.measure.epoch, state.measure.epoch_low = time, 0.0
    environment.shear.move_epoch(environment, state, 0.0)
    environment.shear.start(state)
    state.measure.now, state.measure.last_impact = 0.0, time
    # No ball is in an island.
    state.count.members = state.count.contacts = state.count.active = 0
    state.count.step_due = state.count.step_moved = 0
    state.measure.step_at = state.measure.whole_step_at = math.inf
    state.measure.stepped_at, state.measure.clearance = -math.inf, LEAST_CLEARANCE
    state.measure.pressing_acceleration = environment.motion.gravity.mag()
    for k in range(len(state.hold)):
        state.hold[k].listed = state.hold[k].hops = 0
        state.hold[k].work = 0.0
    times = 0.0
    for k in range(len(state.ball)):
        i: Any = np.uint32(k)
        name = state.body[i].name
        v = vector_at(velocity, name)
        start_flight(environment, state, i, vector_at(position, name), v)
        path = min(margin[k], 10.0 * state.ball[i].radius)
        times += _typical_time(path, v.mag(), environment.motion.gravity.mag())
    _leave_neighbourhoods(environment, state, margin)
    # The calendar, and the bounds of its first turn.
    width = times / len(state.ball) / len(state.calendar.row)
    clear(state.calendar, state.event, _clamped_width(width))
    state.measure.gravity = manhattan_norm(environment.motion.gravity)
    reset_bounds(state.measure, state.calendar.turn.width * len(state.calendar.row))
    for k in range(len(state.ball)):
        include_in_bounds(state.measure, state.ball[k])
    environment.shear.include_in_bounds(environment, state)
    update_coordinate_bound(state.measure)


@kernel
def renew_neighbourhoods(environment: Environment, state: EngineState, margin: Floats) -> None:
    """Make all neighbourhoods and events anew, in cells that are empty; flights go on."""
    clear(state.calendar, state.event, state.calendar.turn.width)
    _leave_neighbourhoods(environment, state, margin)


@inlined
def _leave_neighbourhoods(environment: Environment, state: EngineState, margin: Floats) -> None:
    """Give each ball a neighbourhood of no margin, to be in the cells, without neighbours; its
    first event, which is now, is to leave it."""
    now = float(state.measure.now)
    state.count.first_predicted = 0
    for k in range(len(state.ball)):
        i: Any = np.uint32(k)
        ball, event = state.ball[i], state.event[i]
        x = environment.motion.position_of(ball, now)
        event.margin = margin[k]
        centre = environment.shear.comoving(environment, state, x, now)
        event.centre_x, event.centre_y, event.centre_z = centre.x, centre.y, centre.z
        insert(state.cells, state.body, i, centre, ball.radius)
        event.time, event.kind = now, NEIGHBOURHOOD_EXIT
        clear_neighbours(state, i)


@inlined
def _typical_time(path: float, speed: float, gravity: float) -> float:
    """About the time in which a ball covers a path; 0 for one that stays where it is."""
    speed += math.sqrt(path * gravity)
    return path / speed if speed > 0.0 else 0.0
