"""The distance of two polygons, by all corners and edges."""

import numpy as np


def distance_of_polygons(p, q):
    """Of two that are apart: the least of all distances of a corner from an edge."""
    return min(
        _distance(corner, start, end)
        for corners, others in ((p, q), (q, p))
        for corner in corners
        for start, end in zip(others, np.roll(others, -1, axis=0), strict=True)
    )


def _distance(point, start, end):
    along = end - start
    part = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
    return float(np.hypot(*(point - start - part * along)))
