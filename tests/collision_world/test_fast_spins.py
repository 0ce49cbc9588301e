"""Shapes that turn fast in a world: no contact that never happens."""

import warnings
from math import hypot, pi, sqrt

import numpy as np
import pytest

from spheresim import CollisionWorld, Cylinder, Plane
from spheresim.convex import box, hull, rotation_about, sphere

SIZE = hypot(1, 0.05)
BLADE = box((1, 0.05, 0.01))
ACROSS = np.array((1, 1, 0)) / sqrt(2)
WALL = box((0.1, 5, 5), ACROSS * (SIZE + 0.2), rotation_about((0, 0, 1), pi / 4))
ALONG, SPIN = (0.1, -0.1, 0), (0, 0, 3000)


@pytest.fixture(autouse=True)
def no_warning() -> None:
    warnings.simplefilter("error")


def test_a_blade_that_spins_along_a_wall_is_not_in_contact() -> None:
    world = CollisionWorld()
    world.add(WALL)
    assert world.shape_cast(BLADE, ALONG, SPIN) is None
    world.add(BLADE, velocity=ALONG, spin=SPIN)
    assert len(world.cycle(1.0).contacts) == 0


@pytest.mark.parametrize(("gap", "met"), [(0.001, 0), (-0.001, 1)])
def test_one_that_spins_above_a_plane(gap: float, met: int) -> None:
    world = CollisionWorld()
    world.add(Plane((0, 0, 0), (0, 0, 1)))
    world.add(BLADE.at((0, 0, hypot(1, 0.01) + gap)), spin=(0, 300, 0))
    assert len(world.cycle(1.0).contacts) == met


def test_one_that_spins_in_a_tube() -> None:
    world = CollisionWorld()
    tube = world.add(Cylinder((0, 0, 0), (0, 0, 1), 2.0))
    blade = world.add(BLADE, velocity=(0.5, 0, 0), spin=(3, 5, 3000))
    assert len(world.cycle(1.0).contacts) == 0
    world.move(blade, (0, 0, 0))
    world.set_velocity(blade, (2, 0, 0), (3, 5, 3000))
    contact = world.cycle(1.0).contacts[0]
    assert (contact.a, contact.b) == (tube, blade)
    assert 0.49 < contact.time < 0.51


@pytest.mark.compiled_only
def test_a_search_that_cannot_be_ended_finds_no_contact_and_warns() -> None:
    around = hull([(5, 0, 0), (6, 0, 0), (5.5, 0.2, 0), (5.5, 0, 0.2)])
    world = CollisionWorld()
    world.add(sphere(0.5))
    world.add(around, velocity=(1e-5, 0, 0), spin=SPIN)
    with pytest.warns(UserWarning, match="1 pair of parts turned too fast near each other"):
        assert len(world.cycle(100.0).contacts) == 0
