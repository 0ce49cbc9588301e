"""Stages of scenes and of loose shapes, and what holds for every surface of a stage."""

import numpy as np
from scene_files import PERIODIC
from spheresim_viewer.stage import Stage

from spheresim.model.obstacle import Obstacle
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.compound import Compound
from spheresim.obstacles.mesh import Mesh
from spheresim.obstacles.plane import Plane
from spheresim.scene.find import shipped_scenes
from spheresim.scene.load import load_scene

SCENES = sorted(set(shipped_scenes()) - PERIODIC)
FALL = (0.0, -9.81, 0.0)


def stage_of(name):
    scene = load_scene(shipped_scenes()[name])
    position = np.array([ball.position for ball in scene.balls])
    radius = np.array([ball.radius for ball in scene.balls])
    return Stage.of(scene.obstacles, position, radius, scene.gravity)


def stage_between(shapes, position, radius=1.0, gravity=(0.0, 0.0, 0.0)):
    position = np.array(position, dtype=float).reshape(-1, 3)
    return Stage.of(
        [Obstacle(s) for s in shapes], position, np.full(len(position), radius), gravity
    )


def corners_of(surface):
    return (surface.vertices[surface.triangles[:, corner]] for corner in range(3))


def total_area(surface):
    a, b, c = corners_of(surface)
    return float(np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1)) / 2)


def radial(shape, points):
    """From the axis to points, shape (m, 3)."""
    d = points - np.array(shape.point)
    return d - np.outer(d @ np.array(shape.axis), shape.axis)


def check_bounded(shape, surface, offset):
    """Its vertices have the offset as their distance from it."""
    used = np.unique(surface.triangles)
    for place in used[:: max(1, len(used) // 25)]:
        if not isinstance(shape, Mesh | Compound):  # whose grown parts may cover each other
            assert abs(shape.clearance(surface.vertices[place]) - offset) < 1e-3
    # Triangles are counter-clockwise seen from where their normals point.
    a, b, c = corners_of(surface)
    across = np.cross(b - a, c - a)
    seen = np.sum(across * surface.normals[surface.triangles[:, 0]], axis=1)
    assert np.all(seen >= -1e-9 * np.abs(seen).max())
    assert not surface.fade.any()
    assert surface.u is surface.v is None


def check_geometry(stage, offset=0.0):
    """What holds for every surface of every stage."""
    surfaces = stage.surfaces(offset)
    fine = 1e-9 * stage.size
    for surface in surfaces:
        shape = stage.obstacles[surface.index].shape
        x, normals = surface.vertices, surface.normals
        m = len(x)
        assert normals.shape == (m, 3)
        assert surface.fade.shape == (m,)
        assert surface.outline.shape[1:] == (2, 3)
        assert surface.outline_fade.shape == surface.outline.shape[:2]
        assert surface.triangles.min() >= 0
        assert surface.triangles.max() < m
        # Normals have length 1, and the way they point; vertices lie on the surface.
        assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
        if isinstance(shape, Bounded):
            check_bounded(shape, surface, offset)
            continue
        if isinstance(shape, Plane):
            assert surface.kind == "plane"
            assert np.array_equal(normals, np.broadcast_to(shape.normal, (m, 3)))
            gap = (x - np.array(shape.point)) @ np.array(shape.normal) - offset
            assert np.allclose([surface.u @ surface.v, surface.u @ normals[0]], 0.0, atol=1e-12)
            assert np.allclose(np.cross(surface.u, surface.v), shape.normal, atol=1e-12)
        else:
            sign = -1.0 if surface.kind == "tube" else 1.0
            d = radial(shape, x)
            distance = np.linalg.norm(d, axis=1)
            gap = distance - shape.radius - sign * offset
            assert np.allclose(sign * d / distance[:, None], normals, atol=1e-6)
            assert surface.u is surface.v is None
        assert np.max(np.abs(gap)) < fine
        # All is inside the box and in front of the walls, borders as well.
        for points in (x, surface.outline.reshape(-1, 3)):
            assert np.all(points >= stage.low - fine)
            assert np.all(points <= stage.high + fine)
            for wall in set(stage.walls) - {surface.index}:
                plane = stage.obstacles[wall].shape
                assert np.min((points - plane.point) @ np.array(plane.normal)) > -fine
        # Triangles are counter-clockwise seen from the open side.
        a, b, c = corners_of(surface)
        across = np.cross(b - a, c - a)
        seen = np.sum(across * normals[surface.triangles[:, 0]], axis=1)
        assert np.all(seen > 0.9 * np.linalg.norm(across, axis=1))
        # What fades is somewhere not faded, and is gone just where the box is open.
        assert np.all((surface.fade >= 0.0) & (surface.fade <= 1.0))
        at_open = np.any((np.abs(x - stage.low) < fine) & stage.open_low, axis=1)
        at_open |= np.any((np.abs(x - stage.high) < fine) & stage.open_high, axis=1)
        assert np.allclose(surface.fade[at_open], 1.0, atol=1e-9)
        assert np.all(surface.fade[~at_open] < 1.0)
        assert at_open.any() or not surface.fade.any()
    return surfaces
