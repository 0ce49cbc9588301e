"""What two cores are to each other, by Qhull of their Minkowski difference: nothing of ours.

The difference is all p − q; the cores overlap if it holds the origin. Its facets tell the depth,
its triangles the distance, and clipping a line by them when moving cores meet and part.
"""

from math import inf

import numpy as np
from scipy.spatial import ConvexHull, QhullError


class Difference:
    """Of points p, shape (n, dimension), and q, (m, dimension)."""

    def __init__(self, p: np.ndarray, q: np.ndarray):
        self.points = (p[:, None] - q).reshape(-1, p.shape[1])
        hull = ConvexHull(self.points, qhull_options="Qt")
        self.normals, self.offsets = hull.equations[:, :-1], hull.equations[:, -1]
        self.simplices = self.points[hull.simplices]

    def gap(self, at=0.0) -> float:
        """The distance of a point from the difference, negative its depth in it."""
        heights = self.normals @ np.broadcast_to(at, self.normals.shape[1]) + self.offsets
        if heights.max() <= 0.0:
            return float(heights.max())
        simplices = self.simplices[heights > 0.0] - at
        to_simplices = _to_triangles if simplices.shape[2] == 3 else _to_segments
        return float(np.sqrt(to_simplices(simplices).min()))

    def clip(self, velocity: np.ndarray) -> tuple[float, float]:
        """From when to when −velocity · t is in the difference; (inf, −inf) if never."""
        speeds = -self.normals @ velocity
        moving = speeds != 0.0
        if (self.offsets[~moving] > 0.0).any():
            return inf, -inf
        times = -self.offsets[moving] / speeds[moving]
        inwards = speeds[moving] < 0.0
        enter, leave = times[inwards].max(initial=-inf), times[~inwards].min(initial=inf)
        return (float(enter), float(leave)) if enter <= leave else (inf, -inf)

    def line_distance(self, velocity: np.ndarray) -> float:
        """How near the line of −velocity · t comes to the difference; 0 if it goes through."""
        unit = velocity / np.linalg.norm(velocity)
        across = np.linalg.svd(unit[None])[2][1:]
        flat = self.points @ across.T
        if flat.shape[1] == 1:
            return float(max(0.0, flat.min(), -flat.max()))
        try:
            hull = ConvexHull(flat)
        except QhullError:  # a line, seen from its end
            return float(np.sqrt(_to_segments(np.stack([flat, np.roll(flat, 1, axis=0)], 1)).min()))
        if hull.equations[:, -1].max() <= 0.0:
            return 0.0
        return float(np.sqrt(_to_segments(flat[hull.simplices]).min()))


def _dot(a, b):
    return np.sum(a * b, axis=-1)


def _to_segments(ends):
    """The squared distances of the origin from segments, shape (k, 2, dimension)."""
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    part = np.clip(-_dot(start, along) / np.maximum(_dot(along, along), 1e-300), 0.0, 1.0)
    nearest = start + along * part[:, None]
    return _dot(nearest, nearest)


def _to_triangles(corners):
    """The squared distances of the origin from triangles, shape (k, 3, 3)."""
    sides = [corners[:, [i, (i + 1) % 3]] for i in range(3)]
    best = np.min([_to_segments(side) for side in sides], axis=0)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = _dot(normal, normal)
    over = area > 0.0
    for side in sides:
        over &= _dot(np.cross(side[:, 1] - side[:, 0], -side[:, 0]), normal) >= 0.0
    height = _dot(normal, corners[:, 0]) ** 2 / np.maximum(area, 1e-300)
    return np.where(over, np.minimum(best, height), best)
