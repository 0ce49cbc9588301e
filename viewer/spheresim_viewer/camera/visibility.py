"""How much of some balls an eye sees: rays to five points of each, against all that is drawn."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim_viewer.camera.pose import Array
from spheresim_viewer.stage import Stage, Surface
from spheresim_viewer.stage.images import images_of

POINTS = 5
"""The centre of a ball, and four points around it in the plane that faces the eye."""
_OUTER = 0.7
"""Radii from the centre to the other four."""
_CROWD = 200
"""Of more balls than this some hide others from every side, and only obstacles count."""


class _Mesh(NamedTuple):
    """The triangles (k, 3, 3) of an obstacle, counter-clockwise from the side that is drawn."""

    corners: Array
    low: Array
    high: Array


class Scenery:
    """What is drawn of the obstacles of a stage: planes from their front, pillars, meshes."""

    def __init__(self, stage: Stage, surfaces: Sequence[Surface]) -> None:
        self._stage = stage
        shapes = [(index, obstacle.shape) for index, obstacle in enumerate(stage.obstacles)]
        self._planes = [shape for _, shape in shapes if isinstance(shape, Plane)]
        self._pillars = [
            (np.array(shape.point) + image, np.array(shape.axis), shape.radius)
            for index, shape in shapes
            if isinstance(shape, Cylinder) and index not in stage.tubes
            for image in images_of(shape, stage.box, 0.0)
        ]
        bounded = {i for i, shape in shapes if isinstance(shape, Bounded) and i not in stage.panes}
        meshes = [s.vertices[s.triangles] for s in surfaces if s.index in bounded]
        self._meshes = [
            _Mesh(corners, corners.min(axis=(0, 1)), corners.max(axis=(0, 1)))
            for corners in meshes
            if len(corners)
        ]

    @property
    def triangles(self) -> int:
        """How many triangles may have to be tested for a view."""
        return sum(len(mesh.corners) for mesh in self._meshes)

    def hides(self, eye: Array, points: Array) -> Booleans:
        """Whether anything is between the eye and each point (m, 3), shape (m,)."""
        hidden = np.zeros(len(points), np.bool_)
        for plane in self._planes:
            in_front = float(plane.gaps(eye[None])[0]) > 0.0
            hidden |= in_front & (plane.gaps(points) < 0.0)
        ways = points - eye
        enters, leaves = _through_box(eye, ways, self._stage.low, self._stage.high)
        for foot, axis, radius in self._pillars:
            first, last = _through_pillar(eye - foot, ways, axis, radius)
            entry = np.maximum(np.maximum(first, enters), 0.0)
            hidden |= (entry < np.minimum(last, leaves)) & (entry < 1.0)
        for mesh in self._meshes:
            first, last = _through_box(eye, ways, mesh.low, mesh.high)
            near = np.flatnonzero(~hidden & (first <= last) & (first < 1.0) & (last > 0.0))
            if len(near):
                hidden[near] = _behind_triangles(mesh.corners - eye, ways[near])
        return hidden


class Watched(NamedTuple):
    """Chosen balls, by their indices, (m,), among scenery and all balls: position (n, 3), radius
    (n,)."""

    scenery: Scenery
    position: Floats
    radius: Floats
    chosen: Integers


def hidden_points(watched: Watched, eye: Array, axes: Array) -> int:
    """How many of the points of chosen balls are hidden by scenery and by other balls.

    eye: in the world; axes: right, up and towards the eye, (3, 3).
    """
    scenery, position, radius, chosen = watched
    around = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]) @ axes[:2]
    points = position[chosen, None] + _OUTER * radius[chosen, None, None] * around
    points = points.reshape(-1, 3)
    hidden = scenery.hides(eye, points)
    if len(position) <= _CROWD:
        hidden |= _behind_balls(eye, points, np.repeat(chosen, POINTS), position, radius)
    return int(np.count_nonzero(hidden))


def _through_box(eye: Array, ways: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The parts of each way (m, 3) from the eye at which it enters and leaves a box."""
    safe = np.where(np.abs(ways) < 1e-300, 1e-300, ways)
    one, other = (low - eye) / safe, (high - eye) / safe
    return np.minimum(one, other).max(axis=1), np.maximum(one, other).min(axis=1)


def _through_pillar(start: Array, ways: Array, axis: Array, radius: float) -> tuple[Array, Array]:
    """The same for an endless cylinder around the origin; inf, −inf where it is missed."""
    d = start - (start @ axis) * axis
    v = ways - (ways @ axis)[:, None] * axis
    a, b, c = np.sum(v * v, axis=1), v @ d, float(d @ d) - radius * radius
    root = b * b - a * c
    meets = (root > 0.0) & (a > 0.0)
    root, a = np.sqrt(np.where(meets, root, 0.0)), np.where(meets, a, 1.0)
    return (
        np.where(meets, (-b - root) / a, np.inf),
        np.where(meets, (-b + root) / a, -np.inf),
    )


def _behind_triangles(corners: Array, ways: Array) -> Booleans:
    """Whether a triangle (k, 3, 3) that faces the origin is met before each way (m, 3) ends."""
    # Only triangles in whose part of the picture there are ways
    ahead = ways.mean(axis=0)
    depth = corners @ ahead
    safe = np.maximum(depth, 1e-12 * float(ahead @ ahead))
    places, there = corners / safe[..., None], ways / (ways @ ahead)[:, None]
    meets = np.all(places.max(axis=1) >= there.min(axis=0), axis=1)
    meets &= np.all(places.min(axis=1) <= there.max(axis=0), axis=1)
    a, b, c = np.moveaxis(corners[meets | (depth.min(axis=1) <= 0.0)], 1, 0)
    rays = ways.T
    # A ray goes through a triangle, seen from its front, where these three have one sign
    inside = np.cross(c, b) @ rays >= 0.0
    inside &= np.cross(a, c) @ rays >= 0.0
    inside &= np.cross(b, a) @ rays >= 0.0
    normal = np.cross(b - a, c - a)
    facing = normal @ rays
    reach = np.sum(a * normal, axis=1)[:, None]  # a point on the plane has facing = reach
    return np.any(inside & (facing < 0.0) & (reach < 0.0) & (facing < reach), axis=0)


def _behind_balls(
    eye: Array, points: Array, own: Integers, position: Floats, radius: Floats
) -> Booleans:
    """Whether a ball other than its own is between the eye and each point (m, 3), shape (m,)."""
    ways = points - eye
    length = np.linalg.norm(ways, axis=1)
    units = ways / length[:, None]
    centres = position - eye
    along = units @ centres.T
    aside = np.sum(centres * centres, axis=1) - along * along
    first = along - np.sqrt(np.maximum(radius**2 - aside, 0.0))
    met = (aside < radius**2) & (along > 0.0) & (first < length[:, None])
    met[np.arange(len(own)), own] = False
    return met.any(axis=1)
