"""Bodies deep in each other, in the same place or touching: the shortest way out, exactly."""

import numpy as np
import pytest
from point_clouds import KINDS, cloud, icosphere
from scipy.spatial import ConvexHull

from spheresim.compiler.decorators import kernel
from spheresim.convex import (
    bodies_overlap,
    box,
    gjk,
    hull,
    polygon,
    rotation_about,
    sat,
)
from spheresim.convex.geometry.posed_body import difference_of, posed_body
from spheresim.convex.geometry.slabs import MANY_POINTS
from spheresim.convex.geometry.support import climb, has_neighbours
from spheresim.convex.separating_axes.axes import least_overlap
from spheresim.numerics.vector import TVector

TOLERANCE = 1e-12


def offset(random, a, b, how):
    """From the same place, or nearly, to a shared corner."""
    if how == "nearly":
        return random.normal(size=3) * 10.0 ** -random.integers(1, 12)
    if how == "on a grid":
        return random.integers(-2, 3, 3) * 0.5
    if how == "shared corner":
        return a.points[random.integers(len(a.points))] - b.points[random.integers(len(b.points))]
    return np.zeros(3) if how == "same place" else random.normal(size=3) * 0.5


OFFSETS = ["same place", "nearly", "on a grid", "shared corner", "anywhere"]


def pairs(count, seed):
    """All kinds of bodies in all kinds of places; every other pair keeps its axes."""
    random = np.random.default_rng(seed)
    shapes = {
        dimension: [hull(cloud(random, kind, dimension)) for kind in KINDS * (2 + count // 200)]
        for dimension in (2, 3)
    }
    for k in range(count):
        dimension = 2 if k % 4 == 0 else 3
        a, b = (shapes[dimension][i] for i in random.integers(len(shapes[dimension]), size=2))
        b = b if k % 3 else a
        turn = None
        if k % 2:
            angle = random.uniform(0, np.pi)
            turn = angle if dimension == 2 else rotation_about(random.normal(size=3), angle)
        far = np.round(1e6 * random.normal(size=dimension)) if k % 5 == 0 else np.zeros(dimension)
        there = offset(random, a, b, OFFSETS[k % 7 % 5])[:dimension]
        yield a.at(far), b.at(far + there, turn)


@kernel
def _walked(geometry_a, poses_a, geometry_b, poses_b, answer):
    a, b = posed_body(geometry_a, poses_a, 0), posed_body(geometry_b, poses_b, 0)
    answer[0] = least_overlap(difference_of(a, b), np.inf).overlap


def overlap_on_all_axes(a, b):
    """On all axes, asked one by one."""
    answer = np.empty(1)
    _walked(a.geometry, a.poses, b.geometry, b.poses, answer)
    return answer[0]


def size_of(a, b):
    return np.abs(a.points).max() + np.abs(b.points).max()


def check_against_all_axes(a, b):
    expected, size, answer = overlap_on_all_axes(a, b), size_of(a, b), gjk(a, b)
    assert np.linalg.norm(answer.normal) == pytest.approx(1.0)
    if expected > TOLERANCE * size:
        assert -answer.gap == pytest.approx(expected, abs=TOLERANCE * size)
        assert sat(a, b).overlap == pytest.approx(expected, abs=TOLERANCE * size)
        assert sat(a, b).tested < 150
        assert bodies_overlap(a, b)
    elif expected < -TOLERANCE * size:
        assert answer.gap > 0.0 > sat(a, b).overlap


@pytest.mark.compiled_only
def test_the_shortest_way_out_is_that_of_all_axes():
    for a, b in pairs(400, 1):
        check_against_all_axes(a, b)


@pytest.mark.compiled_only
def test_a_needle_in_another_body_of_its_place():
    """Rounding on a triangle a millionth wide is more than the search's own: once "apart"."""
    random = np.random.default_rng(2)
    for _ in range(40):
        a = hull(cloud(random, "needle", 3))
        b = hull(cloud(random, "solid", 3))
        if overlap_on_all_axes(a, b) > 1e-8:
            assert gjk(a, b).gap == pytest.approx(-overlap_on_all_axes(a, b), abs=1e-12)


@pytest.mark.compiled_only
def test_two_icospheres_one_percent_deep_ask_few_axes():
    """They took a second: GJK ended with a triangle, and every axis was asked."""
    body = icosphere(3)
    assert len(body.points) == 642
    answer = sat(body, body.at((1.98, 0.001, 0.002)))
    assert answer.tested < 100
    assert answer.overlap == pytest.approx(0.02, abs=0.002)
    assert gjk(body.at(answer.mtv), body.at((1.98, 0.001, 0.002))).gap == pytest.approx(
        0, abs=1e-12
    )


@pytest.mark.parametrize("subdivisions", [1, pytest.param(3, marks=pytest.mark.compiled_only)])
def test_a_body_in_its_own_place_is_as_deep_as_it_is_thick(subdivisions):
    """The least width of a ball of triangles is between two opposite ones."""
    body = icosphere(subdivisions)
    width = 2.0 * min(np.linalg.norm(_foot(body.points[list(loop)])) for loop in body.faces)
    assert gjk(body, body).gap == pytest.approx(-width, abs=1e-13)
    assert sat(body, body).tested <= 2 * len(body.points)


def many_points(random, squeezed):
    """A hull of more points than are scanned, on an ellipsoid, some of them close together."""
    points = random.normal(size=(MANY_POINTS + 30, 3))
    points[: MANY_POINTS // 4] = (0, 0, 1) + 1e-3 * points[: MANY_POINTS // 4]
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    return hull(points * (1.0, 0.7, squeezed))


@pytest.mark.parametrize("squeezed", [0.5, 1e-3])
def test_a_climb_from_any_point_ends_at_the_support_point(squeezed):
    random = np.random.default_rng(5)
    body = many_points(random, squeezed)
    assert len(body.points) >= MANY_POINTS
    posed = posed_body(body.geometry, body.poses, 0)
    assert has_neighbours(posed)
    for _ in range(20):
        direction, start = TVector(random.normal(size=3)), int(random.integers(len(body.points)))
        found = body.points[climb(posed, direction, start)]
        assert found @ direction == pytest.approx((body.points @ direction).max(), abs=1e-15)


@pytest.mark.compiled_only
@pytest.mark.parametrize("squeezed", [0.5, 1e-3])
@pytest.mark.parametrize("place", [(0, 0, 0), (0.1, 0.05, 1e-4)])
def test_the_depth_of_bodies_of_many_points_is_that_of_all_differences(squeezed, place):
    body = many_points(np.random.default_rng(6), squeezed)
    other = body.at(place, None if place[0] == 0 else rotation_about((1, 2, 3), 0.3))
    differences = (body.world_points[:, np.newaxis] - other.world_points).reshape(-1, 3)
    expected = ConvexHull(differences).equations[:, -1].max()
    assert gjk(body, other).gap == pytest.approx(expected, abs=1e-12)


def _foot(triangle):
    normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    return normal * (normal @ triangle[0]) / (normal @ normal)


def test_a_regular_polygon_in_its_own_place_and_one_inside_another():
    turn = np.arange(60) * np.pi / 30
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    outer, inner = polygon(ring), polygon(0.25 * ring)
    apothem = np.cos(np.pi / 60)
    assert gjk(outer, outer).gap == pytest.approx(-2 * apothem, abs=1e-14)
    assert gjk(outer, inner).gap == pytest.approx(-1.25 * apothem, abs=1e-14)
    assert sat(outer, inner).overlap == pytest.approx(1.25 * apothem, abs=1e-14)


def test_flat_bodies_in_one_plane_are_no_deeper_than_flat():
    turn = np.arange(30) * np.pi / 15
    disc = hull(np.column_stack([np.cos(turn), np.sin(turn), np.zeros(30)]))
    for b in (disc, disc.at((0.3, 0.1, 0)), disc.at((0, 0, 0), rotation_about((0, 0, 1), 0.1))):
        answer = gjk(disc, b)
        assert answer.gap == pytest.approx(0.0, abs=1e-15)
        assert np.abs(answer.normal).tolist() == pytest.approx([0, 0, 1])


@pytest.mark.parametrize("away", [0.0, 1e-16, -1e-16, 1e-13, -1e-13])
def test_the_normal_of_bodies_that_touch_is_that_of_the_face(away):
    turn = np.arange(24) * np.pi / 12
    ring = np.column_stack([np.cos(turn), np.sin(turn), np.ones(24)])
    prism = hull(np.vstack([ring, ring * (1, 1, -1)]))
    for body in (prism, box((1, 1, 1))):
        answer = gjk(body, body.at((0.1, 0.2, 2 + away)))
        assert answer.normal.tolist() == pytest.approx([0, 0, -1], abs=1e-9)
        assert answer.gap == pytest.approx(away, abs=1e-15)
