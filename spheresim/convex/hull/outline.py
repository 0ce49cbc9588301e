"""Outlines: loops of corners in a plane, and how to find that of points: quickhull."""

from collections.abc import Callable

import numpy as np

Loop = tuple[int, ...]
Tolerance = Callable[[np.ndarray], np.ndarray]


def newell_normal(corners: np.ndarray) -> np.ndarray:
    """The normal of a loop of corners, twice its area long (Newell's method).

    Of one loop, shape (k, 3), or of many of as many corners, shape (n, k, 3).
    """
    from_first = corners - corners[..., :1, :]
    following = np.roll(from_first, -1, axis=-2)
    return np.asarray(np.cross(from_first, following).sum(axis=-2))


def outline(points: np.ndarray, tolerance: Tolerance) -> Loop:
    """The corners of points (n, 2), anticlockwise; `tolerance` of unit normals (k, 2).

    Of the points beyond a side the furthest is a corner (W. F. Eddy, A new convex hull
    algorithm for planar sets, 1977); a point that is not beyond by more than the tolerance
    is none. So none is out of the polygon by more.
    """
    # The furthest from any point is a corner for sure, and so is the furthest from that.
    start = _furthest(points, 0)
    end = _furthest(points, start)
    every = np.arange(len(points))
    corners: list[int] = []
    waiting = [(end, start, every), (start, end, every)]
    while waiting:
        i, j, others = waiting.pop()
        along = points[j] - points[i]
        along = along / np.hypot(*along)
        normal = np.array([along[1], -along[0]])
        away = points[others] - points[i]
        heights = away @ normal
        slack = float(tolerance(normal[np.newaxis])[0])
        beyond = heights > slack
        if not beyond.any():
            corners.append(i)
            continue
        others, heights, onwards = others[beyond], heights[beyond], (away @ along)[beyond]
        # Several may be as far out, on a side along this one: an end of it is a corner.
        level = heights >= heights.max() - slack
        corner = int(others[level][onwards[level].argmax()])
        waiting += [(corner, j, others), (i, corner, others)]
    return tuple(corners)


def _furthest(points: np.ndarray, i: int) -> int:
    return int(np.sum((points - points[i]) ** 2, axis=1).argmax())
