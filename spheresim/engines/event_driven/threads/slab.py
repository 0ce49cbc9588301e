"""Slabs of space, one for each thread, and how far apart events must be not to touch the same.

Slabs are whole columns of cells, cut across x. Border k is where slab k ends and the next begins;
the first begins where the last ends. Places are wrapped onto the grid of the cells, also
along open axes, because neighbour lists may hold balls that are near in the grid alone.
"""

from typing import NamedTuple

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import wrap_to_grid
from spheresim.compiler.decorators import inlined
from spheresim.engines.event_driven.engine_state import EngineState
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector

_SLACK = 8.0
"""In units of the cells' copies: more than their quantisation adds to a distance."""

_LEAST_BREADTH = 4.0
"""Least breadth of a slab in border depths: half of it is border then."""


class Slabs(NamedTuple):
    """first: (slabs + 1,), the first column of each slab, and the end of the last; border: in
    columns, the depth of the border at either end of a slab; near: in columns, the depth down to
    which events may interact with those of the border; deepest: in columns, the depth down to which
    those at different borders do not interact; distance_sqr, counts: the square of the distance at
    which events may interact, and of each axis 1, or 0 if it does not count."""

    first: Floats
    border: float
    near: float
    deepest: float
    distance_sqr: float
    counts: TVector


def slabs_of(state: EngineState, threads: int) -> Slabs:
    """Slabs for so many threads, or for as many as there is room for.

    An event of a ball at x changes neighbourhoods whose centres are within the margin of x. It
    reads and writes those that touch them, and their cells; in what order balls lie in a cell
    makes no difference. Along an axis with few cells a search ignores how far balls are apart.
    """
    level = state.cells.level[0]
    reach = float(level["reach"])
    margin, width = reach - float(state.ball.radius.min()), float(level["width_x"])
    slack, columns = _SLACK / float(level["unit"]), int(level["cells_x"])
    border = (2.0 * reach + margin + slack) / width
    distance = 2.0 * (reach + margin) + slack
    many = max(1, min(threads, int(columns / (_LEAST_BREADTH * border))))
    first = np.array([columns * k // many for k in range(many + 1)], dtype=np.float64)
    lengths = (float(level[f"cells_{axis}"] * level[f"width_{axis}"]) for axis in "xyz")
    counts = TVector(*(float(length > 2.0 * (2.0 * reach + slack)) for length in lengths))
    apart = distance / width
    deepest = 0.5 * (float(np.diff(first).min()) - apart)
    return Slabs(first, border, border + apart, deepest, distance * distance, counts)


@inlined
def slab_at(slabs: Slabs, state: EngineState, x: TVector) -> int:
    """The slab in which a place is."""
    return _slab_of(slabs, _column(state, x))


@inlined
def depth_in(slabs: Slabs, state: EngineState, k: int, x: TVector) -> float:
    """How deep a place is in slab k, in columns; negative outside."""
    return _depth(slabs, k, _column(state, x))


@inlined
def depth_at(slabs: Slabs, state: EngineState, x: TVector) -> float:
    """How deep a place is in its own slab, in columns."""
    column = _column(state, x)
    return _depth(slabs, _slab_of(slabs, column), column)


@inlined
def border_at(slabs: Slabs, state: EngineState, x: TVector) -> int:
    """The border that is nearest to a place."""
    column = _column(state, x)
    k = _slab_of(slabs, column)
    if slabs.first[k + 1] - column < column - slabs.first[k]:
        return k
    return k - 1 if k > 0 else len(slabs.first) - 2


@inlined
def distance_to_border(slabs: Slabs, state: EngineState, k: int, x: TVector) -> float:
    """How far a place is from border k, in columns."""
    columns = slabs.first[len(slabs.first) - 1]
    apart = abs(_column(state, x) - slabs.first[k + 1])
    return float(min(apart, columns - apart))


@inlined
def _column(state: EngineState, x: TVector) -> float:
    """The place of x across the slabs, in columns of cells."""
    return float(wrap_to_grid(state.cells.level[0], x).x)


@inlined
def _slab_of(slabs: Slabs, column: float) -> int:
    k = 0
    while k < len(slabs.first) - 2 and column >= slabs.first[k + 1]:
        k += 1
    return k


@inlined
def _depth(slabs: Slabs, k: int, column: float) -> float:
    return float(min(column - slabs.first[k], slabs.first[k + 1] - column))


@inlined
def may_interact(slabs: Slabs, state: EngineState, x: TVector, y: TVector) -> bool:
    """Whether events of balls at x and at y may change what the other reads."""
    level, d, counts = state.cells.level[0], x - y, slabs.counts
    dx = d.x - np.rint(d.x * level.inverse_length_x) * (level.cells_x * level.width_x)
    dy = d.y - np.rint(d.y * level.inverse_length_y) * (level.cells_y * level.width_y)
    dz = d.z - np.rint(d.z * level.inverse_length_z) * (level.cells_z * level.width_z)
    apart = TVector(counts.x * dx, counts.y * dy, counts.z * dz)
    return bool(apart.mag_sqr() < slabs.distance_sqr)


@inlined
def any_may_interact(
    slabs: Slabs, state: EngineState, x: TVector, places: Floats, many: int, since: float
) -> bool:
    """Whether an event at x may interact with one of the first of `places`, (4, …), each with its
    time, that is not before the time `since`. All are looked at: processors do many at once."""
    found = False
    for n in range(many):
        place = TVector(places[0, n], places[1, n], places[2, n])
        found |= may_interact(slabs, state, x, place) & (places[3, n] >= since)
    return found
