"""Bodies of many faces, of which the axes are searched, against the walk over all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spheresim.compiler.decorators import kernel
from spheresim.compiler.support_index import support_index
from spheresim.convex import (
    bodies_overlap,
    box,
    gjk,
    hull,
    polygon,
    projections,
    rotation_about,
    sat,
    sphere,
)
from spheresim.convex.geometry.layout import Core, geometry_rows
from spheresim.numerics.vector import TVector

TOLERANCE = 1e-10
seeds = st.integers(0, 2**32 - 1)


def cloud(random, kind):
    """Points of about 8 to 16 corners; `kind` says what is hard about them."""
    points = random.normal(size=(random.integers(10, 20), 3))
    if kind == "round":
        points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    elif kind == "grid":
        points = random.integers(-2, 3, size=points.shape).astype(float)
    elif kind == "disc":
        points[:, 2] = 0.0
    elif kind == "plate":
        points[:, 2] *= 1e-5
    elif kind == "prism":
        turn = np.arange(9) * 2 * np.pi / 9
        ring = np.column_stack([np.cos(turn), np.sin(turn), np.ones(9)])
        points = np.vstack([ring, ring * (1, 1, -1)])
    return points


kinds = st.sampled_from(["solid", "round", "grid", "disc", "plate", "prism"])


def pair_of(seed, kind_a, kind_b):
    random = np.random.default_rng(seed)
    a = hull(cloud(random, kind_a), random.normal(size=3) * 0.7)
    turn = rotation_about(random.normal(size=3), random.uniform(0, np.pi))
    upright = random.random() < 0.3
    place = random.integers(-2, 3, size=3) * 0.5 if upright else random.normal(size=3)
    return a, hull(cloud(random, kind_b), place, None if upright else turn)


@pytest.mark.thorough
@pytest.mark.compiled_only
@given(seeds, kinds, kinds)
@settings(max_examples=60)
def test_the_axis_found_is_the_best_of_all_or_one_that_separates(seed, kind_a, kind_b):
    a, b = pair_of(seed, kind_a, kind_b)
    every = projections(a, b)
    least = every.overlap.min() if len(every.axis) else -np.inf
    answer = sat(a, b)
    along_a, along_b = a.world_points @ answer.normal, b.world_points @ answer.normal
    assert along_b.max() - along_a.min() == pytest.approx(answer.overlap, abs=TOLERANCE) or (
        answer.tested == 1  # from centre to centre, by the balls around them
    )
    assert np.linalg.norm(answer.normal) == pytest.approx(1.0)
    if least > TOLERANCE and (a.geometry[1, 1] or b.geometry[1, 1]):
        assert answer.overlap == pytest.approx(least, abs=TOLERANCE)
        assert answer.tested < 64
    elif least < -TOLERANCE:
        assert -gjk(a, b).gap - TOLERANCE <= answer.overlap < 0.0


@given(seeds, kinds, kinds)
@settings(max_examples=60)
def test_the_points_of_an_overlap_are_in_both_bodies(seed, kind_a, kind_b):
    a, b = pair_of(seed, kind_a, kind_b)
    answer = gjk(a, b)
    for body, point in ((a, answer.point_a), (b, answer.point_b)):
        assert gjk(body, hull([point])).gap <= TOLERANCE


def test_the_points_of_an_overlap_of_boxes_are_in_both():
    """A corner in a face, an edge across an edge, and faces that lie on each other."""
    random = np.random.default_rng(3)
    for turn in (rotation_about(random.normal(size=3), angle) for angle in np.arange(30) * 0.2):
        for square in (turn, np.eye(3), rotation_about((0, 0, 1), 0.5)):
            b = box((0.5, 1.0, 0.8), random.normal(size=3) * 0.6, square)
            answer = gjk(box((1.0, 0.7, 0.6)), b)
            for body, point in ((box((1.0, 0.7, 0.6)), answer.point_a), (b, answer.point_b)):
                assert gjk(body, hull([point])).gap <= TOLERANCE


@pytest.mark.parametrize(
    ("a", "b", "away"),
    [
        (box((1, 1, 1)), box((1, 1, 1), (2, 0, 0)), (1, 0, 0)),
        (box((1, 1)), box((1, 1), (2, 2)), (0, 1)),
        (sphere(1), sphere(1, (0, 2, 0)), (0, 1, 0)),
        (polygon([(0, 0), (2, 0), (0, 2)]), sphere(1, (1, -1)), (0, -1)),
    ],
)
def test_bodies_that_touch_overlap(a, b, away):
    assert bodies_overlap(a, b)
    assert not bodies_overlap(a, b.at(b.position[: a.dimension] + 1e-9 * np.array(away)))


@pytest.mark.parametrize(
    "corner",
    [
        hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
        hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
        polygon([(0, 0), (1, 0), (0, 1)]),
    ],
)
def test_a_ball_near_the_middle_of_a_bodys_bounds_may_be_outside_the_body(corner):
    middle = [0.5, 0.5, 0.5][: corner.dimension]
    ball = sphere(0.1, np.array(middle) + 0.1 * (np.array(middle) > 0.0))
    gap = gjk(corner, ball).gap
    assert gap > 0.04
    assert not bodies_overlap(corner, ball)
    assert bodies_overlap(corner, sphere(0.1 + gap + 1e-9, ball.position[: corner.dimension]))


@kernel
def _support_index(rows, first, blocks, direction):
    return support_index(rows, first, blocks, direction)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 31, 32, 33])
def test_the_furthest_of_many_points_is_the_first_of_the_furthest(count):
    random = np.random.default_rng(count)
    none = np.empty((0, 3))
    for whole in (True, False):
        points = random.integers(-1, 2, (count, 3)) if whole else random.normal(size=(count, 3))
        form = geometry_rows(Core(points.astype(float), none, none), 0.0, False, 3)
        first, blocks = len(form) - 4 * (-(-count // 4)), -(-count // 4)
        for step in (random.integers(-1, 2, 3), random.normal(size=3)):
            direction = TVector(step)
            expected = int(np.argmax([direction.dot(TVector(point)) for point in points]))
            assert support_index(form, first, blocks, direction) == expected
            assert _support_index(form, first, blocks, direction) == expected
