"""The index over features: a search finds every box that a path comes near, each once."""

import numpy as np
import pytest

from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.features.bounding_box import times_in_reach
from spheresim.obstacles.features.index import (
    around,
    build_index,
    feature_of,
    next_near_leaf,
    swept_bounds,
)


def found(index, corners):
    leaves, leaf = [], next_near_leaf(index, 0, corners)
    while leaf > 0:
        leaves.append(feature_of(index, leaf))
        leaf = next_near_leaf(index, leaf, corners)
    return leaves


def boxes(random, count):
    low = random.uniform(-5.0, 5.0, (count, 3))
    return low, low + random.exponential(0.5, (count, 3))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 57, 600])
@pytest.mark.parametrize("gravity", [(0, 0, 0), (0.3, -2, 1)])
def test_all_boxes_near_a_path_are_found_once(count, gravity):
    random, g = np.random.default_rng(count), np.array(gravity, dtype=float)
    low, high = boxes(random, count)
    index = build_index(low, high, np.arange(count))
    total = 0
    for _ in range(40):
        x, v = random.uniform(-6.0, 6.0, 3), random.normal(size=3) * 3.0
        begin, end = sorted(random.uniform(0.0, 3.0, 2))
        reach = random.exponential(0.3)
        corners = swept_bounds(BallPath(TVector(x), TVector(v), TVector(g)), reach, begin, end)
        near = found(index, corners)
        assert len(near) == len(set(near))
        t = np.linspace(begin, end, 300)[:, None]
        path = x + (v + 0.5 * g * t) * t
        for k in range(count):
            off = path - np.clip(path, low[k], high[k])
            if (np.abs(off) <= reach).all(axis=1).any():
                assert k in near
        total += len(near)
    assert total < 20 * count or count < 2  # far fewer than all


def test_a_search_around_a_point_finds_the_boxes_in_reach():
    random = np.random.default_rng(1)
    low, high = boxes(random, 40)
    index = build_index(low, high, np.arange(40))
    for x in random.uniform(-5.0, 5.0, (30, 3)):
        off = np.abs(x - np.clip(x, low, high)).max(axis=1)
        assert sorted(found(index, around(TVector(x), 0.7))) == np.flatnonzero(off <= 0.7).tolist()


def test_a_ball_is_past_all_boxes_when_its_path_has_left_the_box_around_them():
    index = build_index(np.full((1, 3), -1.0), np.full((1, 3), 1.0), np.arange(1))
    nothing = TVector(0, 0, 0)
    across = times_in_reach(index, TVector(-5, 0, 0), TVector(2, 0, 0), nothing, 0.5)
    assert across == pytest.approx((3.5 / 2, 6.5 / 2))
    _, last = times_in_reach(index, TVector(-5, 0, 0), TVector(-2, 0, 0), nothing, 0.5)
    assert last == 0.0
    down = TVector(0, -2, 0)
    thrown = times_in_reach(index, TVector(0, 0, 0), TVector(0, 4, 0), down, 0.0)
    assert thrown == pytest.approx((0.0, 2.0 + np.sqrt(5.0)))  # up, and down through the lower side
    fallen = times_in_reach(index, TVector(0, 6, 0), TVector(0, 4, 0), down, 0.0)
    assert fallen == pytest.approx((5.0, 2.0 + np.sqrt(11.0)))  # from above, after a throw


@pytest.mark.parametrize("pull", [0.0, 1.0])
def test_no_path_is_near_boxes_before_and_after_the_times_that_are_said(pull):
    random = np.random.default_rng(3)
    index = build_index(np.full((1, 3), -1.0), np.full((1, 3), 1.0), np.arange(1))
    t = np.linspace(0.0, 20.0, 4001)[:, None]
    for _ in range(300):
        x, v = random.uniform(-4.0, 4.0, 3), random.normal(size=3)
        g = pull * random.normal(size=3)
        first, last = times_in_reach(index, TVector(x), TVector(v), TVector(g), 0.1)
        near = np.all(np.abs(x + v * t + 0.5 * g * t * t) <= 1.1, axis=1)
        times = t[near, 0]
        assert len(times) == 0 or (first <= times[0] and times[-1] <= last)
