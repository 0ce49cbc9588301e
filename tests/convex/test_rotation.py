"""A rotation in every form that users have it in."""

from fractions import Fraction
from math import inf, nan, pi

import numpy as np
import pytest
from one_sentence import told
from scipy.spatial.transform import Rotation

from spheresim.convex import VoronoiRegions, box, capsule, hull, rotation_about

CUBE, SQUARE = box((1, 1, 1)), box((1, 1))
TURN = rotation_about((1, 2, 3), 0.7)


def _quaternion(matrix):
    return Rotation.from_matrix(matrix).as_quat()


@pytest.mark.parametrize(
    ("form", "within"),
    [
        (lambda m: m, 0.0),
        (lambda m: m.tolist(), 0.0),
        (np.asfortranarray, 0.0),
        (lambda m: m.astype(np.float32), 2e-7),
        (lambda m: m.astype(np.float32).tolist(), 2e-7),
        (lambda m: m.astype(np.float16), 2e-3),
        (lambda m: m.astype(np.longdouble), 0.0),
        (lambda m: m.round(6), 2e-6),
        (_quaternion, 1e-15),
        (lambda m: (-7.0 * _quaternion(m)).tolist(), 1e-15),
        (lambda m: tuple(_quaternion(m).astype(np.float32)), 2e-7),
        (Rotation.from_matrix, 1e-15),
    ],
)
def test_a_rotation_in_any_form_and_precision(form, within):
    random = np.random.default_rng(6)
    for _ in range(20):
        matrix = rotation_about(random.normal(size=3), random.uniform(0, pi))
        body = box((1, 2, 3), (1, 0, 0), form(matrix))
        assert np.abs(body.rotation - matrix).max() <= within
        assert np.abs(body.rotation @ body.rotation.T - np.eye(3)).max() <= 1e-12
        assert (CUBE.at((0, 0, 0), form(matrix)).rotation == body.rotation).all()
        for other in (
            capsule((0, 0, 0), (1, 0, 0), 1, rotation=form(matrix)),
            hull(CUBE.points, rotation=form(matrix)),
        ):
            assert (other.rotation == body.rotation).all()
    assert VoronoiRegions(CUBE).at((0, 0, 0), form(TURN)).body.rotation == pytest.approx(
        TURN, abs=within
    )


@pytest.mark.parametrize("form", [lambda a: a, np.float32, np.array, Fraction])
def test_a_turn_in_the_plane_is_an_angle(form):
    angle = 0.75
    assert SQUARE.at((0, 0), form(angle)).rotation.tolist() == (
        rotation_about((0, 0, 1), angle).tolist()
    )


@pytest.mark.parametrize("angle", [0.0, 0.5, -3.0])
def test_or_any_rotation_that_leaves_the_plane(angle):
    matrix = rotation_about((0, 0, 1), angle)
    for form in (
        matrix,
        matrix.astype(np.float32),
        _quaternion(matrix),
        Rotation.from_matrix(matrix),
    ):
        assert SQUARE.at((0, 0), form).rotation == pytest.approx(matrix, abs=1e-6)
    there = SQUARE.at((3, 0), angle)
    assert SQUARE.at((0, 0), there.rotation).rotation == pytest.approx(there.rotation, abs=1e-15)


@pytest.mark.parametrize(
    ("rotation", "sentence"),
    [
        (0.5, "a 3 × 3 matrix"),
        ("turn", "a 3 × 3 matrix"),
        ([(1, 0), (0, 1)], "a 3 × 3 matrix"),
        ([(1, 0, 0), (0, 1)], "a 3 × 3 matrix"),
        ((1, 2, 3), "a 3 × 3 matrix"),
        (np.eye(3) * 1j, "a 3 × 3 matrix"),
        (np.eye(3) == 1, "a 3 × 3 matrix"),
        (Rotation.from_rotvec([(1, 0, 0)] * 2), "a 3 × 3 matrix"),
        (-np.eye(3), "right-handed"),
        (np.eye(3) * 1.001, "orthonormal"),
        (np.eye(3) * nan, "orthonormal"),
        (np.zeros((3, 3)), "orthonormal"),
        ((0, 0, 0, 0), "a quaternion"),
        ((nan, 0, 0, 1), "a quaternion"),
        ((inf, 0, 0, 1), "a quaternion"),
    ],
)
def test_what_is_no_rotation(rotation, sentence):
    told(lambda: CUBE.at((0, 0, 0), rotation), sentence)
    told(lambda: box((1, 1, 1), rotation=rotation), sentence)


@pytest.mark.parametrize("rotation", [TURN, _quaternion(TURN), Rotation.from_matrix(TURN)])
def test_a_turn_out_of_the_plane_is_refused_there(rotation):
    told(lambda: SQUARE.at((0, 0), rotation), "a rotation in the plane is one about z")
