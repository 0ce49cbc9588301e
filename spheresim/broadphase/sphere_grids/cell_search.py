"""Searching the cells for all neighbourhoods that touch a given one."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.cell_list import (
    CELL_ROW,
    CONTINUES,
    JUST_WIDER,
    QUANTISATION_ERROR,
    STATE,
    Cells,
    continues,
    quantised,
    reach_of_copy,
    wrap_to_grid,
)
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import prefetch
from spheresim.compiler.simd import SPHERES, append_chosen, overlap_mask
from spheresim.numerics.arrays import Records
from spheresim.numerics.vector import TVector


class _Query(NamedTuple):
    """The neighbourhood of ball i that others may touch: the centre, in cells; a cell's width and
    height and the reach, in the unit of the copies; of each axis −1, or 0 where it is ignored."""

    i: Any
    centre: TVector
    width: TVector
    reach: int
    kept: tuple[int, int, int]


@inlined
def search(
    cells: Cells,
    i: int,
    centre: TVector,
    reach: float,
    slack: float,
    found: npt.NDArray[np.uint32],
    first: int,
) -> int:
    """Find the balls whose neighbourhoods touch this one of ball i.

    They are written into `found` from place `first` on, behind which SPHERES places are scratch;
    returns their number. slack: added to the reach, in units of the copies; 1 makes up for the
    quantisation of the query.
    """
    end = np.uint64(first)  # unsigned indices need no check for negative ones
    for k in range(len(cells.level)):
        # The query, in the units of the level.
        level = cells.level[k]
        u = wrap_to_grid(level, centre)
        (low_x, high_x), (low_y, high_y), (low_z, high_z), kept = _window(level, u, reach, slack)
        width = TVector(level.unit_x, level.unit_y, level.unit_z)
        query = _Query(i, u, width, reach_of_copy(level, reach, slack), kept)
        # Column by column; what is beyond one end of a wrapped axis continues at the other.
        nx, ny, nz, first_row = level.cells_x, level.cells_y, level.cells_z, level.first
        for a in range(low_x, high_x):
            x = quantised((u.x - a) * width.x)
            plane = first_row + _wrapped_cell(a, nx) * ny * nz
            for b in range(low_y, high_y):
                y = quantised((u.y - b) * width.y)
                column = plane + _wrapped_cell(b, ny) * nz
                for c in range(low_z, high_z):
                    z = quantised((u.z - c) * width.z)
                    sphere = (x, y, z, query.reach)
                    row = np.uint64(column + _wrapped_cell(c, nz))
                    end = _append_touching(cells, query, row, sphere, found, end)
                    if continues(cells, row):
                        end = _append_from_spare_rows(cells, query, row, sphere, found, end)
    return int(np.int64(end)) - first


@inlined
def _append_touching(
    cells: Cells,
    query: _Query,
    row: np.uint64,
    sphere: tuple[int, int, int, int],
    found: npt.NDArray[np.uint32],
    end: np.uint64,
) -> np.uint64:
    """Append to `found` the balls of a row whose copies touch the query, a sphere seen from the
    cell's corner; returns the new end."""
    first = row * np.uint64(CELL_ROW)
    taken = np.uint64(cells.spheres[first + np.uint64(STATE)]) & np.uint64(CONTINUES - 1)
    bits = overlap_mask(cells.spheres, first, sphere, query.kept)
    bits &= (np.uint64(1) << taken) - np.uint64(1)
    return append_chosen(cells.ball, row * np.uint64(SPHERES), bits, query.i, found, end)


@routine
def _append_from_spare_rows(
    cells: Cells,
    query: _Query,
    row: np.uint64,
    sphere: tuple[int, int, int, int],
    found: npt.NDArray[np.uint32],
    end: np.uint64,
) -> np.uint64:
    """The same for the spare rows in which a cell continues."""
    while continues(cells, row):
        row = np.uint64(cells.after[row])
        end = _append_touching(cells, query, row, sphere, found, end)
    return end


@inlined
def _window(
    level: Any, u: TVector, reach: float, slack: float
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int, int]]:
    """The ranges of cells to search, along each axis, and which axes count."""
    far = (reach + level.reach) * JUST_WIDER + (slack + 2.0 * QUANTISATION_ERROR) / level.unit
    low_x, high_x, kept_x = _range(u.x, far * level.inverse_x, level.cells_x)
    low_y, high_y, kept_y = _range(u.y, far * level.inverse_y, level.cells_y)
    low_z, high_z, kept_z = _range(u.z, far * level.inverse_z, level.cells_z)
    return (low_x, high_x), (low_y, high_y), (low_z, high_z), (kept_x, kept_y, kept_z)


@inlined
def _range(u: float, far: float, n: int) -> tuple[int, int, int]:
    """The cells within reach, counted on beyond the grid's ends, and −1 if the axis counts.

    Where the reach is more than half the grid, a ball could be found on both sides: then all
    cells are searched once, and the axis is ignored: 0.
    """
    if 2.0 * far > n:
        return 0, n, 0
    return int(np.floor(u - far)), int(np.floor(u + far)) + 1, -1


@inlined
def _wrapped_cell(cell: int, n: int) -> int:
    """The cell that a cell counted on beyond the grid's ends is wrapped to."""
    if cell < 0:
        return cell + n
    if cell >= n:
        return cell - n
    return cell


@inlined
def prefetch_cells(cells: Cells, body: Records, i: int, centre: TVector, reach: float) -> None:
    """Request the memory of the cells that a search for balls of ball i's size will read."""
    level = cells.level[body[i].level]
    u = wrap_to_grid(level, centre)
    (low_x, high_x), (low_y, high_y), (low_z, high_z), _ = _window(level, u, reach, 1.0)
    nx, ny, nz = level.cells_x, level.cells_y, level.cells_z
    for a in range(low_x, high_x):
        for b in range(low_y, high_y):
            column = level.first + (_wrapped_cell(a, nx) * ny + _wrapped_cell(b, ny)) * nz
            for c in range(low_z, high_z):
                row = column + _wrapped_cell(c, nz)
                prefetch(cells.spheres, row * CELL_ROW)
                prefetch(cells.spheres, row * CELL_ROW + CELL_ROW // 2)
                prefetch(cells.ball, row * SPHERES)


@routine
def search_as_routine(
    cells: Cells,
    i: int,
    centre: TVector,
    reach: float,
    slack: float,
    found: npt.NDArray[np.uint32],
    first: int,
) -> int:
    """`search` as a function of its own, for callers that need it rarely."""
    return search(cells, i, centre, reach, slack, found, first)
