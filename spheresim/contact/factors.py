"""Pushes that give several contacts just what they need, all at once: sparse factors.

A unit of push at contact d changes the motion along contact c by S_cd = Σ ± n_c·n_d / m over the
balls that both touch. S = L·D·Lᵀ is found row by row, with the elimination tree that tells where
L has entries (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, chapter 4). Contacts
are taken in the order of nested dissection (A. George, Nested dissection of a regular finite
element mesh, SIAM J. Numer. Anal. 10, 1973): space is halved again and again, and a contact comes
the later, the larger the halves that it joins. So L stays sparse.

S is singular where more contacts push than balls can tell apart; a trifle is added to it.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import NOBODY
from spheresim.numerics.vector import TVector

_TRIFLE = 1e-9
"""By this part the diagonal of S is increased."""

_ENTRIES_A_CONTACT, _MOST_ENTRIES = 64, 2**22
"""Room for the entries of L: in a pile of 1000 balls it has 20 for each contact."""

_LEVELS, _LEVELS_BELOW_1 = 512, 256
_MOST_HALVINGS = 60


@by_reference
class FactorRoom(NamedTuple):
    """The arrays of `Factors`, as few as may be, because all functions of an engine get them.

    places: (5, m), of 32 bits; older: (m, 2); numbers: (2, m); newest: (n,); ends: (2, m + 1),
    never negative, like row: indexing is quick so; slot: (levels + 1,); row, value: entries of L.
    """

    places: Any
    older: Any
    numbers: Any
    newest: Any
    ends: Any
    slot: Any
    row: Any
    value: Any


class Factors(NamedTuple):
    """The factors of m contacts of n balls.

    chosen: (m,) contacts in the order of elimination; older: (m, 2), the place of the last one
    before it of the same first, or second, ball, or NOBODY; newest: (n,); parent: (m,) in the
    elimination tree; start: (m + 1,), end: (m,), row, value: L below its diagonal by columns;
    diagonal: (m,) D; x: (m,), right sides, then solutions; as scratch mark, path, reach: (m,) and
    slot: (levels + 1,).
    """

    chosen: Any
    older: Any
    newest: Any
    parent: Any
    start: Any
    end: Any
    row: Any
    value: Any
    diagonal: Any
    x: Any
    mark: Any
    path: Any
    reach: Any
    slot: Any


def empty_factors(m: int, n: int) -> FactorRoom:
    """Room for m contacts of n balls."""
    entries = min(_ENTRIES_A_CONTACT * m, _MOST_ENTRIES)
    return FactorRoom(
        places=np.zeros((5, m), dtype=np.int32),
        older=np.zeros((m, 2), dtype=np.int32),
        numbers=np.zeros((2, m)),
        newest=np.zeros(n, dtype=np.int32),
        ends=np.zeros((2, m + 1), dtype=np.uint32),
        slot=np.zeros(_LEVELS + 1, dtype=np.int32),
        row=np.zeros(entries, dtype=np.uint32),
        value=np.zeros(entries),
    )


@inlined
def factors_in(room: FactorRoom) -> Factors:
    """The factors for which this is room."""
    places, numbers = room.places, room.numbers
    return Factors(
        chosen=places[0],
        older=room.older,
        newest=room.newest,
        parent=places[1],
        start=room.ends[0],
        end=room.ends[1],
        row=room.row,
        value=room.value,
        diagonal=numbers[0],
        x=numbers[1],
        mark=places[2],
        path=places[3],
        reach=places[4],
        slot=room.slot,
    )


@inlined
def level_between(x: TVector, y: TVector, radius: float) -> int:
    """How large the halves of space are that the contact of two balls, at x and y, joins.

    The planes are those at multiples of powers of 2; radius: that of the smaller ball.
    """
    _, exponent = math.frexp(radius)
    unit = math.ldexp(1.0, -exponent)
    a, b = x * unit, y * unit
    halvings = max(3 * _halvings(a.x, b.x), 3 * _halvings(a.y, b.y) + 1)
    halvings = max(halvings, 3 * _halvings(a.z, b.z) + 2)
    return min(max(3 * exponent + halvings + _LEVELS_BELOW_1, 0), _LEVELS - 1)


@inlined
def _halvings(a: float, b: float) -> int:
    """How often two numbers must be halved until they lie between the same two integers."""
    a, b, count = math.floor(a), math.floor(b), 0
    while a != b and count < _MOST_HALVINGS:
        a, b = math.floor(0.5 * a), math.floor(0.5 * b)
        count += 1
    return count


@routine
def factorise(rows: Any, count: int, factors: Factors) -> int:
    """Find the factors of S for those of the first so many contacts, as rows of `solver`, that
    push.

    How many these are, or 0 if L has more entries than there is room for.
    """
    size = _choose(rows, count, factors)
    if not _find_places(rows, factors, size):
        return 0
    for k in range(size):
        factors.x[k] = 0.0
        factors.mark[k] = NOBODY
        factors.end[k] = factors.start[k]
    for k in range(size):
        first = _reached(rows, factors, k, size)
        _find_row(rows, factors, k, first, size)
    return size


@inlined
def _choose(rows: Any, count: int, factors: Factors) -> int:
    """Put the contacts that push in order; how many these are."""
    slot = factors.slot
    slot[:] = 0
    for c in range(count):
        if rows[c].push > 0.0 and rows[c].stiffness > 0.0:
            slot[rows[c].level + 1] += 1
    for level in range(_LEVELS):
        slot[level + 1] += slot[level]
    size = int(slot[_LEVELS])
    for c in range(count):
        if rows[c].push > 0.0 and rows[c].stiffness > 0.0:
            factors.chosen[slot[rows[c].level]] = c
            slot[rows[c].level] += 1
    # Which ones have a ball in common.
    for k in range(size):
        for side in range(2):
            ball = ball_of(rows[factors.chosen[k]], side)
            if ball > 0:
                factors.newest[ball] = NOBODY
    for k in range(size):
        for side in range(2):
            ball = ball_of(rows[factors.chosen[k]], side)
            if ball > 0:
                factors.older[k, side] = factors.newest[ball]
                factors.newest[ball] = k
    return size


@inlined
def _find_places(rows: Any, factors: Factors, size: int) -> bool:
    """Find the elimination tree, and where each column of L begins; whether there is room."""
    parent, mark, start = factors.parent, factors.mark, factors.start
    for k in range(size):
        parent[k], start[k + 1], mark[k] = NOBODY, 0, k
        for side in range(2):
            ball = ball_of(rows[factors.chosen[k]], side)
            place = factors.older[k, side] if ball > 0 else NOBODY
            while place != NOBODY:
                i = place
                while mark[i] != k:
                    if parent[i] == NOBODY:
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
def _reached(rows: Any, factors: Factors, k: int, size: int) -> int:
    """Write row k of S into x, and where row k of L has entries to the end of `reach`, in order;
    where they begin."""
    mark, path, reach, top = factors.mark, factors.path, factors.reach, size
    mark[k] = k
    row = rows[factors.chosen[k]]
    for side in range(2):
        ball, give = ball_of(row, side), row.give_first if side == 0 else row.give_second
        place = factors.older[k, side] if ball > 0 else NOBODY
        while place != NOBODY:
            other = rows[factors.chosen[place]]
            there = _side(other, ball)
            along = (row.nx * other.nx + row.ny * other.ny + row.nz * other.nz) * give
            factors.x[place] += along if there == side else -along
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
def _find_row(rows: Any, factors: Factors, k: int, first: int, size: int) -> None:
    """Find row k of L and the diagonal of D, from row k of S in x."""
    row, value, start, end = factors.row, factors.value, factors.start, factors.end
    own = 1.0 / rows[factors.chosen[k]].stiffness
    pivot = own * (1.0 + _TRIFLE)
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
    factors.diagonal[k] = max(pivot, _TRIFLE * own)


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
def ball_of(row: Any, side: int) -> int:
    """The first or the second ball of a contact."""
    return int(row.first if side == 0 else row.second)


@inlined
def _side(row: Any, ball: int) -> int:
    return 0 if row.first == ball else 1
