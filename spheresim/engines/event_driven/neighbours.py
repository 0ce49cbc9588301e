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
from spheresim.compiler.simd import which_equal
from spheresim.engines.event_driven.engine_state import (
    CROWDED,
    NEIGHBOURS,
    ROW,
    Around,
    Flight,
    centre_of,
)
from spheresim.engines.event_driven.space import NOWHERE, Images, folded
from spheresim.numerics.roots import reaching
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import CYLINDER, PLANE, cylinder_at, gap

_MANY, _FEW = 22, 12
"""Neighbours from which on the next neighbourhood is smaller, and below which it is larger."""

_BEND = 0.25
"""Of the margin, what is left for the bend of a path under gravity."""


@inlined
def move_on(around: Around, flight: Flight, i: int, now: float) -> None:
    """Give ball i a new neighbourhood, around a point ahead of it."""
    ball, event = flight.ball[i], flight.event[i]
    x = around.motion.position_of(ball, now)
    v = around.motion.velocity_of(ball, now)
    margin = _next_margin(flight, i)
    centre = lead(around, x, v, margin)
    take_from(flight.cells, flight.body, i)
    old = _remember(flight, i)
    event.centre_x, event.centre_y, event.centre_z = centre.x, centre.y, centre.z
    event.margin = margin
    reach = ball.radius + margin
    new = search(flight.cells, i, centre, reach, 1.0, flight.found, old)
    put_in(flight.cells, flight.body, i, centre, reach)
    if max(old, new) > NEIGHBOURS:
        _exchange_many(flight, i, old, new)
    else:
        _exchange(flight, i, old, new)
    flight.body[i].near = obstacles_near(around, centre, reach)


@inlined
def lead(around: Around, x: TVector, v: TVector, margin: float) -> TVector:
    """The centre of a new neighbourhood, ahead of its ball."""
    speed = v.mag()
    return x + v * (around.lead * margin / speed) if speed > 0.0 else x


@inlined
def neighbours(flight: Flight, i: int) -> int:
    """How many neighbours stand in ball i's row."""
    return int(flight.row[np.uint64(i) * np.uint64(ROW)]) & (CROWDED - 1)


@inlined
def is_crowded(flight: Flight, i: int) -> bool:
    """Whether ball i has more neighbours than its row has room for."""
    return bool(flight.row[np.uint64(i) * np.uint64(ROW)] >= CROWDED)


@inlined
def _next_margin(flight: Flight, i: int) -> float:
    """A margin for about 13 neighbours: it follows the density where the ball is."""
    event, body, radius = flight.event[i], flight.body[i], flight.ball[i].radius
    margin, many = float(event.margin), neighbours(flight, i)
    if is_crowded(flight, i):
        margin = max(0.6 * margin, 0.02 * radius)
    elif many > _MANY:
        margin = max(0.9 * margin, 0.02 * radius)
    elif many < _FEW:
        margin = 1.05 * margin
    return float(min(margin, flight.cells.level[body.level].reach - radius))


@inlined
def _remember(flight: Flight, i: int) -> int:
    """Copy who is a neighbour of ball i to the front of `found`; how many."""
    event = flight.event[i]
    if is_crowded(flight, i):
        # A little more than it was: who knows it must be among them, and may have found it
        # some units of its own copy too far away.
        unit = 1.0 / flight.cells.level[flight.body[i].level].unit
        reach = (flight.ball[i].radius + event.margin) * (1.0 + 1e-5) + 10.0 * unit
        centre = centre_of(event)
        return int(search_again(flight.cells, i, centre, reach, 10.0, flight.found, 0))
    many = neighbours(flight, i)
    for k in range(many):
        flight.found[k] = flight.row[i * ROW + 1 + k]
    return many


@inlined
def _exchange(flight: Flight, i: int, old: int, new: int) -> None:
    """Write ball i's row; leave the rows of those that went, enter those of those that came."""
    first = i * ROW
    among = (np.uint64(1) << np.uint64(new)) - np.uint64(1)
    stayed = np.uint64(0)  # bit k is set if the new neighbour k is an old one
    for k in range(old):
        j = flight.found[k]
        still = which_equal(flight.found, old, j) & among
        stayed |= still
        if still == 0:
            _strike(flight, j, i)
    flight.row[first] = new
    for k in range(new, old):
        flight.row[first + 1 + k] = i
    for k in range(new):
        j = flight.found[old + k]
        flight.row[first + 1 + k] = j
        if (stayed >> np.uint64(k)) & np.uint64(1) == 0:
            _add(flight, j, i)


@routine
def _exchange_many(flight: Flight, i: int, old: int, new: int) -> None:
    """The same for a ball that is crowded, or was: its row could not say who knows it."""
    for k in range(old):
        _strike(flight, flight.found[k], i)
    flight.row[i * ROW] = new if new <= NEIGHBOURS else NEIGHBOURS + CROWDED
    for k in range(NEIGHBOURS):
        flight.row[i * ROW + 1 + k] = flight.found[old + k] if k < new else i
    for k in range(new):
        _add(flight, flight.found[old + k], i)


@inlined
def _add(flight: Flight, j: int, i: int) -> None:
    first = np.uint64(j) * np.uint64(ROW)
    many = np.uint64(neighbours(flight, j))
    if many == NEIGHBOURS:
        flight.row[first] = NEIGHBOURS + CROWDED
    else:
        flight.row[first] += np.uint32(1)
        flight.row[first + many + np.uint64(1)] = i


@inlined
def _strike(flight: Flight, j: int, i: int) -> None:
    """Take ball i out of ball j's row, if it is in it: the last goes to its place."""
    first = np.uint64(j) * np.uint64(ROW)
    where = which_equal(flight.row, first, i) & ~np.uint64(1)
    if where == 0:
        return
    last = first + np.uint64(neighbours(flight, j))
    flight.row[first] -= np.uint32(1)
    flight.row[first + np.uint64(lowest_bit(where))] = flight.row[last]
    flight.row[last] = j


@inlined
def candidates(flight: Flight, i: int) -> tuple[Any, int, int]:
    """An array that holds ball i's neighbours, the place of the first and of the last's next."""
    if not is_crowded(flight, i):
        first = int(np.int64(i)) * ROW + 1  # signed, lest the other answer make it a float
        return flight.row, first, first + neighbours(flight, i)
    event = flight.event[i]
    reach = flight.ball[i].radius + event.margin
    many = search_again(flight.cells, i, centre_of(event), reach, 1.0, flight.found, 0)
    return flight.found, 0, many


@inlined
def obstacles_near(around: Around, centre: TVector, reach: float) -> Any:
    """A set of bits: k % 64 for each obstacle k that reaches into a neighbourhood."""
    near = np.uint64(0)
    for k in range(around.obstacles.kind.size):
        distance = gap(around.obstacles, k, folded(around.space, around.obstacles, k, centre))
        if around.obstacles.kind[k] == PLANE:
            distance = abs(distance)  # what is behind it may come in
        if distance <= reach * (1.0 + 1e-6):
            near |= np.uint64(1) << np.uint64(k % 64)
    return near


@inlined
def images_near(around: Around, flight: Flight, i: int, k: int, x: TVector) -> Images:
    """Where obstacle k and images of it stand that ball i, now at x, can meet in its neighbourhood.

    Which they are follows from the neighbourhood alone, which an event does not outlast: at
    the impact they are the same as when it was predicted, also if the ball has been taken
    back round the box since.
    """
    if around.obstacles.kind[k] != CYLINDER:
        return Images(NOWHERE, NOWHERE)
    cylinder, event = cylinder_at(around.obstacles, k), flight.event[i]
    reach = (flight.ball[i].radius + event.margin) * (1.0 + 1e-6) + cylinder.radius
    centre = centre_of(event)
    images = around.space.in_reach(centre, cylinder.point, cylinder.axis, reach)
    return Images(images.nearest + around.space.to_image(x, centre), images.beside)


@inlined
def leaves(around: Around, flight: Flight, i: int, x: TVector, v: TVector) -> float:
    """How long ball i, now there, stays in its neighbourhood: under gravity, at least."""
    event = flight.event[i]
    d = around.space.between(x, centre_of(event))
    margin, pull = float(event.margin), around.motion.pull_of(flight.ball[i]).mag()
    if pull == 0.0:
        return reaching_border(d, v, margin)
    # Within this time the path bends by no more than a part of the margin.
    bent = np.sqrt(2.0 * _BEND * margin / pull)
    straight = reaching_border(d, v, (1.0 - _BEND) * margin)
    return float(min(bent, straight))


@inlined
def reaching_border(d: TVector, v: TVector, margin: float) -> float:
    """When a point at d from the centre leaves a sphere of this radius, at the latest now."""
    return reaching(d, v, margin).last_root()
