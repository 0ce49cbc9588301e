"""Neighbourhoods: the few balls that a ball could meet before it has gone far.

A ball's neighbourhood is a sphere that it does not leave before its next event, grown by
its radius: balls whose neighbourhoods touch are in each other's rows (L. Verlet, Computer
"experiments" on classical fluids, Physical Review 159, 1967). The rows are a function of
the neighbourhoods alone. When a ball comes to the border it gets a new one; then only the
rows of those that came or went are touched.

Why at every density, and no cell crossings as in most programs: at packing fraction .1 a
ball crosses 2.7 cells per impact, but leaves only 1.5 neighbourhoods if they lead it.
"""

from typing import Any

import numpy as np

from spheresim.broadphase.cell_search import search, search_again
from spheresim.broadphase.cells import put_in, take_from
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.simd import equal_mask
from spheresim.engines.event_driven.engine_state import (
    CROWDED,
    NEIGHBOURS,
    ROW,
    EngineState,
    Environment,
    centre_of,
)
from spheresim.engines.event_driven.space import NOWHERE, Images, folded
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import clearance, cylinder_at, has_images

_MANY, _FEW = 22, 12
"""Neighbours from which on the next neighbourhood is smaller, and below which it is larger."""

_BEND = 0.25
"""Of the margin, what is left for the bend of a path under gravity."""


@inlined
def rebuild_neighbours(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Give ball i a new neighbourhood, around a point ahead of it."""
    ball, event = state.ball[i], state.event[i]
    x = environment.motion.position_of(ball, now)
    v = environment.motion.velocity_of(ball, now)
    margin = _next_margin(state, i)
    centre = centre_ahead(environment, x, v, margin)
    take_from(state.cells, state.body, i)
    old = _remember(state, i)
    event.centre_x, event.centre_y, event.centre_z = centre.x, centre.y, centre.z
    event.margin = margin
    reach = ball.radius + margin
    new = search(state.cells, i, centre, reach, 1.0, state.found, old)
    put_in(state.cells, state.body, i, centre, reach)
    if max(old, new) > NEIGHBOURS:
        _update_crowded_rows(state, i, old, new)
    else:
        _update_neighbour_rows(state, i, old, new)
    state.body[i].near = obstacles_near(environment, centre, reach)


@inlined
def centre_ahead(environment: Environment, x: TVector, v: TVector, margin: float) -> TVector:
    """The centre of a new neighbourhood, ahead of its ball."""
    speed = v.mag()
    return x + v * (environment.lead_fraction * margin / speed) if speed > 0.0 else x


@inlined
def neighbours(state: EngineState, i: int) -> int:
    """How many neighbours stand in ball i's row."""
    return int(state.row[np.uint64(i) * np.uint64(ROW)]) & (CROWDED - 1)


@inlined
def is_crowded(state: EngineState, i: int) -> bool:
    """Whether ball i has more neighbours than its row has room for."""
    return bool(state.row[np.uint64(i) * np.uint64(ROW)] >= CROWDED)


@inlined
def _next_margin(state: EngineState, i: int) -> float:
    """A margin for about 13 neighbours: it follows the density where the ball is."""
    event, body, radius = state.event[i], state.body[i], state.ball[i].radius
    margin, many = float(event.margin), neighbours(state, i)
    if is_crowded(state, i):
        margin = max(0.6 * margin, 0.02 * radius)
    elif many > _MANY:
        margin = max(0.9 * margin, 0.02 * radius)
    elif many < _FEW:
        margin = 1.05 * margin
    return float(min(margin, state.cells.level[body.level].reach - radius))


@inlined
def _remember(state: EngineState, i: int) -> int:
    """Copy who is a neighbour of ball i to the front of `found`; how many."""
    event = state.event[i]
    if is_crowded(state, i):
        # A little more than it was: who knows it must be among them, and may have found it
        # some units of its own copy too far away.
        unit = 1.0 / state.cells.level[state.body[i].level].unit
        reach = (state.ball[i].radius + event.margin) * (1.0 + 1e-5) + 10.0 * unit
        centre = centre_of(event)
        return int(search_again(state.cells, i, centre, reach, 10.0, state.found, 0))
    many = neighbours(state, i)
    for k in range(many):
        state.found[k] = state.row[i * ROW + 1 + k]
    return many


@inlined
def _update_neighbour_rows(state: EngineState, i: int, old: int, new: int) -> None:
    """Write ball i's row; leave the rows of those that went, enter those of those that came."""
    first = i * ROW
    among = (np.uint64(1) << np.uint64(new)) - np.uint64(1)
    stayed = np.uint64(0)  # bit k is set if the new neighbour k is an old one
    for k in range(old):
        j = state.found[k]
        still = equal_mask(state.found, old, j) & among
        stayed |= still
        if still == 0:
            _remove_neighbour(state, j, i)
    state.row[first] = new
    for k in range(new, old):
        state.row[first + 1 + k] = i
    for k in range(new):
        j = state.found[old + k]
        state.row[first + 1 + k] = j
        if (stayed >> np.uint64(k)) & np.uint64(1) == 0:
            _add(state, j, i)


@routine
def _update_crowded_rows(state: EngineState, i: int, old: int, new: int) -> None:
    """The same for a ball that is crowded, or was: its row could not say who knows it."""
    for k in range(old):
        _remove_neighbour(state, state.found[k], i)
    state.row[i * ROW] = new if new <= NEIGHBOURS else NEIGHBOURS + CROWDED
    for k in range(NEIGHBOURS):
        state.row[i * ROW + 1 + k] = state.found[old + k] if k < new else i
    for k in range(new):
        _add(state, state.found[old + k], i)


@inlined
def _add(state: EngineState, j: int, i: int) -> None:
    first = np.uint64(j) * np.uint64(ROW)
    many = np.uint64(neighbours(state, j))
    if many == NEIGHBOURS:
        state.row[first] = NEIGHBOURS + CROWDED
    else:
        state.row[first] += np.uint32(1)
        state.row[first + many + np.uint64(1)] = i


@inlined
def _remove_neighbour(state: EngineState, j: int, i: int) -> None:
    """Take ball i out of ball j's row, if it is in it: the last goes to its place."""
    first = np.uint64(j) * np.uint64(ROW)
    where = equal_mask(state.row, first, i) & ~np.uint64(1)
    if where == 0:
        return
    last = first + np.uint64(neighbours(state, j))
    state.row[first] -= np.uint32(1)
    state.row[first + np.uint64(lowest_bit(where))] = state.row[last]
    state.row[last] = j


@inlined
def candidates(state: EngineState, i: int) -> tuple[Any, int, int]:
    """An array that holds ball i's neighbours, the place of the first and of the last's next."""
    if not is_crowded(state, i):
        first = int(np.int64(i)) * ROW + 1  # signed, lest the other answer make it a float
        return state.row, first, first + neighbours(state, i)
    event = state.event[i]
    reach = state.ball[i].radius + event.margin
    many = search_again(state.cells, i, centre_of(event), reach, 1.0, state.found, 0)
    return state.found, 0, many


@inlined
def obstacles_near(environment: Environment, centre: TVector, reach: float) -> Any:
    """A set of bits: k % 64 for each obstacle k that reaches into a neighbourhood."""
    near = np.uint64(0)
    for k in range(environment.obstacles.kind.size):
        there = folded(environment.space, environment.obstacles, k, centre)
        # Also if the ball is behind a plane: it may come in.
        if clearance(environment.obstacles, k, there) <= reach * (1.0 + 1e-6):
            near |= np.uint64(1) << np.uint64(k % 64)
    return near


@inlined
def images_near(environment: Environment, state: EngineState, i: int, k: int, x: TVector) -> Images:
    """Where obstacle k and images of it stand that ball i, now at x, can meet in its neighbourhood.

    Which they are follows from the neighbourhood alone, which an event does not outlast: at
    the impact they are the same as when it was predicted, also if the ball has been taken
    back round the box since.
    """
    if not has_images(environment.obstacles, k):
        return Images(NOWHERE, NOWHERE)
    cylinder, event = cylinder_at(environment.obstacles, k), state.event[i]
    reach = (state.ball[i].radius + event.margin) * (1.0 + 1e-6) + cylinder.radius
    centre = centre_of(event)
    images = environment.space.in_reach(centre, cylinder.point, cylinder.axis, reach)
    return Images(images.nearest + environment.space.to_image(x, centre), images.beside)


@inlined
def leaves(environment: Environment, state: EngineState, i: int, x: TVector, v: TVector) -> float:
    """How long ball i, now there, stays in its neighbourhood: under gravity, at least."""
    event = state.event[i]
    d = environment.space.between(x, centre_of(event))
    margin, acceleration = (
        float(event.margin),
        environment.motion.acceleration_of(state.ball[i]).mag(),
    )
    if acceleration == 0.0:
        return reaching_border(d, v, margin)
    # Within this time the path bends by no more than a part of the margin.
    bent = np.sqrt(2.0 * _BEND * margin / acceleration)
    straight = reaching_border(d, v, (1.0 - _BEND) * margin)
    return float(min(bent, straight))


@inlined
def reaching_border(d: TVector, v: TVector, margin: float) -> float:
    """When a point at d from the centre leaves a sphere of this radius, at the latest now."""
    return contact_quadratic(d, v, margin).last_root()
