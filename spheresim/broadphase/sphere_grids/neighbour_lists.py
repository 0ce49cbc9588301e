"""Neighbour lists: the results of grid searches, kept up to date by the neighbours (Verlet lists).

A ball's row is written when the ball gets a new sphere, and then the ball is entered into the
rows of all that the search finds. It is never removed from a row, for one candidate too many
does no harm. So until a ball gets its next sphere, its row holds all balls whose spheres touch
its own (L. Verlet, Computer "experiments" on classical fluids, Physical Review 159, 1967).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.hashed_grid import HashedGrid, neighbours
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Integers

_ROOM = 24
"""Candidates in a row."""

_OVERFLOWED = _ROOM + 1
"""The size of a row that has not room for all; the grid is searched instead."""


@by_reference
class NeighbourLists(NamedTuple):
    """row: (n, _ROOM), candidates; size: (n,), their number, or _OVERFLOWED."""

    row: npt.NDArray[np.uint32]
    size: Integers


def empty_lists(n: int) -> NeighbourLists:
    """Lists for n balls, all of them empty."""
    return NeighbourLists(np.zeros((n, _ROOM), dtype=np.uint32), np.zeros(n, dtype=np.int64))


@routine
def rebuild_row(lists: NeighbourLists, grid: HashedGrid, i: int, found: np.ndarray) -> None:
    """Search the grid for ball i, which has just got a new sphere; `found` is scratch."""
    count = neighbours(grid, i, found)
    lists.size[i] = min(count, _OVERFLOWED)
    for n in range(count):
        j = found[n]
        if count <= _ROOM:
            lists.row[i, n] = j
        _add_candidate(lists, j, i)


@inlined
def _add_candidate(lists: NeighbourLists, j: int, i: int) -> None:
    """Enter ball i into ball j's row, unless it is there or the row has overflowed."""
    size = lists.size[j]
    if size == _OVERFLOWED:
        return
    for n in range(size):
        if lists.row[j, n] == i:
            return
    if size < _ROOM:
        lists.row[j, size] = i
    lists.size[j] = size + 1


@routine
def candidates(lists: NeighbourLists, grid: HashedGrid, i: int, found: np.ndarray) -> int:
    """Write all balls whose spheres touch ball i's, and maybe others, into `found`; how many."""
    size = lists.size[i]
    if size == _OVERFLOWED:
        return neighbours(grid, i, found)
    for n in range(size):
        found[n] = lists.row[i, n]
    return int(size)
