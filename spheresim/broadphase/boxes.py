"""Axis-aligned boxes as rows of six numbers, and the pairs that a broad phase finds among them.

A row is the three lowest coordinates, then the three highest. Boxes are closed: two that touch
overlap. A pair is kept as one number, its lower index in the upper 32 bits: numbers are sorted
faster than pairs, and into the same order.
"""

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arrays import Floats, Integers

MOST_OBJECTS = 2**31 - 1
"""Indices of objects have 32 bits in a pair's number, of which none is a sign."""


def box_rows(low: npt.ArrayLike, high: npt.ArrayLike) -> Floats:
    """Boxes as rows, (n, 6), from their corners, both (n, 3), or (n, 2) in the plane.

    A side that is not bounded lies at ±inf. ValueError says what is wrong.
    """
    lows, highs = _corners(low, "low"), _corners(high, "high")
    if lows.shape != highs.shape:
        raise ValueError(f"low and high must have the same shape, not {lows.shape}, {highs.shape}")
    if len(lows) > MOST_OBJECTS:
        raise ValueError(f"at most {MOST_OBJECTS} boxes, not {len(lows)}")
    rows = np.zeros((len(lows), 6))
    rows[:, : lows.shape[1]] = lows
    rows[:, 3 : 3 + lows.shape[1]] = highs
    if not are_boxes(rows):
        k = int(np.flatnonzero(~(rows[:, :3] <= rows[:, 3:]).all(axis=1))[0])
        raise ValueError(
            f"box {k}: low must be at most high, and neither may be NaN, not "
            f"{lows[k].tolist()}, {highs[k].tolist()}"
        )
    return rows


def _corners(corners: npt.ArrayLike, what: str) -> Floats:
    try:
        given = np.asarray(corners)
        if np.iscomplexobj(given):  # numpy would take the real part, and warn
            raise TypeError
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must be numbers, of the shape (n, 3) or (n, 2)") from None
    if array.shape == (0,):  # an empty list does not say how long its corners are
        return array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] not in {2, 3}:
        raise ValueError(f"{what} must have the shape (n, 3) or (n, 2), not {array.shape}")
    return array


@kernel
def are_boxes(rows: Floats) -> bool:
    """Whether no row has a low above its high, or what is no number."""
    good = True
    for k in range(len(rows)):
        good &= (rows[k, 0] <= rows[k, 3]) & (rows[k, 1] <= rows[k, 4]) & (rows[k, 2] <= rows[k, 5])
    return good


def finite_hull(rows: Floats) -> tuple[Floats, Floats]:
    """The corners of the box around all finite coordinates, (3,) each; zeros if there are none."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    _add_to_hull(rows, low, high)
    low[low == np.inf] = high[high == -np.inf] = 0.0
    return low, high


_SAMPLE = 1024
"""Boxes of which the corners are put in order, to see where most of them lie."""

_OUTSIDE = 16
"""One in so many of the sample may lie outside on each side of an axis, and so many of all do."""

_MUCH_SHORTER = 4.0
"""The whole is that much longer than the crowd, or it counts itself."""


def crowd_hull(rows: Floats) -> tuple[Floats, Floats]:
    """The corners of the box around all but a few far corners, (3,) each.

    A single box that is much wider than all others, or far away, would leave a grid, a tree or a
    curve through the box around all no cells to tell the others apart. Where no more than 16 boxes
    reach out of the crowd, and its box is less than a quarter as long as that around all, it
    is this; else it is `finite_hull`.
    """
    low, high = finite_hull(rows)
    n = len(rows)
    if n <= 2 * _OUTSIDE:
        return low, high
    sample = rows[:: max(1, n // _SAMPLE)]
    least, most = np.empty(3), np.empty(3)
    few = max(1, len(sample) // _OUTSIDE)
    for axis in range(3):
        least[axis] = np.partition(np.maximum(sample[:, axis], low[axis]), few)[few]
        most[axis] = np.partition(np.minimum(sample[:, 3 + axis], high[axis]), -1 - few)[-1 - few]
    with np.errstate(over="ignore"):
        wide = (most - least).max()
        if not _MUCH_SHORTER * wide < (high - low).max():
            return low, high
        around = np.maximum(low, least - wide), np.minimum(high, most + wide)
    crowd = np.full(3, np.inf), np.full(3, -np.inf)
    outside = _add_inside(rows, *around, *crowd)
    length = (crowd[1] - crowd[0]).max()
    if outside > _OUTSIDE or not _MUCH_SHORTER * length < (high - low).max():
        return low, high
    return crowd


@kernel
def _add_inside(rows: Floats, low: Floats, high: Floats, least: Floats, most: Floats) -> int:
    """Make a box large enough for all boxes within another; how many are not within it."""
    outside = 0
    for k in range(len(rows)):
        is_within = True
        for axis in range(3):
            is_within &= (rows[k, axis] >= low[axis]) & (rows[k, 3 + axis] <= high[axis])
        outside += not is_within
        for axis in range(3):
            if is_within:
                least[axis] = min(least[axis], rows[k, axis])
                most[axis] = max(most[axis], rows[k, 3 + axis])
    return outside


@kernel
def _add_to_hull(rows: Floats, low: Floats, high: Floats) -> None:
    for k in range(len(rows)):
        for side in range(6):
            x = rows[k, side]
            if abs(x) < np.inf:
                low[side % 3] = min(low[side % 3], x)
                high[side % 3] = max(high[side % 3], x)


@inlined
def overlap(a: Floats, i: int, b: Floats, j: int) -> bool:
    """Whether the box in row i of a touches or overlaps that in row j of b."""
    return bool(
        (a[i, 0] <= b[j, 3])
        & (b[j, 0] <= a[i, 3])
        & (a[i, 1] <= b[j, 4])
        & (b[j, 1] <= a[i, 4])
        & (a[i, 2] <= b[j, 5])
        & (b[j, 2] <= a[i, 5])
    )


@inlined
def pair_number(i: int, j: int) -> int:
    """A pair as one number, whichever of the two has the lower index."""
    return (min(i, j) << 32) | max(i, j)


def pairs_of(numbers: Integers, is_in_order: bool = False) -> Integers:
    """Pairs (m, 2) from their numbers, in order: by the lower index, then by the other."""
    if not is_in_order:
        numbers = np.sort(numbers)
    pairs = np.empty((len(numbers), 2), dtype=np.int64)
    np.right_shift(numbers, 32, out=pairs[:, 0])
    np.bitwise_and(numbers, 2**32 - 1, out=pairs[:, 1])
    return pairs
