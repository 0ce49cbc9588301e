"""Pixel-perfect collision of two masks, as the notes name it: do any two set pixels coincide?

A mask is an array of rows of pixels; what is not 0 is set. An offset (rows, columns) says
where b's first pixel lies in a's grid, and may be negative.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import kernel
from spheresim.numerics.arguments import shown
from spheresim.numerics.arrays import Booleans, Integers


@kernel
def _overlaps(masks_a: Booleans, masks_b: Booleans, offsets: Integers, found: Integers) -> None:
    height_a, width_a = masks_a.shape[1:]
    height_b, width_b = masks_b.shape[1:]
    for k in range(len(offsets)):
        down, across = offsets[k, 0], offsets[k, 1]
        common = 0
        for row in range(max(0, down), min(height_a, height_b + down)):
            for column in range(max(0, across), min(width_a, width_b + across)):
                common += masks_a[k, row, column] & masks_b[k, row - down, column - across]
        found[k] = common


def pixels_overlap(a: Any, b: Any, offset: Sequence[int] = (0, 0)) -> int:
    """The number of pixels that are set in both masks.

    a, b: arrays of shape (rows, columns); offset: the row and column of a at which b begins, which
    may be negative.

    >>> disc = np.hypot(*np.mgrid[-5:6, -5:6]) <= 5
    >>> pixels_overlap(disc, disc, (0, 10)), pixels_overlap(disc, disc, (8, 8))
    (1, 0)
    """
    return int(pixels_overlap_batch([a], [b], [offset])[0])


def pixels_overlap_batch(
    masks_a: npt.ArrayLike, masks_b: npt.ArrayLike, offsets: npt.ArrayLike
) -> np.ndarray:
    """The numbers of pixels that are set in both of many masks, (n,); see `pixels_overlap`.

    masks_a, masks_b: (n, rows, columns); offsets: (n, 2).
    """
    first, second = _masks(masks_a), _masks(masks_b)
    try:
        places = np.asarray(offsets)
    except ValueError:
        places = np.empty(0)
    if places.dtype.kind not in "iu" or places.shape != (len(first), 2):
        raise ValueError(f"offsets are two whole numbers for each pair, not {shown(offsets)}")
    if len(first) != len(second):
        raise ValueError(f"pairs need equally many masks, not {len(first)} and {len(second)}")
    found = np.empty(len(first), dtype=np.int64)
    _overlaps(first, second, np.ascontiguousarray(places, dtype=np.int64), found)
    return found


def _masks(masks: npt.ArrayLike) -> np.ndarray:
    try:
        array = np.asarray(masks)
    except ValueError:
        raise ValueError(f"a mask's rows must be as long as each other: {shown(masks)}") from None
    if array.ndim != 3:
        raise ValueError(f"a mask has rows and columns, not shape {array.shape[1:]}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError("a mask's pixels must be numbers, not NaN")
    return np.ascontiguousarray(array != 0)
