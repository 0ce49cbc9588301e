"""Turns of the calendar: from the earliest event on, times are counted from a new epoch.

All balls then have clocks near the epoch, positions in the box, and bounds that hold for the turn.
"""

import math
from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import EngineState, Environment, since_epoch
from spheresim.engines.event_driven.event_calendar import better_width, clear, enter
from spheresim.engines.event_driven.neighbour_lists import neighbour_count
from spheresim.engines.event_driven.rounding_bounds import (
    include_in_bounds,
    reset_bounds,
    update_coordinate_bound,
)
from spheresim.engines.event_driven.trajectory import move_to_epoch, wrap_position
from spheresim.numerics.double_double import two_sum

_FEW_NEIGHBOURS = 6
"""Neighbours per ball below which the density may have fallen to half; about 12 are aimed at."""


@routine
def rebuild_calendar(
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
    return clamped_width(better_width(state.calendar, before))


@inlined
def clamped_width(width: float) -> float:
    """A bucket width whose inverse is finite."""
    return min(max(width, 1e-250), 1e250)


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
