"""Plates that are drawn as glass: those that part balls from balls.

From whichever side one looks, such a plate would hide the balls behind it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.obstacles.polygon import Polygon
from spheresim.obstacles.table import AnyShape
from spheresim_viewer.stage.clip import Array


def panes_among(shapes: Sequence[AnyShape], position: Array) -> frozenset[int]:
    """The indices of the polygons that have balls, at position (n, 3), on both sides."""
    return frozenset(
        index
        for index, shape in enumerate(shapes)
        if isinstance(shape, Polygon) and _parts(np.array(shape.points), position)
    )


def _parts(points: Any, position: Array) -> bool:
    """Whether there are positions over a polygon, points (m, 3), and under it."""
    edges = np.roll(points, -1, axis=0) - points
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)  # twice the area, by Newell
    apart = position[:, None] - points
    over = np.all(np.einsum("mk,nmk->nm", np.cross(normal, edges), apart) >= 0.0, axis=1)
    height = apart[:, 0] @ normal
    return bool(np.any(over & (height > 0.0)) and np.any(over & (height < 0.0)))
