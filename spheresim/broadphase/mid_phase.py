"""The mid phase: of proposed pairs, those whose bounding volumes overlap.

Boxes fit elongated objects better, spheres do not change when an object turns.
"""

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.boxes import box_rows, overlap
from spheresim.compiler.decorators import kernel
from spheresim.numerics.arguments import shown
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.batch import number_rows, question_count, refuse_bad_row, vector_rows
from spheresim.numerics.rows import vector_at


def overlapping_boxes(pairs: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Integers:
    """The pairs whose boxes overlap or touch, out of given pairs (m, 2) of indices.

    low, high: the corners of the boxes, (n, 3) or (n, 2)."""
    rows = box_rows(low, high)
    given = _checked_pairs(pairs, len(rows))
    keep = np.empty(len(given), dtype=np.bool_)
    _boxes_overlap(given, rows, keep)
    return given[keep]


def overlapping_spheres(
    pairs: npt.ArrayLike, centers: npt.ArrayLike, radii: npt.ArrayLike
) -> Integers:
    """The pairs whose spheres overlap or touch, out of given pairs (m, 2) of indices.

    centers: (n, 3) [length]; radii: (n,), or one for all [length]. ValueError for wrong shapes or
    values.
    """
    points, reach = vector_rows(centers, "centers"), number_rows(radii, "radii")
    question_count(centers=points, radii=reach)
    refuse_bad_row(centers=points, radii=reach)
    reach = np.ascontiguousarray(np.broadcast_to(reach, len(points)))
    given = _checked_pairs(pairs, len(points))
    keep = np.empty(len(given), dtype=np.bool_)
    _spheres_overlap(given, points, reach, keep)
    return given[keep]


def _checked_pairs(pairs: npt.ArrayLike, n: int) -> Integers:
    given = np.asarray(pairs)
    if given.shape == (0,):
        return np.zeros((0, 2), dtype=np.int64)
    if given.dtype.kind not in "iu":
        raise ValueError(f"pairs must be whole numbers, not {shown(pairs)}")
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(f"pairs must have the shape (m, 2), not {given.shape}")
    if len(given) and not 0 <= given.min() <= given.max() < n:
        wrong = int(given.min() if given.min() < 0 else given.max())
        raise ValueError(f"pairs must be indices of the {n} objects, from 0 on, not {wrong}")
    return np.ascontiguousarray(given, dtype=np.int64)


@kernel
def _boxes_overlap(pairs: Integers, boxes: Floats, keep: Booleans) -> None:
    for k in range(len(pairs)):
        keep[k] = overlap(boxes, pairs[k, 0], boxes, pairs[k, 1])


@kernel
def _spheres_overlap(pairs: Integers, centers: Floats, radii: Floats, keep: Booleans) -> None:
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        reach = radii[i] + radii[j]
        keep[k] = (vector_at(centers, i) - vector_at(centers, j)).mag_sqr() <= reach * reach
