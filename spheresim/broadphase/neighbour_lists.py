"""Neighbour lists: what the last search of the grid found, kept up to date by the neighbours.

A ball's row is written when it gets a new sphere, and it enters itself into the rows of
those it finds; it is never taken out again, for one candidate too many does no harm. So a
row holds all whose spheres touch the ball's own until the ball gets its next sphere.
(L. Verlet, Computer "experiments" on classical fluids, Physical Review 159, 1967.)
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.grid import Grid, neighbours
from spheresim.compiler.decorators import inlined, routine

_ROOM = 24
_TOO_MANY = _ROOM + 1


class Lists(NamedTuple):
    """row: (n, room), candidates; size: (n,), how many, or one more than there is room for."""

    row: Any
    size: Any


def empty_lists(n: int) -> Lists:
    """Lists for n balls, none of them searched for yet."""
    return Lists(np.zeros((n, _ROOM), dtype=np.uint32), np.zeros(n, dtype=np.int64))


@routine
def renew(lists: Lists, grid: Grid, i: int, found: Any) -> None:
    """Search the grid for ball i, which has just got a new sphere; `found` is scratch."""
    count = neighbours(grid, i, found)
    lists.size[i] = min(count, _TOO_MANY)
    for n in range(count):
        j = found[n]
        if count <= _ROOM:
            lists.row[i, n] = j
        _enter(lists, j, i)


@inlined
def _enter(lists: Lists, j: int, i: int) -> None:
    """Make sure that i is in the row of j, unless that has overflowed."""
    size = lists.size[j]
    if size == _TOO_MANY:
        return
    for n in range(size):
        if lists.row[j, n] == i:
            return
    if size < _ROOM:
        lists.row[j, size] = i
    lists.size[j] = size + 1


@routine
def candidates(lists: Lists, grid: Grid, i: int, found: Any) -> int:
    """Write all whose spheres touch that of ball i, and maybe others, into `found`; how many."""
    size = lists.size[i]
    if size == _TOO_MANY:
        return neighbours(grid, i, found)
    for n in range(size):
        found[n] = lists.row[i, n]
    return int(size)
