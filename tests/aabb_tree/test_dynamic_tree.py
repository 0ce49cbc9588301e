"""Boxes that come, move and go, in any order: searches find what comparing all of them does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.aabb_tree.dynamic_tree import DynamicTree


class Checked:
    """A tree beside a plain list of boxes."""

    def __init__(self, count: int, seed: int) -> None:
        self.tree, self.random = DynamicTree(), np.random.default_rng(seed)
        self.low, self.high = np.zeros((2, count, 3))
        self.there = np.zeros(count, dtype=bool)

    def change(self, items: list[int], are_there: bool) -> None:
        self.low[items] = self.random.uniform(-9, 9, (len(items), 3))
        self.high[items] = self.low[items] + self.random.exponential(1.0, (len(items), 3))
        self.there[items] = are_there
        chosen = np.array(items, dtype=np.int64)
        self.tree.update(chosen, self.there[items], self.low, self.high)

    def check(self) -> None:
        low = self.random.uniform(-9, 9, (20, 3))
        high = low + self.random.exponential(1.5, (20, 3))
        meet = (low[:, None] <= self.high) & (high[:, None] >= self.low)
        query, item = np.nonzero(meet.all(axis=2) & self.there)
        found = self.tree.overlaps(low, high)
        assert np.array_equal(found[0], query)
        assert np.array_equal(found[1], item)
        assert len(self.tree) == np.count_nonzero(self.there)


CHANGES = st.lists(
    st.tuples(st.lists(st.integers(0, 29), min_size=1, unique=True), st.booleans()), max_size=25
)


@given(changes=CHANGES, seed=st.integers(0, 99))
def test_boxes_may_come_move_and_go(changes: list[tuple[list[int], bool]], seed: int) -> None:
    checked = Checked(30, seed)
    for items, are_there in changes:
        checked.change(items, are_there)
        checked.check()


def test_one_by_one_is_as_good_as_all_at_once() -> None:
    checked = Checked(300, 0)
    for item in range(300):
        checked.change([item], are_there=True)
    checked.check()
    for item in range(0, 300, 2):
        checked.change([item], are_there=item % 4 == 0)
    checked.check()


@pytest.mark.compiled_only
def test_boxes_each_around_all_before_leave_room_for_a_search() -> None:
    tree, count = DynamicTree(), 2000
    size = np.geomspace(1.0, 1e9, count)[:, None] * np.ones(3)
    for item in range(count):
        tree.update(np.array([item]), np.array([True]), -size, size)
    assert tree._arrays.height[0] <= 120
    _, found = tree.overlaps(np.zeros((1, 3)), np.zeros((1, 3)))
    assert np.array_equal(found, np.arange(count))
