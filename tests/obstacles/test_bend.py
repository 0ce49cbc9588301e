"""How surfaces bend under a point that goes straight on: against second differences."""

import math

import numpy as np
import pytest
from surfaces import surface

from spheresim import Cylinder, Plane, TVector
from spheresim.obstacles.table import bend, curvature_radius, pack


def second_derivative(shape, x, v, h):
    """Of the clearance, by differences over five points, which are right to order h⁴."""
    steps = np.arange(-2.0, 3.0)[:, np.newaxis] * h
    clearance = np.abs(surface(shape, x + steps * v)[0])
    return float(np.array((-1.0, 16.0, -30.0, 16.0, -1.0)) @ clearance) / (12.0 * h * h)


def on_the_way(random, part):
    """A random cylinder, a point at this part of its radius from the axis, and a velocity."""
    radius = 10.0 ** random.uniform(-1.0, 1.0)
    cylinder = Cylinder(random.normal(size=3), random.normal(size=3), radius)
    axis = np.array(cylinder.axis)
    across = np.cross(axis, random.normal(size=3))
    across *= part * radius / np.linalg.norm(across)
    x = np.array(cylinder.point) + across + random.normal() * axis
    return cylinder, x, 10.0 ** random.uniform(-3.0, 3.0) * random.normal(size=3)


@pytest.mark.parametrize("part", [0.2, 0.9, 1.1, 5.0])
def test_on_cylinders_it_is_the_second_derivative_of_the_clearance(part):
    random = np.random.default_rng(int(10 * part))
    for _ in range(200):
        cylinder, x, v = on_the_way(random, part)
        distance, speed = part * cylinder.radius, float(np.linalg.norm(v))
        expected = second_derivative(cylinder, x, v, 1e-3 * distance / speed)
        found = bend(pack([cylinder], [1.0]), 0, TVector(x), TVector(v))
        assert found == pytest.approx(expected, abs=1e-7 * speed**2 / distance)
        assert (found <= 0.0) if part < 1.0 else (found >= 0.0)
        assert curvature_radius(pack([cylinder], [1.0]), 0, TVector(x)) == pytest.approx(
            distance, rel=1e-12
        )


def test_round_a_pillar_it_is_the_centripetal_acceleration_and_along_its_axis_none():
    pillar = Cylinder((0, 0, 0), (0, 0, 1), 1.0)
    assert pillar.bend(TVector(2, 0, 7), TVector(0, 3, 0)) == pytest.approx(4.5, rel=1e-15)
    assert pillar.bend(TVector(2, 0, 7), TVector(5, 0, -4)) == 0.0
    assert pillar.bend(TVector(0.5, 0, 7), TVector(5, 3, -4)) == pytest.approx(-18.0, rel=1e-15)
    assert pillar.bend(TVector(0, 0, 7), TVector(0, 3, 0)) == 0.0


def test_a_plane_is_straight():
    plane = Plane((0, 0, 0), (1, 2, 3))
    assert plane.bend(TVector(1, 1, 1), TVector(3, -2, 1)) == 0.0
    assert bend(pack([plane], [1.0]), 0, TVector(1, 1, 1), TVector(3, -2, 1)) == 0.0
    assert curvature_radius(pack([plane], [1.0]), 0, TVector(1, 1, 1)) == math.inf
