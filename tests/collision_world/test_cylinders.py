"""Convex bodies and meshes in and beside infinite cylinders, and round shapes on planes."""

import math
from typing import Any

import numpy as np
import pytest

from spheresim import (
    CappedCylinder,
    CollisionWorld,
    Cylinder,
    Disc,
    Mesh,
    Plane,
    Ring,
    Sphere,
)
from spheresim.collision_world import Unsupported
from spheresim.convex import Body, box, capsule, hull, rotation_about, sphere

TUBE = Cylinder((0, 0, 0), (0, 0, 1), 2.0)


def test_a_box_in_a_tube_is_stopped_by_its_edges() -> None:
    world = CollisionWorld()
    tube, crate = world.add(TUBE), world.add(box((0.6, 0.8, 0.5)))
    assert len(world.cycle().contacts) == 0
    found = world.nearest(box((0.6, 0.8, 0.5)))
    assert found is not None
    assert found.gap <= 0
    world.remove(crate)
    found = world.nearest(box((0.6, 0.8, 0.5)))
    assert found is not None
    assert (found.handle, found.gap) == (tube, pytest.approx(1.0))
    crate = world.add(box((0.6, 0.8, 0.5)), velocity=(0, 2, 0))
    met = world.cycle(1.0).contacts[0]
    # The edges at x = ±0.6 meet the wall where y = √(4 − 0.36).
    assert met.time == pytest.approx((math.sqrt(4 - 0.36) - 0.8) / 2, rel=1e-14)
    world.move(crate, (0, math.sqrt(4 - 0.36) - 0.7, 0))
    world.set_velocity(crate, (0, 0, 0))
    corners = world.cycle(answer="manifold").contacts[0]
    assert len(corners.points) == 4
    assert np.allclose(corners.depths, math.hypot(0.6, math.sqrt(4 - 0.36) + 0.1) - 2)
    assert np.allclose(corners.normals[:, 2], 0)
    # From the crate, of the higher handle, towards the wall: away from the axis.
    assert (np.einsum("ki,ki->k", corners.normals, corners.points) > 0).all()


def test_a_box_beside_a_pillar_meets_it_far_along_its_axis() -> None:
    world = CollisionWorld()
    world.add(Cylinder((5, 0, 0), (0, 0, 1), 1.0))
    met = world.shape_cast(box((0.5, 0.5, 0.5)), (1, 0, 1e6), until=10)
    assert met is not None
    assert met.time == pytest.approx(3.5, rel=1e-6)
    near = world.nearest(box((0.5, 0.5, 0.5), (0, 0, 1e6)))
    assert near is not None
    assert near.gap == pytest.approx(3.5, rel=1e-9)


def outline(body: Body, tube: Cylinder) -> tuple[float, float]:
    """How near to and how far from the axis a body is, from a dense set of its points."""
    weights = np.random.default_rng(0).dirichlet(np.full(len(body.points), 0.3), 4000)
    points = np.vstack([body.world_points, weights @ body.world_points])
    away = points - np.array(tube.point)
    axis = np.array(tube.axis)
    distance = np.linalg.norm(away - np.outer(away @ axis, axis), axis=1)
    return float(distance.min()) - body.radius, float(distance.max()) + body.radius


@pytest.mark.compiled_only
def test_random_bodies_touch_the_wall_as_their_points_say() -> None:
    random = np.random.default_rng(1)
    tube = Cylinder((1, 2, 3), (1, -1, 2), 1.5)
    makers: list[Any] = [
        lambda: box(random.uniform(0.1, 0.6, 3)),
        lambda: hull(random.normal(size=(8, 3)) * 0.4, radius=random.choice([0.0, 0.2])),
        lambda: capsule((-0.5, 0, 0), (0.5, 0, 0), 0.2),
        lambda: sphere(random.uniform(0.1, 0.9)),
    ]
    kinds = set()
    for k in range(120):
        turn = rotation_about(random.normal(size=3), random.uniform(0, 6))
        body = makers[k % 4]().at(np.array(tube.point) + random.uniform(-2, 2, 3), turn)
        world = CollisionWorld()
        world.add(tube)
        near, far = outline(body, tube)
        answer = world.overlap(body)
        # The sampled points are of the body; what lies between them may reach further in.
        if near <= tube.radius <= far:
            assert answer == [0]
        elif near > tube.radius + 0.1 or far < tube.radius - 1e-9:
            assert answer == []
        if far < tube.radius - 1e-9:
            found = world.nearest(body)
            assert found is not None
            assert found.gap == pytest.approx(tube.radius - far)
        kinds.add((bool(answer), far < tube.radius))
    assert kinds == {(True, False), (False, False), (False, True)}


@pytest.mark.compiled_only
@pytest.mark.parametrize("spin", [(0, 0, 0), (0.5, 0.9, -1.4)])
def test_nothing_leaves_a_tube_unseen(spin: Any) -> None:
    """A body that moves is in the tube until the time that is told, and touches then."""
    random = np.random.default_rng(2)
    for _ in range(40):
        body = hull(random.normal(size=(6, 3)) * 0.3)
        velocity = random.normal(size=3)
        world = CollisionWorld()
        world.add(TUBE, velocity=(0.1, 0, 0), spin=(0, 0, 3))
        world.add(body, velocity=velocity, spin=spin)
        (met,) = world.cycle(40.0).contacts
        for time in np.linspace(0, met.time, 20):
            turn = rotation_about(spin, np.linalg.norm(spin) * time) if any(spin) else np.eye(3)
            placed = body.at((velocity - (0.1, 0, 0)) * time, turn)
            away = np.linalg.norm(placed.world_points[:, :2], axis=1).max()
            assert away < 2 + 1e-9
        assert away == pytest.approx(2, abs=3e-6)


def test_a_drum_that_turns_about_its_axis_is_exact_and_one_that_tilts_is_not_late() -> None:
    for spin, tolerance in (((0, 0, 5), 1e-14), ((0.3, 0, 0), 2e-6)):
        world = CollisionWorld()
        world.add(TUBE, spin=spin)
        world.add(Sphere((0, 0, 0), 0.5), velocity=(3, 0, 0))
        (met,) = world.cycle(1.0).contacts
        assert met.time == pytest.approx(0.5, abs=tolerance)


def test_a_mesh_in_a_tube() -> None:
    corners = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    mesh = Mesh(corners, [(0, 1, 2), (0, 2, 3)])
    world = CollisionWorld()
    world.add(TUBE)
    plate = world.add(mesh)
    assert len(world.cycle().contacts) == 0
    world.set_velocity(plate, (1, 0, 0))
    (met,) = world.cycle(1.0).contacts
    assert met.time == pytest.approx(math.sqrt(3) - 1)


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Disc((0, 0, 0), (1, 0, 1), 2), 2 * math.sqrt(0.5)),
        (CappedCylinder((0, 0, -1), (0, 0, 1), 0.5), 1.0),
        (CappedCylinder((-1, 0, -1), (1, 0, 1), 0.5), 1 + 0.5 * math.sqrt(0.5)),
        (Ring((0, 0, 0), (1, 0, 1), 2, 0.5), 2 * math.sqrt(0.5) + 0.5),
    ],
)
def test_how_low_a_round_shape_reaches_over_a_plane(shape: Any, height: float) -> None:
    world = CollisionWorld()
    floor = world.add(Plane((0, 0, 0), (0, 0, 1)))
    found = world.nearest_batch(shape, [(0, 0, 5)])
    assert (found.handle[0], found.gap[0]) == (floor, pytest.approx(5 - height))
    assert found.normal[0].tolist() == [0, 0, 1]
    world.add(shape, (0, 0, 5), velocity=(0, 0, -10))
    (met,) = world.cycle(1.0).contacts
    assert met.time == pytest.approx((5 - height) / 10)
    assert met.points[0, 2] == pytest.approx(0, abs=1e-12)


def test_a_disc_that_lies_on_a_plane_has_four_points() -> None:
    world = CollisionWorld()
    world.add(Plane((0, 0, 0), (0, 0, 1)))
    world.add(Disc((0, 0, -0.1), (0, 0, 1), 2))
    (found,) = world.cycle(answer="manifold").contacts
    assert found.depths.tolist() == pytest.approx([0.1] * 4)
    assert np.allclose(np.linalg.norm(found.points[:, :2], axis=1), 2)
    world.set_velocity(1, (0, 0, 0), (1, 0, 0))
    with pytest.raises(Unsupported, match="turning"):
        world.cycle(0.1)
