"""Meshes of many triangles in a world: made at once, shared, and asked without asking them all."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from point_clouds import icosphere_triangles
from scipy.spatial.transform import Rotation

from spheresim import CollisionWorld, Cuboid, Mesh, Polygon
from spheresim.convex import box, gjk_batch, hull, sphere
from spheresim.convex.body import Bodies
from spheresim.convex.geometry.triangle_rows import are_thin, triangle_rows
from spheresim.obstacles.winding import _RAY, _solid_angle


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
@pytest.mark.thorough
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


@pytest.mark.compiled_only
@pytest.mark.parametrize("probe", [sphere(0.0), sphere(0.3), box((0.1, 0.2, 0.05), radius=0.02)])
@pytest.mark.cases(1)
def test_the_nearest_triangle_is_that_of_all_triangles(probe: Any) -> None:
    mesh, world, random = Mesh(*icosphere_triangles(3)), CollisionWorld(), np.random.default_rng(5)
    turn = Rotation.from_rotvec((0.3, 1, 0.2)).as_matrix()
    world.add(mesh, (1, 2, 3), turn)
    world.add(sphere(0.5, (20, 0, 0)))
    away = random.normal(size=(20, 3))
    own = away * (random.uniform(0, 2.5, (20, 1)) / np.linalg.norm(away, axis=1)[:, None])
    found = world.nearest_batch(probe, own @ turn.T + (1, 2, 3), turn)
    triangles = triangle_bodies(mesh.vertices[mesh.triangles])
    for k, place in enumerate(own):
        gaps = gjk_batch(probe.at(place), triangles).gap
        assert found.gap[k] == pytest.approx(gaps.min(), abs=1e-12)
    assert set(found.handle.tolist()) == {0}


@pytest.mark.compiled_only
@pytest.mark.thorough
def test_points_near_the_centre_of_a_fine_sphere_take_little_memory() -> None:
    mesh, world = Mesh(*icosphere_triangles(5)), CollisionWorld()
    world.add(mesh)
    tracemalloc.start()
    found = world.nearest_batch(sphere(0.0), 1e-3 * np.random.default_rng(0).normal(size=(100, 3)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.all((found.gap > 0.99) & (found.gap < 1.0))
    assert most < 64e6  # a hundred times all triangles would be 50 times as much


def test_what_is_inside_of_a_mesh_is_what_sees_its_whole_inside() -> None:
    mesh, random = Mesh(*icosphere_triangles(2)), np.random.default_rng(3)
    points = random.normal(size=(500, 3)) * 0.6
    # On the lines from the centre through corners, and beside the ray that is tried first.
    points[:100] = mesh.vertices[:100] * random.choice([0.5, 0.98, 1.02, 2.0], (100, 1))
    points[100:200] = mesh.vertices[:100] - random.uniform(-2, 2, (100, 1)) * np.array(_RAY)
    corners = mesh.vertices[mesh.triangles]
    for point, inside in zip(points, mesh.encloses(points), strict=True):
        seen = abs(_solid_angle(corners - point))
        assert inside == (seen > 2 * np.pi)
    assert not mesh.encloses(np.zeros((0, 3))).any()
    assert not Mesh(mesh.vertices, mesh.triangles[1:]).encloses([(0, 0, 0)]).any()


def test_points_of_a_cubes_own_grid_are_inside_or_not() -> None:
    corners = np.array(list(np.ndindex(2, 2, 2)))
    faces = [(0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3), (0, 4, 5), (0, 5, 1)]
    faces += [(2, 3, 7), (2, 7, 6), (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)]
    mesh = Mesh(corners, [face[::-1] for face in faces])
    assert mesh.is_closed
    grid = np.array(list(np.ndindex(9, 9, 9))) / 4.0 - 0.5
    off = (grid != 0).all(axis=1) & (grid != 1).all(axis=1)
    within = ((grid > 0) & (grid < 1)).all(axis=1)
    assert np.array_equal(mesh.encloses(grid)[off], within[off])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_flat_meets_flat_at_the_exact_time(scale: float) -> None:
    ramp = Mesh(
        scale * np.array([(-9, -9, 0), (9, -9, 0), (9, 9, 6), (-9, 9, 6)]), [(0, 1, 2), (0, 2, 3)]
    )
    # The corner (0, 1, 4) comes down on the ramp, z = 3 + y / 3, at the height 10 / 3.
    leaf = np.array([(0, 1, 4), (1, 3, 7), (-1, 3, 8)]) * scale
    for falling in (Polygon(leaf), Mesh(leaf, [(0, 1, 2)])):
        world = CollisionWorld()
        world.add(ramp)
        handle = world.add(falling, velocity=(0, 0, -scale))
        (contact,) = world.cycle(2.0).contacts
        assert contact.time == pytest.approx(2 / 3, rel=1e-10)
        assert np.allclose(contact.point, scale * np.array([0, 1, 10 / 3]), atol=1e-9 * scale)
        # Side by side in one plane, and edge against edge.
        world = CollisionWorld()
        world.add(Polygon(scale * np.array([(-1, 0, 0), (1, 0, 0), (1, 1, 0), (-1, 1, 0)])))
        handle = world.add(Polygon(scale * np.array([(0, 3, -1), (0, 3, 1), (0, 4, 0)])))
        world.set_velocity(handle, (0, -4 * scale, 0))
        (contact,) = world.cycle(2.0).contacts
        assert contact.time == pytest.approx(0.5, rel=1e-10)
