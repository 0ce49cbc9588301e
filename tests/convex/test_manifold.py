"""Contact manifolds: faces, edges and corners on each other, and no flicker by rounding."""

from math import pi, sqrt

import numpy as np
import pytest
from convex_pairs import random_pairs
from shapely import MultiPoint, Polygon

from spheresim.convex import (
    box,
    capsule,
    gjk,
    hull,
    manifold,
    rotation_about,
    sphere,
)

CUBE = box((1, 1, 1))
ROUNDED = box((1, 1, 1), radius=0.5)
ROD = capsule((-2, 0, 0), (2, 0, 0), 0.5)
ON_EDGE = rotation_about((1, 0, 0), pi / 4)
ON_OTHER_EDGE = rotation_about((0, 1, 0), pi / 4)
ON_CORNER = rotation_about((1, -1, 0), np.arccos(1 / sqrt(3)))
UPRIGHT = rotation_about((0, 1, 0), pi / 2)
PLATE = hull([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
T = sqrt(2) - 1


def as_set(points):
    return sorted(tuple(point) for point in np.round(points, 6) + 0.0)


@pytest.mark.parametrize(
    ("a", "b", "points", "depth"),
    [
        (CUBE.at((0.5, 0, 2)), CUBE, [(x, y, 1) for x in (-0.5, 1) for y in (-1, 1)], 0),
        (CUBE.at((0, 0, 2)), CUBE, [(x, y, 1) for x in (-1, 1) for y in (-1, 1)], 0),
        (
            CUBE.at((0, 0, 1.9), rotation_about((0, 0, 1), pi / 4)),
            CUBE,
            [p for x in (-T, T) for y in (-1, 1) for p in ((x, y, 0.95), (y, x, 0.95))],
            0.1,
        ),
        (CUBE.at((0, 0, 0.9 + sqrt(2)), ON_EDGE), CUBE, [(-1, 0, 0.95), (1, 0, 0.95)], 0.1),
        (CUBE.at((0.2, 0, 0.9 + sqrt(3)), ON_CORNER), CUBE, [(0.2, 0, 0.95)], 0.1),
        (CUBE.at((0, 0, 2.8), ON_EDGE), CUBE.at((0, 0, 0), ON_OTHER_EDGE), [(0, 0, 1.4)], None),
        (CUBE.at((0.2, 0, sqrt(8)), ON_EDGE), CUBE.at((0, 0, 0), ON_OTHER_EDGE), None, 0),
        (box((5, 5, 1), (0, 0, 2)), CUBE, [(x, y, 1) for x in (-1, 1) for y in (-1, 1)], 0),
        (ROUNDED.at((0, 0, 2.9)), ROUNDED, [(x, y, 1.45) for x in (-1, 1) for y in (-1, 1)], 0.1),
        (ROD.at((0, 0, 1.4)), CUBE, [(-1, 0, 0.95), (1, 0, 0.95)], 0.1),
        (ROD.at((1, 0, 0.9)), ROD, [(-1, 0, 0.45), (2, 0, 0.45)], 0.1),
        (ROD.at((1, 0, 0.9), rotation_about((0, 0, 1), 1)), ROD, [(1, 0, 0.45)], 0.1),
        (ROD.at((4.9, 0, 0)), ROD, [(2.45, 0, 0)], 0.1),
        (PLATE.at((0.5, 0, 1)), CUBE, [(x, y, 1) for x in (-0.5, 1) for y in (-1, 1)], 0),
        (PLATE.at((0, 0, 0), UPRIGHT).at((0, 0, 2)), CUBE, [(0, -1, 1), (0, 1, 1)], 0),
        (sphere(1, (0.3, 0, 1.9)), CUBE, [(0.3, 0, 0.95)], 0.1),
        (sphere(1, (0, 1.9, 0)), sphere(1), [(0, 0.95, 0)], 0.1),
        (box((1, 1), (0.5, 1.9)), box((1, 1)), [(-0.5, 0.95, 0), (1, 0.95, 0)], 0.1),
        (box((1, 1), (0, 0.9 + sqrt(2)), pi / 4), box((1, 1)), [(0, 0.95, 0)], 0.1),
        (capsule((-2, 0), (2, 0), 0.5, (0, 1.4)), box((1, 1)), [(-1, 0.95, 0), (1, 0.95, 0)], 0.1),
        (capsule((-2, 0), (2, 0), 0.5, (1, 0.9)), capsule((-2, 0), (2, 0), 0.5), None, 0.1),
    ],
)
def test_closed_forms_either_way_round(a, b, points, depth):
    one, other = manifold(a, b), manifold(b, a)
    assert one.count == other.count == len(one.points) > 0
    if points is not None:
        assert as_set(one.points) == as_set(points)
        assert as_set(other.points) == as_set(points)
    for answer in (one, other):
        if depth is not None:
            np.testing.assert_allclose(answer.depth, depth, atol=1e-14)
    np.testing.assert_array_equal(one.normal, -other.normal)
    up = np.array(a.position - b.position) @ one.normal
    assert up > 0.0
    assert np.linalg.norm(one.normal) == pytest.approx(1.0)


def test_two_prisms_touch_in_the_intersection_of_their_faces():
    random = np.random.default_rng(1)
    for _ in range(60):
        outlines = [random.normal(size=(random.integers(3, 12), 2)) for _ in range(2)]
        prisms = [
            hull([(*p, z) for p in outline for z in (bottom, bottom + 1)])
            for outline, bottom in zip(outlines, (0.0, -1.0), strict=True)
        ]
        turn = rotation_about(random.normal(size=3), random.uniform(-pi, pi))
        a, b = (prism.at((0, 0, 0), turn) for prism in prisms)
        flat = [MultiPoint(outline).convex_hull for outline in outlines]
        expected = flat[0].intersection(flat[1])
        answer = manifold(a, b)
        if expected.area < 1e-6:
            continue
        own = answer.points @ turn
        np.testing.assert_allclose(own[:, 2], 0.0, atol=1e-12)
        np.testing.assert_allclose(answer.normal, turn[:, 2], atol=1e-12)
        found = Polygon(own[:, :2])
        assert found.symmetric_difference(expected).area == pytest.approx(0.0, abs=1e-9)
        corners = len(expected.exterior.coords) - 1
        assert answer.count == corners


@pytest.mark.compiled_only
def test_boxes_turned_by_rounding_keep_their_four_points():
    """Gaps, turns and tilts of 1e-16 to 1e-11, wherever the two are and however they lie."""
    random = np.random.default_rng(2)
    for _ in range(300):
        turn = rotation_about(random.normal(size=3), random.uniform(-pi, pi))
        far = random.normal(size=3) * 10.0 ** random.uniform(-1, 3)
        tiny = rotation_about(random.normal(size=3), 10.0 ** random.uniform(-16, -11))
        gap = random.choice([-1, 0, 1]) * 10.0 ** random.uniform(-16, -11)
        half = random.uniform(0.5, 2.0, 3)
        a = box(half).at(far + turn @ np.array([0, 0, 1 + half[2] + gap]), turn @ tiny)
        b = box((half[0], half[1], 1)).at(far, turn)
        for one, other in ((a, b), (b, a)):
            answer = manifold(one, other)
            assert answer.count == 4
            sign = 1.0 if one is a else -1.0
            np.testing.assert_allclose(answer.normal * sign, turn[:, 2], atol=1e-9)
            own = (answer.points - far) @ turn
            corners = [(x * half[0], y * half[1], 1.0) for x in (-1, 1) for y in (-1, 1)]
            assert as_set(np.round(own, 5)) == as_set(np.round(corners, 5))


@pytest.mark.parametrize("tilt", [1e-8, 1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("gap", [-1e-3, 0.0, 1e-3])
def test_a_tilted_box_on_an_equal_one_stands_on_a_face_within_reach(tilt, gap):
    """Where it hangs over, an edge of each is nearest by a hair; that is not what it stands on."""
    random = np.random.default_rng(3)
    for _ in range(30):
        turn = rotation_about((*random.normal(size=2), 0.0), tilt)
        upper = box((1, 1, 1)).at((*random.uniform(-0.5, 0.5, 2), 2.0 + gap), turn)
        answer = manifold(upper, CUBE, within=0.05)
        assert answer.count == 4
        np.testing.assert_allclose(answer.normal, (0, 0, 1), atol=2.0 * tilt)
        np.testing.assert_allclose(answer.depth, -gap, atol=3.0 * tilt + 1e-9)
    across = box((1, 1, 1)).at((0, 0, 2.0 * np.sqrt(2.0)), rotation_about((1, 0, 0), pi / 4))
    crossing = box((1, 1, 1)).at((0, 0, 0), rotation_about((0, 1, 0), pi / 4))
    assert manifold(across, crossing, within=0.05).count == 1


def test_boxes_in_a_wall_that_touch_along_an_edge_or_in_a_corner():
    for place, count in (((2, 2, 0), 2), ((2, 2, 2), 1), ((2, 2, 1), 2), ((2, 0, 0.5), 4)):
        answer = manifold(CUBE.at(place), CUBE)
        assert answer.count == count
        np.testing.assert_allclose(answer.depth, 0.0, atol=1e-15)


def test_a_body_in_the_same_place_is_pushed_out_by_a_face():
    answer = manifold(CUBE, CUBE)
    assert answer.count == 4
    np.testing.assert_allclose(answer.depth, 2.0)


def test_a_tilted_box_shows_its_points_as_they_come_within_reach():
    tilt = rotation_about((1, 0, 0), 1e-3)
    low = CUBE.at((0, 0, 0), tilt).world_points[:, 2].min()
    tilted = CUBE.at((0, 0, 1 - low), tilt)
    assert manifold(tilted, CUBE).count == 2
    assert manifold(tilted, CUBE, within=1e-3).count == 2
    answer = manifold(tilted, CUBE, within=3e-3)
    assert answer.count == 4
    np.testing.assert_allclose(sorted(answer.depth), [-2e-3, -2e-3, 0, 0], atol=1e-6)
    assert manifold(CUBE.at((0, 0, 2.1)), CUBE).count == 0
    assert not manifold(CUBE.at((0, 0, 2.1)), CUBE).normal.any()
    near = manifold(CUBE.at((0, 0, 2.1)), CUBE, within=0.2)
    assert near.count == 4
    np.testing.assert_allclose(near.depth, -0.1)


def test_capsules_that_run_along_each_other_keep_two_points():
    for angle in (0.0, 1e-15, 1e-12, 1e-9, 1e-6):
        for axis in ((0, 0, 1), (0, 1, 0), (1, 2, 3)):
            answer = manifold(ROD.at((1, 0, 0.9), rotation_about(axis, angle)), ROD)
            assert answer.count == 2
            np.testing.assert_allclose(answer.depth, 0.1, atol=1e-5)


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=pytest.mark.compiled_only)])
def test_the_deepest_point_is_as_deep_as_the_overlap_and_none_is_off_both(dimension):
    compared = 0
    for pair in random_pairs(300, 3 + dimension, dimension):
        distance, answer = gjk(pair.a, pair.b), manifold(pair.a, pair.b, within=0.1)
        size = max(np.ptp(body.world_points, axis=0).max() + body.radius for body in pair[1:])
        if distance.gap > 0.1 + 1e-7 * size:
            assert answer.count == 0
        if distance.gap >= 0.1:
            continue
        compared += 1
        assert answer.count >= 1
        assert np.isfinite(answer.points).all()
        assert np.isfinite(answer.normal).all()
        assert answer.depth.max() == pytest.approx(-distance.gap, abs=1e-8 * size)
        assert answer.depth.min() >= min(-0.1, -distance.gap) - 1e-8 * size
        for point, depth in zip(answer.points, answer.depth, strict=True):
            for body in (pair.a, pair.b):
                outside = gjk(hull([point[:dimension]]), body).gap
                assert outside <= 0.5 * abs(depth) + 1e-8 * size + 1e-12
    assert compared > 60
