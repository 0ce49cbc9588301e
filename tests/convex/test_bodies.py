"""Making bodies: hulls of all ranks, and every fault in one sentence."""

from math import nan

import numpy as np
import pytest
from convex_pairs import CLOUDS
from one_sentence import told

from spheresim.convex import (
    Bodies,
    box,
    capsule,
    gjk,
    gjk_batch,
    hull,
    polygon,
    polyhedron,
    rotation_about,
    sat,
    sphere,
)

CUBE = box((1, 1, 1))
DENTED = np.vstack([CUBE.points, [[0, 0, 0.5]]])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: polygon([(0, 0), (1, 0)]), "at least three points, not 2"),
        (
            lambda: polygon([(0, 0), (2, 0), (2, 2), (1, 0.5)]),
            r"not convex at point 3, \(1.0, 0.5\)",
        ),
        (lambda: polygon([(0, 0), (1, 0), (2, 0)]), "the polygon has no area"),
        (lambda: polygon([(0, 0), (1, 0), (1, 0), (0, 1)]), r"repeats point 1, \(1.0, 0.0\)"),
        (lambda: polygon([(0, 0), (nan, 0), (0, 1)]), r"points must be finite, not \[nan, 0.0\]"),
        (
            lambda: polygon([(np.cos(a), np.sin(a)) for a in np.arange(5) * 4 * np.pi / 5]),
            "it does not go around once",
        ),
        (lambda: polygon([(0, 0, 1), (1, 0, 0), (0, 1, 0)]), "z must be 0 in the plane"),
        (lambda: polygon("abc"), "expected 2 numbers each"),
        (lambda: polygon([(0, 0), (1, 0), (0, 1)], radius=-1), "radius must be at least 0"),
        (lambda: box((1, 0, 1)), "half extent must be greater than 0"),
        (lambda: box((1,)), "two or three half extents, not 1"),
        (lambda: box((1, 1), position=(0, nan)), "position must be finite"),
        (lambda: box((1, 1), position=(0, 0, 1)), "z must be 0 in the plane"),
        (lambda: box((1, 1, 1), rotation=np.ones((3, 3))), "orthonormal and right-handed"),
        (lambda: box((1, 1, 1), rotation=0.5), "a 3 × 3 matrix"),
        (lambda: box((1, 1), rotation=nan), "rotation in the plane must be finite"),
        (lambda: sphere(-1), "radius must be at least 0"),
        (lambda: sphere(nan), "radius must be finite"),
        (lambda: capsule((0, 0, 0), (1, nan, 0), 1), "must be finite"),
        (lambda: hull([]), "a hull needs at least one point"),
        (lambda: hull(np.empty((0, 3))), "at least one point"),
        (lambda: polyhedron(CUBE.points[:3], [(0, 1, 2)]), "at least four points, not 3"),
        (lambda: polyhedron(CUBE.points, CUBE.faces[:5]), "faces do not close"),
        (lambda: polyhedron(CUBE.points, [(0, 1, 6)]), "not convex: point 4 is beyond face 0"),
        (lambda: polyhedron(CUBE.points, [(0, 1, 3, 6)]), "face 0 is not flat"),
        (lambda: polyhedron(CUBE.points, [(0, 1, 8)]), "index of a point that does not exist"),
        (lambda: polyhedron(CUBE.points, [(0, 1, 1)]), "three different points"),
        (lambda: polyhedron(np.zeros((4, 3)), [(0, 1, 2)]), "face 0 has no area"),
        (
            lambda: polyhedron(
                DENTED, [*CUBE.faces[1:], (0, 2, 8), (2, 3, 8), (3, 1, 8), (1, 0, 8)]
            ),
            "not convex",
        ),
        (
            lambda: gjk(box((1, 1)), box((1, 1, 1))),
            "in the plane, or both in space",
        ),
        (lambda: Bodies.of([box((1, 1)), box((1, 1, 1))]), "in the plane and in space"),
        (lambda: gjk_batch(Bodies.of([CUBE]), Bodies.of([CUBE] * 2)), "equally many bodies"),
    ],
)
def test_each_fault_is_told_in_one_sentence(make, sentence):
    told(make, sentence, ValueError)


@pytest.mark.parametrize("family", CLOUDS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_hull_holds_all_points_and_its_faces_close(family, dimension):
    for seed in range(25):
        points = CLOUDS[family](np.random.default_rng(seed), dimension)
        body = hull(points)
        given = np.zeros((len(points), 3))
        given[:, :dimension] = points
        for corner in body.points:
            assert (given == corner).all(axis=1).any()
        if dimension == 3 and len(body.faces) > 1:
            polyhedron(body.points, body.faces)  # which checks it
            assert len(body.points) - len(body.edges) + len(body.faces) == 2
            assert sat(body, hull(points[:1])).overlap >= -1e-12
        for point in points:
            assert gjk(body, hull([point])).gap <= 1e-12


def test_a_hull_of_coplanar_points_keeps_faces_whole():
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), -1).reshape(-1, 3)
    cube = hull(grid)
    assert (len(cube.points), len(cube.edges), len(cube.faces)) == (8, 12, 6)
    turned = hull(grid @ rotation_about((1, 2, 3), 0.7))
    assert (len(turned.points), len(turned.edges), len(turned.faces)) == (8, 12, 6)


@pytest.mark.parametrize("points", [[(0, 0), (2, 0), (0, 2)], [(0, 0), (0, 2), (2, 0)]])
def test_a_polygon_may_go_either_way_round(points):
    assert polygon(points).world_points[:, :2].tolist() == [list(map(float, p)) for p in points]
    assert gjk(polygon(points), sphere(1, (2, 2))).gap == pytest.approx(2**0.5 - 1)


def test_faces_may_go_either_way_round():
    inside_out = polyhedron(CUBE.points, [face[::-1] for face in CUBE.faces])
    assert inside_out.faces == CUBE.faces


def test_a_body_elsewhere_keeps_its_shape():
    square = box((1, 1), rotation=np.pi / 4)
    assert square.at((5, 0)).world_points[:, 0].max() == pytest.approx(5 + 2**0.5)
    assert square.at((5, 0), 0.0).world_points[:, 0].max() == 6.0
    assert square.at((5, 0)).geometry is square.geometry


def test_many_bodies_share_forms_and_can_be_chosen_and_moved():
    bodies = Bodies.of([CUBE.at((3 * k, 0, 0)) for k in range(4)] + [sphere(1, (0, 9, 0))])
    assert len(bodies.geometry) == len(CUBE.geometry) + len(sphere(1).geometry)
    i, j = np.triu_indices(len(bodies), 1)
    assert gjk_batch(bodies[i], bodies[j]).gap.min() == 1.0
    bodies.positions[:4, 0] *= 2
    assert gjk_batch(bodies[i], bodies[j]).gap.min() == 4.0
    assert len(Bodies.of([])) == 0
