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

from spheresim.compiled import inlined, routine
from spheresim.lanes import SPHERES, which_touch
from spheresim.processor import lowest_bit, on_lines, prefetch
from spheresim.vector import TVector

ROOM = SPHERES - 1
"""Copies in a row; in the last lane stands how many, and whether the cell goes on."""

_ROW = 4 * SPHERES
"""Numbers in a row."""

_STATE = SPHERES - 1
"""Where in a row that last lane is."""

_GOES_ON = 8

_UNITS = 60_000.0
"""In the width of a cell."""

GROWN = 1.0 + 1e-6
"""More than rounding to 32 bits and folding make of a length."""

_BLUR = 2.0
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
        on_lines(rows * _ROW, np.uint16),
        on_lines(rows * SPHERES, np.uint32),
        np.zeros(rows, dtype=np.uint32),
        np.arange(first, rows, dtype=np.uint32),
        np.zeros(1, dtype=np.int64),
    )


def clear(cells: Cells) -> None:
    """Take all neighbourhoods out."""
    cells.spheres[_STATE::_ROW] = 0
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
def _fold(level: Any, x: TVector) -> TVector:
    """A point folded onto the grid, in cells; rounding may put it a little outside."""
    u = TVector(x.x * level.turns_x, x.y * level.turns_y, x.z * level.turns_z)
    return TVector(
        (x.x - np.floor(u.x) * (level.cells_x * level.width_x)) * level.inverse_x,
        (x.y - np.floor(u.y) * (level.cells_y * level.width_y)) * level.inverse_y,
        (x.z - np.floor(u.z) * (level.cells_z * level.width_z)) * level.inverse_z,
    )


@inlined
def _cell(u: float, n: int) -> int:
    """The cell of a folded coordinate."""
    return max(0, min(int(u), n - 1))


@inlined
def _lane(place: int) -> int:
    """Where the copy of an entry begins."""
    return place // SPHERES * _ROW + place % SPHERES


@inlined
def _whole(units: float) -> int:
    return int(max(0.0, min(units, 65535.0)))


@inlined
def put_in(cells: Cells, body: Any, i: int, centre: TVector, reach: float) -> None:
    """Put ball i's neighbourhood into its cell."""
    level = cells.level[body[i].level]
    u = _fold(level, centre)
    cx, cy, cz = _cell(u.x, level.cells_x), _cell(u.y, level.cells_y), _cell(u.z, level.cells_z)
    row = int(level.first) + (cx * level.cells_y + cy) * level.cells_z + cz
    body[i].cell = row
    while cells.spheres[row * _ROW + _STATE] >= _GOES_ON:
        row = int(cells.after[row])
    taken = int(cells.spheres[row * _ROW + _STATE])
    if taken == ROOM:
        cells.spares[0] -= 1
        cells.after[row] = cells.spare[cells.spares[0]]
        cells.spheres[row * _ROW + _STATE] = ROOM + _GOES_ON
        row, taken = int(cells.after[row]), 0
    cells.spheres[row * _ROW + _STATE] = taken + 1
    body[i].place = row * SPHERES + taken
    lane = row * _ROW + taken
    cells.spheres[lane] = _whole((u.x - cx) * level.unit_x + 0.5)
    cells.spheres[lane + SPHERES] = _whole((u.y - cy) * level.unit_y + 0.5)
    cells.spheres[lane + 2 * SPHERES] = _whole((u.z - cz) * level.unit_z + 0.5)
    cells.spheres[lane + 3 * SPHERES] = _whole(reach * level.unit * GROWN + _BLUR)
    cells.ball[row * SPHERES + taken] = i


@inlined
def take_from(cells: Cells, body: Any, i: int) -> None:
    """Take ball i's neighbourhood out of its cell, and fill the hole with the cell's last."""
    before = row = int(body[i].cell)
    while cells.spheres[row * _ROW + _STATE] >= _GOES_ON:
        before, row = row, int(cells.after[row])
    taken = int(cells.spheres[row * _ROW + _STATE]) - 1
    cells.spheres[row * _ROW + _STATE] = taken
    last, hole = row * SPHERES + taken, int(body[i].place)
    moved = cells.ball[last]
    cells.ball[hole] = moved
    body[moved].place = hole
    there, here = _lane(hole), _lane(last)
    for part in range(0, _ROW, SPHERES):
        cells.spheres[there + part] = cells.spheres[here + part]
    if taken == 0 and before != row:
        cells.spheres[before * _ROW + _STATE] = ROOM
        cells.spare[cells.spares[0]] = row
        cells.spares[0] += 1


class _Sought(NamedTuple):
    """A neighbourhood for which others are sought: the centre in cells, a cell's width (0 along
    an axis that does not count) and the reach in the unit of the copies."""

    seeker: int
    centre: TVector
    width: TVector
    reach: float


@inlined
def search(
    cells: Cells, i: int, centre: TVector, reach: float, blurs: float, found: Any, first: int
) -> int:
    """Write all whose neighbourhoods touch this one of ball i's into `found`, from place
    `first` on; how many they are. More `blurs` than 1 find all that one does, for sure."""
    count: Any = np.uint64(first)  # unsigned, which saves a check for negative indices
    for k in range(len(cells.level)):
        level = cells.level[k]
        u = _fold(level, centre)
        far = _far(level, reach, blurs)
        low_x, high_x, width_x = _range(u.x, far * level.inverse_x, level.cells_x, level.unit_x)
        low_y, high_y, width_y = _range(u.y, far * level.inverse_y, level.cells_y, level.unit_y)
        low_z, high_z, width_z = _range(u.z, far * level.inverse_z, level.cells_z, level.unit_z)
        width = TVector(width_x, width_y, width_z)
        sought = _Sought(i, u, width, reach * level.unit * GROWN + blurs)
        nx, ny, nz, first_row = level.cells_x, level.cells_y, level.cells_z, level.first
        first_turn, last_turn = -1 if low_z < 0 else 0, 1 if high_z > nz else 0
        for a in range(low_x, high_x):
            for b in range(low_y, high_y):
                column = first_row + (_wrapped(a, nx) * ny + _wrapped(b, ny)) * nz
                # What is beyond an end goes on at the other.
                for turn in range(first_turn, last_turn + 1):
                    low, high = max(low_z, turn * nz), min(high_z, turn * nz + nz)
                    start = column - turn * nz
                    count = _search_column(cells, sought, start, a, b, low, high, found, count)
    return int(np.int64(count)) - first


@inlined
def _search_column(
    cells: Cells,
    sought: _Sought,
    column: int,
    a: int,
    b: int,
    low: int,
    high: int,
    found: Any,
    count: Any,
) -> Any:
    """Search the cells from `low` on of a column, whose rows follow each other.

    Eight are asked before anybody is written down: to decide that cell by cell would be wrong
    every third time.
    """
    u, width = sought.centre, sought.width
    x, y = (u.x - a) * width.x, (u.y - b) * width.y
    for start in range(low, high, 8):
        touch = np.uint64(0)
        for c in range(start, min(start + 8, high)):
            row: Any = np.uint64(column + c)
            centre = TVector(x, y, (u.z - c) * width.z)
            touch |= _ask_row(cells, sought, row, centre) << np.uint64(SPHERES * (c - start))
            if cells.spheres[row * np.uint64(_ROW) + np.uint64(_STATE)] >= _GOES_ON:
                count = _search_spare_rows(cells, sought, row, centre, found, count)
        count = _write_down(cells, sought, np.uint64(column + start), touch, found, count)
    return count


@inlined
def _ask_row(cells: Cells, sought: _Sought, row: Any, centre: TVector) -> Any:
    """Bits of those in a row that touch a neighbourhood, there as seen from the row's corner."""
    first = row * np.uint64(_ROW)
    taken = np.uint64(cells.spheres[first + np.uint64(_STATE)]) & np.uint64(_GOES_ON - 1)
    bits = which_touch(cells.spheres, first, centre, sought.reach)
    return bits & ((np.uint64(1) << taken) - np.uint64(1))


@inlined
def _write_down(cells: Cells, sought: _Sought, row: Any, touch: Any, found: Any, count: Any) -> Any:
    """Add those in the cells from a row on whose bits are set, but not the seeker."""
    while touch != 0:
        ball = cells.ball[row * np.uint64(SPHERES) + np.uint64(lowest_bit(touch))]
        touch &= touch - np.uint64(1)
        found[count] = ball
        count += np.uint64(ball != sought.seeker)
    return count


@routine
def _search_spare_rows(
    cells: Cells, sought: _Sought, row: Any, centre: TVector, found: Any, count: Any
) -> Any:
    """Search the rows in which a cell goes on."""
    goes_on = True
    while goes_on:
        row = np.uint64(cells.after[row])
        touch = _ask_row(cells, sought, row, centre)
        count = _write_down(cells, sought, row, touch, found, count)
        goes_on = cells.spheres[row * np.uint64(_ROW) + np.uint64(_STATE)] >= _GOES_ON
    return count


@inlined
def _far(level: Any, reach: float, blurs: float) -> float:
    """From how far away a neighbourhood may be found to touch one of a level."""
    return (reach + level.reach) * GROWN + (blurs + 2.0 * _BLUR) / level.unit  # type: ignore[no-any-return]


@inlined
def _range(u: float, far: float, n: int, width: float) -> tuple[int, int, float]:
    """The cells within reach, counted on beyond the grid's ends, and their width.

    Where the reach is more than half the grid, a ball could be found on both sides: then all
    cells once, and the axis does not count.
    """
    if 2.0 * far > n:
        return 0, n, 0.0
    return int(np.floor(u - far)), int(np.floor(u + far)) + 1, width


@inlined
def _wrapped(cell: int, n: int) -> int:
    """A cell counted on beyond the grid's ends: which it is."""
    if cell < 0:
        return cell + n
    if cell >= n:
        return cell - n
    return cell


@inlined
def fetch(cells: Cells, body: Any, i: int, centre: TVector, reach: float) -> None:
    """Send for the cells in which others of ball i's size will be sought."""
    level = cells.level[body[i].level]
    u = _fold(level, centre)
    far = _far(level, reach, 1.0)
    nx, ny, nz = level.cells_x, level.cells_y, level.cells_z
    low_x, high_x, _ = _range(u.x, far * level.inverse_x, nx, level.unit_x)
    low_y, high_y, _ = _range(u.y, far * level.inverse_y, ny, level.unit_y)
    low_z, high_z, _ = _range(u.z, far * level.inverse_z, nz, level.unit_z)
    for a in range(low_x, high_x):
        for b in range(low_y, high_y):
            column = level.first + (_wrapped(a, nx) * ny + _wrapped(b, ny)) * nz
            for c in range(low_z, high_z):
                row = column + _wrapped(c, nz)
                prefetch(cells.spheres, row * _ROW)
                prefetch(cells.ball, row * SPHERES)


@routine
def search_again(
    cells: Cells, i: int, centre: TVector, reach: float, blurs: float, found: Any, first: int
) -> int:
    """The same as a function of its own, for where it is needed rarely."""
    return search(cells, i, centre, reach, blurs, found, first)
