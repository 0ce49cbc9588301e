"""Cells: whose neighbourhoods touch this one?

A ball's neighbourhood is a sphere; each lies in the cell of its centre. There is a grid
of cells for balls of every size within a factor of two, its cells just wider than the
largest neighbourhood on it. Space is folded onto the grid: along a periodic axis it has
a whole number of cells, along an open one cells that are a grid's length apart are the
same, so that open space needs no border and no hash.

A cell is a row of up to ROOM copies of neighbourhoods, which are compared with one at a time;
a cell with more goes on in spare rows. Copies are whole numbers of 16 bits, counted from the
cell's corner, so that a row is one line of the cache, which is what a search among a million
balls waits for. They are grown by more than what rounding makes of them: a search may find
balls that do not quite touch, and on folded axes balls that are a grid's length away. Both do
no harm, for who is found is only asked when it meets whom.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.compiler.simd import SPHERES
from spheresim.numerics.vector import TVector

ROOM = SPHERES - 1
"""Copies in a row; in the last lane stands how many, and whether the cell goes on."""

CELL_ROW = 4 * SPHERES
"""Numbers in a row."""

STATE = SPHERES - 1
"""Where in a row that last lane is."""

GOES_ON = 8

_UNITS = 60_000.0
"""In the width of a cell."""

GROWN = 1.0 + 1e-6
"""More than rounding to 32 bits and folding make of a length."""

BLUR = 2.0
"""More than rounding to whole units makes of a distance."""

LEVEL_FIELDS = [
    ("cells_x", "i8"),
    ("cells_y", "i8"),
    ("cells_z", "i8"),
    ("width_x", "f8"),  # of a cell
    ("width_y", "f8"),
    ("width_z", "f8"),
    ("inverse_x", "f8"),  # of that width
    ("inverse_y", "f8"),
    ("inverse_z", "f8"),
    ("turns_x", "f8"),  # the inverse of the grid's length
    ("turns_y", "f8"),
    ("turns_z", "f8"),
    ("first", "i8"),  # of its rows
    ("reach", "f8"),  # of the largest neighbourhood that may be in it
    ("unit_x", "f8"),  # a cell's width in the unit of its copies
    ("unit_y", "f8"),
    ("unit_z", "f8"),
    ("unit", "f8"),  # one over that unit
]


class Cells(NamedTuple):
    """level: (levels,); spheres: (rows · 4 · SPHERES,), all x of a row, then y, z and reach;
    ball: (rows · SPHERES,), whose they are; after: (rows,), where a cell goes on; spare: rows
    that are free, and spares: (1,), how many."""

    level: Any
    spheres: Any
    ball: Any
    after: Any
    spare: Any
    spares: Any


def empty_cells(reach: Any, level: Any, sides: Any, extent: Any) -> Cells:
    """Cells for balls of the largest reach (n,) on the level (n,) that each has.

    sides: (3,), the length of periodic axes, 0 for open ones; extent: (3,), how far the
    balls spread, from which the number of cells along an open axis is taken.
    """
    levels = np.recarray(int(level.max()) + 1, dtype=LEVEL_FIELDS)
    first = 0
    for k, record in enumerate(levels):
        largest = float(reach[level == k].max())
        width = 2.0 * largest * GROWN
        counts = _counts(sides, extent, width, int((level == k).sum()))
        widths = [side / n if side else width for n, side in zip(counts, sides, strict=True)]
        record.first, record.reach, record.unit = first, largest, _UNITS / max(widths)
        for axis, n, across in zip("xyz", counts, widths, strict=True):
            record[f"cells_{axis}"] = n
            record[f"width_{axis}"], record[f"inverse_{axis}"] = across, 1.0 / across
            record[f"turns_{axis}"] = 1.0 / (n * across)
            record[f"unit_{axis}"] = across * record.unit
        first += math.prod(counts)
    rows = first + len(reach) // ROOM + len(levels)
    return Cells(
        levels,
        cache_aligned_zeros(rows * CELL_ROW, np.uint16),
        cache_aligned_zeros(rows * SPHERES, np.uint32),
        np.zeros(rows, dtype=np.uint32),
        np.arange(first, rows, dtype=np.uint32),
        np.zeros(1, dtype=np.int64),
    )


def clear(cells: Cells) -> None:
    """Take all neighbourhoods out."""
    cells.spheres[STATE::CELL_ROW] = 0
    cells.spares[0] = len(cells.spare)
    cells.spare[:] = np.arange(len(cells.after) - len(cells.spare), len(cells.after))


def _counts(sides: Any, extent: Any, width: float, at_most: int) -> list[int]:
    """How many cells there are along each axis; in all about as many as balls, or fewer.

    An open axis gets more than the balls take up, so that no two are folded onto each other
    at the start, and two at least, for then no neighbourhood reaches its own image.
    """
    periodic = np.asarray(sides) > 0.0
    exact = np.where(periodic, sides, extent) / width
    counts = np.where(periodic, np.maximum(1.0, np.floor(exact)), np.ceil(exact) + 1.0)
    while counts.prod() > 2 * at_most + 27:
        axis = int(np.argmax(counts))
        counts[axis] = np.ceil(counts[axis] / 2.0)
    return [int(n) for n in counts]


@inlined
def fold(level: Any, x: TVector) -> TVector:
    """A point folded onto the grid, in cells: from 0 to their number, whatever rounding says."""
    return TVector(
        _folded(x.x, level.turns_x, level.cells_x, level.width_x, level.inverse_x),
        _folded(x.y, level.turns_y, level.cells_y, level.width_y, level.inverse_y),
        _folded(x.z, level.turns_z, level.cells_z, level.width_z, level.inverse_z),
    )


@inlined
def _folded(x: float, turns: float, n: int, width: float, inverse: float) -> float:
    u = (x - np.floor(x * turns) * (n * width)) * inverse
    return float(max(0.0, min(u, float(n))))


@inlined
def _cell(u: float, n: int) -> int:
    """The cell of a folded coordinate."""
    return min(int(u), n - 1)


@inlined
def goes_on(cells: Cells, row: Any) -> bool:
    """Whether a cell goes on after this row of it."""
    # Unsigned, which saves a check for negative indices.
    return bool(cells.spheres[np.uint64(row) * np.uint64(CELL_ROW) + np.uint64(STATE)] >= GOES_ON)


@inlined
def _lane(place: int) -> int:
    """Where the copy of an entry begins."""
    return place // SPHERES * CELL_ROW + place % SPHERES


@inlined
def _whole(units: float) -> int:
    return int(max(0.0, min(units, 65535.0)))


@inlined
def put_in(cells: Cells, body: Any, i: int, centre: TVector, reach: float) -> None:
    """Put ball i's neighbourhood into its cell."""
    level = cells.level[body[i].level]
    u = fold(level, centre)
    cx, cy, cz = _cell(u.x, level.cells_x), _cell(u.y, level.cells_y), _cell(u.z, level.cells_z)
    row = int(level.first) + (cx * level.cells_y + cy) * level.cells_z + cz
    body[i].cell = row
    while goes_on(cells, row):
        row = int(cells.after[row])
    taken = int(cells.spheres[row * CELL_ROW + STATE])
    if taken == ROOM:
        cells.spares[0] -= 1
        cells.after[row] = cells.spare[cells.spares[0]]
        cells.spheres[row * CELL_ROW + STATE] = ROOM + GOES_ON
        row, taken = int(cells.after[row]), 0
    cells.spheres[row * CELL_ROW + STATE] = taken + 1
    body[i].place = row * SPHERES + taken
    lane = row * CELL_ROW + taken
    cells.spheres[lane] = _whole((u.x - cx) * level.unit_x + 0.5)
    cells.spheres[lane + SPHERES] = _whole((u.y - cy) * level.unit_y + 0.5)
    cells.spheres[lane + 2 * SPHERES] = _whole((u.z - cz) * level.unit_z + 0.5)
    cells.spheres[lane + 3 * SPHERES] = _whole(reach * level.unit * GROWN + BLUR)
    cells.ball[row * SPHERES + taken] = i


@inlined
def take_from(cells: Cells, body: Any, i: int) -> None:
    """Take ball i's neighbourhood out of its cell, and fill the hole with the cell's last."""
    before = row = int(body[i].cell)
    while goes_on(cells, row):
        before, row = row, int(cells.after[row])
    taken = int(cells.spheres[row * CELL_ROW + STATE]) - 1
    cells.spheres[row * CELL_ROW + STATE] = taken
    last, hole = row * SPHERES + taken, int(body[i].place)
    moved = cells.ball[last]
    cells.ball[hole] = moved
    body[moved].place = hole
    there, here = _lane(hole), _lane(last)
    for part in range(0, CELL_ROW, SPHERES):
        cells.spheres[there + part] = cells.spheres[here + part]
    if taken == 0 and before != row:
        cells.spheres[before * CELL_ROW + STATE] = ROOM
        cells.spare[cells.spares[0]] = row
        cells.spares[0] += 1
