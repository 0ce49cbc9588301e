"""The grid finds what comparing everything with everything finds, wherever and however large."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spheresim.broadphase.sphere_grids.hashed_grid import empty_grid, neighbours, place
from spheresim.compiler.decorators import kernel
from spheresim.numerics.vector import TVector


@kernel
def put_all(grid, order, centres, reaches):
    for k in range(order.size):
        i = order[k]
        place(grid, i, TVector(centres[i, 0], centres[i, 1], centres[i, 2]), reaches[i])


@kernel
def find(grid, i, found):
    return neighbours(grid, i, found)


class Spheres:
    """A grid, and the same spheres in arrays."""

    def __init__(self, centres, reaches, side):
        self.centres = np.array(centres, dtype=float).reshape(-1, 3)
        self.reaches = np.array(reaches, dtype=float)
        self.count = len(self.reaches)
        self.grid = empty_grid(self.count, side)
        self.put(np.arange(self.count))

    def put(self, order):
        put_all(self.grid, np.asarray(order, dtype=np.int64), self.centres, self.reaches)

    def found(self, i):
        room = np.zeros(self.count + 1, dtype=np.int64)
        return sorted(room[: find(self.grid, i, room)].tolist())

    def touching(self, i):
        apart = self.centres - self.centres[i]
        together = self.reaches + self.reaches[i]
        touches = (apart * apart).sum(axis=1) <= together * together
        touches[i] = False
        return np.flatnonzero(touches).tolist()

    def assert_complete(self, some=None):
        touching = 0
        for i in range(self.count) if some is None else some:
            expected = self.touching(i)
            assert self.found(i) == expected
            touching += len(expected)
        return touching


def random_spheres(random, count, decades):
    """Radii over so many decades up to 3, one sphere to the unit of volume."""
    reaches = 10.0 ** random.uniform(0.5 - decades, 0.5, count)
    return random.uniform(-0.5, 0.5, (count, 3)) * count ** (1 / 3), reaches


@pytest.mark.parametrize("decades", [0.1, 1.0, 6.0])
@pytest.mark.parametrize(
    "side", [pytest.param(1e-3, marks=pytest.mark.compiled_only), 0.1, 1.0, 50.0]
)
def test_all_that_touch_are_found_once_whatever_their_sizes_and_that_of_the_cells(decades, side):
    spheres = Spheres(*random_spheres(np.random.default_rng(1), 100, decades), side)
    assert spheres.assert_complete() > 10


@pytest.mark.compiled_only
@pytest.mark.parametrize("decades", [0.0, 2.0])
def test_thousands_of_spheres(decades):
    random = np.random.default_rng(2)
    spheres = Spheres(*random_spheres(random, 20_000, decades), 1.0)
    assert spheres.assert_complete(some=range(0, 20_000, 40)) > 200


@pytest.mark.compiled_only
def test_spheres_that_move_and_grow_are_found_where_they_are_now():
    random = np.random.default_rng(3)
    spheres = Spheres(*random_spheres(random, 50, 2.0), 0.3)
    for _ in range(6):
        moved = random.choice(50, 25, replace=False)
        spheres.centres[moved] += random.normal(size=(25, 3)) * 10.0 ** random.uniform(-3, 1)
        spheres.reaches[moved[:10]] = 10.0 ** random.uniform(-2.0, 1.0, 10)
        spheres.put(moved)
        spheres.assert_complete()


@pytest.mark.parametrize("place_of_all", [1e6, 1e9, 1e12, -1e12, 1e100])
def test_space_has_no_border(place_of_all):
    random = np.random.default_rng(4)
    centres, reaches = random_spheres(random, 60, 1.0)
    near = np.arange(60) % 2 == 0  # half of them stay at home
    spheres = Spheres(np.where(near[:, None], centres, centres + place_of_all), reaches, 0.5)
    assert spheres.assert_complete() > 5


def test_coincident_centres_touch_each_other_all():
    spheres = Spheres([(7, 7, 7)] * 30, np.linspace(0.0, 1.0, 30), 0.25)
    assert [len(spheres.found(i)) for i in range(30)] == [29] * 30


def test_one_sphere_is_alone_and_two_know_each_other():
    assert Spheres([(0, 0, 0)], [5.0], 1.0).found(0) == []
    pair = Spheres([(0, 0, 0), (3, 4, 0)], [2.0, 3.0], 1.0)  # they touch in one point
    assert (pair.found(0), pair.found(1)) == ([1], [0])
    apart = Spheres([(0, 0, 0), (3, 4, 0)], [2.0, 2.9999], 1.0)
    assert (apart.found(0), apart.found(1)) == ([], [])


def test_a_sphere_as_large_as_all_space_touches_everything():
    random = np.random.default_rng(5)
    centres, reaches = random_spheres(random, 50, 3.0)
    reaches[17] = 1e30
    spheres = Spheres(centres, reaches, 0.01)
    assert spheres.found(17) == [i for i in range(50) if i != 17]
    spheres.assert_complete()


# Sixteenths: sums and squares are exact, so that spheres that just touch have to be found.
sixteenth = st.integers(-80, 80).map(lambda n: n / 16.0)
balls = st.tuples(sixteenth, sixteenth, sixteenth, st.integers(0, 40).map(lambda n: n / 16.0))


@given(
    st.lists(balls, min_size=1, max_size=25),
    st.lists(st.tuples(st.integers(0, 24), balls), max_size=25),
    st.sampled_from([0.125, 1.0, 3.0]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=50)
def test_neither_the_order_nor_the_history_of_placing_matters(first, moves, side, random):
    rows = np.array(first)
    spheres = Spheres(rows[:, :3], rows[:, 3], side)
    for i, row in moves:
        spheres.centres[i % len(first)], spheres.reaches[i % len(first)] = row[:3], row[3]
        spheres.put([i % len(first)])
    spheres.assert_complete()

    order = random.sample(range(len(first)), len(first))
    again = Spheres(spheres.centres[order], spheres.reaches[order], side)
    for i in range(len(first)):
        assert {order[j] for j in again.found(i)} == set(spheres.found(order[i]))
