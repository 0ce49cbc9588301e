"""The points that a world answers with lie on the surfaces they are of, for every kind of shape."""

from typing import Any

import numpy as np
import pytest
from any_shape import SHAPES

from spheresim import CollisionWorld, Compound, Disc
from spheresim.convex import sphere

KINDS = SHAPES | {
    "compound of discs": Compound([Disc((0, 0, 0), (0, 0, 1), 2), Disc((3, 0, 0), (1, 1, 0), 1)])
}


def world_of(name: str) -> tuple[CollisionWorld, Any]:
    world = CollisionWorld()
    world.add(KINDS[name])
    return world, KINDS[name]


def off_surface(shape: Any, points: Any) -> Any:
    return np.array([abs(shape.clearance(tuple(point))) for point in points])


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", KINDS)
def test_nearest_points_and_first_contacts_lie_on_the_surface(name: str) -> None:
    (world, shape), random = world_of(name), np.random.default_rng(1)
    places = random.uniform(-6, 6, (200, 3))
    places = places[[not shape.gap(tuple(place)) < 0.5 for place in places]]
    found = world.nearest_batch(sphere(0.0), places)
    assert off_surface(shape, found.other).max() < 1e-9
    there = found.other + found.gap[:, None] * found.normal
    assert np.abs(there - found.point).max() < 1e-9

    met = world.shape_cast_batch(sphere(0.3), 3.0 * (1.0 - places), positions=places)
    hits = met.handle >= 0
    assert np.count_nonzero(hits) >= 5
    assert off_surface(shape, met.point[hits]).max() < 1e-7
    centres = places[hits] + 3.0 * (1.0 - places[hits]) * met.time[hits, None]
    assert np.abs(met.point[hits] + 0.3 * met.normal[hits] - centres).max() < 1e-7


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", KINDS)
def test_contacts_are_midway_between_the_surfaces(name: str) -> None:
    (world, shape), random = world_of(name), np.random.default_rng(2)
    places = random.uniform(-6, 6, (100, 3))
    places = places[[not shape.gap(tuple(place)) < 0.5 for place in places]]
    ball = world.add(sphere(2.0))
    for place in places[:25]:
        world.move(ball, place)
        for contact in world.cycle().contacts:
            surface = contact.points - 0.5 * contact.depths[:, None] * contact.normals
            assert off_surface(shape, surface).max() < 1e-9
