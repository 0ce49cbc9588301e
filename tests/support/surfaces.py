"""Distances from obstacles and other balls, worked out anew and not by the package."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from spheresim import Ball, Capsule, Compound, Cuboid, Disc, Mesh, Plane, Ring, Sphere
from spheresim.obstacles.table import AnyShape


def surface(shape: AnyShape, at: Any) -> tuple[Any, Any]:
    """How far points (k, 3) are before a plane or outside a cylinder, and its unit normals there.

    Negative behind and inside. On a cylinder's axis the normal is 0.
    """
    away = at - np.array(shape.point)
    if isinstance(shape, Plane):
        normal = np.array(shape.normal)
        return away @ normal, np.broadcast_to(normal, away.shape)
    axis = np.array(shape.axis)
    across = away - np.outer(away @ axis, axis)
    distance = np.linalg.norm(across, axis=1)
    return distance - shape.radius, across / np.maximum(distance, 1e-300)[:, np.newaxis]


def signed_distance(shape: AnyShape, at: Any) -> Any:
    """How far points (k, 3) are outside a shape, negative inside, where it has an inside: (k,).

    A mesh is taken for the box around it; blocks are not turned.
    """
    if isinstance(shape, Compound):
        return np.min([signed_distance(part, at) for part in shape.parts], axis=0)
    if isinstance(shape, Capsule):
        start, way = np.array(shape.a), np.array(shape.b) - np.array(shape.a)
        along = np.clip((at - start) @ way / (way @ way), 0.0, 1.0)
        return np.linalg.norm(at - start - np.outer(along, way), axis=1) - shape.radius
    if isinstance(shape, Mesh):
        low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
        return _outside_box(at - 0.5 * (low + high), 0.5 * (high - low))
    if isinstance(shape, Cuboid):
        return _outside_box(at - np.array(shape.center), 0.5 * np.array(shape.size))
    if isinstance(shape, Sphere):
        return np.linalg.norm(at - np.array(shape.center), axis=1) - shape.radius
    if isinstance(shape, (Ring, Disc)):
        axis = np.array(shape.axis if isinstance(shape, Ring) else shape.normal)
        away = at - np.array(shape.center)
        height = away @ axis
        across = np.linalg.norm(away - np.outer(height, axis), axis=1)
        if isinstance(shape, Ring):
            return np.hypot(across - shape.radius, height) - shape.thickness
        return np.hypot(np.maximum(across - shape.radius, 0.0), height)
    return surface(shape, at)[0]


def _outside_box(away: Any, half: Any) -> Any:
    beyond = np.abs(away) - half
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def gaps_to(balls: Iterable[Ball], at: Any, radius: float) -> Any:
    """The distances of the surfaces of balls from that of another one at a place: (n,)."""
    distances = [np.linalg.norm(at - ball.position) - ball.radius for ball in balls]
    return np.array(distances) - radius


def pair_gaps(position: Any, radius: Any) -> Any:
    """The distance of the surfaces of balls i < j, shape (n (n − 1) / 2,)."""
    i, j = np.triu_indices(len(radius), 1)
    return np.linalg.norm(position[i] - position[j], axis=1) - radius[i] - radius[j]
