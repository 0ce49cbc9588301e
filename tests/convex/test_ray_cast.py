"""Rays against convex bodies: closed forms, 60 digits, and the same shapes as obstacles."""

from math import inf, sqrt

import numpy as np
import pytest
from convex_pairs import CLOUDS, random_body
from core_distance import ExactCore

from spheresim import Cylinder, Plane, TRay
from spheresim.convex import (
    Bodies,
    box,
    capsule,
    gjk,
    hull,
    polygon,
    ray_cast,
    ray_cast_batch,
    sphere,
)
from spheresim.convex.geometry.rotation import rotation_about

CUBE = box((1, 1, 1))
ROUNDED = box((1, 1, 1), radius=0.5)
CAPSULE = capsule((-2, 0, 0), (2, 0, 0), 1)
PLATE = hull([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])


@pytest.mark.parametrize(
    ("body", "origin", "direction", "distance", "point", "normal"),
    [
        (CUBE, (-5, 0.5, 0.2), (1, 0, 0), 4, (-1, 0.5, 0.2), (-1, 0, 0)),
        (CUBE, (-5, -3, 0), (2, 1, 0), 2 * sqrt(5), (-1, -1, 0), None),  # through an edge
        (CUBE, (0, 0, 0), (0, 0, 2), 1, (0, 0, 1), (0, 0, -1)),  # from inside
        (CUBE, (0, 1, 0), (0, -1, 0), 0, (0, 1, 0), (0, 1, 0)),  # on the surface, inwards
        (ROUNDED, (-5, 0.5, 0), (1, 0, 0), 3.5, (-1.5, 0.5, 0), (-1, 0, 0)),
        (ROUNDED, (-5, 1.3, 0), (1, 0, 0), 3.6, (-1.4, 1.3, 0), (-0.8, 0.6, 0)),  # an edge
        (ROUNDED, (-5, 1.3, 1), (1, 0, 0), 3.6, (-1.4, 1.3, 1), (-0.8, 0.6, 0)),  # its end
        (ROUNDED, (5, 1.3, 1.2), (-1, 0, 0), 4 - sqrt(0.12), (1 + sqrt(0.12), 1.3, 1.2), None),
        (ROUNDED, (-1.2, 0, 0), (1, 0, 0), 2.7, (1.5, 0, 0), (-1, 0, 0)),  # inside the rim
        (CAPSULE, (0, 0, 5), (0, 0, -3), 4, (0, 0, 1), (0, 0, 1)),
        (CAPSULE, (9, 0.6, 0), (-1, 0, 0), 6.2, (2.8, 0.6, 0), (0.8, 0.6, 0)),
        (CAPSULE, (0, 0, 0), (1, 0, 0), 3, (3, 0, 0), (-1, 0, 0)),
        (sphere(5), (-9, 3, 0), (1, 0, 0), 5, (-4, 3, 0), (-0.8, 0.6, 0)),
        (PLATE, (0.5, 0.5, 3), (0, 0, -1), 3, (0.5, 0.5, 0), (0, 0, 1)),
        (PLATE, (0.5, 0.5, -3), (0, 0, 1), 3, (0.5, 0.5, 0), (0, 0, -1)),
        (PLATE, (-4, 0, 0), (1, 0, 0), 3, (-1, 0, 0), (-1, 0, 0)),  # its edge
        (polygon([(0, 0), (2, 0), (0, 2)]), (3, 3), (-1, -1), 2 * sqrt(2), (1, 1, 0), None),
        (box((1, 2), radius=1), (5, 2.8), (-1, 0), 3.4, (1.6, 2.8, 0), (0.6, 0.8, 0)),
        (capsule((-1, 0), (1, 0), 1), (0.5, 4), (0, -1), 3, (0.5, 1, 0), (0, 1, 0)),
        (hull([(0, 0, 0)]), (-3, 0, 0), (2, 0, 0), 3, (0, 0, 0), (-1, 0, 0)),  # a point
        (hull([(0, -1, 0), (0, 1, 0)]), (-3, 0, 0), (2, 0, 0), 3, (0, 0, 0), (-1, 0, 0)),
    ],
)
def test_closed_forms(body, origin, direction, distance, point, normal):
    answer = ray_cast(body, origin, direction)
    assert answer.hits
    assert answer.distance == pytest.approx(distance, abs=1e-14)
    np.testing.assert_allclose(answer.point, point, atol=1e-14)
    assert np.linalg.norm(answer.normal) == pytest.approx(1.0)
    assert answer.normal[: len(direction)] @ np.array(direction) <= 0.0
    if normal is not None:
        np.testing.assert_allclose(answer.normal, normal, atol=1e-14)


@pytest.mark.parametrize(
    ("body", "origin", "direction"),
    [
        (CUBE, (-5, 0, 0), (-1, 0, 0)),  # behind
        (CUBE, (-5, 2, 0), (1, 0, 0)),  # beside
        (CUBE, (0, 1, 0), (0, 1, 0)),  # on the surface, outwards
        (ROUNDED, (5, 1.31, 1.4), (-1, 0, 0)),  # past the rounded corner, through the sharp one
        (CAPSULE, (0, 1.01, 0), (1, 0, 0)),  # along it
        (PLATE, (2, 0, 3), (0, 0, -1)),
        (PLATE, (0, 0, 0.1), (1, 0, 0)),  # in a plane above
        (PLATE, (0.5, 0, 0), (1, 0, 1)),  # off it
        (CUBE, (-1e300, 1e200, 0), (1, 0, 0)),
        (hull([(0, 0, 0)]), (-3, 1e-100, 0), (1, 0, 0)),
    ],
)
def test_misses_are_infinitely_far_and_hold_no_nan(body, origin, direction):
    answer = ray_cast(body, origin, direction)
    assert not answer.hits
    assert answer.distance == inf
    assert not answer.point.any()
    assert not answer.normal.any()
    assert body.hit(TRay(origin, direction)) is None


@pytest.mark.parametrize("dimension", [2, 3])
def test_hits_are_on_the_surface_to_sixty_digits(dimension):
    """The distance from the core falls through the radius within 1e-12 of the answer."""
    random = np.random.default_rng(dimension)
    hits = 0
    for k in range(80):
        body = random_body(random, dimension, [*CLOUDS, "box"][k % (len(CLOUDS) + 1)])
        if body.radius == 0.0:
            body = hull(body.world_points[:, :dimension], radius=10.0 ** random.uniform(-3, 0.5))
        origin = body.position + np.r_[random.normal(size=dimension), 0, 0][:3] * 8.0
        target = body.world_points.mean(axis=0) + np.r_[random.normal(size=dimension), 0, 0][:3]
        direction = target - origin
        answer = ray_cast(body, origin, direction)
        core = ExactCore(body)
        if not answer.hits or core.distance_at(origin, direction, 0) <= body.radius:
            continue
        hits += 1
        time = float(answer.distance) / np.linalg.norm(direction)
        slope = -answer.normal @ direction / np.linalg.norm(direction)
        early, late = (
            core.distance_at(origin, direction, time + sign * 1e-13 / max(slope, 1e-3) * (1 + time))
            for sign in (-1, 1)
        )
        assert late < body.radius < early
    assert hits > 20


def test_misses_are_misses_to_sixty_digits():
    random = np.random.default_rng(5)
    misses = 0
    for k in range(80):
        body = random_body(random, 3, [*CLOUDS, "box"][k % (len(CLOUDS) + 1)])
        origin, direction = body.position + random.normal(size=3) * 6.0, random.normal(size=3)
        if ray_cast(body, origin, direction).hits:
            continue
        misses += 1
        core = ExactCore(body)
        times = np.linspace(0.0, 12.0, 12)
        assert min(core.distance_at(origin, direction, t) for t in times) > body.radius
    assert misses > 20


def test_a_graze_is_decided_to_rounding_of_the_distance():
    """Passing by, or dipping in, by 1e-12 of the lengths is seen; from far away, of the way."""
    for far in (1.0, 1e3, 1e6):
        for body in (ROUNDED, CAPSULE, sphere(1)):
            top = 1.5 if body is ROUNDED else 1.0
            for beside, hits in ((-1e-12 * (1 + far), True), (1e-12 * (1 + far), False)):
                rotation = rotation_about((1, 2, 3), 0.7)
                origin = rotation @ np.array([-5.0 * far, 0.0, top + beside])
                answer = ray_cast(body.at((0, 0, 0), rotation), origin, rotation[:, 0])
                assert answer.hits == hits, (far, body, beside)


def test_no_ray_slips_through_where_faces_edges_and_corners_meet():
    """Rays at seams, from near and far: always a hit, on the surface."""
    random = np.random.default_rng(8)
    body = hull(random.normal(size=(12, 3)), radius=0.2)
    seams = [body.points[i] for i in range(len(body.points))]
    seams += [body.points[list(edge)].mean(axis=0) for edge in body.edges]
    for seam in seams:
        normals = [
            np.cross(*(body.points[list(f[1:3])] - body.points[f[0]]))
            for f in body.faces
            if np.linalg.norm(seam - body.points[list(f)], axis=1).min() < 1e-9
            or any(np.allclose(body.points[[f[i - 1], f[i]]].mean(axis=0), seam) for i in range(3))
        ]
        for normal in normals:
            unit = normal / np.linalg.norm(normal)
            for far in (1.0, 1e4):
                sideways = np.cross(unit, random.normal(size=3))
                direction = -unit + 0.3 * sideways
                surface = seam + 0.2 * unit
                answer = ray_cast(body, surface - direction * far, direction)
                assert answer.hits
                np.testing.assert_allclose(answer.point, surface, atol=1e-9 * (1 + far))


@pytest.mark.compiled_only
@pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-6, 1e-3, 0.5])
def test_no_ray_misses_a_body_at_which_it_is_aimed(radius):
    random = np.random.default_rng(11)
    points = random.normal(size=(12, 3))
    for body in (hull(points, radius=radius), box((1, 1e-3, 0.1), radius=radius)):
        there = body.at(random.normal(size=3) * 10.0, rotation_about((1, 2, 3), 0.7))
        corners, count = there.world_points, 300
        # Near corners and edges more often than not, and beyond them by less than the radius.
        targets = random.dirichlet(np.full(len(corners), 0.3), count) @ corners
        beyond, directions = random.normal(size=(2, count, 3))
        beyond *= 0.999 * radius / np.linalg.norm(beyond, axis=1, keepdims=True)
        for far in (10.0, 1e5):
            answer = ray_cast_batch(there, targets + beyond - directions * far, directions)
            assert answer.hits.all()
            gaps = [gjk(hull([point]), there).gap for point in answer.point[:100]]
            assert np.abs(gaps).max() < 3e-15 * far + 1e-13


def test_bodies_answer_as_the_obstacles_of_the_same_shape():
    random = np.random.default_rng(9)
    wall, floor = Plane((0, 1, 0), (0, 1, 0)), box((1e3, 1, 1e3))
    pillar, long = Cylinder((0, 0, 0), (0, 0, 1), 2), capsule((0, 0, -1e3), (0, 0, 1e3), 2)
    for shape, body in ((wall, floor), (pillar, long)):
        compared = 0
        for _ in range(200):
            origin = random.normal(size=3) * 5.0
            if shape is wall and origin[1] < 1.0:
                continue
            ray = TRay(origin, random.normal(size=3) - [0.0, 0.5, 0.0])
            expected, found = shape.hit(ray), body.hit(ray)
            if expected is not None and np.abs(expected.point).max() > 900.0:
                continue
            assert (expected is None) == (found is None)
            if expected is not None:
                compared += 1
                assert found.distance == pytest.approx(expected.distance, rel=1e-11)
                np.testing.assert_allclose(found.normal, expected.normal, atol=1e-11)
        assert compared > 40


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_the_length_of_the_direction_does_not_matter(scale):
    answer = ray_cast(ROUNDED, (-5, 1.3, 0), (scale, 0, 0))
    assert answer.distance == pytest.approx(3.6, rel=1e-14)


@pytest.mark.parametrize("far", [1e10, 1e50, 1e200, 1e300])
def test_from_any_distance(far):
    for body, reach in ((CUBE, 1.0), (ROUNDED, 1.5), (CAPSULE, 3.0), (sphere(5), 5.0)):
        answer = ray_cast(body, (far, 0, 0), (-2, 0, 0))
        assert answer.distance == pytest.approx(far - reach, rel=1e-15)
        np.testing.assert_array_equal(answer.normal, (1, 0, 0))


def test_faults_are_one_sentence():
    with pytest.raises(ValueError, match="needs a direction"):
        ray_cast(CUBE, (0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="must be finite"):
        ray_cast(CUBE, (0, 0, np.nan), (0, 0, 1))
    with pytest.raises(ValueError, match="a ray's start needs 2 numbers"):
        ray_cast(box((1, 1)), (0, 0, 0, 0), (0, 1))
    with pytest.raises(ValueError, match="use the `_batch` function"):
        ray_cast(Bodies.of([CUBE, CUBE]), (0, 0, 0), (0, 1, 0))
    with pytest.raises(TypeError, match="expected bodies"):
        ray_cast_batch(1.0, [(0, 0, 0)], [(0, 1, 0)])
    with pytest.raises(ValueError, match="equally many, or one"):
        ray_cast_batch(Bodies.of([CUBE, CUBE]), np.ones((3, 3)), np.ones((3, 3)))
