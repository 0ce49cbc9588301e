"""The exact engine's cell list: a grid that finds all neighbourhoods that touch a given one.

A ball's neighbourhood is a sphere; it lies in the cell of its centre. There is a grid for the
balls of every size within a factor of two, its cells just wider than the largest neighbourhood
on it. Space is wrapped onto the grid: along a periodic axis it has a whole number of cells;
along an open axis cells that are a grid's length apart are the same cell, so that open space
needs neither a border nor a hash.

A cell is a row of up to ROOM copies of neighbourhoods, all compared at once; a cell with more
continues in a spare row. Copies are whole numbers of 16 bits, counted from the cell's corner, so
that a row is two cache lines: among a million balls a search waits for memory above all. Cells are
half as high as wide, so that a row is three quarters full and a search reads 12 of them.
Copies are enlarged by more than their quantisation error. A search may therefore find
neighbourhoods that do not quite touch, and on wrapped axes some that are a grid's length away.
Neither is an error: what a search finds is only a candidate, whose time of impact is computed.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.compiler.simd import SPHERES
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.vector import TVector

ROOM = SPHERES - 1
"""Copies in a row; the last lane holds their number, and whether the cell continues."""

CELL_ROW = 4 * SPHERES
"""Numbers in a row: x and y of each copy in turn, then z and reach in turn."""

STATE = 2 * (SPHERES - 1)
"""The place of that last lane in a row."""

CONTINUES = 16
"""Added to the number of copies in a row after which the cell continues in a spare row."""

_UNITS = 26_000.0
"""Units of the copies in the greatest distance along an axis that a search compares: the sum of
three such squares fits into 31 bits."""

_HEIGHT = 0.5
"""The height of a cell, in units of its width."""

JUST_WIDER = 1.0 + 1e-6
"""Factor on lengths; exceeds the relative error of float32 rounding, of wrapping, and of gaps."""

QUANTISATION_ERROR = 2.0
"""In units of the copies; exceeds the error of a distance that rounding to whole units makes."""

LEVEL_FIELDS = [
    *((f"cells_{axis}", "i8") for axis in "xyz"),  # the number of cells
    *((f"width_{axis}", "f8") for axis in "xyz"),  # of a cell
    *((f"inverse_{axis}", "f8") for axis in "xyz"),  # of that width
    *((f"inverse_length_{axis}", "f8") for axis in "xyz"),  # of the grid
    ("first", "i8"),  # of its rows
    ("reach", "f8"),  # of the largest neighbourhood that may be in it
    *((f"unit_{axis}", "f8") for axis in "xyz"),  # a cell's width in the unit of its copies
    ("unit", "f8"),  # one over that unit
]


@by_reference
class Cells(NamedTuple):
    """The arrays of all grids.

    level: (levels,), `LEVEL_FIELDS` each; spheres: (rows · CELL_ROW,), see there; ball:
    (rows · SPHERES,), the balls that they belong to; after: (rows,), the row in which a cell
    continues; spare: rows that are free, and spares: (1,), their number.
    """

    level: Records
    spheres: npt.NDArray[np.int16]
    ball: npt.NDArray[np.uint32]
    after: npt.NDArray[np.uint32]
    spare: npt.NDArray[np.uint32]
    spares: Integers


def cell_counts(reach: Floats, level: Integers, sides: Sequence[float], extent: Floats) -> Integers:
    """The number of cells of each level along each axis, (levels, 3), for `empty_cells`.

    extent: (3,), the extent of all balls, from which the number along an open axis follows.
    """
    levels = range(int(level.max()) + 1)
    of_level = [_usual_widths(float(reach[level == k].max())) for k in levels]
    return np.array(
        [
            _counts(sides, extent, width, int((level == k).sum()))
            for k, width in zip(levels, of_level, strict=True)
        ]
    )


def empty_cells(
    reach: Floats, level: Integers, sides: Sequence[float], counts: Integers, stretch: float = 1.0
) -> Cells:
    """Cells for balls, each with the largest reach (n,) that it may have, and its level (n,).

    sides: (3,), the periods of periodic axes, 0 for open ones; counts: see `cell_counts`; stretch:
    how many times the reach of two neighbourhoods a search goes at most.
    """
    # The grid of each level, and where its rows begin.
    levels = np.recarray(int(level.max()) + 1, dtype=LEVEL_FIELDS)
    first = 0
    for k, record in enumerate(levels):
        largest = float(reach[level == k].max())
        usual, along = _usual_widths(largest), counts[k].tolist()
        widths = [s / n if s else w for n, s, w in zip(along, sides, usual, strict=True)]
        far = (float(reach.max()) + largest) * stretch
        record.first, record.reach, record.unit = first, largest, _UNITS / (max(widths) + far)
        for axis, n, across in zip("xyz", along, widths, strict=True):
            record[f"cells_{axis}"] = n
            record[f"width_{axis}"], record[f"inverse_{axis}"] = across, 1.0 / across
            record[f"inverse_length_{axis}"] = 1.0 / (n * across)
            record[f"unit_{axis}"] = across * record.unit
        first += math.prod(along)
    # A row a cell, and spare rows for all balls.
    rows = first + len(reach) // ROOM + len(levels)
    return Cells(
        levels,
        cache_aligned_zeros(rows * CELL_ROW, np.int16),
        cache_aligned_zeros(rows * SPHERES, np.uint32),
        np.zeros(rows, dtype=np.uint32),
        np.arange(first, rows, dtype=np.uint32),
        np.full(1, rows - first, dtype=np.int64),
    )


def cells_along(level: np.ndarray) -> Integers:
    """The number of cells of each level along each axis, (levels, 3)."""
    return np.stack([level[f"cells_{axis}"] for axis in "xyz"], axis=1)


def most_cells(balls: int) -> int:
    """The most cells that a level of so many balls has."""
    return 2 * balls + 27


def _usual_widths(reach: float) -> Floats:
    """The widths of a cell, (3,), along axes that are not periodic: its height is the greatest
    distance at which two neighbourhoods touch, so that a search reads three layers."""
    height = 2.0 * reach * JUST_WIDER
    return np.array([height / _HEIGHT, height / _HEIGHT, height])


def _counts(sides: Sequence[float], extent: Floats, width: Floats, balls: int) -> list[int]:
    """The number of cells along each axis; in all about as many as balls, or fewer.

    An open axis gets more than the balls take up, so that no two are wrapped onto each other
    at the start, and at least two, so that no neighbourhood reaches its own image.
    """
    periodic = np.asarray(sides) > 0.0
    exact = np.where(periodic, sides, extent) / width
    # Along a periodic axis cells may be a little narrower than usual, but not lower.
    fitting = np.floor(exact + np.array([0.5, 0.5, 0.0]))
    counts = np.where(periodic, np.maximum(1.0, fitting), np.ceil(exact) + 1.0)
    while counts.prod() > most_cells(balls):
        axis = int(np.argmax(counts))
        counts[axis] = np.ceil(counts[axis] / 2.0)
    return [int(n) for n in counts]


@inlined
def wrap_to_grid(level: Any, x: TVector) -> TVector:
    """A point wrapped onto the grid, in cells: from 0 to their number, whatever the rounding."""
    return TVector(
        _wrapped_coordinate(
            x.x, level.inverse_length_x, level.cells_x, level.width_x, level.inverse_x
        ),
        _wrapped_coordinate(
            x.y, level.inverse_length_y, level.cells_y, level.width_y, level.inverse_y
        ),
        _wrapped_coordinate(
            x.z, level.inverse_length_z, level.cells_z, level.width_z, level.inverse_z
        ),
    )


@inlined
def _wrapped_coordinate(
    x: float, inverse_length: float, n: int, width: float, inverse_width: float
) -> float:
    u = (x - np.floor(x * inverse_length) * (n * width)) * inverse_width
    return float(max(0.0, min(u, float(n))))


@inlined
def _cell(u: float, n: int) -> int:
    """The cell of a wrapped coordinate."""
    return min(int(u), n - 1)


@inlined
def continues(cells: Cells, row: int | np.uint64) -> bool:
    """Whether a cell continues after this row of it."""
    # Unsigned indices need no check for negative ones.
    return bool(cells.spheres[np.uint64(row) * np.uint64(CELL_ROW) + np.uint64(STATE)] >= CONTINUES)


@inlined
def quantised(units: float) -> int:
    """A number of units, no less than −32768, rounded to a whole one."""
    return int(units + 32768.5) - 32768  # the floor without a branch


@inlined
def _write_copy(
    cells: Cells, row: int, lane: int, xy: tuple[int, int], zr: tuple[int, int]
) -> None:
    first = row * CELL_ROW + 2 * lane
    cells.spheres[first], cells.spheres[first + 1] = xy
    cells.spheres[first + 2 * SPHERES], cells.spheres[first + 2 * SPHERES + 1] = zr


@inlined
def insert(cells: Cells, body: Records, i: int, centre: TVector, reach: float) -> None:
    """Put ball i's neighbourhood into the cell of its centre."""
    # The cell, and the last row in which it continues.
    level = cells.level[body[i].level]
    u = wrap_to_grid(level, centre)
    cx, cy, cz = _cell(u.x, level.cells_x), _cell(u.y, level.cells_y), _cell(u.z, level.cells_z)
    row = int(level.first) + (cx * level.cells_y + cy) * level.cells_z + cz
    body[i].cell = row
    while continues(cells, row):
        row = int(cells.after[row])
    # A place in that row, or in a spare row behind it.
    taken = int(cells.spheres[row * CELL_ROW + STATE])
    if taken == ROOM:
        cells.spares[0] -= 1
        cells.after[row] = cells.spare[cells.spares[0]]
        cells.spheres[row * CELL_ROW + STATE] = ROOM + CONTINUES
        row, taken = int(cells.after[row]), 0
    cells.spheres[row * CELL_ROW + STATE] = taken + 1
    body[i].place = row * SPHERES + taken
    # The copy, rounded to whole units from the cell's corner.
    xy = quantised((u.x - cx) * level.unit_x), quantised((u.y - cy) * level.unit_y)
    z = quantised((u.z - cz) * level.unit_z)
    _write_copy(cells, row, taken, xy, (z, reach_of_copy(level, reach, QUANTISATION_ERROR)))
    cells.ball[row * SPHERES + taken] = i


@inlined
def reach_of_copy(level: Any, reach: float, slack: float) -> int:
    """A reach in units of the copies, enlarged by so many."""
    return quantised(reach * level.unit * JUST_WIDER + slack)


@inlined
def remove(cells: Cells, body: Records, i: int) -> None:
    """Remove ball i's neighbourhood from its cell, and fill its place with the cell's last."""
    # The last entry of the cell.
    before = row = int(body[i].cell)
    while continues(cells, row):
        before, row = row, int(cells.after[row])
    taken = int(cells.spheres[row * CELL_ROW + STATE]) - 1
    cells.spheres[row * CELL_ROW + STATE] = taken
    # Move it to the hole.
    last, hole = row * SPHERES + taken, int(body[i].place)
    moved = cells.ball[last]
    cells.ball[hole] = moved
    body[moved].place = hole
    here = row * CELL_ROW + 2 * taken
    s = cells.spheres
    _write_copy(
        cells,
        hole // SPHERES,
        hole % SPHERES,
        (s[here], s[here + 1]),
        (s[here + 2 * SPHERES], s[here + 2 * SPHERES + 1]),
    )
    # Free a spare row that is empty now.
    if taken == 0 and before != row:
        cells.spheres[before * CELL_ROW + STATE] = ROOM
        cells.spare[cells.spares[0]] = row
        cells.spares[0] += 1
