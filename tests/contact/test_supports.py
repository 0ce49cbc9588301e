"""What supports leave of a motion: held against non-negative least squares and against projections.

λ is the solution of "min |g + Σ λ_k·n_k|, λ ≥ 0", which scipy's `nnls` finds by another method.
"""

import math

import numpy as np
import pytest
from scipy.optimize import nnls

from spheresim.contact.supports import (
    Normals,
    Triple,
    along_supports,
    held_forces,
    support_forces,
)
from spheresim.numerics.vector import TVector

NONE = TVector(0.0, 0.0, 0.0)
DOWN = np.array((0.0, -9.81, 0.0))


def normals_of(*rows):
    """Up to three unit normals as rows of numbers, zero for those that are missing."""
    units = [TVector(*map(float, row)).unit() for row in rows]
    return Normals(*units, *[NONE] * (3 - len(units)))


def columns(normals):
    """The normals as the columns of a matrix, (3, 3)."""
    return np.array(normals).T


def acceleration(gravity, normals, forces):
    return gravity + columns(normals) @ np.array(forces)


def forces_under(gravity, normals, bends=(0.0, 0.0, 0.0)):
    rates = Triple(*(columns(normals).T @ gravity + np.array(bends)))
    return support_forces(rates, normals)


def random_normals(random, count):
    return normals_of(*random.normal(size=(count, 3)))


def check_complementarity(gravity, normals, bends, forces, tolerance=1e-10):
    """λ ≥ 0; nothing is entered; what is left does not push."""
    lam, away = np.array(forces), columns(normals).T @ acceleration(gravity, normals, forces)
    away = (away + bends)[: sum(n.mag() > 0.0 for n in normals)]
    scale = np.linalg.norm(gravity) + np.abs(bends).max() + lam.max()
    assert (lam >= 0.0).all()
    assert (away >= -tolerance * scale).all()
    assert (lam[: len(away)] * away <= tolerance * scale**2).all()


# --- Forces -------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_forces_of_random_supports_are_those_of_non_negative_least_squares(count):
    random = np.random.default_rng(count)
    for _ in range(1000):
        normals, gravity = random_normals(random, count), random.normal(size=3)
        forces = forces_under(gravity, normals)
        expected, left = nnls(columns(normals)[:, :count], -gravity)
        found = acceleration(gravity, normals, forces)
        condition = np.linalg.cond(columns(normals)[:, :count])
        assert np.linalg.norm(found) == pytest.approx(left, abs=1e-12 * condition)
        assert forces[:count] == pytest.approx(expected, abs=1e-13 * condition**2)
        assert forces[count:] == (0.0,) * (3 - count)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_surfaces_that_bend_are_followed_and_left_as_complementarity_says(count):
    # With G = NᵀN = LLᵀ it is the least-squares problem of Lᵀλ + L⁻¹·rates.
    random = np.random.default_rng(10 + count)
    for _ in range(500):
        normals, gravity = random_normals(random, count), random.normal(size=3)
        bends = np.zeros(3)
        bends[:count] = 3.0 * random.normal(size=count)
        forces = forces_under(gravity, normals, bends)
        n = columns(normals)[:, :count]
        root = np.linalg.cholesky(n.T @ n)
        expected, _ = nnls(root.T, -np.linalg.solve(root, n.T @ gravity + bends[:count]))
        condition = np.linalg.cond(n)
        assert forces[:count] == pytest.approx(expected, abs=1e-12 * condition**2)
        check_complementarity(gravity, normals, bends, forces, 1e-12 * condition**2)


def test_a_corner_of_three_walls_carries_the_weight_on_each_by_its_cosine():
    normals = normals_of((1, 1, 0), (-1, 1, 0), (0, 1, 1))
    forces = forces_under(DOWN, normals)
    assert acceleration(DOWN, normals, forces) == pytest.approx(
        DOWN + columns(normals) @ forces, abs=1e-12
    )
    check_complementarity(DOWN, normals, np.zeros(3), forces)
    level = normals_of((0, 1, 0), (1, 0, 0), (0, 0, 1))
    assert forces_under(DOWN, level) == pytest.approx((9.81, 0.0, 0.0), abs=1e-15)
    skew = normals_of((1, 1, 1), (-1, 1, 1), (0, 1, -1))
    assert acceleration(DOWN, skew, forces_under(DOWN, skew)) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("other", [0.0, 1e-300, 1e-20, 1e-12, 1e-8])
def test_two_supports_in_one_plane_carry_together_what_one_would_alone(other):
    floor = normals_of((0, 1, 0), (other, 1, 0), (other, 1, -other))
    forces = forces_under(DOWN, floor)
    assert sum(forces) == pytest.approx(9.81, rel=1e-7)
    assert min(forces) >= 0.0
    assert np.linalg.norm(acceleration(DOWN, floor, forces)) <= 1e-7 * 9.81


@pytest.mark.parametrize("rows", [[(0, 1, 0), (0, -1, 0)], [(0, 1, 0), (1, 0, 0), (-1, 0, 0)]])
def test_walls_that_face_each_other_carry_what_is_below_alone(rows):
    forces = forces_under(DOWN, normals_of(*rows))
    assert forces == pytest.approx((9.81, 0.0, 0.0), abs=1e-12)


def test_three_supports_around_a_trough_carry_the_weight():
    # Their normals lie in one plane: the forces are many, the motion is one.
    trough = normals_of((1, 1, 0), (0, 1, 0), (-1, 1, 0))
    for gravity in (DOWN, np.array((3.0, -9.0, 0.5)), np.array((-20.0, -1.0, 2.0))):
        forces = forces_under(gravity, trough)
        _, left = nnls(columns(trough), -gravity)
        found = acceleration(gravity, trough, forces)
        assert np.linalg.norm(found) == pytest.approx(left, abs=1e-12)
        check_complementarity(gravity, trough, np.zeros(3), forces)


def test_without_supports_and_with_what_does_not_press_there_is_no_force():
    assert forces_under(DOWN, Normals(NONE, NONE, NONE)) == (0.0, 0.0, 0.0)
    assert forces_under(DOWN, normals_of((0, -1, 0), (1, -1, 0))) == (0.0, 0.0, 0.0)
    assert forces_under(0.0 * DOWN, normals_of((0, 1, 0), (1, 1, 0))) == (0.0, 0.0, 0.0)


def test_forces_scale_with_gravity_and_go_with_the_supports_when_these_change_places():
    random = np.random.default_rng(5)
    for _ in range(200):
        normals, gravity = random_normals(random, 3), random.normal(size=3)
        forces = np.array(forces_under(gravity, normals))
        scale = 10.0 ** random.uniform(-9.0, 9.0)
        assert forces_under(scale * gravity, normals) == pytest.approx(
            scale * forces, rel=1e-6, abs=1e-9 * scale
        )
        order = random.permutation(3)
        turned = Normals(*(normals[k] for k in order))
        assert forces_under(gravity, turned) == pytest.approx(forces[order], rel=1e-6, abs=1e-9)


def test_rails_pull_as_well_as_they_push():
    random = np.random.default_rng(6)
    for count in (1, 2, 3):
        for _ in range(200):
            normals, gravity = random_normals(random, count), random.normal(size=3)
            n = columns(normals)[:, :count]
            forces = held_forces(Triple(*(columns(normals).T @ gravity)), normals)
            expected = np.linalg.lstsq(n, -gravity, rcond=None)[0]
            condition = np.linalg.cond(n)
            assert forces[:count] == pytest.approx(expected, abs=1e-13 * condition**2)


# --- What is left of a vector -------------------------------------------------------------


def test_what_is_left_of_a_vector_is_its_projection_on_what_all_supports_allow():
    random = np.random.default_rng(7)
    for _ in range(500):
        count = random.integers(0, 4)
        normals, vector = random_normals(random, count), random.normal(size=3)
        holds = Triple(*np.where(np.arange(3) < count, random.integers(0, 2, 3), 0.0).tolist())
        chosen = columns(normals)[:, np.array(holds) > 0.0]
        off = chosen @ np.linalg.pinv(chosen) @ vector if chosen.shape[1] else 0.0 * vector
        found = along_supports(TVector(*vector.tolist()), normals, holds)
        assert found == pytest.approx(vector - off, abs=1e-9)


def test_on_a_floor_tilted_by_a_billionth_of_a_degree_the_slope_keeps_its_digits():
    tilt = math.radians(1e-9)
    normals = normals_of((math.sin(tilt), math.cos(tilt), 0.0))
    left = along_supports(TVector(*DOWN.tolist()), normals, Triple(1.0, 0.0, 0.0))
    assert left.x == pytest.approx(9.81 * math.sin(tilt) * math.cos(tilt), rel=1e-12)


@pytest.mark.parametrize("holds", [(1.0, 1.0, 0.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0)])
def test_what_two_supports_in_one_plane_leave_is_what_one_of_them_leaves(holds):
    floor = normals_of((0, 1, 0), (0, 1, 0), (0, 1, 0))
    left = along_supports(TVector(1.0, -2.0, 3.0), floor, Triple(*holds))
    assert left == (1.0, 0.0, 3.0)


@pytest.mark.parametrize(
    "rows", [[(1, 1, 0), (0, 1, 0), (-1, 1, 0)], [(0, 1, 0), (0, 1, 0), (1, 0, 0)]]
)
def test_three_supports_around_a_trough_leave_the_way_along_it(rows):
    left = along_supports(TVector(1.0, -2.0, 3.0), normals_of(*rows), Triple(1.0, 1.0, 1.0))
    assert left == pytest.approx((0.0, 0.0, 3.0), abs=1e-15)
