"""A hashed, hierarchical grid of bounding spheres: who could touch whom?

Each ball lies in one cell, that of its sphere's centre, on the level whose cells are just
wider than the sphere; cells are found by a hash, so space has no border and empty space
costs nothing (C. Ericson, Real-Time Collision Detection, section 7.2). Every sphere that
touches another one's is found, whatever the sizes; a sphere so large that it covers more
cells than there are balls is compared with all of them instead.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import inlined, routine
from spheresim.rows import put, vector_at
from spheresim.vector import TVector

LEVELS = 64
_NOBODY = 2**32 - 1  # unsigned numbers name balls, which saves a check for negative indices
_NOWHERE = -1
_FARTHEST_CELL = 2.0**30  # beyond it all cells are one: slower, never wrong


class Grid(NamedTuple):
    """Arrays of a grid for n spheres and a power of two of buckets.

    side: (1,), the width of a cell on level 0; centre: (n, 3); reach: (n,), the radii;
    cell: (n, 4), level and integer coordinates; head: (buckets,), the first ball of each
    bucket's chain; after, before: (n,), its links; population: (LEVELS,), balls on a level.
    """

    side: Any
    centre: Any
    reach: Any
    cell: Any
    head: Any
    after: Any
    before: Any
    population: Any


def empty_grid(n: int, side: float) -> Grid:
    """A grid with room for n spheres, none of them placed yet."""
    buckets = 1 << max(4, (2 * n - 1).bit_length())
    return Grid(
        side=np.array([side]),
        centre=np.zeros((n, 3)),
        reach=np.zeros(n),
        cell=np.full((n, 4), _NOWHERE, dtype=np.int32),
        head=np.full(buckets, _NOBODY, dtype=np.uint32),
        after=np.full(n, _NOBODY, dtype=np.uint32),
        before=np.full(n, _NOBODY, dtype=np.uint32),
        population=np.zeros(LEVELS, dtype=np.int64),
    )


@inlined
def _cell_of(coordinate: float, side: float) -> int:
    return math.floor(min(max(coordinate / side, -_FARTHEST_CELL), _FARTHEST_CELL))


@inlined
def _bucket(grid: Grid, level: int, x: int, y: int, z: int) -> int:
    mixed = (x * 73856093) ^ (y * 19349663) ^ (z * 83492791) ^ (level * 49979687)
    return mixed & (len(grid.head) - 1)


@inlined
def _bucket_of(grid: Grid, i: int) -> int:
    return _bucket(grid, grid.cell[i, 0], grid.cell[i, 1], grid.cell[i, 2], grid.cell[i, 3])


@inlined
def _unlink(grid: Grid, i: int) -> None:
    after, before = grid.after[i], grid.before[i]
    if after != _NOBODY:
        grid.before[after] = before
    if before != _NOBODY:
        grid.after[before] = after
    else:
        grid.head[_bucket_of(grid, i)] = after
    grid.population[grid.cell[i, 0]] -= 1


@inlined
def _link(grid: Grid, i: int) -> None:
    bucket = _bucket_of(grid, i)
    first = grid.head[bucket]
    grid.after[i] = first
    grid.before[i] = _NOBODY
    if first != _NOBODY:
        grid.before[first] = i
    grid.head[bucket] = i
    grid.population[grid.cell[i, 0]] += 1


@routine
def place(grid: Grid, i: int, centre: TVector, reach: float) -> None:
    """Give ball i a sphere, in place of the one that it may have had."""
    level, side = 0, grid.side[0]
    while side < 2.0 * reach and level < LEVELS - 1:
        level += 1
        side *= 2.0
    x, y, z = _cell_of(centre.x, side), _cell_of(centre.y, side), _cell_of(centre.z, side)
    cell = grid.cell
    placed = cell[i, 0] != _NOWHERE
    put(grid.centre, i, centre)
    grid.reach[i] = reach
    if placed and cell[i, 0] == level and cell[i, 1] == x and cell[i, 2] == y and cell[i, 3] == z:
        return
    if placed:
        _unlink(grid, i)
    cell[i, 0], cell[i, 1], cell[i, 2], cell[i, 3] = level, x, y, z
    _link(grid, i)


@routine
def neighbours(grid: Grid, i: int, found: Any) -> int:
    """Write the balls whose spheres touch that of ball i into `found`; how many they are.

    `found` has room for n + 1: each candidate is written, and counted only if it touches,
    which is cheaper than to decide before.
    """
    centre = vector_at(grid.centre, i)
    reach = grid.reach[i]
    count = 0
    side = grid.side[0]
    for level in range(LEVELS):
        if grid.population[level] > 0:
            # The largest sphere on the level reaches half a cell out of its own.
            margin = 0.5 * side + reach
            if level == LEVELS - 1 or (2.0 * margin / side + 1.0) ** 3 > 32.0 + grid.after.size:
                count = _search_all(grid, i, centre, reach, level, found, count)
            else:
                count = _search_cells(grid, i, centre, reach, level, side, margin, found, count)
        side *= 2.0
    return count


@inlined
def _touches(grid: Grid, i: int, j: int, centre: TVector, reach: float) -> Any:
    together = reach + grid.reach[j]
    return (i != j) & (vector_at(grid.centre, j).dist_sqr(centre) <= together * together)


@routine
def _search_all(
    grid: Grid, i: int, centre: TVector, reach: float, level: int, found: Any, count: int
) -> int:
    for j in range(grid.after.size):
        found[count] = j
        count += (grid.cell[j, 0] == level) & _touches(grid, i, j, centre, reach)
    return count


@routine
def _search_cells(
    grid: Grid,
    i: int,
    centre: TVector,
    reach: float,
    level: int,
    side: float,
    margin: float,
    found: Any,
    count: int,
) -> int:
    cell = grid.cell
    low_z, high_z = _cell_of(centre.z - margin, side), _cell_of(centre.z + margin, side)
    for x in range(_cell_of(centre.x - margin, side), _cell_of(centre.x + margin, side) + 1):
        for y in range(_cell_of(centre.y - margin, side), _cell_of(centre.y + margin, side) + 1):
            for z in range(low_z, high_z + 1):
                j = grid.head[_bucket(grid, level, x, y, z)]
                while j != _NOBODY:
                    # Other cells share the bucket: theirs are found when it is their turn.
                    same = (cell[j, 1] == x) & (cell[j, 2] == y) & (cell[j, 3] == z)
                    found[count] = j
                    count += same & (cell[j, 0] == level) & _touches(grid, i, j, centre, reach)
                    j = grid.after[j]
    return count
