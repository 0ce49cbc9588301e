"""Contact forces of an island: the linear complementarity problem of all its contacts at once.

A contact c between balls i and j, or between ball i and a fixed body, requires of the motions u
(velocities, or accelerations) that n_c·(u_i − u_j) ≥ bias_c. A force (or impulse) f_c ≥ 0 changes
u_i by +f_c·n_c/m_i and u_j by −f_c·n_c/m_j; where f_c > 0, equality holds. So the motions are the
nearest to those without contacts, weighted by mass, that the contacts allow (J. J. Moreau,
Unilateral contact and dry friction in finite freedom dynamics, 1988).

Sweeps over the contacts, each solved alone (projected Gauss–Seidel; M. Jean, The non-smooth contact
dynamics method, Computer Methods in Applied Mechanics and Engineering 177, 1999), soon find which
contacts carry force. They are the search directions of a method of conjugate gradients (M.
Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for interactive
contact force problems, The Visual Computer 26, 2010). But a pile has about as many contacts with
force as its balls have coordinates, and there the forces themselves converge slowly. So after some
sweeps `active_set` solves for them, and exchanges the few contacts that are still wrong.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision.journal import ContactWork
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.contact.active_set import (
    UNSOLVED,
    Problem,
    UpdateWorkspace,
    release_self_stress,
    solve_active_set,
    update_workspace,
)
from spheresim.contact.contact_list import ContactList
from spheresim.contact.contact_rows import (
    ROW_FIELDS,
    RowRecord,
    add_force,
    give_up_spare,
    residual_of,
)
from spheresim.contact.factors import Factors, empty_factors
from spheresim.contact.tolerances import CROWDED_RESIDUAL
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO

_MOST_PASSES = 20
"""Most passes of sweeps and exchanges; what is left then becomes impacts."""

_CONTACTS_PER_SWEEP, _FEWEST_SWEEPS = 50, 5
"""Sweeps per pass: count / _CONTACTS_PER_SWEEP, which cost about half as much as a factorisation,
but at least _FEWEST_SWEEPS. They also bound the exchanges that follow; see `active_set`."""

_OBSTACLE_SWEEPS = 400
"""Most final sweeps over the contacts with obstacles, for balls in corners: where two surfaces make
a wedge of 13 degrees, each leaves 19 of 20 parts."""


class SolverGoal(NamedTuple):
    """When a solve ends.

    tolerance: the largest residual; is_rough: whether sweeps suffice, even if they leave more than
    that; most_work: the most work that forces may do where motions exceed bias − spare;
    obstacles_last: whether contacts with fixed bodies are solved last, so that the residual is
    between balls alone.
    """

    tolerance: float
    is_rough: bool
    most_work: float
    obstacles_last: bool


@by_reference
class SolverWorkspace(NamedTuple):
    """The arrays of the solver for m contacts of n balls.

    row: (m,), a record of `ROW_FIELDS` each; motion, before, search_direction: (n + 1, 3), the
    motions, those at the start of a sweep, and their change along the search direction; place:
    (n,), the number of each ball in this solve, from 1 on, or 0 if it is fixed; ball: (n + 1,), the
    balls by these numbers; factors, updates: see `active_set`.
    """

    row: Records
    motion: Floats
    before: Floats
    search_direction: Floats
    ball: npt.NDArray[np.uint32]
    place: npt.NDArray[np.uint32]
    factors: Factors
    updates: UpdateWorkspace


def solver_workspace(m: int, n: int) -> SolverWorkspace:
    """A workspace for m contacts of n balls."""
    return SolverWorkspace(
        row=np.zeros(m, ROW_FIELDS).view(np.recarray),
        motion=np.zeros((n + 1, 3)),
        before=np.zeros((n + 1, 3)),
        search_direction=np.zeros((n + 1, 3)),
        ball=np.zeros(n + 1, dtype=np.uint32),
        place=np.zeros(n, dtype=np.uint32),
        factors=empty_factors(m, n + 1),
        updates=update_workspace(m),
    )


@kernel(label="the contact solver", parts=55)
def solve_contacts(
    contacts: ContactList,
    force: Floats,
    motion: Floats,
    inverse_mass: Floats,
    goal: SolverGoal,
    workspace: SolverWorkspace,
    work: ContactWork,
) -> float:
    """Change the motions (n, 3) so that each contact reaches its `bias`, or less by its `spare`.

    Returns the work that forces, or impulses, do where motions exceed bias − spare.

    force: (m,), the start of the search, and its result; inverse_mass: (n,), 0 for balls that do
    not move; work: counters, see `collision.journal`.

    Without positive biases no energy is gained, because motions of 0 satisfy all contacts. With
    them forces have no bound where balls fit exactly between walls. So where there is no solution,
    or it takes too much work, all or some of `spare` is given up. If residuals alone still take too
    much, forces that only press against each other are removed. Where the forces of the last step
    lead to no solution, the search starts again without forces.
    """
    count = len(contacts)
    if count == 0:
        return 0.0
    work.islands += 1
    balls = _number_balls(contacts, inverse_mass, workspace)
    _write_rows(contacts, inverse_mass, workspace)
    _set_motions(contacts, motion, force, workspace, balls)
    _find_forces(workspace, count, balls, goal.tolerance, goal.is_rough, work)
    takes_too_much = _work_of_parting(workspace, count) > goal.most_work
    if takes_too_much:
        for c in range(count):
            give_up_spare(workspace.row[c])
        _set_motions(contacts, motion, force, workspace, balls)
    tolerance = goal.tolerance
    if takes_too_much or _some_gave_up(workspace, contacts):
        tolerance *= CROWDED_RESIDUAL
        _find_forces(workspace, count, balls, tolerance, goal.is_rough, work)
    if _objective(contacts, motion, workspace) > 0.0:  # not converged, and worse than no forces
        for c in range(count):
            force[c] = 0.0
        _set_motions(contacts, motion, force, workspace, balls)
        _find_forces(workspace, count, balls, tolerance, goal.is_rough, work)
    if not goal.is_rough and _work_of_parting(workspace, count) > goal.most_work:
        release_self_stress(_problem_of(workspace, count), work)
    if goal.obstacles_last:
        _sweep_obstacle_contacts(workspace, count, CROWDED_RESIDUAL * tolerance)
    for c in range(count):
        force[c], contacts.spare[c] = workspace.row[c].force, workspace.row[c].spare
    for k in range(1, balls + 1):
        set_vector(motion, workspace.ball[k], vector_at(workspace.motion, k))
    return max(_work_of_parting(workspace, count), 0.0)


@inlined
def _find_forces(
    workspace: SolverWorkspace,
    count: int,
    balls: int,
    tolerance: float,
    is_rough: bool,
    work: ContactWork,
) -> None:
    """Sweep, and exchange unless it is a rough solve, until no residual is above the tolerance, or
    no better forces are found."""
    problem = _problem_of(workspace, count)
    # In a rough solve √count, as a pile has layers. With half as many sweeps a pile of 10,000 balls
    # has four times as many impacts; with twice as many half of them, but a step takes 1.7 times as
    # long.
    sweeps = math.sqrt(count) if is_rough else count / _CONTACTS_PER_SWEEP
    sweeps = max(_FEWEST_SWEEPS, int(sweeps))
    for _ in range(_MOST_PASSES):
        is_settled = _sweep(workspace, count, balls, sweeps, tolerance, work)
        if is_settled or is_rough:
            return
        if solve_active_set(problem, tolerance, sweeps, work) != UNSOLVED:
            return


@inlined
def _problem_of(workspace: SolverWorkspace, count: int) -> Problem:
    """The first `count` rows, with the arrays that `active_set` changes."""
    rows: Any = workspace.row[:count]
    return Problem(rows, workspace.motion, workspace.factors, workspace.updates)


@inlined
def _work_of_parting(workspace: SolverWorkspace, count: int) -> float:
    """The work of forces, or impulses, where motions exceed bias − spare."""
    total = 0.0
    for c in range(count):
        row = workspace.row[c]
        total += row.force * (row.spare - residual_of(row, workspace.motion))
    return total


@inlined
def _objective(contacts: ContactList, motion: Floats, workspace: SolverWorkspace) -> float:
    """The quadratic function that the forces minimise, see `active_set`. It is 0 without forces,
    and it only falls: so a value above 0 comes from huge forces of the last step."""
    total = 0.0
    for c in range(len(contacts)):
        row, i, j = workspace.row[c], contacts.first[c], contacts.second[c]
        if row.force > 0.0:
            before = vector_at(motion, i)
            if j >= 0:
                before = before - vector_at(motion, j)
            along = before.dot(vector_at(contacts.normal, c))
            total += 0.5 * row.force * (along - row.bias - residual_of(row, workspace.motion))
    return total


@inlined
def _some_gave_up(workspace: SolverWorkspace, contacts: ContactList) -> bool:
    """Whether a contact has given up its `spare`."""
    gave_up = False
    for c in range(len(contacts)):
        gave_up = gave_up or workspace.row[c].spare < contacts.spare[c]
    return gave_up


@inlined
def _number_balls(contacts: ContactList, inverse_mass: Floats, workspace: SolverWorkspace) -> int:
    """Number the movable balls from 1 on; returns their count."""
    place, balls = workspace.place, 0
    for c in range(len(contacts)):
        for i in (contacts.first[c], contacts.second[c]):
            if i >= 0:
                place[i] = 0
    for c in range(len(contacts)):
        for i in (contacts.first[c], contacts.second[c]):
            if i >= 0 and inverse_mass[i] > 0.0 and place[i] == 0:
                balls += 1
                place[i], workspace.ball[balls] = balls, i
    return balls


@inlined
def _set_motions(
    contacts: ContactList, motion: Floats, force: Floats, workspace: SolverWorkspace, balls: int
) -> None:
    """Copy the motions, and apply to them the forces from which the search starts."""
    set_vector(workspace.motion, 0, ZERO)
    for k in range(1, balls + 1):
        set_vector(workspace.motion, k, vector_at(motion, workspace.ball[k]))
    for c in range(len(contacts)):
        row = workspace.row[c]
        row.force = 0.0
        if force[c] != 0.0:
            add_force(row, workspace.motion, force[c])


@inlined
def _write_rows(contacts: ContactList, inverse_mass: Floats, workspace: SolverWorkspace) -> None:
    """Write the contacts as rows, without the forces."""
    for c in range(len(contacts)):
        row, i, j, n = workspace.row[c], contacts.first[c], contacts.second[c], contacts.normal
        row.nx, row.ny, row.nz = n[c, 0], n[c, 1], n[c, 2]
        row.bias, row.spare = contacts.bias[c], contacts.spare[c]
        row.first, row.inverse_mass_first = workspace.place[i], inverse_mass[i]
        row.second = workspace.place[j] if j >= 0 else 0
        row.inverse_mass_second = inverse_mass[j] if j >= 0 else 0.0
        mobility = row.inverse_mass_first + row.inverse_mass_second
        row.stiffness = 1.0 / mobility if mobility > 0.0 else 0.0


@inlined
def _solve_contact(row: RowRecord, motion: Floats, tolerance: float) -> bool:
    """Solve one contact alone; returns whether its residual was within the tolerance."""
    change = max(residual_of(row, motion) * row.stiffness, -row.force)
    if change != 0.0:
        add_force(row, motion, change)
    return bool(abs(change) <= tolerance * row.stiffness)


@routine
def _sweep(
    workspace: SolverWorkspace,
    count: int,
    balls: int,
    sweeps: int,
    tolerance: float,
    work: ContactWork,
) -> bool:
    """Sweep over the contacts several times; True if the last sweep was within the tolerance.

    The change by a sweep, forwards and backwards, stands for the gradient of the conjugate-gradient
    method; while it gets shorter, the former search direction is added.
    """
    rows, motion, before = workspace.row, workspace.motion, workspace.before
    search_direction = workspace.search_direction
    for c in range(count):
        rows[c].search_direction = 0.0
    for k in range(balls + 1):
        for axis in range(3):
            search_direction[k, axis] = 0.0
    is_settled = False
    descent_before = math.inf
    for sweep in range(sweeps):
        work.rounds += 1
        for k in range(balls + 1):
            for axis in range(3):
                before[k, axis] = motion[k, axis]
        # Each contact for itself.
        is_settled = True
        for c in range(count):
            rows[c].start = rows[c].force
            is_settled = _solve_contact(rows[c], motion, tolerance) & is_settled
        for c in range(count - 1, -1, -1):
            is_settled = _solve_contact(rows[c], motion, tolerance) & is_settled
        if is_settled or sweep + 1 == sweeps:
            break
        # Further along the former search direction.
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
    """Go this share of the former search direction; with the sweep it makes the next direction."""
    motion, search_direction = workspace.motion, workspace.search_direction
    for c in range(count):
        row = workspace.row[c]
        row.force += share * row.search_direction
        row.search_direction = row.start + share * row.search_direction
    for k in range(balls + 1):
        for axis in range(3):
            step = share * search_direction[k, axis]
            search_direction[k, axis] = motion[k, axis] - workspace.before[k, axis] + step
            motion[k, axis] += step


@inlined
def _sweep_obstacle_contacts(workspace: SolverWorkspace, count: int, tolerance: float) -> None:
    """Sweep over the contacts with fixed bodies until all residuals are within the tolerance."""
    for _ in range(_OBSTACLE_SWEEPS):
        is_settled = True
        for c in range(count):
            row = workspace.row[c]
            if row.first == 0 or row.second == 0:
                is_settled = _solve_contact(row, workspace.motion, tolerance) & is_settled
        if is_settled:
            return
