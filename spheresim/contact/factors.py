"""Sparse L·D·Lᵀ factors of the contact (Delassus) matrix.

A unit of force at contact d changes the relative normal motion of contact c by S_cd = Σ ± n_c·n_d /
m over the balls that both touch. S = L·D·Lᵀ is found row by row, with the elimination tree, from
which follows where L has entries (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006,
chapter 4). The order of elimination is that of `minimum_degree`, so that L stays sparse.

S is singular where there are more contacts than degrees of freedom, so its diagonal is regularised.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import NO_INDEX
from spheresim.contact.contact_rows import RowRecord
from spheresim.contact.minimum_degree import OrderWorkspace, order_by_degree, order_workspace
from spheresim.numerics.arrays import Floats, Records

REGULARISATION = 1e-9
"""Relative increase of the diagonal of S."""

_ENTRIES_PER_CONTACT = 64
"""Room for entries of L, of which a random pile of 1000 balls has 30 per contact."""

MOST_NUMBERS = 2**22
"""Most entries of L, and most numbers in the columns of all updates."""

MOST_UPDATES = 32
"""Exchanges of `active_set` after which S is factorised anew: together they cost about as much as
its factors."""


@by_reference
class Factors(NamedTuple):
    """The factors for up to m contacts of n balls.

    chosen: (m + MOST_UPDATES,), contacts in the order of elimination, then those of updates; older:
    (m, 2), the place in that order of the last contact before it of the same first, or second,
    ball, or NO_INDEX; newest: (n,), the place of a ball's last contact; parent: (m,) in the
    elimination tree; start: (m + 1,), end: (m,), row, value: L below its diagonal by columns;
    diagonal: (m,) D; x: (m + MOST_UPDATES,), right sides, then solutions; as scratch mark, path,
    reach: (m,), and order. Unsigned places make indexing fast.
    """

    chosen: npt.NDArray[np.int32]
    older: npt.NDArray[np.int32]
    newest: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    start: npt.NDArray[np.uint32]
    end: npt.NDArray[np.uint32]
    row: npt.NDArray[np.uint32]
    value: Floats
    diagonal: Floats
    x: Floats
    mark: npt.NDArray[np.int32]
    path: npt.NDArray[np.int32]
    reach: npt.NDArray[np.int32]
    order: OrderWorkspace


def empty_factors(m: int, n: int) -> Factors:
    """Room for the factors of m contacts of n balls."""
    entries = min(_ENTRIES_PER_CONTACT * m, MOST_NUMBERS)
    return Factors(
        chosen=np.zeros(m + MOST_UPDATES, dtype=np.int32),
        older=np.zeros((m, 2), dtype=np.int32),
        newest=np.zeros(n, dtype=np.int32),
        parent=np.zeros(m, dtype=np.int32),
        start=np.zeros(m + 1, dtype=np.uint32),
        end=np.zeros(m, dtype=np.uint32),
        row=np.zeros(entries, dtype=np.uint32),
        value=np.zeros(entries),
        diagonal=np.zeros(m),
        x=np.zeros(m + MOST_UPDATES),
        mark=np.zeros(m, dtype=np.int32),
        path=np.zeros(m, dtype=np.int32),
        reach=np.zeros(m, dtype=np.int32),
        order=order_workspace(m, n),
    )


@routine
def factorise(rows: Records, factors: Factors) -> int:
    """Factorise S for the active set, the rows with force > 0; returns its size, or 0 if L has more
    entries than there is room for."""
    size = _choose(rows, factors)
    if not _find_places(rows, factors, size):
        return 0
    for k in range(size):
        factors.x[k] = 0.0
        factors.mark[k] = NO_INDEX
        factors.end[k] = factors.start[k]
    for k in range(size):
        first = _reached(rows, factors, k, size)
        _find_row(rows, factors, k, first, size)
    return size


@inlined
def _choose(rows: Records, factors: Factors) -> int:
    """Order the active set for elimination; returns its size."""
    size = order_by_degree(rows, factors.order, factors.chosen)
    # Lists of contacts with a ball in common; none for fixed bodies, which are ball 0.
    for c in range(len(rows)):
        for side in range(2):
            factors.newest[ball_of(rows[c], side)] = NO_INDEX
    for k in range(size):
        for side in range(2):
            ball = ball_of(rows[factors.chosen[k]], side)
            factors.older[k, side] = factors.newest[ball]
            if ball > 0:
                factors.newest[ball] = k
    return size


@inlined
def _find_places(rows: Records, factors: Factors, size: int) -> bool:
    """Find the elimination tree and the start of each column of L; False if there is no room."""
    parent, mark, start = factors.parent, factors.mark, factors.start
    for k in range(size):
        parent[k], start[k + 1], mark[k] = NO_INDEX, 0, k
        for side in range(2):
            ball, place = ball_of(rows[factors.chosen[k]], side), factors.older[k, side]
            while place != NO_INDEX:
                i = place
                while mark[i] != k:
                    if parent[i] == NO_INDEX:
                        parent[i] = k
                    start[i + 1] += 1
                    mark[i] = k
                    i = parent[i]
                place = factors.older[place, _side(rows[factors.chosen[place]], ball)]
    start[0] = 0
    for k in range(size):
        if start[k] + start[k + 1] > len(factors.row):
            return False
        start[k + 1] += start[k]
    return True


@inlined
def _reached(rows: Records, factors: Factors, k: int, size: int) -> int:
    """Write row k of S to x, and the columns in which row k of L has entries, in order, to the end
    of `reach`; returns where they begin."""
    mark, path, reach, top = factors.mark, factors.path, factors.reach, size
    mark[k] = k
    row = rows[factors.chosen[k]]
    for side in range(2):
        ball, place = ball_of(row, side), factors.older[k, side]
        while place != NO_INDEX:
            other = rows[factors.chosen[place]]
            there = _side(other, ball)
            factors.x[place] += entry_by_ball(row, side, other, there)
            i, length = place, 0
            while mark[i] != k:
                path[length] = i
                length += 1
                mark[i] = k
                i = factors.parent[i]
            while length > 0:
                length -= 1
                top -= 1
                reach[top] = path[length]
            place = factors.older[place, there]
    return top


@inlined
def _find_row(rows: Records, factors: Factors, k: int, first: int, size: int) -> None:
    """Find row k of L and the diagonal of D, from row k of S in x."""
    row, value, start, end = factors.row, factors.value, factors.start, factors.end
    own = 1.0 / rows[factors.chosen[k]].stiffness
    pivot = own * (1.0 + REGULARISATION)
    for r in range(first, size):
        i = factors.reach[r]
        x = factors.x[i]
        factors.x[i] = 0.0
        for e in range(start[i], end[i]):
            factors.x[row[e]] -= value[e] * x
        entry = x / factors.diagonal[i]
        pivot -= entry * x
        row[end[i]], value[end[i]] = k, entry
        end[i] += 1
    factors.diagonal[k] = max(pivot, REGULARISATION * own)


@inlined
def entry_by_ball(row: RowRecord, side: int, other: RowRecord, there: int) -> float:
    """The part of one ball, at these sides of two contacts, in their entry of S."""
    inverse_mass = row.inverse_mass_first if side == 0 else row.inverse_mass_second
    entry = (row.nx * other.nx + row.ny * other.ny + row.nz * other.nz) * inverse_mass
    return entry if there == side else -entry


@inlined
def coupling(rows: Records, factors: Factors, row: RowRecord, vector: Floats) -> float:
    """The product of any contact's column of S, and a vector with a number for each contact of the
    active set."""
    total = 0.0
    for side in range(2):
        ball = ball_of(row, side)
        place = factors.newest[ball]
        while place != NO_INDEX:
            other = rows[factors.chosen[place]]
            there = _side(other, ball)
            total += vector[place] * entry_by_ball(row, side, other, there)
            place = factors.older[place, there]
    return total


@inlined
def write_column(rows: Records, factors: Factors, row: RowRecord) -> None:
    """Add the column of S of any contact to x."""
    for side in range(2):
        ball = ball_of(row, side)
        place = factors.newest[ball]
        while place != NO_INDEX:
            other = rows[factors.chosen[place]]
            there = _side(other, ball)
            factors.x[place] += entry_by_ball(row, side, other, there)
            place = factors.older[place, there]


@inlined
def solve(factors: Factors, size: int) -> None:
    """Solve S·x = b, with b in x."""
    x, row, value, start = factors.x, factors.row, factors.value, factors.start
    for k in range(size):
        for e in range(start[k], start[k + 1]):
            x[row[e]] -= value[e] * x[k]
    for n in range(size):
        k = size - 1 - n
        rest = x[k] / factors.diagonal[k]
        for e in range(start[k], start[k + 1]):
            rest -= value[e] * x[row[e]]
        x[k] = rest


@inlined
def ball_of(row: RowRecord, side: int) -> int:
    """The first or the second ball of a contact."""
    return int(row.first if side == 0 else row.second)


@inlined
def _side(row: RowRecord, ball: int) -> int:
    """The side of a contact on which this ball is."""
    return 0 if row.first == ball else 1
