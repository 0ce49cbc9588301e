"""A box cut into equal cells: how many along each axis, and which one holds a point.

`occupancy` and `no_overlaps` know the box that holds all balls, so a cell is found by its
place in an array. That takes a half to a quarter of the time of the hashed grid in
`broadphase`, which needs no box and is for balls that move.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector


class BoxCells(NamedTuple):
    """counts: cells along each axis; per_length: cells along each axis in a length of 1."""

    counts: tuple[int, int, int]
    per_length: tuple[float, float, float]

    @property
    def total(self) -> int:
        """The number of cells."""
        return math.prod(self.counts)


def cut_box(size: Floats, least_width: float, at_most: int) -> BoxCells:
    """Cut a box of the size (3,) into near cubes, no narrower than a width and not too many.

    There are a few more than `at_most` in a box that is thinner than a cell.
    """
    width = max(least_width, (float(np.prod(size)) / at_most) ** (1.0 / 3.0))
    count = np.maximum(1.0, np.floor(size / width))
    while count.prod() > at_most + 27:
        width *= 1.1
        count = np.maximum(1.0, np.floor(size / width))
    per_length = np.divide(count, size, out=np.zeros(3), where=size > 0.0)
    return BoxCells(tuple(count.astype(int).tolist()), tuple(per_length.tolist()))


@inlined
def cell_along(cells: BoxCells, axis: int, along: float) -> int:
    """The cell of a distance from the box's corner; the first or last if it is beyond."""
    place = math.floor(along * cells.per_length[axis])
    return min(max(place, 0), cells.counts[axis] - 1)


@inlined
def cell_of(cells: BoxCells, u: TVector) -> tuple[int, int, int]:
    """The cell, along each axis, of a point relative to the box's corner."""
    return cell_along(cells, 0, u.x), cell_along(cells, 1, u.y), cell_along(cells, 2, u.z)


@inlined
def cell_index(cells: BoxCells, i: int, j: int, k: int) -> int:
    """The index of a cell among all: those along x lie next to each other."""
    return (k * cells.counts[1] + j) * cells.counts[0] + i


def cell_indices(cells: BoxCells, u: Floats) -> Any:
    """The indices (n,) of the cells of points (3, n) relative to the box's corner, all inside."""
    x, y, z = (
        (along * per_length).astype(np.int64)
        for along, per_length in zip(u, cells.per_length, strict=True)
    )
    return cell_index(cells, x, y, z)
