"""Meshes of many triangles in a world: made at once, shared, and asked without asking them all."""

from typing import Any

import numpy as np
import pytest

from spheresim import CollisionWorld, Cuboid, Mesh
from spheresim.convex import box, gjk_batch, hull, sphere
from spheresim.convex.body import Bodies
from spheresim.convex.geometry.triangle_rows import are_thin, triangle_rows


def terrain(n: int) -> Mesh:
    """A bumpy square of n × n squares of side 1 about the origin, in two triangles each."""
    x, y = (grid.ravel() - 0.5 * n for grid in np.meshgrid(*2 * [np.arange(n + 1)], indexing="ij"))
    k = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    heights = np.column_stack([x, y, np.sin(0.3 * x) * np.cos(0.2 * y)])
    return Mesh(heights, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])]))


def triangle_bodies(corners: Any) -> Bodies:
    return Bodies.of(hull(each) for each in corners)


def test_triangles_at_once_are_the_bodies_that_hulls_make_of_them() -> None:
    random = np.random.default_rng(0)
    corners = random.normal(size=(60, 3, 3)) * 10.0 ** random.integers(-3, 4, (60, 1, 1))
    rows = triangle_rows(corners)
    poses = triangle_bodies(corners).poses.copy()
    poses[:, 0] = np.arange(60) * rows.shape[1]
    together, ball = Bodies(rows.reshape(-1, 3), poses), sphere(0.3, (1, 2, 3))
    found, expected = gjk_batch(together, ball), gjk_batch(triangle_bodies(corners), ball)
    scale = 1.0 + np.abs(corners).max(axis=(1, 2))
    assert np.all(np.abs(found.gap - expected.gap) < 1e-13 * scale)
    assert np.all(np.abs(found.point_a - expected.point_a).max(axis=1) < 1e-12 * scale)
    assert np.array_equal(rows[:, 5:8], corners)


def test_a_needle_is_thin_and_still_a_shape() -> None:
    needle = [(0, 0, 0), (1, 0, 0), (0.5, 1e-13, 0)]
    assert are_thin(np.array([needle, [(0, 0, 0), (1, 0, 0), (0, 1e-3, 0)]])).tolist() == [1, 0]
    world = CollisionWorld()
    world.add(Mesh(needle, [(0, 1, 2)]))
    found = world.nearest((0.5, 0, 2))
    assert found is not None
    assert found.gap == pytest.approx(2.0, abs=1e-12)


@pytest.mark.compiled_only
def test_a_wide_box_on_fine_terrain_meets_what_each_triangle_meets() -> None:
    mesh, world = terrain(30), CollisionWorld()
    world.add(mesh)
    slab = world.add(Cuboid((0, 0, 0.3), (20, 20, 0.5)))
    world.cycle(answer="touch")
    assert len(world.contacts) == 1
    corners = mesh.vertices[mesh.triangles]
    gaps = gjk_batch(triangle_bodies(corners), box((10, 10, 0.25), (0, 0, 0.3))).gap
    found = world.cycle().contacts
    assert len(found.point) == np.count_nonzero(gaps <= 0.0)
    assert found.depth.max() == pytest.approx(-gaps.min(), abs=1e-12)
    assert world.position(slab).tolist() == [0, 0, 0.3]


def test_a_mesh_that_is_added_again_is_made_once_and_goes_with_the_last() -> None:
    mesh, world = terrain(8), CollisionWorld()
    ball = sphere(9.0)
    first = world.add(mesh)
    expected = world.nearest(ball)
    rows = len(world._shapes.geometry)
    second = world.add(mesh, (100, 0, 0))
    world.remove(first)
    there = world.nearest(ball, within=1e9)
    assert there is not None
    assert expected is not None
    world.move(second, (0, 0, 0))
    again = world.nearest(ball)
    assert again is not None
    assert again.gap == expected.gap
    assert len(world._shapes.geometry) <= 2 * rows
    many = [world.add(hull(np.random.default_rng(k).normal(size=(40, 3)))) for k in range(20)]
    for handle in many:  # so much is dropped that the rest moves together
        world.remove(handle)
    again = world.nearest(ball)
    assert again is not None
    assert again.gap == expected.gap
    world.remove(second)
    assert world.nearest(ball) is None
