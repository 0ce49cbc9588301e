"""Cells: whose neighbourhoods touch this one?

A ball's neighbourhood is a sphere; each lies in the cell of its centre. There is a grid
of cells for balls of every size within a factor of two, its cells just wider than the
largest neighbourhood on it. Space is folded onto the grid: along a periodic axis it has
a whole number of cells, along an open one cells that are a grid's length apart are the
same, so that open space needs no border and no hash.

A cell is a row of ROOM copies of neighbourhoods, which are compared with one at a time; a
cell with more goes on in spare rows. Copies are numbers of 32 bits, counted from the cell's
corner in units of the widest neighbourhood, so that they are as exact in a large world as in
a small one, and grown by more than what rounding makes of them. So a search may find balls
that do not quite touch, and on folded axes balls that are a grid's length away. Both do no
harm: who is found is only asked when it meets whom.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import inlined, routine
from spheresim.lanes import SPHERES, lowest_bit, on_lines, which_touch
from spheresim.vector import TVector

ROOM = SPHERES

GROWN = 1.0 + 1e-6
"""More than rounding to 32 bits and folding make of a length."""

_AWAY = 1e30
"""Where nobody is: the square of it is infinite in 32 bits."""

LEVEL_FIELDS = [
    ("cells_x", "i8"),
    ("cells_y", "i8"),
    ("cells_z", "i8"),
    ("width_x", "f8"),  # of a cell
    ("width_y", "f8"),
    ("width_z", "f8"),
    ("first", "i8"),  # of its rows
    ("reach", "f8"),  # of the largest neighbourhood that may be in it
    ("unit", "f8"),  # one over the unit of its copies
    ("blur", "f8"),  # more than the rounding of their coordinates, in that unit
]


class Cells(NamedTuple):
    """level: (levels,); spheres: (rows, 4, ROOM), copies of neighbourhoods: x, y, z, reach;
    ball: (rows, ROOM), whose they are; taken, after: (rows,), entries in a row and the row in
    which it goes on, or 0; spare: rows that are free, and spares: (1,), how many."""

    level: Any
    spheres: Any
    ball: Any
    taken: Any
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
        for axis, n, across in zip("xyz", counts, widths, strict=True):
            record[f"cells_{axis}"] = n
            record[f"width_{axis}"] = across
        record.first, record.reach = first, largest
        record.unit = 1.0 / width
        record.blur = (GROWN - 1.0) * max(widths) / width
        first += math.prod(counts)
    rows = first + len(reach) // ROOM + len(levels)
    return Cells(
        levels,
        on_lines((rows, 4, ROOM), np.float32),
        on_lines((rows, ROOM), np.uint32),
        np.zeros(rows, dtype=np.uint32),
        np.zeros(rows, dtype=np.uint32),
        np.arange(first, rows, dtype=np.uint32),
        np.zeros(1, dtype=np.int64),
    )


def clear(cells: Cells) -> None:
    """Take all neighbourhoods out."""
    cells.spheres[:] = 0.0
    cells.spheres[:, 0] = _AWAY
    cells.taken[:] = 0
    cells.after[:] = 0
    cells.spares[0] = len(cells.spare)
    cells.spare[:] = np.arange(len(cells.taken) - len(cells.spare), len(cells.taken))


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
        _folded(x.x, level.cells_x * level.width_x),
        _folded(x.y, level.cells_y * level.width_y),
        _folded(x.z, level.cells_z * level.width_z),
    )


@inlined
def _cell(coordinate: float, width: float, n: int) -> int:
    """The cell of a folded coordinate, which rounding may put at the grid's end."""
    return min(int(coordinate / width), n - 1)


@inlined
def _row(level: Any, cx: int, cy: int, cz: int) -> int:
    row: int = level.first + (cx * level.cells_y + cy) * level.cells_z + cz
    return row


@inlined
def _in_unit(level: Any, reach: float) -> float:
    """A reach in the unit of the level's copies, grown."""
    return reach * level.unit * GROWN + float(level.blur)


@inlined
def put_in(cells: Cells, body: Any, i: int, centre: TVector, reach: float) -> None:
    """Put ball i's neighbourhood into its cell."""
    level = cells.level[body[i].level]
    x = _fold(level, centre)
    cx = _cell(x.x, level.width_x, level.cells_x)
    cy = _cell(x.y, level.width_y, level.cells_y)
    cz = _cell(x.z, level.width_z, level.cells_z)
    row = _row(level, cx, cy, cz)
    while cells.taken[row] == ROOM:
        if cells.after[row] == 0:
            cells.spares[0] -= 1
            cells.after[row] = cells.spare[cells.spares[0]]
        row = int(cells.after[row])
    place = int(cells.taken[row])
    cells.taken[row] += 1
    body[i].place = row * ROOM + place
    cells.spheres[row, 0, place] = (x.x - cx * level.width_x) * level.unit
    cells.spheres[row, 1, place] = (x.y - cy * level.width_y) * level.unit
    cells.spheres[row, 2, place] = (x.z - cz * level.width_z) * level.unit
    cells.spheres[row, 3, place] = _in_unit(level, reach)
    cells.ball[row, place] = i


@inlined
def take_from(cells: Cells, body: Any, i: int, centre: TVector) -> None:
    """Take ball i's neighbourhood, of this centre, out of its cell."""
    level = cells.level[body[i].level]
    x = _fold(level, centre)
    before = row = _row(
        level,
        _cell(x.x, level.width_x, level.cells_x),
        _cell(x.y, level.width_y, level.cells_y),
        _cell(x.z, level.width_z, level.cells_z),
    )
    while cells.after[row] != 0:
        before, row = row, int(cells.after[row])
    cells.taken[row] -= 1
    last = int(cells.taken[row])
    hole, place = int(body[i].place) // ROOM, int(body[i].place) % ROOM
    for part in range(4):
        cells.spheres[hole, part, place] = cells.spheres[row, part, last]
    moved = cells.ball[row, last]
    cells.ball[hole, place] = moved
    body[moved].place = body[i].place
    cells.spheres[row, 0, last] = _AWAY
    if last == 0 and before != row:
        cells.after[before] = 0
        cells.spare[cells.spares[0]] = row
        cells.spares[0] += 1


@inlined
def search(
    cells: Cells, i: int, centre: TVector, reach: float, blurs: float, found: Any, first: int
) -> int:
    """Write all whose neighbourhoods touch this one of ball i's into `found`, from place
    `first` on; how many they are. More `blurs` than 1 find more than one does for sure."""
    count: Any = np.uint64(first)  # unsigned, which saves a check for negative indices
    for k in range(len(cells.level)):
        level = cells.level[k]
        x = _fold(level, centre)
        far = (reach + level.reach) * GROWN
        mine = _in_unit(level, reach) + (blurs - 1.0) * (level.blur)
        # Read once: the compiler cannot know that writing into `found` does not change them.
        nx, ny, nz, unit = level.cells_x, level.cells_y, level.cells_z, level.unit
        wide = TVector(level.width_x, level.width_y, level.width_z)
        first_row = level.first
        low_x, high_x, weight_x = _range(x.x, far, wide.x, nx)
        low_y, high_y, weight_y = _range(x.y, far, wide.y, ny)
        low_z, high_z, weight_z = _range(x.z, far, wide.z, nz)
        weight = TVector(weight_x, weight_y, weight_z)
        for a in range(low_x, high_x):
            for b in range(low_y, high_y):
                plane = first_row + (_wrapped(a, nx) * ny + _wrapped(b, ny)) * nz
                for c in range(low_z, high_z):
                    from_corner = TVector(x.x - a * wide.x, x.y - b * wide.y, x.z - c * wide.z)
                    row = plane + _wrapped(c, nz)
                    count = _search_row(cells, i, row, from_corner * unit, weight, mine, found, count)
    return np.int64(count) - first


@inlined
def _range(coordinate: float, far: float, width: float, n: int) -> tuple[int, int, float]:
    """The cells within reach, counted on beyond the grid's ends, and the weight of the axis.

    Where the reach is more than half the grid, all cells once, and the axis does not count.
    """
    if 2.0 * far > n * width:
        return 0, n, 0.0
    low = int(np.floor((coordinate - far) / width))
    return low, int(np.floor((coordinate + far) / width)) + 1, 1.0


@inlined
def _wrapped(cell: int, n: int) -> int:
    """A cell counted on beyond the grid's ends: which it is."""
    if cell < 0:
        return cell + n
    if cell >= n:
        return cell - n
    return cell


@inlined
def _search_row(
    cells: Cells,
    i: int,
    row: int,
    x: TVector,
    weight: TVector,
    reach: float,
    found: Any,
    count: Any,
) -> Any:
    at: Any = np.uint64(row)
    while True:
        touch = which_touch(cells.spheres, at, x, weight, reach)
        while touch != 0:
            ball = cells.ball[at, np.uint64(lowest_bit(touch))]
            touch &= touch - np.uint64(1)
            found[count] = ball
            count += np.uint64(ball != i)
        at = np.uint64(cells.after[at])
        if at == 0:
            return count


@routine
def search_again(
    cells: Cells, i: int, centre: TVector, reach: float, blurs: float, found: Any, first: int
) -> int:
    """The same as a function of its own, for where it is needed rarely."""
    return search(cells, i, centre, reach, blurs, found, first)
