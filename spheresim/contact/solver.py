"""Many contacts at once: the least pushes along their normals after which nothing is entered.

A contact c between balls i and j, or between ball i and something that does not move, asks of
the motions u (velocities, or accelerations) that n_c·(u_i − u_j) ≥ needed_c. A push p_c ≥ 0
changes u_i by +p_c·n_c/m_i and u_j by −p_c·n_c/m_j, and where it is more than 0 the contact gets
just what it needs. So the motions are the nearest to those without contacts, weighted by mass,
that the contacts allow (J. J. Moreau, Unilateral contact and dry friction in finite freedom
dynamics, 1988).

Sweeps over the contacts, each solved for itself (projected Gauss–Seidel; M. Jean, The non-smooth
contact dynamics method, Computer Methods in Applied Mechanics and Engineering 177, 1999), soon
tell which of them push; how hard takes the longer, the softer the pile. So sweeps are the
directions of a method of conjugate gradients (M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth
nonlinear conjugate gradient method for interactive contact force problems, The Visual Computer 26,
2010), and where so many as cost as much are not enough, all that push get just what they need at
once, by factors of their matrix; the way there is cut short where pushes come to nothing, and those
are left out (J. L. Morales, J. Nocedal, M. Smelyanskiy, An algorithm for the fast solution of
symmetric linear complementarity problems, Numerische Mathematik 111, 2008).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.journal import FACTORS, ISLANDS, ROUNDS
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import ContactList
from spheresim.contact.factors import (
    FactorRoom,
    Factors,
    ball_of,
    empty_factors,
    factorise,
    factors_in,
    solve,
)
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

_MOST_TURNS = 20
"""After so many turns of sweeps and factors the search ends where it is."""

_CONTACTS_A_SWEEP, _FEWEST_SWEEPS = 20, 5
"""In a turn at most one sweep for each so many contacts, which together take as long as finding
factors once, and at least so many."""

_TRIES_AT_ONCE = 3
"""In a turn at most so often all at once."""

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

ROW_FIELDS = [
    ("nx", "f8"),  # the normal, towards the first ball
    ("ny", "f8"),
    ("nz", "f8"),
    ("needed", "f8"),  # what the motions must reach along it
    ("push", "f8"),
    ("stiffness", "f8"),  # the push that gives a unit of motion along it; 0 where nothing can move
    ("give_first", "f8"),  # the motion that a unit of push gives to the first ball,
    ("give_second", "f8"),  # and to the second one
    ("start", "f8"),  # the push at the start of a sweep
    ("ahead", "f8"),  # how it changes on, in the direction of before
    ("first", "u4"),  # the balls, as numbered here; 0 for what does not move
    ("second", "u4"),
    ("level", "i8"),  # see `factors`
]
"""A contact as the search has it: what a sweep reads lies together."""


@by_reference
class SolverRoom(NamedTuple):
    """The arrays of a search among m contacts of n balls.

    row: (m,), a record of `ROW_FIELDS` each; motion, before, ahead: (n + 1, 3), the motions, those
    at the start of a sweep, and how they change on; ball: (n + 1,), the balls by their numbers
    here, which begin with 1; place: (n,), the number of each ball here, or 0; factors: room.
    """

    row: Any
    motion: Any
    before: Any
    ahead: Any
    ball: Any
    place: Any
    factors: FactorRoom


def empty_solver(m: int, n: int) -> SolverRoom:
    """Room for m contacts of n balls."""
    return SolverRoom(
        row=np.zeros(m, ROW_FIELDS).view(np.recarray),
        motion=np.zeros((n + 1, 3)),
        before=np.zeros((n + 1, 3)),
        ahead=np.zeros((n + 1, 3)),
        ball=np.zeros(n + 1, dtype=np.uint32),
        place=np.zeros(n, dtype=np.uint32),
        factors=empty_factors(m, n + 1),
    )


@routine
def push_apart(
    contacts: ContactList,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    tolerance: float,
    obstacles_last: bool,
    room: SolverRoom,
    work: Any,
) -> None:
    """Give the motions (n, 3) what `needed` asks for, to a tolerance.

    contacts, push: (m,), where the search starts and what it finds; inverse_mass: (n,), 0 for balls
    that nothing moves; obstacles_last: whether in the end contacts with what does not move get just
    what they need, so that what is left to be done is between balls; work: counters, see
    `collision.journal`.
    """
    count = len(contacts)
    if count == 0:
        return
    work[ISLANDS] += 1
    balls = _number_balls(contacts, motion, inverse_mass, room)
    _write_rows(contacts, push, inverse_mass, room)
    factors = factors_in(room.factors)
    for _ in range(_MOST_TURNS):
        if _sweep(room, count, balls, tolerance, work):
            break
        for _ in range(_TRIES_AT_ONCE):
            work[FACTORS] += 1
            if not _push_at_once(room, count, factors):
                break
    if obstacles_last:
        _keep_off_what_does_not_move(room, count)
    for c in range(count):
        push[c] = room.row[c].push
    for k in range(1, balls + 1):
        set_vector(motion, room.ball[k], vector_at(room.motion, k))


@inlined
def _number_balls(contacts: ContactList, motion: Any, inverse_mass: Any, room: SolverRoom) -> int:
    """Number the balls that can move, from 1 on, and fetch their motions; how many these are."""
    place, balls = room.place, 0
    for c in range(len(contacts)):
        for side in range(2):
            i = ball_of(contacts[c], side)
            if i >= 0:
                place[i] = 0
    for c in range(len(contacts)):
        for side in range(2):
            i = ball_of(contacts[c], side)
            if i >= 0 and inverse_mass[i] > 0.0 and place[i] == 0:
                balls += 1
                place[i], room.ball[balls] = balls, i
                set_vector(room.motion, balls, vector_at(motion, i))
    set_vector(room.motion, 0, TVector(0.0, 0.0, 0.0))
    return balls


@inlined
def _write_rows(contacts: ContactList, push: Any, inverse_mass: Any, room: SolverRoom) -> None:
    """Write the contacts as the search has them, and let them push as they did before."""
    for c in range(len(contacts)):
        row, i, j, n = room.row[c], contacts.first[c], contacts.second[c], contacts.normal
        row.nx, row.ny, row.nz = n[c, 0], n[c, 1], n[c, 2]
        row.needed, row.level, row.push = contacts.needed[c], contacts.level[c], 0.0
        row.first, row.give_first = room.place[i], inverse_mass[i]
        row.second = room.place[j] if j >= 0 else 0
        row.give_second = inverse_mass[j] if j >= 0 else 0.0
        give = row.give_first + row.give_second
        row.stiffness = 1.0 / give if give > 0.0 else 0.0
        if push[c] != 0.0:
            _push_harder(row, room.motion, push[c])


@inlined
def _wanted(row: Any, motion: Any) -> float:
    """What a contact needs, beyond the motion along it."""
    i, j = row.first, row.second
    x, y, z = motion[i, 0] - motion[j, 0], motion[i, 1] - motion[j, 1], motion[i, 2] - motion[j, 2]
    wanted: float = row.needed - (row.nx * x + row.ny * y + row.nz * z)
    return wanted


@inlined
def _push_harder(row: Any, motion: Any, more: float) -> None:
    """Push harder at a contact."""
    row.push += more
    i, j, a, b = row.first, row.second, more * row.give_first, more * row.give_second
    motion[i, 0] += a * row.nx
    motion[i, 1] += a * row.ny
    motion[i, 2] += a * row.nz
    motion[j, 0] -= b * row.nx
    motion[j, 1] -= b * row.ny
    motion[j, 2] -= b * row.nz


@inlined
def _solve_alone(row: Any, motion: Any) -> float:
    """Give a contact what it needs, by itself; how much harder it pushes then."""
    more: float = max(_wanted(row, motion) * row.stiffness, -row.push)
    if more != 0.0:
        _push_harder(row, motion, more)
    return more


@routine
def _sweep(room: SolverRoom, count: int, balls: int, tolerance: float, work: Any) -> bool:
    """Go over the contacts several times; whether the last time has changed hardly anything.

    What a sweep, forwards and backwards, changes is the direction of steepest descent; from it on
    goes what was changed before, as far as the steps get shorter.
    """
    rows, motion, before, ahead = room.row, room.motion, room.before, room.ahead
    for c in range(count):
        rows[c].ahead = 0.0
    for k in range(balls + 1):
        for axis in range(3):
            ahead[k, axis] = 0.0
    is_settled = False
    descent_before, sweeps = math.inf, max(_FEWEST_SWEEPS, count // _CONTACTS_A_SWEEP)
    for sweep in range(sweeps):
        work[ROUNDS] += 1
        for k in range(balls + 1):
            for axis in range(3):
                before[k, axis] = motion[k, axis]
        # Each contact for itself.
        is_settled = True
        for c in range(count):
            row = rows[c]
            row.start = row.push
            more = _solve_alone(row, motion)
            is_settled = is_settled & (abs(more) <= tolerance * row.stiffness)
        for c in range(count - 1, -1, -1):
            row = rows[c]
            more = _solve_alone(row, motion)
            is_settled = is_settled & (abs(more) <= tolerance * row.stiffness)
        if is_settled or sweep + 1 == sweeps:
            break
        # On along the direction of before.
        descent = 0.0
        for c in range(count):
            row = rows[c]
            row.start = row.push - row.start
            descent += row.start * row.start
        share = descent / descent_before if 0.0 < descent <= descent_before else 0.0
        descent_before = descent
        _go_on(room, count, balls, share)
    return is_settled


@inlined
def _go_on(room: SolverRoom, count: int, balls: int, share: float) -> None:
    """Go on by a share of the direction of before, which with the sweep makes the next one."""
    motion, before, ahead = room.motion, room.before, room.ahead
    for c in range(count):
        row = room.row[c]
        row.push += share * row.ahead
        row.ahead = row.start + share * row.ahead
    for k in range(balls + 1):
        for axis in range(3):
            step = share * ahead[k, axis]
            ahead[k, axis] = motion[k, axis] - before[k, axis] + step
            motion[k, axis] += step


@routine
def _push_at_once(room: SolverRoom, count: int, factors: Factors) -> bool:
    """Give all that push what they need; whether some came to nothing, so that the others may be
    tried again."""
    rows, motion = room.row, room.motion
    size = factorise(rows, count, factors)
    most, shortest = 0.0, math.inf
    for k in range(size):
        row = rows[factors.chosen[k]]
        row.start = factors.x[k] = _wanted(row, motion)
        most = max(most, abs(row.start))
    solve(factors, size)
    for k in range(size):
        push = rows[factors.chosen[k]].push
        if push + factors.x[k] < 0.0:
            shortest = min(shortest, -push / factors.x[k])
    # All the way, if they only push harder or less hard.
    if shortest == math.inf:
        _, left = _go(room, factors, size, 1.0)
        if left > _NO_HELP * most:
            _go_back(room, factors, size)
        return False
    # Else shorter and shorter ways, until energy is lost; it is on the shortest one.
    length = 1.0
    while True:
        lost, _ = _go(room, factors, size, length)
        if lost >= 0.0 or length <= shortest:
            return True
        _go_back(room, factors, size)
        length = 0.5 * length if length > _SHORT else shortest


@inlined
def _go(room: SolverRoom, factors: Factors, size: int, length: float) -> tuple[float, float]:
    """Change pushes by a part of x, none to less than 0. Twice the energy ½u·m·u − needed·push
    that is lost, and the most that is still wanted."""
    for k in range(size):
        row = room.row[factors.chosen[k]]
        after = row.push + length * factors.x[k]
        if after <= _NOTHING * row.push:
            after = 0.0
        row.ahead = after - row.push
        _push_harder(row, room.motion, row.ahead)
    lost, left = 0.0, 0.0
    for k in range(size):
        row = room.row[factors.chosen[k]]
        rest = _wanted(row, room.motion)
        lost += row.ahead * (row.start + rest)
        left = max(left, abs(rest))
    return lost, left


@inlined
def _go_back(room: SolverRoom, factors: Factors, size: int) -> None:
    for k in range(size):
        row = room.row[factors.chosen[k]]
        _push_harder(row, room.motion, -row.ahead)


@inlined
def _keep_off_what_does_not_move(room: SolverRoom, count: int) -> None:
    for _ in range(_AMONG_OBSTACLES):
        is_settled = True
        for c in range(count):
            row = room.row[c]
            if row.first == 0 or row.second == 0:
                is_settled = is_settled & (_solve_alone(row, room.motion) == 0.0)
        if is_settled:
            return
