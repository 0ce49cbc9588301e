"""All neighbourhoods and events made anew, of a state that is adopted or of flights that go on."""

import math
from typing import Any

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import insert
from spheresim.collision.impacts import NEIGHBOURHOOD_EXIT
from spheresim.compiler.decorators import inlined, kernel
from spheresim.contact.tolerances import LEAST_CLEARANCE
from spheresim.engines.event_driven.calendar_turns import clamped_width
from spheresim.engines.event_driven.engine_state import EngineState, Environment, since_epoch
from spheresim.engines.event_driven.event_calendar import clear
from spheresim.engines.event_driven.neighbour_lists import clear_neighbours
from spheresim.engines.event_driven.rounding_bounds import (
    include_in_bounds,
    reset_bounds,
    update_coordinate_bound,
)
from spheresim.engines.event_driven.trajectory import start_flight
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rounding import manhattan_norm
from spheresim.numerics.rows import vector_at


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
    state.count.step_moved = state.count.steps_at_once = 0
    state.count.soft_since_step = state.count.soft_since_whole = 0
    state.measure.most_work = 0.0
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
    clear(state.calendar, state.event, clamped_width(width))
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
