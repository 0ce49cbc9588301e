"""The fixed timestep's hashed, hierarchical grid of spheres: finds all that touch a given one.

Each ball lies in one cell, that of its sphere's centre, on the level whose cells are just
wider than the sphere. Cells are found by a hash, so that space has no border and empty space
costs nothing (C. Ericson, Real-Time Collision Detection, section 7.2). Every sphere that
touches the given one is found, whatever the sizes. A sphere so large that it covers more cells
than there are balls is compared with all of them instead.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.vector import TVector

LEVELS = 64
_NO_BALL = 2**32 - 1  # indices of balls are unsigned, and need no check for negative ones
_NOT_PLACED = -1
_FARTHEST_CELL = 2.0**30  # all cells beyond it are one: slower, never wrong


SPHERE_FIELDS = [
    ("x", "f8"),
    ("y", "f8"),
    ("z", "f8"),
    ("reach", "f8"),  # the radius
    ("level", "i4"),  # of the cell that it lies in, or _NOT_PLACED
    ("cell_x", "i4"),
    ("cell_y", "i4"),
    ("cell_z", "i4"),
    ("after", "u4"),  # in the chain of its bucket
    ("before", "u4"),
]


@by_reference
class HashedGrid(NamedTuple):
    """Arrays of a grid for n spheres and a power of two of buckets.

    side: (1,), the width of a cell on level 0; sphere: (n,), `SPHERE_FIELDS` each;
    head: (buckets,), the first ball of each bucket's chain; population: (LEVELS,), balls
    on each level.
    """

    side: Floats
    sphere: Records
    head: npt.NDArray[np.uint32]
    population: Integers


def empty_grid(n: int, side: float) -> HashedGrid:
    """A grid with room for n spheres, none of them placed yet."""
    sphere = np.zeros(n, dtype=SPHERE_FIELDS).view(np.recarray)
    sphere.level = _NOT_PLACED
    return HashedGrid(
        side=np.array([side]),
        sphere=sphere,
        head=np.full(1 << max(4, (2 * n - 1).bit_length()), _NO_BALL, dtype=np.uint32),
        population=np.zeros(LEVELS, dtype=np.int64),
    )


@inlined
def _cell_of(coordinate: float, side: float) -> int:
    return math.floor(min(max(coordinate / side, -_FARTHEST_CELL), _FARTHEST_CELL))


@inlined
def _bucket(grid: HashedGrid, level: int, x: int, y: int, z: int) -> int:
    mixed = (x * 73856093) ^ (y * 19349663) ^ (z * 83492791) ^ (level * 49979687)
    return mixed & (len(grid.head) - 1)


@inlined
def _bucket_of(grid: HashedGrid, i: int) -> int:
    sphere = grid.sphere[i]
    return _bucket(
        grid, int(sphere.level), int(sphere.cell_x), int(sphere.cell_y), int(sphere.cell_z)
    )


@inlined
def _unlink(grid: HashedGrid, i: int) -> None:
    after, before = grid.sphere[i].after, grid.sphere[i].before
    if after != _NO_BALL:
        grid.sphere[after].before = before
    if before != _NO_BALL:
        grid.sphere[before].after = after
    else:
        grid.head[_bucket_of(grid, i)] = after
    grid.population[grid.sphere[i].level] -= 1


@inlined
def _link(grid: HashedGrid, i: int) -> None:
    bucket = _bucket_of(grid, i)
    first = grid.head[bucket]
    grid.sphere[i].after = first
    grid.sphere[i].before = _NO_BALL
    if first != _NO_BALL:
        grid.sphere[first].before = i
    grid.head[bucket] = i
    grid.population[grid.sphere[i].level] += 1


@routine
def place(grid: HashedGrid, i: int, centre: TVector, reach: float) -> None:
    """Give ball i a sphere, in place of the one that it may have had."""
    # The level and the cell.
    level, side = 0, grid.side[0]
    while side < 2.0 * reach and level < LEVELS - 1:
        level += 1
        side *= 2.0
    x, y, z = _cell_of(centre.x, side), _cell_of(centre.y, side), _cell_of(centre.z, side)
    sphere = grid.sphere[i]
    # Linked into that cell's chain, if it is not there already.
    stays = (sphere.cell_x == x) & (sphere.cell_y == y) & (sphere.cell_z == z)
    stays &= sphere.level == level
    if not stays and sphere.level != _NOT_PLACED:
        _unlink(grid, i)
    sphere.x, sphere.y, sphere.z, sphere.reach = centre.x, centre.y, centre.z, reach
    sphere.level, sphere.cell_x, sphere.cell_y, sphere.cell_z = level, x, y, z
    if not stays:
        _link(grid, i)


@routine
def neighbours(grid: HashedGrid, i: int, found: np.ndarray) -> int:
    """Write the balls whose spheres touch that of ball i into `found`; returns their number.

    `found` has room for n + 1: each candidate is written, and counted only if it touches,
    which is cheaper than a branch.
    """
    count = 0
    side = grid.side[0]
    for level in range(LEVELS):
        if grid.population[level] > 0:
            margin = _margin(grid, i, side)
            cells = (2.0 * margin / side + 1.0) ** 3
            if level == LEVELS - 1 or cells > 32.0 + len(grid.sphere):
                count = _search_all(grid, i, level, found, count)
            else:
                count = _search_cells(grid, i, level, side, found, count)
        side *= 2.0
    return count


@inlined
def _margin(grid: HashedGrid, i: int, side: float) -> float:
    """How far from ball i the cells of a level may be that hold what it touches: the largest
    sphere on the level reaches half a cell out of its own."""
    return 0.5 * side + grid.sphere[i].reach


@inlined
def _touch(grid: HashedGrid, i: int, j: int) -> bool:
    a, b = grid.sphere[i], grid.sphere[j]
    reach = a.reach + b.reach
    return (i != j) & (TVector(a.x, a.y, a.z).dist_sqr(TVector(b.x, b.y, b.z)) <= reach * reach)


@routine
def _search_all(grid: HashedGrid, i: int, level: int, found: np.ndarray, count: int) -> int:
    for j in range(len(grid.sphere)):
        found[count] = j
        count += (grid.sphere[j].level == level) & _touch(grid, i, j)
    return count


@routine
def _search_cells(
    grid: HashedGrid, i: int, level: int, side: float, found: np.ndarray, count: int
) -> int:
    centre, margin = grid.sphere[i], _margin(grid, i, side)
    low_x, high_x = _cell_of(centre.x - margin, side), _cell_of(centre.x + margin, side)
    low_y, high_y = _cell_of(centre.y - margin, side), _cell_of(centre.y + margin, side)
    low_z, high_z = _cell_of(centre.z - margin, side), _cell_of(centre.z + margin, side)
    for x in range(low_x, high_x + 1):
        for y in range(low_y, high_y + 1):
            for z in range(low_z, high_z + 1):
                j = grid.head[_bucket(grid, level, x, y, z)]
                while j != _NO_BALL:
                    # Other cells share the bucket: their balls count when those cells are searched.
                    other = grid.sphere[j]
                    same = (other.cell_x == x) & (other.cell_y == y) & (other.cell_z == z)
                    found[count] = j
                    count += same & (other.level == level) & _touch(grid, i, j)
                    j = other.after
    return count
