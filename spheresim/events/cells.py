"""Cells: whose neighbourhoods touch this one?

A ball's neighbourhood is a sphere; each lies in the cell of its centre. There is a grid
of cells for balls of every size within a factor of two, its cells just wider than the
largest neighbourhood on it. Space is folded onto the grid: along a periodic axis it has
a whole number of cells, along an open one cells that are a grid's length apart are the
same, so that open space needs no border and no hash.

A cell is a row of ROOM copies of centres, folded; one with more goes on in spare rows. On
folded axes a search may find balls that are a grid's length away, which does no harm: who
is found is only asked when it meets whom.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import inlined, routine
from spheresim.vector import TVector

ROOM = 8

GROWN = 1.0 + 1e-6
"""More than rounding to 32 bits and folding make of a length."""

_LARGEST = 3e38
"""Of numbers of 32 bits."""

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
    ("period_x", "f8"),  # the grid's length
    ("period_y", "f8"),
    ("period_z", "f8"),
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
        largest = float(reach[level == k].max())
        width = 2.0 * largest * GROWN
        counts = _counts(sides, extent, width, int((level == k).sum()))
        widths = [side / n if side else width for n, side in zip(counts, sides, strict=True)]
        for axis, n, across in zip("xyz", counts, widths, strict=True):
            record[f"cells_{axis}"] = n
            record[f"inverse_{axis}"] = 1.0 / across
            record[f"period_{axis}"] = n * across
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
def _folded(coordinate: float, period: float) -> float:
    return float(coordinate - period * np.floor(coordinate / period))


@inlined
def _fold(level: Any, x: TVector) -> TVector:
    """A point folded onto the grid."""
    return TVector(
        _folded(x.x, level.period_x), _folded(x.y, level.period_y), _folded(x.z, level.period_z)
    )


@inlined
def _cell(u: float, n: int) -> int:
    """The cell of a folded coordinate in cell widths; rounding may make it the cells' number."""
    c = int(u)
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
    x = _fold(cells.level[body[i].level], centre)
    row = _row_of(cells.level[body[i].level], x)
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
    entry.x, entry.y, entry.z = x.x, x.y, x.z
    entry.reach = min(reach * GROWN, _LARGEST)
    entry.ball = i


@inlined
def take_from(cells: Cells, body: Any, i: int, centre: TVector) -> None:
    """Take ball i's neighbourhood, of this centre, out of its cell."""
    level = cells.level[body[i].level]
    before = row = _row_of(level, _fold(level, centre))
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
def search(cells: Cells, i: int, centre: TVector, reach: float, found: Any, first: int) -> int:
    """Write all whose neighbourhoods touch this one of ball i's into `found`, from place
    `first` on; how many they are."""
    count = first
    mine = reach * GROWN
    for k in range(len(cells.level)):
        level = cells.level[k]
        x = _fold(level, centre)
        far = (mine + level.reach * GROWN) * GROWN
        # Read once: the compiler cannot know that writing into `found` does not change them.
        nx, ny, nz, first_row = level.cells_x, level.cells_y, level.cells_z, level.first
        period = TVector(level.period_x, level.period_y, level.period_z)
        low_x, high_x, weight_x = _range(x.x, far, level.inverse_x, period.x, nx)
        low_y, high_y, weight_y = _range(x.y, far, level.inverse_y, period.y, ny)
        low_z, high_z, weight_z = _range(x.z, far, level.inverse_z, period.z, nz)
        weight = TVector(weight_x, weight_y, weight_z)
        for a in range(low_x, high_x):
            cx, shift_x = _wrapped(a, nx, period.x)
            for b in range(low_y, high_y):
                cy, shift_y = _wrapped(b, ny, period.y)
                for c in range(low_z, high_z):
                    cz, shift_z = _wrapped(c, nz, period.z)
                    row = first_row + (cx * ny + cy) * nz + cz
                    from_cell = x - TVector(shift_x, shift_y, shift_z)
                    count = _search_row(cells, i, from_cell, weight, mine, row, found, count)
    return count - first


@inlined
def _range(
    coordinate: float, far: float, inverse: float, period: float, n: int
) -> tuple[int, int, float]:
    """The cells within reach, counted on beyond the grid's ends, and the weight of the axis.

    Where the reach is more than half the grid, all cells once, and the axis does not count.
    """
    if 2.0 * far > period:
        return 0, n, 0.0
    low = int(np.floor((coordinate - far) * inverse))
    return low, int(np.floor((coordinate + far) * inverse)) + 1, 1.0


@inlined
def _wrapped(cell: int, n: int, period: float) -> tuple[int, float]:
    """A cell counted on beyond the grid's ends: which it is, and how far it is shifted."""
    if cell < 0:
        return cell + n, -period
    if cell >= n:
        return cell - n, period
    return cell, 0.0


@inlined
def _search_row(
    cells: Cells,
    i: int,
    x: TVector,
    weight: TVector,
    reach: float,
    row: int,
    found: Any,
    count: int,
) -> int:
    place = np.uint64(count)  # unsigned, which saves a check for negative indices
    at: Any = np.uint64(row)
    while True:
        start = at * np.uint64(ROOM)
        for k in range(cells.taken[at]):
            entry = cells.entry[start + np.uint64(k)]
            dx = (x.x - entry.x) * weight.x
            dy = (x.y - entry.y) * weight.y
            dz = (x.z - entry.z) * weight.z
            together = reach + entry.reach
            found[place] = entry.ball  # counted only if it is one: cheaper than to decide before
            touches = dx * dx + dy * dy + dz * dz <= together * together
            place += np.uint64(touches & (entry.ball != i))
        at = np.uint64(cells.after[at])
        if at == 0:
            return int(place)


@routine
def search_again(
    cells: Cells, i: int, centre: TVector, reach: float, found: Any, first: int
) -> int:
    """The same as a function of its own, for where it is needed rarely."""
    return search(cells, i, centre, reach, found, first)
