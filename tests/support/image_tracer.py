"""One ball among obstacles and all their images, written out: an oracle for periodic boxes.

The images are laid out one by one along the ball's flight, and every one is asked by
formulas that share nothing with the package.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim import Cylinder, Plane
from spheresim.model.state import Box


def images_of(shape: Plane | Cylinder, box: Box, low: Any, high: Any) -> Any:
    """The points (m, 3) of a shape's images that can be within a box from low to high."""
    point, axis = np.array(shape[0]), np.array(shape[1])
    if isinstance(shape, Plane):
        return point[np.newaxis]
    counts = []
    for k in range(3):
        across = box.periodic[k] and abs(axis[k]) < 0.5
        first = np.floor((low[k] - shape.radius - point[k]) / box.size[k]) if across else 0
        last = np.ceil((high[k] + shape.radius - point[k]) / box.size[k]) if across else 0
        counts.append(np.arange(first, last + 1))
    turns = np.stack(np.meshgrid(*counts, indexing="ij"), axis=-1).reshape(-1, 3)
    return point + turns * np.array(box.size)


def times_of_impact(shape: Plane | Cylinder, points: Any, x: Any, v: Any, radius: float) -> Any:
    """When a ball in straight flight meets the images of a shape, which stand at `points`."""
    direction = np.array(shape[1])
    d = x - points
    if isinstance(shape, Plane):
        gap, approach = d @ direction, v @ direction
        free = (gap > 0.0) & (approach < 0.0)
        return np.where(free, np.maximum(0.0, (gap - radius) / -approach), np.inf)
    d, w = d - np.outer(d @ direction, direction), v - direction * (v @ direction)
    a, b, distance = w @ w, d @ w, np.linalg.norm(d, axis=1)
    outside = distance >= shape.radius
    reach = np.where(outside, shape.radius + radius, shape.radius - radius)
    under = b * b - a * (distance - reach) * (distance + reach)
    root = np.sqrt(np.maximum(under, 0.0))
    comes = np.where((b < 0.0) & (under >= 0.0), (-b - root) / a, np.inf)
    return np.maximum(0.0, np.where(outside, comes, (root - b) / a))


def next_impact(
    shapes: Sequence[Plane | Cylinder], box: Box, x: Any, v: Any, radius: float, horizon: float
) -> tuple[float, int, Any]:
    """Time from now, shape and the image's point of the first impact within a time."""
    ends = np.array([x, x + v * horizon])
    low, high = ends.min(axis=0) - radius, ends.max(axis=0) + radius
    first = np.inf, -1, x
    for k, shape in enumerate(shapes):
        points = images_of(shape, box, low, high)
        times = times_of_impact(shape, points, x, v, radius)
        soonest = int(np.argmin(times))
        if times[soonest] < first[0]:
            first = float(times[soonest]), k, points[soonest]
    return first


def depth(shapes: Sequence[Plane | Cylinder], box: Box, x: Any, radius: float) -> float:
    """How deep a ball is in any image of a shape, as a pillar; negative if it is clear."""
    deepest = -np.inf
    for shape in shapes:
        direction = np.array(shape[1])
        for point in images_of(shape, box, x - radius, x + radius):
            d = np.array(x) - point
            if isinstance(shape, Plane):
                deepest = max(deepest, radius - d @ direction)
            else:
                across = np.linalg.norm(d - direction * (d @ direction))
                deepest = max(deepest, shape.radius + radius - across)
    return float(deepest)
