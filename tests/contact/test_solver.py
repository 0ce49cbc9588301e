"""Many contacts at once: the motions are the nearest that the contacts allow."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from spheresim.collision.journal import ContactWork
from spheresim.compiler.decorators import kernel
from spheresim.contact.active_set import SOLVED, Problem, solve_active_set
from spheresim.contact.contact_list import empty_contacts, write_contact
from spheresim.contact.factors import REGULARISATION, factorise, solve
from spheresim.contact.solver import SolverGoal, solve_contacts, solver_workspace
from spheresim.numerics.records import zero_record
from spheresim.numerics.vector import TVector


@kernel
def solved(contacts, force, motion, inverse_mass, tolerance, is_rough, most_work, room, work):
    goal = SolverGoal(tolerance, is_rough, most_work, False)
    solve_contacts(contacts, force, motion, inverse_mass, goal, room, work)


@kernel
def solved_at_once(rows, factors, residual):
    size = factorise(rows, factors)
    for k in range(size):
        factors.x[k] = residual[factors.chosen[k]]
    solve(factors, size)
    return size


@kernel
def exchanged(rows, motion, tolerance, room, work):
    problem = Problem(rows, motion, room.factors, room.updates)
    return solve_active_set(problem, tolerance, 0, work)


class Contacts:
    """Contacts (first, second, normal, needed) of balls with these motions and masses."""

    def __init__(self, contacts, motion, mass):
        self.list, self.count = empty_contacts(max(1, len(contacts))), len(contacts)
        for c, (first, second, normal, bias) in enumerate(contacts):
            write_contact(self.list, c, first, second, TVector(normal))
            self.list.bias[c] = bias
        self.before = np.array(motion, dtype=float)
        self.motion = self.before.copy()
        self.inverse_mass = 1.0 / np.array(mass, dtype=float)
        self.force = np.zeros(len(self.list.first))
        self.room = solver_workspace(len(self.list.first), len(self.before))

    def solve(self, tolerance=1e-13, is_rough=False, most_work=math.inf):
        """The number of sweeps; push is what was found, and motion what it makes."""
        used, work = slice(0, self.count), zero_record(ContactWork)
        parts = self.list[used], self.force[used], self.motion, self.inverse_mass
        solved(*parts, tolerance, is_rough, most_work, self.room, work)
        return work.rounds

    @property
    def directions(self):
        """The change of all motions by a unit of each push times its mass, (contacts, 3n)."""
        rows = np.zeros((self.count, *self.motion.shape))
        for c in range(self.count):
            rows[c, self.list.first[c]] += self.list.normal[c]
            if self.list.second[c] >= 0:
                rows[c, self.list.second[c]] -= self.list.normal[c]
        return rows.reshape(self.count, -1)

    @property
    def surplus(self):
        """By how much each contact has more than it needs."""
        return self.directions @ self.motion.ravel() - self.list.bias[: self.count]


def random_contacts(seed, balls=6, many=14):
    random = np.random.default_rng(seed)
    contacts = []
    for _ in range(many):
        first, second = random.choice(balls, 2, replace=False)
        normal = random.normal(size=3)
        second = int(second) if random.random() < 0.7 else -1
        contacts.append((int(first), second, normal / np.linalg.norm(normal), -random.random()))
    motion = random.normal(size=(balls, 3))
    return Contacts(contacts, motion, random.uniform(0.3, 3.0, balls))


@pytest.mark.thorough
@given(st.integers(0, 2**32 - 1))
def test_every_contact_gets_what_it_needs_and_those_that_push_get_no_more(seed):
    contacts = random_contacts(seed)
    contacts.solve()
    force = contacts.force[: contacts.count]
    assert (force >= 0.0).all()
    assert contacts.surplus.min() > -1e-9
    assert (force * contacts.surplus).max() < 1e-8


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.cases(1)
def test_the_motions_are_those_of_an_independent_solver(seed):
    # min ½·|u − u0|² weighted by mass, with directions·u ≥ needed: as a problem of least distance
    # (Lawson and Hanson, Solving Least Squares Problems, chapter 23), which nnls solves.
    contacts = random_contacts(seed)
    root = np.repeat(np.sqrt(contacts.inverse_mass), 3)
    matrix = contacts.directions * root
    residual = contacts.list.bias[: contacts.count] - contacts.directions @ contacts.before.ravel()
    stacked = np.vstack([matrix.T, residual])
    target = np.zeros(len(stacked))
    target[-1] = 1.0
    weight, _ = nnls(stacked, target)
    rest = stacked @ weight - target
    change = root * (-rest[:-1] / rest[-1])
    contacts.solve()
    expected = contacts.before.ravel() + change
    assert contacts.motion.ravel() == pytest.approx(expected, abs=1e-8)


def test_a_column_pushes_with_the_weight_above_each_contact():
    up = (0.0, 1.0, 0.0)
    column = [(k, k - 1, up, 0.0) for k in range(20)]  # the lowest, 0, lies on obstacle 0
    contacts = Contacts(column, [(0.0, -9.81, 0.0)] * 20, [2.0] * 20)
    contacts.solve()
    above = 2.0 * 9.81 * np.arange(20, 0, -1)
    assert contacts.force == pytest.approx(above, rel=1e-9)
    assert np.abs(contacts.motion).max() < 1e-9


def test_what_was_found_before_is_where_it_starts():
    contacts = random_contacts(3)
    first = contacts.solve(1e-9)
    contacts.motion[:] = contacts.before
    assert contacts.solve(1e-9) <= max(2, first // 4)


def test_a_search_that_cannot_end_does_and_no_push_pulls():
    contacts = random_contacts(4, balls=12, many=40)
    assert contacts.solve(0.0) <= 100
    assert (contacts.force >= 0.0).all()


@given(st.integers(0, 2**32 - 1))
def test_factors_solve_what_the_matrix_of_all_contacts_that_push_says(seed):
    random = np.random.default_rng(seed)
    contacts = random_contacts(seed, balls=20, many=30)
    force = random.choice([0.0, 1.0], 30)
    residual = random.normal(size=30)
    contacts.solve()  # writes its rows
    rows = contacts.room.row[:30]
    rows.force = force
    size = solved_at_once(rows, contacts.room.factors, residual)
    factors = contacts.room.factors
    chosen = factors.chosen[:size]
    assert sorted(chosen) == list(np.flatnonzero(force))
    rows = contacts.directions[chosen]
    matrix = rows @ np.diag(np.repeat(contacts.inverse_mass, 3)) @ rows.T
    answer = (matrix + REGULARISATION * np.diag(np.diag(matrix))) @ factors.x[:size]
    size_of_x = max(1.0, np.abs(factors.x[:size]).max(initial=0.0))
    assert answer == pytest.approx(residual[chosen], abs=1e-12 * size_of_x)


@given(st.integers(0, 2**32 - 1))
def test_exchanges_alone_find_the_same_from_any_forces(seed):
    random = np.random.default_rng(seed)
    contacts = random_contacts(seed, balls=20, many=40)
    contacts.solve()
    room, force = contacts.room, random.uniform(0.0, 2.0, 40) * random.choice([0.0, 1.0], 40)
    force[random.integers(40)] = 1.0
    rows = room.row[:40]
    rows.force = force
    push = (force @ contacts.directions).reshape(-1, 3) * contacts.inverse_mass[:, None]
    balls = np.flatnonzero(room.place)
    room.motion[room.place[balls]] = (contacts.before + push)[balls]
    work = zero_record(ContactWork)
    # Once more where the factors of the first active set, which may be singular, do not suffice.
    assert SOLVED in (exchanged(rows, room.motion, 1e-10, room, work) for _ in range(2))
    assert (rows.force >= 0.0).all()
    assert room.motion[room.place[balls]] == pytest.approx(contacts.motion[balls], abs=1e-8)


@pytest.mark.parametrize("most", [1, 3])
def test_with_little_room_for_updates_the_factors_are_found_anew(most):
    contacts, other = random_contacts(4, balls=12, many=40), random_contacts(4, balls=12, many=40)
    updates = contacts.room.updates
    few = updates._replace(column=updates.column[: 40 * most])
    contacts.room = contacts.room._replace(updates=few)
    contacts.solve(1e-10)
    other.solve(1e-10)
    assert contacts.motion == pytest.approx(other.motion, abs=1e-8)


def test_a_long_column_takes_one_factorisation():
    """Sweeps alone take as many rounds as the square of the balls."""
    up, balls = (0.0, 1.0, 0.0), 500
    column = [(k, k - 1, up, 0.0) for k in range(balls)]
    contacts = Contacts(column, [(0.0, -9.81, 0.0)] * balls, [2.0] * balls)
    assert contacts.solve(1e-10) <= 10
    assert contacts.force == pytest.approx(2.0 * 9.81 * np.arange(balls, 0, -1), rel=1e-9)


def test_a_rough_solve_stops_after_some_sweeps_and_adds_no_energy():
    up, balls = (0.0, 1.0, 0.0), 500
    column = [(k, k - 1, up, 0.0) for k in range(balls)]
    contacts = Contacts(column, [(0.0, -9.81, 0.0)] * balls, [2.0] * balls)
    assert contacts.solve(1e-10, is_rough=True) <= 2.0 * balls**0.5 + 1.0
    assert (contacts.force >= 0.0).all()
    before, after = (contacts.before**2).sum(), (contacts.motion**2).sum()
    assert after < before
    assert contacts.surplus.min() < -1e-3  # what is left for impacts


@pytest.mark.parametrize("heavy", [1e3, 1e6])
def test_light_balls_carry_heavy_ones(heavy):
    up, mass = (0.0, 1.0, 0.0), np.array([1.0] * 4 + [heavy])
    column = [(k, k - 1, up, 0.0) for k in range(5)]
    contacts = Contacts(column, [(0.0, -9.81, 0.0)] * 5, mass)
    contacts.solve(1e-7)
    assert np.abs(contacts.motion).max() < 1e-6
    assert contacts.force[0] == pytest.approx(9.81 * mass.sum(), rel=1e-6)


def test_without_room_for_the_factors_sweeps_find_the_same():
    contacts, other = random_contacts(4, balls=12, many=40), random_contacts(4, balls=12, many=40)
    none = contacts.room.factors
    contacts.room = contacts.room._replace(
        factors=none._replace(row=none.row[:0], value=none.value[:0])
    )
    contacts.solve(1e-10)
    other.solve(1e-10)
    assert contacts.motion == pytest.approx(other.motion, abs=1e-8)


def test_balls_without_room_are_not_pushed_without_end():
    # Between two walls that both want the ball to go away from them.
    contacts = Contacts(
        [(0, -1, (0.0, 1.0, 0.0), 1.0), (0, -2, (0.0, -1.0, 0.0), 1.0)], [(0.0, 0.0, 0.0)], [1.0]
    )
    assert contacts.solve(1e-9) <= 10
    assert 0.0 < contacts.force.max() < 1e4
    assert np.abs(contacts.motion).max() <= 1.0


def row_between_walls(bias):
    """Three balls in a row that fits exactly between two walls, each on the floor."""
    along, up = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    row = [(0, -1, along, bias), (1, 0, along, bias), (2, 1, along, bias)]
    row.append((2, -2, (-1.0, 0.0, 0.0), bias))
    floor = [(k, -3, up, 0.0) for k in range(3)]
    return Contacts(row + floor, [(0.0, -10.0, 0.0)] * 3, [1.0] * 3)


def test_forces_that_only_press_against_each_other_are_released_if_they_do_work():
    # Nothing moves, but each contact may close, so that none of the forces along the row is needed.
    contacts = row_between_walls(-1e-9)
    contacts.force[:4] = 1e7
    contacts.solve(1e-8, most_work=1e-3)
    assert contacts.force[:4].max() < 1e-3
    assert contacts.force[4:7] == pytest.approx(10.0, rel=1e-7)
    assert np.abs(contacts.motion).max() < 1e-7


@pytest.mark.parametrize("angle", [1e-3, 1e-4, 1e-5, 1e-6])
def test_a_nearly_straight_row_presses_as_much_as_it_must(angle):
    # The middle ball of three hangs between the others, which walls and a floor hold.
    sine, cosine = math.sin(angle), math.cos(angle)
    along, up = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    row = [
        *((0, -1, along, 0.0), (2, -2, (-1.0, 0.0, 0.0), 0.0)),
        *((0, -3, up, 0.0), (2, -3, up, 0.0)),
        *((1, 0, (cosine, sine, 0.0), 0.0), (1, 2, (-cosine, sine, 0.0), 0.0)),
    ]
    contacts = Contacts(row, [(0.0, -10.0, 0.0)] * 3, [1.0] * 3)
    assert contacts.solve(1e-6 * angle) <= 10
    assert contacts.force[4:6] == pytest.approx(5.0 / sine, rel=1e-5)
