"""Neighbour lists: the few balls that a ball could hit before it has gone far (Verlet lists).

A ball's neighbourhood is a sphere that its centre does not leave before its next event, grown
by its radius. Balls whose neighbourhoods touch are in each other's rows (L. Verlet, Computer
"experiments" on classical fluids, Physical Review 159, 1967). The rows follow from the
neighbourhoods alone. When a ball gets to the border of its neighbourhood it gets a new one,
and only the rows of balls that came or went are changed.

Neighbour lists take the place of the usual cell crossings at every density: at packing
fraction .1 a ball crosses 2.7 cells an impact, but leaves only 1.5 neighbourhoods, if their
centres are ahead of it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.cell_list import JUST_WIDER, insert, remove
from spheresim.broadphase.sphere_grids.cell_search import search, search_as_routine
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.simd import equal_mask
from spheresim.engines.event_driven.engine_state import (
    OVERFLOW,
    ROW,
    ROW_CAPACITY,
    EngineState,
    Environment,
    centre_of,
    relative_velocity,
    separation,
)
from spheresim.engines.event_driven.moving_ball import MovingBall
from spheresim.model.periodic_space import Images, image_near_obstacle
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.table import clearance, cylinder_at, has_images, unbounded_row

_MANY, _FEW = 22, 12
"""Numbers of neighbours above and below which the next margin is smaller, or larger."""

_CURVATURE_SHARE = 0.25
"""The part of the margin that is kept for the curvature of a path under gravity."""


@inlined
def rebuild_neighbours(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Give ball i a new neighbourhood, around a point ahead of it, and update all rows."""
    ball, event = state.ball[i], state.event[i]
    x = environment.motion.position_of(ball, now)
    v = environment.motion.velocity_of(ball, now)
    margin = _next_margin(state, i)
    environment.shear.align(environment, state, now)
    centre = centre_ahead(environment, x, v, margin)
    centre = environment.shear.comoving(environment, state, centre, now)
    # Replace the neighbourhood: old neighbours go to the front of `found`, new ones behind them.
    remove(state.cells, state.body, i)
    old = copy_old_neighbours(environment, state, i, now)
    event.centre_x, event.centre_y, event.centre_z = centre.x, centre.y, centre.z
    event.margin = margin
    reach = ball.radius + margin
    far = environment.shear.search_reach(environment, state, reach, now, 0.0)
    new = search(state.cells, i, centre, far, 1.0, state.found, old)
    new = environment.shear.select(environment, state, i, old, new, now)
    insert(state.cells, state.body, i, centre, reach)
    update_rows(state, i, old, new)
    state.body[i].near_obstacles = obstacles_near(environment, centre, reach)


@inlined
def centre_ahead(environment: Environment, x: TVector, v: TVector, margin: float) -> TVector:
    """The centre of a new neighbourhood, ahead of a ball at x with the velocity v."""
    v = environment.shear.peculiar(x, v)
    speed = v.mag()
    return x + v * (environment.lead_fraction * margin / speed) if speed > 0.0 else x


@inlined
def clear_neighbours(state: EngineState, i: int) -> None:
    """Empty ball i's row: it is filled with ball i itself, which it never hits."""
    first = np.uint64(i) * np.uint64(ROW)
    state.row[first] = 0
    for k in range(1, ROW):
        state.row[first + np.uint64(k)] = i


@inlined
def neighbour_count(state: EngineState, i: int) -> int:
    """The number of neighbours in ball i's row."""
    return int(state.row[np.uint64(i) * np.uint64(ROW)]) & (OVERFLOW - 1)


@inlined
def has_overflowed(state: EngineState, i: int) -> bool:
    """Whether ball i has, or had, more neighbours than its row has room for."""
    return bool(state.row[np.uint64(i) * np.uint64(ROW)] >= OVERFLOW)


@inlined
def _next_margin(state: EngineState, i: int) -> float:
    """A margin for about 12 neighbours: it follows the density where the ball is."""
    event, body, radius = state.event[i], state.body[i], state.ball[i].radius
    margin, many = float(event.margin), neighbour_count(state, i)
    if has_overflowed(state, i):
        margin = max(0.6 * margin, 0.02 * radius)
    elif many > _MANY:
        margin = max(0.9 * margin, 0.02 * radius)
    elif many < _FEW:
        margin = 1.05 * margin
    return float(min(margin, state.cells.level[body.level].reach - radius))


@inlined
def copy_old_neighbours(environment: Environment, state: EngineState, i: int, now: float) -> int:
    """Copy ball i's neighbours to the front of `found`, and return their number.

    Of a row that has overflowed the neighbours are searched again.
    """
    event = state.event[i]
    if has_overflowed(state, i):
        # Search slightly more than the old sphere: every ball that lists i must be found, and
        # quantisation may have put it a few units too far out.
        unit = 1.0 / state.cells.level[state.body[i].level].unit
        reach = (state.ball[i].radius + event.margin) * (1.0 + 1e-5) + 10.0 * unit
        centre = centre_of(event)
        reach = environment.shear.search_reach(environment, state, reach, now, 1.0)
        return int(search_as_routine(state.cells, i, centre, reach, 10.0, state.found, 0))
    # The whole row: a loop of fixed length needs no branch, and becomes a few vector instructions.
    first = np.uint64(i) * np.uint64(ROW)
    for k in range(ROW_CAPACITY):
        state.found[k] = state.row[first + np.uint64(1 + k)]
    return neighbour_count(state, i)


@inlined
def update_rows(state: EngineState, i: int, old: int, new: int) -> None:
    """Update the rows of ball i and of those that came or went, as `found` lists them: first the
    old neighbours, then the new ones."""
    if has_overflowed(state, i) or new > ROW_CAPACITY:
        _update_overflowing_rows(state, i, old, new)
    else:
        _update_neighbour_rows(state, i, old, new)


@inlined
def _update_neighbour_rows(state: EngineState, i: int, old: int, new: int) -> None:
    """Write ball i's row; take it out of the rows of old neighbours, enter it into those of new."""
    first = np.uint64(i) * np.uint64(ROW)
    # Move old neighbours that went to the front, without a branch, which would be mispredicted at
    # every third. Bit k of `came` is set if the new neighbour k is none of the old.
    new_ones = (np.uint64(1) << np.uint64(new)) - np.uint64(1)
    came, went = new_ones, np.uint64(0)
    for k in range(old):
        j = state.found[k]
        same = equal_mask(state.found, old, j) & new_ones
        came &= ~same
        state.found[went] = j
        went += np.uint64(same == 0)
    for k in range(int(went)):
        _remove_neighbour(state, state.found[k], i)
    while came != 0:
        k = lowest_bit(came)
        came &= came - np.uint64(1)
        _add_neighbour(state, state.found[old + k], i)
    # The row itself; what is left of it is filled with ball i, which it never hits.
    state.row[first] = new
    for k in range(ROW_CAPACITY):
        state.row[first + np.uint64(1 + k)] = state.found[old + k] if k < new else i


@routine
def _update_overflowing_rows(state: EngineState, i: int, old: int, new: int) -> None:
    """The same for a ball whose row overflows, or has: it does not name all that list the ball, and
    the old neighbours, which were searched for, may include some that do not list it."""
    for k in range(old):
        _remove_neighbour(state, state.found[k], i)
    state.row[i * ROW] = new if new <= ROW_CAPACITY else ROW_CAPACITY + OVERFLOW
    for k in range(ROW_CAPACITY):
        state.row[i * ROW + 1 + k] = state.found[old + k] if k < new else i
    for k in range(new):
        _add_neighbour(state, state.found[old + k], i)


@inlined
def _add_neighbour(state: EngineState, j: int, i: int) -> None:
    """Enter ball i into ball j's row, or mark the row as overflowed."""
    first = np.uint64(j) * np.uint64(ROW)
    many = np.uint64(neighbour_count(state, j))
    if many == ROW_CAPACITY:
        state.row[first] = ROW_CAPACITY + OVERFLOW
    else:
        state.row[first] += np.uint32(1)
        state.row[first + many + np.uint64(1)] = i


@inlined
def _remove_neighbour(state: EngineState, j: int, i: int) -> None:
    """Take ball i out of ball j's row, if it is there; the row's last entry fills its place."""
    first = np.uint64(j) * np.uint64(ROW)
    where = equal_mask(state.row, first, i) & ~np.uint64(1)
    if where == 0:
        return
    last = first + np.uint64(neighbour_count(state, j))
    state.row[first] -= np.uint32(1)
    state.row[first + np.uint64(lowest_bit(where))] = state.row[last]
    state.row[last] = j


@inlined
def candidates(
    environment: Environment, state: EngineState, i: int, now: float
) -> tuple[npt.NDArray[np.uint32], int, int]:
    """Ball i's neighbours: an array, and the first place in it and the one behind the last."""
    if not has_overflowed(state, i):
        first = (
            int(np.int64(i)) * ROW + 1
        )  # signed: with unsigned the type of both returns would be float
        return state.row, first, first + neighbour_count(state, i)
    event = state.event[i]
    reach = state.ball[i].radius + event.margin
    reach = environment.shear.search_reach(environment, state, reach, now, 0.0)
    many = search_as_routine(state.cells, i, centre_of(event), reach, 1.0, state.found, 0)
    return state.found, 0, many


@inlined
def obstacles_near(environment: Environment, centre: TVector, reach: float) -> Any:
    """A set of bits: n % 64 for each plane or cylinder, number n of them, that reaches into a
    neighbourhood."""
    near = np.uint64(0)
    for n in range(environment.obstacles.unbounded.size):
        k = unbounded_row(environment.obstacles, n)
        there = image_near_obstacle(environment.space, environment.obstacles, k, centre)
        # Also if the ball is behind a plane: it may come in.
        if clearance(environment.obstacles, k, there) <= reach * JUST_WIDER:
            near |= np.uint64(1) << np.uint64(n % 64)
    return near


@inlined
def images_near(environment: Environment, state: EngineState, i: int, k: int, x: TVector) -> Images:
    """The images of obstacle k that ball i, now at x, can hit in its neighbourhood.

    They follow from the neighbourhood alone, and no event is after the exit from it. So at the
    impact they are the same as when it was predicted, even if the ball has been wrapped
    around the box in between.
    """
    if not has_images(environment.obstacles, k):
        return Images(ZERO, ZERO)
    cylinder, event = cylinder_at(environment.obstacles, k), state.event[i]
    reach = (state.ball[i].radius + event.margin) * JUST_WIDER + cylinder.radius
    centre = centre_of(event)
    images = environment.space.images_within(centre, cylinder.point, cylinder.axis, reach)
    return Images(images.nearest + environment.space.nearest_image_shift(x, centre), images.second)


@inlined
def time_to_exit(environment: Environment, state: EngineState, ball: MovingBall) -> float:
    """A time for which a ball stays in its neighbourhood.

    Exact without gravity; under gravity a lower bound.
    """
    i, now, x, v = ball
    event = state.event[i]
    centre, margin = centre_of(event), float(event.margin)
    centre = environment.shear.from_comoving(environment, state, centre, now)
    d = separation(environment, state, x, centre, now)
    acceleration = environment.motion.acceleration_of(state.ball[i]).mag()
    acceleration = environment.trap.greatest_acceleration(x, v, acceleration)
    v = relative_velocity(environment, x, v, centre, environment.shear.flow(centre))
    if acceleration == 0.0:
        return sphere_exit_time(d, v, margin)
    # Until `curved` the path bends by no more than the part of the margin that is kept for it.
    curved = np.sqrt(2.0 * _CURVATURE_SHARE * margin / acceleration)
    straight = sphere_exit_time(d, v, (1.0 - _CURVATURE_SHARE) * margin)
    return float(min(curved, straight, environment.trap.longest_prediction()))


@inlined
def sphere_exit_time(d: TVector, v: TVector, radius: float) -> float:
    """When a point at d from a sphere's centre leaves the sphere; 0 if it is outside."""
    return contact_quadratic(d, v, radius).last_root()
