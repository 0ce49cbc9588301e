"""The mid phase: of proposed pairs, those whose bounding volumes overlap.

Boxes fit elongated objects better, spheres do not change when an object turns.
"""

from typing import Any

import numpy as np

from spheresim.broadphase.boxes import box_rows, overlap
from spheresim.compiler.decorators import kernel
from spheresim.numerics.rows import vector_at


def overlapping_boxes(pairs: Any, low: Any, high: Any) -> Any:
    """Those of the pairs (m, 2) whose boxes overlap or touch; corners as for `find_pairs`."""
    rows = box_rows(low, high)
    given = _checked_pairs(pairs, len(rows))
    keep = np.empty(len(given), dtype=np.bool_)
    _boxes_overlap(given, rows, keep)
    return given[keep]


def overlapping_spheres(pairs: Any, centers: Any, radii: Any) -> Any:
    """Those of the pairs (m, 2) whose spheres overlap or touch: centers (n, 3), radii (n,)."""
    points = np.ascontiguousarray(centers, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"centers must have the shape (n, 3), not {points.shape}")
    reach = np.ascontiguousarray(np.broadcast_to(np.asarray(radii, np.float64), len(points)))
    given = _checked_pairs(pairs, len(points))
    keep = np.empty(len(given), dtype=np.bool_)
    _spheres_overlap(given, points, reach, keep)
    return given[keep]


def _checked_pairs(pairs: Any, n: int) -> Any:
    given = np.ascontiguousarray(pairs, dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(f"pairs must have the shape (m, 2), not {given.shape}")
    if len(given) and not 0 <= given.min() <= given.max() < n:
        raise ValueError(f"pairs must be of objects 0 to {n - 1}")
    return given


@kernel
def _boxes_overlap(pairs: Any, boxes: Any, keep: Any) -> None:
    for k in range(len(pairs)):
        keep[k] = overlap(boxes, pairs[k, 0], boxes, pairs[k, 1])


@kernel
def _spheres_overlap(pairs: Any, centers: Any, radii: Any, keep: Any) -> None:
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        reach = radii[i] + radii[j]
        keep[k] = (vector_at(centers, i) - vector_at(centers, j)).mag_sqr() <= reach * reach
