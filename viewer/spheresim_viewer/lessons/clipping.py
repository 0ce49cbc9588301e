"""Lines and polygons cut off at the sides of a box."""

from typing import Any

import numpy as np

from spheresim_viewer.lessons.boxes import Box


def clipped_segments(starts: Any, ends: Any, box: Box) -> tuple[Any, Any]:
    """The parts of segments (m, 2) inside a box (Liang and Barsky); those outside are left out."""
    along = ends - starts
    enter, leave = np.zeros(len(starts)), np.ones(len(starts))
    outside = np.zeros(len(starts), bool)
    for axis, low, high in ((0, box.x, box.right), (1, box.y, box.top)):
        way, place = along[:, axis], starts[:, axis]
        still = way == 0.0
        outside |= still & ((place < low) | (place > high))
        divisor = np.where(still, 1.0, way)
        times = np.sort([(low - place) / divisor, (high - place) / divisor], axis=0)
        enter = np.where(still, enter, np.maximum(enter, times[0]))
        leave = np.where(still, leave, np.minimum(leave, times[1]))
    seen = ~outside & (enter < leave)
    first = (starts + enter[:, None] * along)[seen]
    return first, (starts + leave[:, None] * along)[seen]


def clipped_polygon(corners: Any, box: Box) -> Any:
    """The part of a convex polygon (m, 2) inside a box."""
    for axis, limit, sign in ((0, box.x, 1), (0, box.right, -1), (1, box.y, 1), (1, box.top, -1)):
        corners = part_beyond(corners, sign * (corners[:, axis] - limit))
    return corners


def part_beyond(corners: Any, heights: Any) -> Any:
    """The part of a convex polygon (m, 2) where its heights (m,) over a line are not negative.

    This is one step of the method of Sutherland and Hodgman.
    """
    if (heights >= 0.0).all():
        return corners
    kept = []
    for k in range(len(corners)):
        a, b = heights[k - 1], heights[k]
        if (a < 0.0) != (b < 0.0):
            kept.append(corners[k - 1] + a / (a - b) * (corners[k] - corners[k - 1]))
        if b >= 0.0:
            kept.append(corners[k])
    return np.array(kept).reshape(-1, 2)
