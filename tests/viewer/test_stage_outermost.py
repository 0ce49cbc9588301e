"""What a picture must show: the points that lie outermost, and which surfaces they are of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spheresim_viewer.stage import Stage
from spheresim_viewer.stage.outermost import outermost_points

from spheresim import Cuboid, Plane, Sphere
from spheresim.model.obstacle import Obstacle

DOWN = (0.0, -9.81, 0.0)


def some(seed, count, size):
    return np.random.default_rng(seed).normal(0.0, size, (count, 3))


def reach(points, directions, radius=0.0):
    """How far points or balls reach in directions (k, 3): shape (k,)."""
    return (points @ directions.T + np.reshape(radius, (-1, 1))).max(axis=0)


def directions_of(seed, count=500):
    found = some(seed, count, 1.0)
    return found / np.linalg.norm(found, axis=1)[:, None]


def subject_of(shapes, position=((0, 0, 0),), radius=0.5, gravity=DOWN):
    position = np.array(position, dtype=float)
    obstacles = [Obstacle(shape) for shape in shapes]
    return Stage.of(obstacles, position, np.full(len(position), radius), gravity).subject


@given(st.integers(0, 10**6), st.integers(0, 300), st.integers(1, 60))
def test_nothing_lies_further_out_by_more_than_a_twentieth_of_the_extent(seed, corners, balls):
    corner, position = some(seed, corners, 1.0), some(seed + 1, balls, 2.0)
    radius = np.random.default_rng(seed).uniform(0.05, 0.5, balls)
    found = outermost_points(corner, position, radius)
    towards = directions_of(seed + 2)
    true = reach(position, towards, radius)
    if corners:
        true = np.maximum(true, reach(corner, towards))
    seen = reach(found, towards)
    extent = true.max() * 2.0
    assert (seen <= true + 1e-9).all()
    assert (true - seen <= 0.05 * extent).all()
    assert len(found) <= 200


def test_each_is_a_corner_or_lies_on_a_ball():
    corner, position, radius = some(1, 50, 1.0), some(2, 20, 1.0), np.full(20, 0.3)
    found = outermost_points(corner, position, radius)
    to_corner = np.linalg.norm(found[:, None] - corner, axis=2).min(axis=1)
    to_ball = np.abs(np.linalg.norm(found[:, None] - position, axis=2) - radius).min(axis=1)
    assert np.minimum(to_corner, to_ball).max() < 1e-12
    assert to_corner.min() < 1e-12
    assert to_ball.min() < 1e-12


def test_a_small_ball_behind_others_is_left_out():
    position = np.array([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)])
    found = outermost_points(np.empty((0, 3)), position, np.array([1.0, 0.2]))
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)


def test_round_bodies_do_not_count_as_their_boxes():
    subject = subject_of([Sphere((0, 0, 0), 2.0)])
    assert np.linalg.norm(subject, axis=1).max() == pytest.approx(2.0, rel=1e-6)


def test_a_body_that_is_too_far_away_is_not_framed():
    near, far = Cuboid((0, -2, 0), (4, 1, 4)), Cuboid((1e4, 0, 0), (1, 1, 1))
    assert np.abs(subject_of([near, far])).max() < 10.0


def test_the_floor_is_framed_beyond_the_balls_and_the_air_above_it_is_not():
    subject = subject_of([Plane((0, -3, 0), (0, 1, 0))])
    on_floor = subject[np.abs(subject[:, 1] + 3.0) < 1e-9]
    above = subject[subject[:, 1] > -2.0]
    assert np.abs(on_floor[:, [0, 2]]).max() > 1.0
    assert np.abs(above[:, [0, 2]]).max() <= 0.5 + 1e-9


def test_a_side_wall_is_framed_no_further_than_what_stands_before_it():
    body, wall = Cuboid((0, -1, 0), (4, 1, 1)), Plane((0, 0, -2), (0, 0, 1))
    low, high = (end(subject_of([body, wall]), axis=0) for end in (np.min, np.max))
    assert low == pytest.approx((-2.0, -1.5, -2.0), abs=1e-9)
    assert high == pytest.approx((2.0, 0.5, 0.5), abs=0.01)


def test_without_gravity_the_way_out_of_an_open_room_is_framed():
    subject = subject_of([Plane((-2, 0, 0), (1, 0, 0))], gravity=(0, 0, 0))
    assert subject[:, 0].max() > 0.6
