"""The active set of an island: which contacts carry force, found by exchanging one at a time.

The contact forces minimise ½ f·S·f − b·f with f ≥ 0, where S is the contact matrix of `factors` and
b the residual without forces: a convex quadratic programme. The active-set method (J. Nocedal,
S. J. Wright, Numerical Optimization, 2006, section 16.5) goes towards the forces that solve the
equations of the active contacts. Where a force reaches 0 on the way, that contact is dropped; at
the end the contact with the largest residual is added. The value only falls, so the method ends.

S of the first active set is factorised once. Each exchange is an update: a row and a column beside
it, for a contact that is added with its own entries of S, for a dropped one with those that keep
its force at 0. What remains to solve is the Schur complement, with one row for each update (R. A.
Bartlett, L. T. Biegler, QPSchur: a dual, active-set, Schur-complement method for large-scale and
structured convex quadratic programming, Optimization and Engineering 7, 2006). As its rows of
added contacts are positive and those of dropped ones negative, it has factors L·D·Lᵀ in any order
(R. J. Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optim. 5, 1995).
"""

from typing import NamedTuple

import numpy as np

from spheresim.collision.journal import ContactWork
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import NO_INDEX
from spheresim.contact.contact_rows import RowRecord, add_force, give_up_spare, residual_of
from spheresim.contact.factors import (
    MOST_NUMBERS,
    MOST_UPDATES,
    REGULARISATION,
    Factors,
    ball_of,
    coupling,
    entry_by_ball,
    factorise,
    solve,
    write_column,
)
from spheresim.numerics.arrays import Floats, Records

SOLVED, UNSOLVED, NO_SOLUTION = 0, 1, 2
"""What `solve_active_set` returns."""

_FEWEST_EXCHANGES = 4 * MOST_UPDATES
"""Least bound on the exchanges. There must be one: by rounding, contacts may be added and dropped
in turn without end."""

_NEARLY_INFEASIBLE = 0.01
"""Share of the regularisation, see `_share_of_regularisation`, above which contacts give up their
`spare`."""

_LONGEST_STEP = REGULARISATION / 1e-15
"""Length above which rounding of the forces outweighs the residuals that a direction leaves: then
the equations no longer restrict it."""


@by_reference
class UpdateWorkspace(NamedTuple):
    """The updates of the factors of m contacts; `Factors.chosen` lists what they add or drop.

    column: (MOST_UPDATES · m,), S⁻¹ times the column of each, one after the other; schur, lower:
    (MOST_UPDATES, MOST_UPDATES), the Schur complement and its factors; right_side: (m +
    MOST_UPDATES,), S⁻¹ times the right sides of the first active set, then those of added contacts.
    """

    column: Floats
    schur: Floats
    lower: Floats
    right_side: Floats


def update_workspace(m: int) -> UpdateWorkspace:
    """A workspace for m contacts."""
    return UpdateWorkspace(
        column=np.zeros(min(MOST_UPDATES * m, max(MOST_NUMBERS, m))),
        schur=np.zeros((MOST_UPDATES, MOST_UPDATES)),
        lower=np.zeros((MOST_UPDATES, MOST_UPDATES)),
        right_side=np.zeros(m + MOST_UPDATES),
    )


class Problem(NamedTuple):
    """The contacts of a solve, and the factors of S.

    rows: all contacts, with the forces from which the search starts; motion: of the balls, with
    these forces; factors: of S for the first active set; updates: of these factors.
    """

    rows: Records
    motion: Floats
    factors: Factors
    updates: UpdateWorkspace


@routine
def solve_active_set(problem: Problem, tolerance: float, most: int, work: ContactWork) -> int:
    """Exchange contacts until no residual is above the tolerance; then returns `SOLVED`.

    most: bound on the exchanges, if it is above _FEWEST_EXCHANGES; work: counters. Returns
    `NO_SOLUTION` if the equations have none; `UNSOLVED` after too many exchanges, or if there is no
    room for the factors.
    """
    size = count = 0
    for step in range(max(most, _FEWEST_EXCHANGES)):
        if step == 0 or count == _most_updates(problem, size):
            size, count = _factorise(problem, work), 0
            if size == 0:
                return UNSOLVED
            _set_residuals(problem, size, count)
        _find_direction(problem, size, count)
        length, changed = _length_of_step(problem, size, count, 1.0)
        if changed == NO_INDEX:
            share, left = _share_of_regularisation(problem, size, count)
            if share > _NEARLY_INFEASIBLE and left > tolerance:
                if _give_up_spare(problem, size, count, _NEARLY_INFEASIBLE * left):
                    continue
                # What the regularisation has left of the way to the least value.
                longest = 1.0 / max(1.0 - share, 1.0 / _LONGEST_STEP)
                length, changed = _length_of_step(problem, size, count, longest)
                if changed == NO_INDEX and longest == _LONGEST_STEP:
                    return NO_SOLUTION
        _add_forces(problem, size, count, length, changed)
        if changed == NO_INDEX:
            left, _ = _largest_residual(problem, True)
            if left > tolerance:  # that of the regularisation
                _set_residuals(problem, size, count)
                continue
            worst, changed = _largest_residual(problem, False)
            if worst <= tolerance:
                return SOLVED
        count = _exchange(problem, changed, size, count)
    return UNSOLVED


@routine
def release_self_stress(problem: Problem, work: ContactWork) -> None:
    """Reduce the forces towards the smallest ones with the same effect; drop contacts on the way.

    Forces of contacts that press against each other change no motion, so nothing bounds them. They
    would do work as soon as the balls have moved or one of these contacts ends. The regularised S
    damps all other forces: REGULARISATION · S⁻¹ · f, taken twice, leaves only this self-stress.
    Rounding leaves 1e-7 of it, so it is released a second time.
    """
    size, count, times = _factorise(problem, work), 0, 0
    while size > 0 and times < 2:
        for damped in range(2):
            _set_damping(problem, size, count, damped == 0)
            _find_direction(problem, size, count)
        length, changed = _length_of_step(problem, size, count, 1.0)
        _add_forces(problem, size, count, length, changed)
        if changed == NO_INDEX:
            times += 1
        elif count == _most_updates(problem, size):
            size, count = _factorise(problem, work), 0
        else:
            count = _exchange(problem, changed, size, count)


@inlined
def _set_damping(problem: Problem, size: int, count: int, is_of_forces: bool) -> None:
    """Set the right sides to the regularisation times the forces, or minus the direction."""
    rows, factors = problem.rows, problem.factors
    for m in range(size + count):
        row = rows[factors.chosen[m]]
        value = row.force if is_of_forces else -factors.x[m]
        factors.x[m] = value * (REGULARISATION / row.stiffness if _is_active(row) else 0.0)
    _solve_right_sides(problem, size, count)


@inlined
def _most_updates(problem: Problem, size: int) -> int:
    """The number of updates for which there is room beside the factors of `size` contacts."""
    return min(MOST_UPDATES, len(problem.updates.column) // size)


@routine
def _factorise(problem: Problem, work: ContactWork) -> int:
    """Factorise S for the contacts with force, the first active set; returns its size, or 0."""
    rows, factors = problem.rows, problem.factors
    size = factorise(rows, factors)
    for c in range(len(rows)):
        rows[c].place, rows[c].update = NO_INDEX, NO_INDEX
    for k in range(size):
        rows[factors.chosen[k]].place = k
    if size > 0:
        work.factors += 1
    return size


@inlined
def _set_residuals(problem: Problem, size: int, count: int) -> None:
    """Set the right sides to the residuals."""
    rows, factors = problem.rows, problem.factors
    for m in range(size + count):
        factors.x[m] = residual_of(rows[factors.chosen[m]], problem.motion)
    _solve_right_sides(problem, size, count)


@inlined
def _solve_right_sides(problem: Problem, size: int, count: int) -> None:
    """Write `right_side`, from the right sides of the equations in x."""
    factors, right_side = problem.factors, problem.updates.right_side
    solve(factors, size)
    for m in range(size + count):
        right_side[m] = factors.x[m]


@inlined
def _is_active(row: RowRecord) -> bool:
    """Whether a contact is of the first active set and not dropped, or is added."""
    return bool((row.place == NO_INDEX) != (row.update == NO_INDEX))


@routine
def _find_direction(problem: Problem, size: int, count: int) -> None:
    """Write to x the changes of force that solve the equations."""
    rows, factors, updates = problem.rows, problem.factors, problem.updates
    x, right_side = factors.x, updates.right_side
    for m in range(size, size + count):
        row = rows[factors.chosen[m]]
        if row.place == NO_INDEX:
            x[m] = right_side[m] - coupling(rows, factors, row, right_side)
        else:
            x[m] = -right_side[row.place]
    _solve_schur(problem, size, count)
    for k in range(size):
        x[k] = right_side[k]
    for j in range(count):
        column, share = updates.column[j * size : (j + 1) * size], x[size + j]
        for k in range(size):
            x[k] -= share * column[k]


@inlined
def _solve_schur(problem: Problem, size: int, count: int) -> None:
    """Solve the equations of the Schur complement, with the right sides in x, from `size` on."""
    rows, factors, updates = problem.rows, problem.factors, problem.updates
    lower, y = updates.lower, factors.x[size:]
    for i in range(count):
        for j in range(i):
            entry = updates.schur[i, j]
            for k in range(j):
                entry -= lower[i, k] * lower[j, k] * lower[k, k]
            lower[i, j] = entry / lower[j, j]
        pivot = updates.schur[i, i]
        for k in range(i):
            pivot -= lower[i, k] * lower[i, k] * lower[k, k]
        row = rows[factors.chosen[size + i]]
        if row.place == NO_INDEX:
            pivot = max(pivot, REGULARISATION / row.stiffness)
        else:
            pivot = min(pivot, -REGULARISATION * row.stiffness)
        lower[i, i] = pivot
    for i in range(count):
        for k in range(i):
            y[i] -= lower[i, k] * y[k]
    for n in range(count):
        i = count - 1 - n
        y[i] /= lower[i, i]
        for k in range(i + 1, count):
            y[i] -= lower[k, i] * y[k]


@inlined
def _length_of_step(problem: Problem, size: int, count: int, longest: float) -> tuple[float, int]:
    """The fraction of the direction after which the first force is 0, and its contact; or `longest`
    and NO_INDEX."""
    rows, factors = problem.rows, problem.factors
    length, blocking = longest, NO_INDEX
    for m in range(size + count):
        c, change = factors.chosen[m], factors.x[m]
        if _is_active(rows[c]) and change < 0.0 and rows[c].force < -length * change:
            length, blocking = -rows[c].force / change, c
    return length, blocking


@inlined
def _share_of_regularisation(problem: Problem, size: int, count: int) -> tuple[float, float]:
    """The regularisation's share of the work of the direction against the residuals, 1 if the
    equations have no solution; and the largest residual that it leaves."""
    rows, factors = problem.rows, problem.factors
    total, taken, largest = 0.0, 0.0, 0.0
    for m in range(size + count):
        row, change = rows[factors.chosen[m]], factors.x[m]
        if _is_active(row):
            left = REGULARISATION * change / row.stiffness
            total += change * residual_of(row, problem.motion)
            taken += change * left
            largest = max(largest, abs(left))
    return (taken / total if total > 0.0 else 0.0), largest


@inlined
def _give_up_spare(problem: Problem, size: int, count: int, left: float) -> bool:
    """Give up the `spare` of contacts of which the direction leaves more than this residual;
    returns whether there was any."""
    rows, factors, had_any = problem.rows, problem.factors, False
    for m in range(size + count):
        row, change = rows[factors.chosen[m]], factors.x[m]
        if _is_active(row) and REGULARISATION * change / row.stiffness > left:
            had_any = had_any or row.spare > 0.0
            give_up_spare(row)
    if had_any:
        _set_residuals(problem, size, count)
    return had_any


@inlined
def _add_forces(problem: Problem, size: int, count: int, length: float, blocking: int) -> None:
    """Add the direction, times a length, to the forces; none becomes negative, and that of the
    blocking contact, if there is one, 0."""
    rows, factors, right_side = problem.rows, problem.factors, problem.updates.right_side
    for m in range(size + count):
        row = rows[factors.chosen[m]]
        if _is_active(row):
            add_force(row, problem.motion, max(length * factors.x[m], -row.force))
        right_side[m] *= 1.0 - length  # what is left of the residuals
    if blocking != NO_INDEX:
        add_force(rows[blocking], problem.motion, -rows[blocking].force)


@inlined
def _largest_residual(problem: Problem, active: bool) -> tuple[float, int]:
    """The largest residual of the active contacts, regardless of sign, or of the others, and the
    contact; 0 and NO_INDEX if none is above 0."""
    rows, motion = problem.rows, problem.motion
    largest, found = 0.0, NO_INDEX
    for c in range(len(rows)):
        if rows[c].stiffness > 0.0 and _is_active(rows[c]) == active:
            residual = residual_of(rows[c], motion)
            if active:
                residual = abs(residual)
            if residual > largest:
                largest, found = residual, c
    return largest, found


@routine
def _exchange(problem: Problem, c: int, size: int, count: int) -> int:
    """Take back the update of contact c, or append one; returns the new number of updates."""
    if problem.rows[c].update != NO_INDEX:
        _take_back(problem, c, size, count)
        return count - 1
    _append(problem, c, size, count)
    return count + 1


@inlined
def _append(problem: Problem, c: int, size: int, count: int) -> None:
    """Append the update that adds contact c, or drops it if it is of the first active set."""
    rows, motion, factors, updates = problem.rows, problem.motion, problem.factors, problem.updates
    row = rows[c]
    factors.chosen[size + count], row.update = c, count
    for k in range(size):
        factors.x[k] = 0.0
    is_added = row.place == NO_INDEX
    if is_added:
        write_column(rows, factors, row)
    else:
        factors.x[row.place] = 1.0
    solve(factors, size)
    column = updates.column[count * size : (count + 1) * size]
    for k in range(size):
        column[k] = factors.x[k]
    updates.right_side[size + count] = residual_of(row, motion)
    own = (1.0 + REGULARISATION) / row.stiffness
    for j in range(count + 1):
        other = rows[factors.chosen[size + j]]
        if other.place != NO_INDEX:
            entry = -column[other.place]
        else:
            entry = -coupling(rows, factors, other, column)
            if is_added:
                entry += own if j == count else _between(row, other)
        updates.schur[count, j] = updates.schur[j, count] = entry


@inlined
def _between(row: RowRecord, other: RowRecord) -> float:
    """The entry of S of two contacts."""
    entry = 0.0
    for side in range(2):
        for there in range(2):
            ball = ball_of(row, side)
            if ball > 0 and ball == ball_of(other, there):
                entry += entry_by_ball(row, side, other, there)
    return entry


@inlined
def _take_back(problem: Problem, c: int, size: int, count: int) -> None:
    """Take back the update of contact c; the last one takes its place."""
    rows, factors, updates = problem.rows, problem.factors, problem.updates
    right_side, row, last = updates.right_side, rows[c], count - 1
    j = row.update
    column = updates.column[j * size : (j + 1) * size]
    if row.place != NO_INDEX:  # it carries force again
        residual = residual_of(row, problem.motion)
        for k in range(size):
            right_side[k] += residual * column[k]
    row.update = NO_INDEX
    if j == last:
        return
    moved = updates.column[last * size : (last + 1) * size]
    for k in range(size):
        column[k] = moved[k]
    factors.chosen[size + j] = factors.chosen[size + last]
    rows[factors.chosen[size + j]].update = j
    right_side[size + j] = right_side[size + last]
    for k in range(last):
        updates.schur[j, k] = updates.schur[k, j] = updates.schur[last, k]
    updates.schur[j, j] = updates.schur[last, last]
