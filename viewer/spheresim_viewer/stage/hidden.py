"""How much of the sky obstacles hide from each other: corners and feet of pillars are darker."""

from typing import Any

import numpy as np

from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim_viewer.stage.clip import Array

_REACH = 0.16
"""Distance, in stage units, at which it is hardly seen any more."""
_MOST = 0.34
"""How much of it a wall hides from a point in its corner."""


def hidden_from(stage: Any, index: int, points: Array, normals: Array) -> Array:
    """The part of the sky, (m,), that the others hide from points (m, 3) of an obstacle.

    normals: (m, 3), towards the side that is seen.
    """
    open_part = np.ones(len(points))
    for other, obstacle in enumerate(stage.obstacles):
        shape = obstacle.shape
        if other == index or isinstance(shape, Bounded):
            continue
        gaps = np.abs(shape.gaps(points)) / stage.size
        facing = np.clip(1.2 * _turned_away(shape, points, normals), 0.0, 1.0)
        near = np.exp(-3.0 * gaps / _REACH)
        open_part *= 1.0 - _MOST * facing * near
    return 1.0 - open_part


def _turned_away(shape: Plane | Cylinder, points: Array, normals: Array) -> Array:
    """1 where a surface does not look away from a shape, falling to 0 where it does."""
    towards = shape.normals(points)
    along: Array = np.sum(towards * normals, axis=1)
    return np.minimum(1.0, 1.3 - np.abs(along))


def denser_rings(rings: int) -> Array:
    """The places, from the middle (0) to the border (1), of rings that crowd at the border."""
    part = np.linspace(0.0, 1.0, rings + 1)[1:]
    return 1.0 - (1.0 - part) ** 1.6
