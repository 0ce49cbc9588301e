"""Contact forces of an island: the linear complementarity problem of all its contacts at once.

A contact c between balls i and j, or between ball i and a fixed body, requires of the motions u
(velocities, or accelerations) that n_c·(u_i − u_j) ≥ bias_c. A force (or impulse) f_c ≥ 0 changes
u_i by +f_c·n_c/m_i and u_j by −f_c·n_c/m_j; where f_c > 0, equality holds. So the motions are the
nearest to those without contacts, weighted by mass, that the contacts allow (J. J. Moreau,
Unilateral contact and dry friction in finite freedom dynamics, 1988).

Sweeps over the contacts, each solved alone (projected Gauss–Seidel; M. Jean, The non-smooth contact
dynamics method, Computer Methods in Applied Mechanics and Engineering 177, 1999), soon find which
contacts carry force; the forces converge slowly in large islands. So sweeps are the search
directions of a method of conjugate gradients (M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth
nonlinear conjugate gradient method for interactive contact force problems, The Visual Computer 26,
2010), and once they have cost as much as a factorisation, the equations of the active set (all
contacts with f > 0) are solved by sparse factors; the step is shortened where forces reach 0, and
those contacts leave the set (J. L. Morales, J. Nocedal, M. Smelyanskiy, An algorithm for the fast
solution of symmetric linear complementarity problems, Numerische Mathematik 111, 2008).
"""

import math
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from spheresim.collision.journal import Counts
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import ContactList
from spheresim.contact.factors import (
    Factors,
    FactorWorkspace,
    ball_of,
    factor_workspace,
    factorise,
    factors_of,
    solve,
)
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO

_MOST_PASSES = 20
"""Most passes of sweeps and active-set solves; what is left then becomes impacts."""

_CONTACTS_PER_SWEEP, _FEWEST_SWEEPS = 20, 5
"""Sweeps per pass: count / _CONTACTS_PER_SWEEP, which cost about as much as one factorisation, but
at least _FEWEST_SWEEPS."""

_ACTIVE_SET_SOLVES = 3
"""Most active-set solves per pass."""

_LEAST_FRACTION = 0.1
"""Shortest fraction tried in the line search; then the step ends where the first force reaches
0."""

_ZERO_FORCE = 1e-14
"""A force that has fallen below this fraction of its former value is 0, by rounding."""

_INFEASIBLE = 0.01
"""Residual fraction above which the constraints are infeasible: forces would grow without bound."""

_OBSTACLE_SWEEPS = 8
"""Most final sweeps over the contacts with obstacles, for balls in corners."""

ROW_FIELDS = [
    ("nx", "f8"),  # the normal, towards the first ball
    ("ny", "f8"),
    ("nz", "f8"),
    ("bias", "f8"),  # least relative normal motion
    ("force", "f8"),
    ("stiffness", "f8"),  # 1 / (1/m_i + 1/m_j); 0 where neither moves
    ("inverse_mass_first", "f8"),  # 1/m_i; 0 for a fixed body
    ("inverse_mass_second", "f8"),  # 1/m_j
    ("start", "f8"),  # the force at the start of a sweep
    ("search_direction", "f8"),  # the change of force along the search direction
    ("first", "u4"),  # the balls, as numbered here; 0 for a fixed body
    ("second", "u4"),
    ("level", "i8"),  # see `factors`
]
"""A contact in the solver: a sweep reads the fields of one record together."""


class RowRecord(Protocol):
    """A record of `ROW_FIELDS`: of these, what a sweep reads and changes."""

    nx: float
    ny: float
    nz: float
    bias: float
    force: float
    stiffness: float
    inverse_mass_first: float
    inverse_mass_second: float
    first: int
    second: int


@by_reference
class SolverWorkspace(NamedTuple):
    """The arrays of the solver for m contacts of n balls.

    row: (m,), a record of `ROW_FIELDS` each; motion, before, search_direction: (n + 1, 3), the
    motions, those at the start of a sweep, and their change along the search direction; ball: (n +
    1,), the balls by their numbers here, which begin with 1; place: (n,), the number of each ball
    here, or 0; factors: room.
    """

    row: Records
    motion: Floats
    before: Floats
    search_direction: Floats
    ball: npt.NDArray[np.uint32]
    place: npt.NDArray[np.uint32]
    factors: FactorWorkspace


def solver_workspace(m: int, n: int) -> SolverWorkspace:
    """A workspace for m contacts of n balls."""
    return SolverWorkspace(
        row=np.zeros(m, ROW_FIELDS).view(np.recarray),
        motion=np.zeros((n + 1, 3)),
        before=np.zeros((n + 1, 3)),
        search_direction=np.zeros((n + 1, 3)),
        ball=np.zeros(n + 1, dtype=np.uint32),
        place=np.zeros(n, dtype=np.uint32),
        factors=factor_workspace(m, n + 1),
    )


@routine
def solve_contacts(
    contacts: ContactList,
    force: Floats,
    motion: Floats,
    inverse_mass: Floats,
    tolerance: float,
    obstacles_last: bool,
    workspace: SolverWorkspace,
    work: Counts,
) -> None:
    """Change the motions (n, 3) so that each contact reaches its `bias`, to a tolerance.

    contacts; force: (m,), the start of the search, and its result; inverse_mass: (n,), 0 for balls
    that do not move; obstacles_last: whether contacts with fixed bodies are solved last, so that
    the residual is between balls alone; work: counters, see
    `collision.journal`.
    """
    count = len(contacts)
    if count == 0:
        return
    work.islands += 1
    balls = _number_balls(contacts, motion, inverse_mass, workspace)
    _write_rows(contacts, force, inverse_mass, workspace)
    factors = factors_of(workspace.factors)
    for _ in range(_MOST_PASSES):
        if _sweep(workspace, count, balls, tolerance, work):
            break
        for _ in range(_ACTIVE_SET_SOLVES):
            work.factors += 1
            if not _solve_active_set(workspace, count, factors):
                break
    if obstacles_last:
        _sweep_obstacle_contacts(workspace, count)
    for c in range(count):
        force[c] = workspace.row[c].force
    for k in range(1, balls + 1):
        set_vector(motion, workspace.ball[k], vector_at(workspace.motion, k))


@inlined
def _number_balls(
    contacts: ContactList, motion: Floats, inverse_mass: Floats, workspace: SolverWorkspace
) -> int:
    """Number the movable balls from 1 on, and copy their motions; returns their count."""
    place, balls = workspace.place, 0
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
                place[i], workspace.ball[balls] = balls, i
                set_vector(workspace.motion, balls, vector_at(motion, i))
    set_vector(workspace.motion, 0, ZERO)
    return balls


@inlined
def _write_rows(
    contacts: ContactList, force: Floats, inverse_mass: Floats, workspace: SolverWorkspace
) -> None:
    """Write the contacts as rows, and apply the forces from which the search starts."""
    for c in range(len(contacts)):
        row, i, j, n = workspace.row[c], contacts.first[c], contacts.second[c], contacts.normal
        row.nx, row.ny, row.nz = n[c, 0], n[c, 1], n[c, 2]
        row.bias, row.level, row.force = contacts.bias[c], contacts.level[c], 0.0
        row.first, row.inverse_mass_first = workspace.place[i], inverse_mass[i]
        row.second = workspace.place[j] if j >= 0 else 0
        row.inverse_mass_second = inverse_mass[j] if j >= 0 else 0.0
        give = row.inverse_mass_first + row.inverse_mass_second
        row.stiffness = 1.0 / give if give > 0.0 else 0.0
        if force[c] != 0.0:
            _add_force(row, workspace.motion, force[c])


@inlined
def _residual(row: RowRecord, motion: Floats) -> float:
    """Bias less relative normal motion of a contact."""
    i, j = row.first, row.second
    x, y, z = motion[i, 0] - motion[j, 0], motion[i, 1] - motion[j, 1], motion[i, 2] - motion[j, 2]
    residual: float = row.bias - (row.nx * x + row.ny * y + row.nz * z)
    return residual


@inlined
def _add_force(row: RowRecord, motion: Floats, change: float) -> None:
    """Add to the force of a contact, and to the motions of its balls."""
    row.force += change
    i = row.first
    j = row.second
    a = change * row.inverse_mass_first
    b = change * row.inverse_mass_second
    motion[i, 0] += a * row.nx
    motion[i, 1] += a * row.ny
    motion[i, 2] += a * row.nz
    motion[j, 0] -= b * row.nx
    motion[j, 1] -= b * row.ny
    motion[j, 2] -= b * row.nz


@inlined
def _solve_contact(row: RowRecord, motion: Floats) -> float:
    """Solve one contact alone; returns the change of its force."""
    change: float = max(_residual(row, motion) * row.stiffness, -row.force)
    if change != 0.0:
        _add_force(row, motion, change)
    return change


@routine
def _sweep(
    workspace: SolverWorkspace, count: int, balls: int, tolerance: float, work: Counts
) -> bool:
    """Sweep over the contacts several times; True if the last sweep was within the tolerance.

    The change by a sweep, forwards and backwards, stands for the gradient of the conjugate-gradient
    method; while it gets shorter, the former search direction is added.
    """
    rows = workspace.row
    motion = workspace.motion
    before = workspace.before
    search_direction = workspace.search_direction
    for c in range(count):
        rows[c].search_direction = 0.0
    for k in range(balls + 1):
        for axis in range(3):
            search_direction[k, axis] = 0.0
    is_settled = False
    descent_before, sweeps = math.inf, max(_FEWEST_SWEEPS, count // _CONTACTS_PER_SWEEP)
    for sweep in range(sweeps):
        work.rounds += 1
        for k in range(balls + 1):
            for axis in range(3):
                before[k, axis] = motion[k, axis]
        # Each contact for itself.
        is_settled = True
        for c in range(count):
            row = rows[c]
            row.start = row.force
            change = _solve_contact(row, motion)
            is_settled = is_settled & (abs(change) <= tolerance * row.stiffness)
        for c in range(count - 1, -1, -1):
            row = rows[c]
            change = _solve_contact(row, motion)
            is_settled = is_settled & (abs(change) <= tolerance * row.stiffness)
        if is_settled or sweep + 1 == sweeps:
            break
        # On along the direction of before.
        descent = 0.0
        for c in range(count):
            row = rows[c]
            row.start = row.force - row.start
            descent += row.start * row.start
        share = descent / descent_before if 0.0 < descent <= descent_before else 0.0
        descent_before = descent
        _extrapolate(workspace, count, balls, share)
    return is_settled


@inlined
def _extrapolate(workspace: SolverWorkspace, count: int, balls: int, share: float) -> None:
    """Move on along the former search direction; with the sweep it makes the next direction."""
    motion = workspace.motion
    before = workspace.before
    search_direction = workspace.search_direction
    for c in range(count):
        row = workspace.row[c]
        row.force += share * row.search_direction
        row.search_direction = row.start + share * row.search_direction
    for k in range(balls + 1):
        for axis in range(3):
            step = share * search_direction[k, axis]
            search_direction[k, axis] = motion[k, axis] - before[k, axis] + step
            motion[k, axis] += step


@routine
def _solve_active_set(workspace: SolverWorkspace, count: int, factors: Factors) -> bool:
    """Solve the active set; True if forces reached 0, so that a smaller set may be tried."""
    rows, motion = workspace.row, workspace.motion
    size = factorise(rows, count, factors)
    most, shortest = 0.0, math.inf
    for k in range(size):
        row = rows[factors.chosen[k]]
        row.start = factors.x[k] = _residual(row, motion)
        most = max(most, abs(row.start))
    solve(factors, size)
    for k in range(size):
        force = rows[factors.chosen[k]].force
        if force + factors.x[k] < 0.0:
            shortest = min(shortest, -force / factors.x[k])
    # The whole step, if no force reaches 0.
    if shortest == math.inf:
        _, left = _go(workspace, factors, size, 1.0)
        if left > _INFEASIBLE * most:
            _undo(workspace, factors, size)
        return False
    # Else halve the step until the energy decreases; on the shortest one it does.
    length = 1.0
    while True:
        lost, _ = _go(workspace, factors, size, length)
        if lost >= 0.0 or length <= shortest:
            return True
        _undo(workspace, factors, size)
        length = 0.5 * length if length > _LEAST_FRACTION else shortest


@inlined
def _go(
    workspace: SolverWorkspace, factors: Factors, size: int, length: float
) -> tuple[float, float]:
    """Change the forces by length·x, none below 0. Returns twice the decrease of ½u·m·u − bias·f,
    and the largest residual."""
    for k in range(size):
        row = workspace.row[factors.chosen[k]]
        updated = row.force + length * factors.x[k]
        if updated <= _ZERO_FORCE * row.force:
            updated = 0.0
        row.search_direction = updated - row.force
        _add_force(row, workspace.motion, row.search_direction)
    lost, left = 0.0, 0.0
    for k in range(size):
        row = workspace.row[factors.chosen[k]]
        rest = _residual(row, workspace.motion)
        lost += row.search_direction * (row.start + rest)
        left = max(left, abs(rest))
    return lost, left


@inlined
def _undo(workspace: SolverWorkspace, factors: Factors, size: int) -> None:
    for k in range(size):
        row = workspace.row[factors.chosen[k]]
        _add_force(row, workspace.motion, -row.search_direction)


@inlined
def _sweep_obstacle_contacts(workspace: SolverWorkspace, count: int) -> None:
    for _ in range(_OBSTACLE_SWEEPS):
        is_settled = True
        for c in range(count):
            row = workspace.row[c]
            if row.first == 0 or row.second == 0:
                is_settled = is_settled & (_solve_contact(row, workspace.motion) == 0.0)
        if is_settled:
            return
