"""Many contacts at once: the least pushes along their normals after which nothing is entered.

A contact c between balls i and j, or between ball i and something that does not move, asks of
the motions u (velocities, or accelerations) that n_c·(u_i − u_j) ≥ needed_c. A push p_c ≥ 0
changes u_i by +p_c·n_c/m_i and u_j by −p_c·n_c/m_j, and where it is more than 0 the contact gets
just what it needs. So the motions are the nearest to those without contacts, weighted by mass,
that the contacts allow (J. J. Moreau, Unilateral contact and dry friction in finite freedom
dynamics, 1988). They are found by going over the contacts again and again, each solved for itself
(projected Gauss–Seidel; M. Jean, The non-smooth contact dynamics method, Computer Methods in
Applied Mechanics and Engineering 177, 1999).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

NOBODY = -1

ROOM = 1e-8
"""How far apart balls that press each other are kept, in units of the radius."""

PART_OF_ROOM = 0.25
"""What touches parts by this part of it in a step, so that no rounding makes it touch again."""

TOLERANCE = 0.2
"""The search for pushes may be wrong by this part of the room that is kept."""

SWEEPS = 200
"""After so many the search ends where it is."""

_AMONG_OBSTACLES = 8
"""So often those of a ball in a corner take turns."""


class ContactList(NamedTuple):
    """Room for m contacts, of which the first so many are in use.

    first: (m,) ball i; second: (m,) ball j, or −1 − k for obstacle k; normal: (m, 3), towards i;
    spacing: (m,) how far their surfaces are apart; needed, kick, push: (m,), what the motions must
    reach, and the pushes on velocities and on accelerations; after: (m, 2), the next contact of
    the same first, or second, ball, or NOBODY; as scratch start, ahead: (m,).
    """

    first: Any
    second: Any
    normal: Any
    spacing: Any
    needed: Any
    kick: Any
    push: Any
    after: Any
    start: Any
    ahead: Any


def empty_contacts(m: int) -> ContactList:
    """Room for m contacts, of which none is in use."""
    return ContactList(
        first=np.zeros(m, dtype=np.int64),
        second=np.zeros(m, dtype=np.int64),
        normal=np.zeros((m, 3)),
        spacing=np.zeros(m),
        needed=np.zeros(m),
        kick=np.zeros(m),
        push=np.zeros(m),
        after=np.zeros((m, 2), dtype=np.int64),
        start=np.zeros(m),
        ahead=np.zeros(m),
    )


@routine
def push_apart(
    contacts: ContactList,
    count: int,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    tolerance: float,
    sweeps: int,
) -> int:
    """Give the motions (n, 3) what `needed` asks for, to a tolerance; the sweeps that it took.

    push: (m,), where the search starts and what it finds; inverse_mass: (n,), 0 for balls that
    nothing moves.

    What a sweep changes is the direction of steepest descent of a method of conjugate gradients
    (M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for
    interactive contact force problems, The Visual Computer 26, 2010).
    """
    # What is known from before.
    for c in range(count):
        contacts.ahead[c] = 0.0
        if push[c] != 0.0:
            _push(contacts, c, push[c], motion, inverse_mass)
    descent_before = math.inf
    for sweep in range(sweeps):
        # Each contact for itself, forwards and backwards.
        for c in range(count):
            contacts.start[c] = push[c]
        worst = 0.0
        for s in range(2 * count):
            c = s if s < count else 2 * count - 1 - s
            change = _solve(contacts, c, push, motion, inverse_mass)
            worst = max(worst, change)
        if worst <= tolerance:
            return sweep + 1
        # On along the direction of before, as far as the steps get shorter.
        descent = 0.0
        for c in range(count):
            contacts.start[c] = push[c] - contacts.start[c]
            descent += contacts.start[c] * contacts.start[c]
        share = descent / descent_before
        descent_before = descent
        for c in range(count):
            step = share * contacts.ahead[c] if share <= 1.0 else 0.0
            contacts.ahead[c] = contacts.start[c] + step
            if step != 0.0 and sweep + 1 < sweeps:
                push[c] += step
                _push(contacts, c, step, motion, inverse_mass)
    return sweeps


@routine
def keep_off_obstacles(
    contacts: ContactList, count: int, push: Any, motion: Any, inverse_mass: Any
) -> None:
    """Give the contacts with what does not move just what they need, after `push_apart`.

    What the search has left undone is then between balls, where there is more room.
    """
    for _ in range(_AMONG_OBSTACLES):
        worst = 0.0
        for c in range(count):
            j = contacts.second[c]
            if j < 0 or inverse_mass[j] == 0.0:
                change = _solve(contacts, c, push, motion, inverse_mass)
                worst = max(worst, change)
        if worst == 0.0:
            return


@inlined
def _solve(contacts: ContactList, c: int, push: Any, motion: Any, inverse_mass: Any) -> float:
    """Give contact c what it needs, by itself; how much that changes its motion."""
    i, j, n = contacts.first[c], contacts.second[c], vector_at(contacts.normal, c)
    give = inverse_mass[i]
    rate = vector_at(motion, i).dot(n)
    if j >= 0:
        give += inverse_mass[j]
        rate -= vector_at(motion, j).dot(n)
    if give <= 0.0:
        return 0.0
    more = max((contacts.needed[c] - rate) / give, -push[c])
    if more == 0.0:
        return 0.0
    push[c] += more
    _push(contacts, c, more, motion, inverse_mass)
    change: float = abs(more) * give
    return change


@inlined
def _push(contacts: ContactList, c: int, push: float, motion: Any, inverse_mass: Any) -> None:
    i, j, n = contacts.first[c], contacts.second[c], vector_at(contacts.normal, c)
    set_vector(motion, i, vector_at(motion, i) + n * (push * inverse_mass[i]))
    if j >= 0:
        set_vector(motion, j, vector_at(motion, j) - n * (push * inverse_mass[j]))


@inlined
def write_contact(contacts: ContactList, c: int, i: int, j: int, n: TVector) -> None:
    """Make contact c one of balls i and j, or of ball i and obstacle k = −1 − j; n: its normal."""
    contacts.first[c], contacts.second[c] = i, j
    set_vector(contacts.normal, c, n)
    contacts.spacing[c], contacts.needed[c] = 0.0, 0.0
    contacts.kick[c], contacts.push[c] = 0.0, 0.0
    contacts.after[c, 0], contacts.after[c, 1] = NOBODY, NOBODY


@inlined
def next_of(contacts: ContactList, c: int, i: int) -> int:
    """The contact of ball i after contact c, or NOBODY."""
    return int(contacts.after[c, 0 if contacts.first[c] == i else 1])


@inlined
def push_between(contacts: ContactList, head: int, i: int, j: int) -> float:
    """How hard the contact of ball i with j was pushed; head: the first contact of ball i."""
    c = head
    while c != NOBODY:
        first, second = contacts.first[c], contacts.second[c]
        if (first == i and second == j) or (first == j and second == i):
            push: float = contacts.push[c]
            return push
        c = next_of(contacts, c, i)
    return 0.0


@inlined
def copy_pushes(source: ContactList, target: ContactList, count: int) -> None:
    """Copy which contacts there are, and how hard they are pushed."""
    for c in range(count):
        target.first[c], target.second[c] = source.first[c], source.second[c]
        target.push[c] = source.push[c]
        target.after[c, 0], target.after[c, 1] = source.after[c, 0], source.after[c, 1]
