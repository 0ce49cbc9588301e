"""A sphere swept against bodies: 60 digits, two spheres, swept SAT, conservative advancement."""

from math import inf

import numpy as np
import pytest
from convex_pairs import CLOUDS, random_body
from core_distance import ExactCore

from spheresim.collision.toi import analytic_toi
from spheresim.convex import (
    Bodies,
    box,
    capsule,
    gjk,
    hull,
    sphere,
    swept_sat,
    swept_sphere,
    swept_sphere_batch,
    time_of_impact,
)
from spheresim.model.balls import Ball

CUBE = box((1, 1, 1))


def aimed(random, a, b):
    """A velocity that leads a to b's neighbourhood."""
    n = a.dimension
    target = b.world_points.mean(axis=0)[:n] + random.normal(size=n)
    return (target - a.world_points[0, :n]) * random.uniform(0.1, 2.0)


@pytest.mark.parametrize(
    ("body", "start", "velocity", "enter", "leave", "contact"),
    [
        (CUBE, (-5, 0, 0), (1, 0, 0), 3.5, 6.5, (-1, 0, 0)),
        (CUBE, (-5, 1.3, 0), (2, 0, 0), 1.8, 3.2, (-1, 1, 0)),  # an edge
        (CUBE, (-5, 1.3, -1), (-1, 0, 0), -6.4, -3.6, (1, 1, -1)),  # long ago, on a corner
        (CUBE, (-5, 1.6, 0), (1, 0, 0), inf, -inf, (0, 0, 0)),
        (CUBE, (0, 1.2, 0), (0, 0, 0), -inf, inf, (0, 0, 0)),  # at rest, overlapping
        (CUBE, (0, 1.6, 0), (0, 0, 0), inf, -inf, (0, 0, 0)),  # at rest, apart
        (CUBE, (0, 1.5, 0), (1, 0, 0), -1, 1, None),  # sliding along a face touches it
        (box((1, 1, 1), radius=0.5), (-5, 0, 0), (1, 0, 0), 3, 7, (-1.5, 0, 0)),
        (capsule((-2, 0, 0), (2, 0, 0), 0.5), (0, 0, 4), (0, 0, -1), 3, 5, (0, 0, 0.5)),
        (capsule((-2, 0, 0), (2, 0, 0), 0.5), (6, 0, 0), (-1, 0, 0), 3, 9, (2.5, 0, 0)),
        (box((1, 1)), (-3, 1.3), (1, 0), 1.6, 4.4, (-1, 1, 0)),
    ],
)
def test_closed_forms_either_way_round(body, start, velocity, enter, leave, contact):
    ball = sphere(0.5, start)
    one, other = (
        swept_sphere(ball, body, velocity),
        swept_sphere(body, ball, [0] * len(start), velocity),
    )
    for answer in (one, other):
        assert answer.enter == pytest.approx(enter, abs=1e-13)
        assert answer.leave == pytest.approx(leave, abs=1e-13)
        assert answer.meets == (enter < inf)
        if contact is not None:
            np.testing.assert_allclose(answer.contact, contact, atol=1e-13)
    np.testing.assert_array_equal(one.normal, -other.normal)


@pytest.mark.parametrize("dimension", [2, 3])
def test_times_are_right_to_sixty_digits(dimension):
    """The exact distance falls through the reach within 1e-12 of `enter`, and rises at `leave`."""
    random = np.random.default_rng(20 + dimension)
    met = missed = 0
    for k in range(80):
        body = random_body(random, dimension, [*CLOUDS, "box"][k % (len(CLOUDS) + 1)])
        start = random.normal(size=dimension) * 4.0
        ball = sphere(10.0 ** random.uniform(-2, 0.5), start)
        velocity = aimed(random, ball, body)
        reach = ball.radius + body.radius
        answer, core = swept_sphere(ball, body, velocity), ExactCore(body)
        start, velocity = ball.position, np.r_[velocity, 0.0][:3]
        if not answer.meets:
            missed += 1
            nearest = -(start - body.position) @ velocity / (velocity @ velocity)
            for time in nearest + np.linspace(-3, 3, 25):
                assert core.distance_at(start, velocity, time) > reach
            continue
        met += 1
        speed, scale = np.linalg.norm(velocity), np.linalg.norm(start) + 10.0 * reach
        slope = max(-answer.normal @ velocity / speed, 1e-2)
        for time, before in ((answer.enter, 1), (answer.leave, -1)):
            near = 1e-13 * scale / speed / slope * 10
            early = core.distance_at(start, velocity, float(time) - near)
            late = core.distance_at(start, velocity, float(time) + near)
            assert before * (early - late) > 0
            assert min(early, late) < reach < max(early, late)
    assert met > 20
    assert missed > 3


def test_two_spheres_are_the_quadratic_of_two_balls():
    random = np.random.default_rng(30)
    hits = 0
    for _ in range(200):
        p, q, v = random.normal(size=(3, 3)) * [[4], [4], [1]]
        r, s = random.uniform(0.1, 2.0, 2)
        w = v + aimed(random, sphere(s, q), sphere(r, p))
        expected = analytic_toi(Ball(p, v, r), Ball(q, w, s))
        answer = swept_sphere(sphere(r, p), sphere(s, q), v, w)
        if np.linalg.norm(p - q) < r + s:
            assert answer.enter <= 0.0 <= answer.leave
        elif expected == inf:
            assert answer.enter == inf or answer.leave <= 0.0
        else:
            hits += 1
            assert answer.enter == pytest.approx(expected, rel=1e-12)
    assert hits > 20


def test_a_point_is_what_swept_sat_says():
    random = np.random.default_rng(31)
    for dimension in (2, 3):
        met = 0
        for _ in range(100):
            body = random_body(random, dimension, "solid")
            body = hull(body.world_points[:, :dimension])
            point = hull([random.normal(size=dimension) * 3.0])
            velocity = aimed(random, point, body)
            expected = swept_sat(point, body, velocity)
            answer = swept_sphere(point, body, velocity)
            assert answer.meets == expected.meets
            if expected.meets:
                met += 1
                assert answer.enter == pytest.approx(expected.enter, rel=1e-12, abs=1e-12)
                assert answer.leave == pytest.approx(expected.leave, rel=1e-12, abs=1e-12)
                np.testing.assert_allclose(answer.normal, expected.normal, atol=1e-10)
        assert met > 5


@pytest.mark.parametrize("dimension", [2, 3])
def test_conservative_advancement_comes_to_the_same_from_below(dimension):
    random = np.random.default_rng(32)
    met = 0
    for k in range(100):
        body = random_body(random, dimension, [*CLOUDS, "box"][k % (len(CLOUDS) + 1)])
        ball = sphere(random.uniform(0.05, 1.0), random.normal(size=dimension) * 4.0)
        w = random.normal(size=dimension)
        v = w + aimed(random, ball, body)
        if gjk(ball, body).gap <= 1e-3:
            continue
        answer = swept_sphere(ball, body, v, w)
        search = time_of_impact(ball, body, v, w, until=50.0, tolerance=1e-9)
        if answer.enter == inf or answer.leave < 0.0:
            assert search.toi == inf or search.gap > 0.0
            continue
        met += 1
        n = dimension
        slope = -(v - w) @ answer.normal[:n]
        assert search.toi <= answer.enter + 1e-12
        assert answer.enter - search.toi <= 1e-8 / max(slope, 1e-4)
        there = ball.at(ball.position[:n] + v * answer.enter)
        other = body.at(body.position[:n] + w * answer.enter)
        touch = gjk(there, other)
        assert touch.gap == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(answer.contact, touch.point_b, atol=1e-10)
        np.testing.assert_allclose(answer.normal, touch.normal, atol=1e-8)
    assert met > 20


def test_a_sphere_may_lie_off_its_own_origin():
    off = hull([(1, 2, 3)], radius=0.5)
    answer = swept_sphere(off.at((-6, -2, -3)), CUBE, (1, 0, 0))
    assert answer.enter == pytest.approx(3.5)
    np.testing.assert_allclose(answer.contact, (-1, 0, 0), atol=1e-14)


@pytest.mark.parametrize("speed", [5e-324, 1e-310, 1e-200, 1e150])
def test_any_speed(speed):
    answer = swept_sphere(sphere(0.5, (-5, 0, 0)), CUBE, (speed, 0, 0))
    enter = 3.5 / speed
    assert answer.enter == (enter if enter == inf else pytest.approx(enter, rel=1e-14))
    assert not np.isnan([answer.enter, answer.leave, *answer.normal, *answer.contact]).any()
    assert swept_sphere(sphere(0.5), CUBE, (speed, 0, 0)).enter < 0.0


def test_faults_are_one_sentence():
    with pytest.raises(ValueError, match="needs a sphere"):
        swept_sphere(CUBE, CUBE, (1, 0, 0))
    with pytest.raises(ValueError, match="in the plane, or both in space"):
        swept_sphere(sphere(1, (0, 0)), CUBE, (1, 0))
    with pytest.raises(ValueError, match="3 velocities are needed, or one for all"):
        swept_sphere_batch(Bodies.of([sphere(1)] * 3), Bodies.of([CUBE] * 3), np.ones((2, 3)))
