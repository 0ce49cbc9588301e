"""Searching the cells: all neighbourhoods that touch a given one."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.cells import BLUR, CELL_ROW, GOES_ON, GROWN, STATE, Cells, fold, goes_on
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit, prefetch
from spheresim.compiler.simd import SPHERES, overlap_mask
from spheresim.numerics.vector import TVector


class _Sought(NamedTuple):
    """A neighbourhood for which others are sought: the centre in cells, a cell's width and the
    reach in the unit of the copies; the weight of each axis, 0 where it does not count."""

    seeker: int
    centre: TVector
    width: TVector
    reach: float
    weight: TVector


@inlined
def search(
    cells: Cells, i: int, centre: TVector, reach: float, blurs: float, found: Any, first: int
) -> int:
    """Write all whose neighbourhoods touch this one of ball i's into `found`, from place
    `first` on; how many they are. More `blurs` than 1 find all that one does, for sure."""
    count: Any = np.uint64(first)  # unsigned, which saves a check for negative indices
    for k in range(len(cells.level)):
        level = cells.level[k]
        u = fold(level, centre)
        (low_x, high_x), (low_y, high_y), (low_z, high_z), weight = _window(level, u, reach, blurs)
        width = TVector(level.unit_x, level.unit_y, level.unit_z)
        sought = _Sought(i, u, width, reach * level.unit * GROWN + blurs, weight)
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
            if goes_on(cells, row):
                count = _search_spare_rows(cells, sought, row, centre, found, count)
        count = _write_down(cells, sought, np.uint64(column + start), touch, found, count)
    return count


@inlined
def _ask_row(cells: Cells, sought: _Sought, row: Any, centre: TVector) -> Any:
    """Bits of those in a row that touch a neighbourhood, there as seen from the row's corner."""
    first = row * np.uint64(CELL_ROW)
    taken = np.uint64(cells.spheres[first + np.uint64(STATE)]) & np.uint64(GOES_ON - 1)
    bits = overlap_mask(cells.spheres, first, centre, sought.weight, sought.reach)
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
    while goes_on(cells, row):
        row = np.uint64(cells.after[row])
        touch = _ask_row(cells, sought, row, centre)
        count = _write_down(cells, sought, row, touch, found, count)
    return count


@inlined
def _window(level: Any, u: TVector, reach: float, blurs: float) -> tuple[Any, Any, Any, TVector]:
    """The cells in which others may be found to touch, along each axis, and the axes' weights."""
    far = (reach + level.reach) * GROWN + (blurs + 2.0 * BLUR) / level.unit
    low_x, high_x, weight_x = _range(u.x, far * level.inverse_x, level.cells_x)
    low_y, high_y, weight_y = _range(u.y, far * level.inverse_y, level.cells_y)
    low_z, high_z, weight_z = _range(u.z, far * level.inverse_z, level.cells_z)
    weight = TVector(weight_x, weight_y, weight_z)
    return (low_x, high_x), (low_y, high_y), (low_z, high_z), weight


@inlined
def _range(u: float, far: float, n: int) -> tuple[int, int, float]:
    """The cells within reach, counted on beyond the grid's ends, and the weight of the axis.

    Where the reach is more than half the grid, a ball could be found on both sides: then all
    cells once, and the axis does not count.
    """
    if 2.0 * far > n:
        return 0, n, 0.0
    return int(np.floor(u - far)), int(np.floor(u + far)) + 1, 1.0


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
    u = fold(level, centre)
    (low_x, high_x), (low_y, high_y), (low_z, high_z), _ = _window(level, u, reach, 1.0)
    nx, ny, nz = level.cells_x, level.cells_y, level.cells_z
    for a in range(low_x, high_x):
        for b in range(low_y, high_y):
            column = level.first + (_wrapped(a, nx) * ny + _wrapped(b, ny)) * nz
            for c in range(low_z, high_z):
                row = column + _wrapped(c, nz)
                prefetch(cells.spheres, row * CELL_ROW)
                prefetch(cells.ball, row * SPHERES)


@routine
def search_again(
    cells: Cells, i: int, centre: TVector, reach: float, blurs: float, found: Any, first: int
) -> int:
    """The same as a function of its own, for where it is needed rarely."""
    return search(cells, i, centre, reach, blurs, found, first)
