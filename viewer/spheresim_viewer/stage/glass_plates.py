"""Plates that are drawn as glass: those that part balls from balls.

From whichever side one looks, such a plate would hide the balls behind it. It has balls on both
sides, or stands upright under gravity, where nothing can lie on it: balls come to both sides.
"""

from collections.abc import Sequence

import numpy as np

from spheresim.convex.hull.outline import newell_normal
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.polygon import Polygon
from spheresim.obstacles.table import AnyShape
from spheresim_viewer.stage.clip import Array

_UPRIGHT = 1e-6
"""The largest cosine between the normal of an upright plate and the vertical."""


def panes_among(
    shapes: Sequence[AnyShape], position: Array, up: Array | None = None
) -> frozenset[int]:
    """The indices of the polygons that have balls, at position (n, 3), on both sides, or stand
    upright. up: the unit vector against gravity, None without gravity."""
    found = []
    for index, shape in enumerate(shapes):
        if isinstance(shape, Polygon):
            points = np.array(shape.points)
            if _is_upright(points, up) or _parts(points, position):
                found.append(index)
    return frozenset(found)


def _is_upright(points: Array, up: Array | None) -> bool:
    if up is None:
        return False
    normal = newell_normal(points)
    return bool(abs(normal @ up) <= _UPRIGHT * np.linalg.norm(normal))


def _parts(points: Floats, position: Array) -> bool:
    """Whether there are positions over a polygon, points (m, 3), and under it."""
    edges = np.roll(points, -1, axis=0) - points
    normal = newell_normal(points)
    apart = position[:, None] - points
    over = np.all(np.einsum("mk,nmk->nm", np.cross(normal, edges), apart) >= 0.0, axis=1)
    height = apart[:, 0] @ normal
    return bool(np.any(over & (height > 0.0)) and np.any(over & (height < 0.0)))
