"""Points and segments, whose distance needs no search, against the quadratic program."""

import numpy as np
import pytest
from convex_pairs import differences, nearest_to_origin

from spheresim.convex import (
    capsule,
    gjk,
    rotation_about,
    sphere,
)

RADIUS = 0.2


def segment(random, dimension, spread):
    """About 2 long; `spread` is how far it is from lying along x."""
    way = np.eye(dimension)[0] + random.normal(size=dimension) * spread
    return capsule(tuple(-way), tuple(way), RADIUS, random.normal(size=dimension) * 2)


def pairs(count, dimension):
    random = np.random.default_rng(dimension)
    for k in range(count):
        spread = [1.0, 0.0, *10.0 ** -random.integers(1, 14, 1)][k % 3]
        a, b = segment(random, dimension, spread), segment(random, dimension, spread)
        if k % 4 == 0:
            a = sphere(RADIUS, random.normal(size=dimension) * 2)
        if k % 5 == 0:
            b = sphere(RADIUS, random.normal(size=dimension) * 2)
        if k % 7 == 0:  # an end beside the middle of the other, square to it
            b = b.at(a.position[:dimension])
        yield a, b


@pytest.mark.parametrize("dimension", [2, 3])
def test_distance_and_points_against_the_quadratic_program(dimension):
    for a, b in pairs(400, dimension):
        expected = np.linalg.norm(nearest_to_origin(differences(a, b)))
        answer = gjk(a, b)
        between = answer.point_a - answer.point_b
        assert between @ answer.normal == pytest.approx(answer.gap, abs=1e-13)
        assert np.linalg.norm(answer.normal) == pytest.approx(1.0)
        if expected > 1e-14:  # in the plane, segments that cross are deep in each other
            assert answer.gap == pytest.approx(expected - 2 * RADIUS, abs=1e-13)
        for body, point in ((a, answer.point_a), (b, answer.point_b)):
            assert gjk(body, sphere(1e-300, point[:dimension])).gap <= 1e-13


def test_segments_that_cross_lie_on_a_line_or_in_the_same_place():
    a = capsule((-1, 0, 0), (1, 0, 0), 0.5)
    assert gjk(a, a.at((0, 0, 0), rotation_about((0, 0, 1), 1.0))).gap == -1.0
    assert gjk(a, a).gap == -1.0
    assert gjk(a, a.at((1, 0, 0))).gap == -1.0
    assert gjk(a, a.at((4, 0, 0))).gap == 1.0
    assert gjk(a, a.at((1.5, 3, 0))).gap == 2.0
    assert gjk(sphere(0.5), sphere(0.25)).gap == -0.75
