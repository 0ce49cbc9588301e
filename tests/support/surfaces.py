"""Distances from obstacles and other balls, worked out anew and not by the package."""

from typing import Any

import numpy as np

from spheresim import Plane
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


def pair_gaps(position: Any, radius: Any) -> Any:
    """The distance of the surfaces of balls i < j, shape (n (n − 1) / 2,)."""
    i, j = np.triu_indices(len(radius), 1)
    return np.linalg.norm(position[i] - position[j], axis=1) - radius[i] - radius[j]
