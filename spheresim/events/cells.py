"""Cells: whose neighbourhoods touch this one?

A ball's neighbourhood is a sphere; each lies in the cell of its centre. There is a grid
of cells for balls of every size within a factor of two, its cells just wider than the
largest neighbourhood on it. Space is folded onto the grid: along a periodic axis it has
a whole number of cells, along an open one cells that are a grid's length apart are the
same, so that open space needs no border and no hash.

A cell is a row of ROOM copies of centres; one with more goes on in spare rows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import inlined, routine
from spheresim.vector import TVector

ROOM = 8

ENTRY_FIELDS = [
    *((name, "f8") for name in ("x", "y", "z")),
    ("reach", "f4"),
    ("ball", "u4"),
]

LEVEL_FIELDS = [
    ("cells_x", "i8"),
    ("cells_y", "i8"),
    ("cells_z", "i8"),
    ("inverse_x", "f8"),  # of a cell's width
    ("inverse_y", "f8"),
    ("inverse_z", "f8"),
    ("first", "i8"),  # of its rows
    ("reach", "f8"),  # of the largest neighbourhood that may be in it
]


class Cells(NamedTuple):
    """level: (levels,); taken, after: (rows,), entries in a row and the row in which it
    goes on, or 0; entry: (rows · ROOM,); spare: rows that are free, and spares: (1,),
    how many."""

    level: Any
    taken: Any
    after: Any
    entry: Any
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
        members = level == k
        largest = float(reach[members].max()) if members.any() else 1.0
        at_most = max(1, int(members.sum()))
        counts = _counts(sides, extent, 2.0 * largest * (1.0 + 1e-6), at_most)
        record.cells_x, record.cells_y, record.cells_z = counts
        record.inverse_x, record.inverse_y, record.inverse_z = (
            n / side if side else 0.5 / largest / (1.0 + 1e-6)
            for n, side in zip(counts, sides, strict=True)
        )
        record.first, record.reach = first, largest
        first += math.prod(counts)
    rows = first + len(reach) // ROOM + len(levels)
    spare = np.arange(first, rows, dtype=np.uint32)
    entry = np.recarray(rows * ROOM, dtype=ENTRY_FIELDS)
    return Cells(
        levels,
        np.zeros(rows, dtype=np.uint32),
        np.zeros(rows, dtype=np.uint32),
        entry,
        spare,
        np.array([len(spare)]),
    )


def _counts(sides: Any, extent: Any, width: float, at_most: int) -> list[int]:
    """How many cells there are along each axis, in all about as many as balls or fewer."""
    span = np.where(np.asarray(sides) > 0.0, sides, extent)
    counts = np.maximum(1.0, np.floor(span / width))
    while counts.prod() > at_most and counts.max() > 1:
        axis = int(np.argmax(counts))
        counts[axis] = np.ceil(counts[axis] / 2.0)
    return [int(n) for n in counts]


@inlined
def _cell(u: float, n: int) -> int:
    """The cell of a coordinate in cell widths, on a folded axis of n cells."""
    c = int(u - n * np.floor(u / n))
    return c if 0 <= c < n else 0


@inlined
def _row_of(level: Any, x: TVector) -> int:
    cx = _cell(x.x * level.inverse_x, level.cells_x)
    cy = _cell(x.y * level.inverse_y, level.cells_y)
    cz = _cell(x.z * level.inverse_z, level.cells_z)
    row: int = level.first + (cx * level.cells_y + cy) * level.cells_z + cz
    return row


@inlined
def put_in(cells: Cells, body: Any, i: int, centre: TVector, reach: float) -> None:
    """Put ball i's neighbourhood into its cell."""
    row = _row_of(cells.level[body[i].level], centre)
    while cells.taken[row] == ROOM:
        if cells.after[row] == 0:
            cells.spares[0] -= 1
            spare = cells.spare[cells.spares[0]]
            cells.taken[spare] = 0
            cells.after[spare] = 0
            cells.after[row] = spare
        row = int(cells.after[row])
    place = row * ROOM + int(cells.taken[row])
    cells.taken[row] += 1
    body[i].place = place
    entry = cells.entry[place]
    entry.x, entry.y, entry.z = centre.x, centre.y, centre.z
    entry.reach = _not_below(reach)
    entry.ball = i


@inlined
def _not_below(reach: float) -> float:
    """A little more than a number: what is left of it in 32 bits is no less."""
    return reach * (1.0 + 1e-6)


@inlined
def take_from(cells: Cells, body: Any, i: int, centre: TVector) -> None:
    """Take ball i's neighbourhood, of this centre, out of its cell."""
    before = row = _row_of(cells.level[body[i].level], centre)
    while cells.after[row] != 0:
        before, row = row, int(cells.after[row])
    cells.taken[row] -= 1
    last = row * ROOM + int(cells.taken[row])
    place = body[i].place
    if place != last:
        moved, left = cells.entry[last], cells.entry[place]
        left.x, left.y, left.z = moved.x, moved.y, moved.z
        left.reach, left.ball = moved.reach, moved.ball
        body[moved.ball].place = place
    if cells.taken[row] == 0 and before != row:
        cells.after[before] = 0
        cells.spare[cells.spares[0]] = row
        cells.spares[0] += 1


@inlined
def search(
    cells: Cells, space: Any, i: int, centre: TVector, reach: float, found: Any, first: int
) -> int:
    """Write all whose neighbourhoods touch this one of ball i's into `found`, from place
    `first` on; how many they are."""
    count = first
    mine = float(np.float32(_not_below(reach)))
    for k in range(len(cells.level)):
        level = cells.level[k]
        far = (reach + level.reach) * (1.0 + 4e-6)
        nx, ny, nz = level.cells_x, level.cells_y, level.cells_z
        low_x, many_x = _range(centre.x, far, level.inverse_x, nx)
        low_y, many_y = _range(centre.y, far, level.inverse_y, ny)
        low_z, many_z = _range(centre.z, far, level.inverse_z, nz)
        for a in range(low_x, low_x + many_x):
            x = a - nx if a >= nx else a
            for b in range(low_y, low_y + many_y):
                y = b - ny if b >= ny else b
                for c in range(low_z, low_z + many_z):
                    z = c - nz if c >= nz else c
                    row = level.first + (x * ny + y) * nz + z
                    count = _search_row(cells, space, i, centre, mine, row, found, count)
    return count - first


@inlined
def _range(coordinate: float, far: float, inverse: float, n: int) -> tuple[int, int]:
    """The first of the cells within reach, and how many there are, each of them once."""
    low = np.floor((coordinate - far) * inverse)
    many = np.floor((coordinate + far) * inverse) - low + 1.0
    if many >= n:
        return 0, n
    return _cell(low, n), int(many)


@inlined
def _search_row(
    cells: Cells,
    space: Any,
    i: int,
    centre: TVector,
    reach: float,
    row: int,
    found: Any,
    count: int,
) -> int:
    while True:
        for place in range(row * ROOM, row * ROOM + cells.taken[row]):
            entry = cells.entry[place]
            together = reach + entry.reach
            apart = space.between(centre, TVector(entry.x, entry.y, entry.z))
            found[count] = entry.ball  # counted only if it is one: cheaper than to decide before
            count += (apart.mag_sqr() <= together * together) & (entry.ball != i)
        row = int(cells.after[row])
        if row == 0:
            return count
