"""The convex hull of points in a plane, a loop of corners, by quickhull."""

from collections.abc import Callable, Iterator

import numpy as np

Loop = tuple[int, ...]
Tolerance = Callable[[np.ndarray], np.ndarray]


def sides(loop: Loop) -> Iterator[tuple[int, int]]:
    """The pairs of neighbours in a loop."""
    return zip(loop, loop[1:] + loop[:1], strict=True)


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
    algorithm for planar sets, 1977). A point that is beyond by no more than the tolerance is
    left out, so no point is outside the polygon by more than that.
    """
    # The point furthest from any other point is a corner, and so is the one furthest from it.
    start = _furthest(points, 0)
    end = _furthest(points, start)
    every = np.arange(len(points))
    corners: list[int] = []
    waiting = [(end, start, every), (start, end, every)]
    while waiting:
        # How far the points beyond the line from corner i to j are beyond it.
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
        # The furthest is a corner; go on with the sides from i and to j.
        others, heights, onwards = others[beyond], heights[beyond], (away @ along)[beyond]
        # Several may be equally far out, on a parallel side: an end of it is a corner.
        level = heights >= heights.max() - slack
        corner = int(others[level][onwards[level].argmax()])
        waiting += [(corner, j, others), (i, corner, others)]
    return tuple(corners)


def _furthest(points: np.ndarray, i: int) -> int:
    return int(np.sum((points - points[i]) ** 2, axis=1).argmax())
