"""Many contacts at once: the least pushes along their normals after which nothing is entered.

A contact c between balls i and j, or between ball i and something that does not move, asks of
the motions u (velocities, or accelerations) that n_c·(u_i − u_j) ≥ needed_c. A push p_c ≥ 0
changes u_i by +p_c·n_c/m_i and u_j by −p_c·n_c/m_j, and where it is more than 0 the contact gets
just what it needs. So the motions are the nearest to those without contacts, weighted by mass,
that the contacts allow (J. J. Moreau, Unilateral contact and dry friction in finite freedom
dynamics, 1988).

Sweeps over the contacts, each solved for itself (projected Gauss–Seidel; M. Jean, The non-smooth
contact dynamics method, Computer Methods in Applied Mechanics and Engineering 177, 1999), soon
tell which of them push, but hardly how hard: a pile has soft modes. So a few sweeps take turns
with giving all that push just what they need at once, by factors of their matrix; the way there
is cut short where pushes come to nothing, and those are left out (J. L. Morales, J. Nocedal,
M. Smelyanskiy, An algorithm for the fast solution of symmetric linear complementarity problems,
Numerische Mathematik 111, 2008).
"""

import math
from typing import Any

from spheresim.collision.contact_factors import (
    FactorRoom,
    Factors,
    factorise,
    factors_in,
    give_of_contact,
    solve,
)
from spheresim.collision.contact_list import ContactList
from spheresim.collision.contact_motions import give_push, wanted
from spheresim.collision.journal import FACTORS, ISLANDS, ROUNDS
from spheresim.compiler.decorators import inlined, routine

_MOST_ROUNDS = 20
"""After so many the search ends where it is."""

_CONTACTS_A_SWEEP, _FEWEST_SWEEPS = 40, 5
"""In a round at most one sweep for each so many contacts, which together take as long as finding
factors once, and at least so many."""

_TRIES_AT_ONCE = 3
"""In a round at most so often all at once."""

_SHORT = 0.1
"""If not even this part of the way is one on which energy is lost, it ends where the first push
comes to nothing."""

_NOTHING = 1e-14
"""A push that has become less than this part of what it was is none."""

_NO_HELP = 0.01
"""Where pushes of all that is wanted leave more than this part of it, there is no room for the
balls: they would grow without end."""

_AMONG_OBSTACLES = 8
"""So often those of a ball in a corner take turns."""


@routine
def push_apart(
    contacts: ContactList,
    count: int,
    room: FactorRoom,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    tolerance: float,
    work: Any,
) -> None:
    """Give the motions (n, 3) what `needed` asks for, to a tolerance.

    push: (m,), where the search starts and what it finds; inverse_mass: (n,), 0 for balls that
    nothing moves; work: counters, see `collision.journal`.
    """
    work[ISLANDS] += 1
    factors = factors_in(room)
    _find_stiffness(contacts, count, inverse_mass)
    for c in range(count):
        if push[c] != 0.0:
            give_push(contacts, c, push[c], motion, inverse_mass)
    for _ in range(_MOST_ROUNDS):
        if _sweep(contacts, count, push, motion, inverse_mass, tolerance, work):
            return
        for _ in range(_TRIES_AT_ONCE):
            work[FACTORS] += 1
            if not _push_at_once(contacts, count, factors, push, motion, inverse_mass):
                break


@inlined
def _find_stiffness(contacts: ContactList, count: int, inverse_mass: Any) -> None:
    """What push gives each contact a unit of motion along it; 0 where nothing can move."""
    for c in range(count):
        give = give_of_contact(contacts, c, inverse_mass)
        contacts.stiffness[c] = 1.0 / give if give > 0.0 else 0.0


@inlined
def _sweep(
    contacts: ContactList,
    count: int,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    tolerance: float,
    work: Any,
) -> bool:
    """Go over the contacts a few times; whether the last time has changed hardly anything.

    What a sweep changes is the direction of steepest descent of a method of conjugate gradients
    (M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for
    interactive contact force problems, The Visual Computer 26, 2010).
    """
    for c in range(count):
        contacts.ahead[c] = 0.0
    descent_before = math.inf
    sweeps = max(_FEWEST_SWEEPS, count // _CONTACTS_A_SWEEP)
    for sweep in range(sweeps):
        work[ROUNDS] += 1
        # Each contact for itself, forwards and backwards.
        for c in range(count):
            contacts.start[c] = push[c]
        is_settled = True
        for c in range(count):
            more = _solve(contacts, c, push, motion, inverse_mass)
            is_settled = is_settled & (abs(more) <= tolerance * contacts.stiffness[c])
        for k in range(count):
            c = count - 1 - k
            more = _solve(contacts, c, push, motion, inverse_mass)
            is_settled = is_settled & (abs(more) <= tolerance * contacts.stiffness[c])
        if is_settled:
            return True
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
                give_push(contacts, c, step, motion, inverse_mass)
    return False


@inlined
def _push_at_once(
    contacts: ContactList, count: int, factors: Factors, push: Any, motion: Any, inverse_mass: Any
) -> bool:
    """Give all that push what they need; whether some came to nothing, so that the others may be
    tried again."""
    size = factorise(contacts, count, push, inverse_mass, factors)
    most, shortest = 0.0, math.inf
    for k in range(size):
        contacts.start[k] = factors.x[k] = wanted(contacts, factors.chosen[k], motion)
        most = max(most, abs(factors.x[k]))
    solve(factors, size)
    for k in range(size):
        before = push[factors.chosen[k]]
        if before + factors.x[k] < 0.0:
            shortest = min(shortest, -before / factors.x[k])
    # All the way, if they only push harder or less hard.
    if shortest == math.inf:
        _, left = _go(contacts, factors, size, push, motion, inverse_mass, 1.0)
        if left > _NO_HELP * most:
            _go_back(contacts, factors, size, push, motion, inverse_mass)
        return False
    # Else shorter and shorter ways, until energy is lost; it is on the shortest one.
    length = 1.0
    while True:
        lost, _ = _go(contacts, factors, size, push, motion, inverse_mass, length)
        if lost >= 0.0 or length <= shortest:
            return True
        _go_back(contacts, factors, size, push, motion, inverse_mass)
        length = 0.5 * length if length > _SHORT else shortest


@inlined
def _go(
    contacts: ContactList,
    factors: Factors,
    size: int,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    length: float,
) -> tuple[float, float]:
    """Change pushes by a part of x, none to less than 0. Twice the energy ½u·m·u − needed·push
    that is lost, and the most that is still wanted."""
    before, step = contacts.start, contacts.ahead
    for k in range(size):
        c = factors.chosen[k]
        after = push[c] + length * factors.x[k]
        if after <= _NOTHING * push[c]:
            after = 0.0
        step[k] = after - push[c]
        push[c] = after
        give_push(contacts, c, step[k], motion, inverse_mass)
    lost, left = 0.0, 0.0
    for k in range(size):
        rest = wanted(contacts, factors.chosen[k], motion)
        lost += step[k] * (before[k] + rest)
        left = max(left, abs(rest))
    return lost, left


@inlined
def _go_back(
    contacts: ContactList, factors: Factors, size: int, push: Any, motion: Any, inverse_mass: Any
) -> None:
    for k in range(size):
        c, step = factors.chosen[k], contacts.ahead[k]
        push[c] -= step
        give_push(contacts, c, -step, motion, inverse_mass)


@routine
def keep_off_obstacles(
    contacts: ContactList, count: int, push: Any, motion: Any, inverse_mass: Any
) -> None:
    """Give the contacts with what does not move just what they need, after `push_apart`.

    What the search has left undone is then between balls, where there is more room.
    """
    for _ in range(_AMONG_OBSTACLES):
        is_settled = True
        for c in range(count):
            j = contacts.second[c]
            if j < 0 or inverse_mass[j] == 0.0:
                more = _solve(contacts, c, push, motion, inverse_mass)
                is_settled = is_settled & (more == 0.0)
        if is_settled:
            return


@inlined
def _solve(contacts: ContactList, c: int, push: Any, motion: Any, inverse_mass: Any) -> float:
    """Give contact c what it needs, by itself; how much harder it pushes then."""
    more: float = max(wanted(contacts, c, motion) * contacts.stiffness[c], -push[c])
    if more != 0.0:
        push[c] += more
        give_push(contacts, c, more, motion, inverse_mass)
    return more
