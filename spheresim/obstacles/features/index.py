"""An index over the boxes of features: which of them come near a path.

The features' boxes are the leaves of a complete binary tree of boxes, laid out as a heap (node j
has the nodes 2j and 2j + 1 below it, the root is 1), in Morton's order, so that neighbours in
space are neighbours in the tree. A search goes three levels at a time: the nodes 8j to 8j + 7 are
below node j, and a path is compared with all eight of them at once, in a loop without branches
which the compiler turns into vector instructions. It needs no stack: where it goes on after a leaf
follows from the leaf's number.

Boxes are kept in single precision, in units of the whole, and larger by what that rounds off.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.morton import morton_codes
from spheresim.numerics.rounding import manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.ball_path import BallPath

_BRANCHES = 8
"""Below a node, three levels further down."""

_LEAF_BITS = 48
_LEAVES = (1 << _LEAF_BITS) - 1
"""Where the number of a leaf stands in what a search returns."""

_EIGHT_BITS = np.uint64(255)

_EMPTY = -1e20
"""Half the size of a box that no path comes near: less than none."""

_SINGLE_ROUNDING = 2.0**-20
"""Of a number in single precision, with a margin for a few sums and products."""

_TOO_LONG = 1e12
"""Paths as many times longer than the whole are taken to come near everything."""


_BITS = 20
"""Of a Morton code, along each axis."""

_PLACE_BITS = 40
"""Of a feature's place in that order."""


@by_reference
class Index(NamedTuple):
    """box: the corners of the box around all, shape (2, 3); frame: its middle, and by what lengths
    are multiplied, shape (4,); below: the middles and half sizes of the eight nodes three levels
    below a node, in that frame, single precision, in rows of eight numbers, shape (nodes, 6, 8),
    where the first level that has them hangs below a node 0; feature: the leaves' features, shape
    (m,); scale: the size of a typical feature, shape (1,)."""

    box: Floats
    frame: Floats
    below: npt.NDArray[np.float32]
    feature: Integers
    scale: Floats


class SweptBounds(NamedTuple):
    """All that is near a path: within `reach` of the segment middle ± half, and so within `wide`
    along each axis."""

    middle: TVector
    half: TVector
    wide: TVector
    reach: float


class _Path(NamedTuple):
    """`SweptBounds` in an index's frame, in single precision."""

    x: np.float32
    y: np.float32
    z: np.float32
    half_x: np.float32
    half_y: np.float32
    half_z: np.float32
    wide_x: np.float32
    wide_y: np.float32
    wide_z: np.float32


def build_index(low: Floats, high: Floats, feature: Integers) -> Index:
    """The index of features (n,) with these boxes, shape (n, 3) each."""
    n = len(feature)
    box = np.stack([low.min(axis=0), high.max(axis=0)]) if n else np.zeros((2, 3))
    middle = 0.5 * (box[0] + box[1])
    frame = np.append(middle, 1.0 / max(1e-150, float((box[1] - middle).max())))
    order = leaf_order(low, high)
    leaf, many = np.zeros(len(order), dtype=np.int64), order < n
    leaf[many] = feature[order[many]]
    below = _eight_below((low - middle) * frame[3], (high - middle) * frame[3], order)
    scale = float(np.median((high - low).max(axis=1))) if n else 0.0
    spacing = (float(np.prod(box[1] - box[0])) / max(n, 1)) ** (1.0 / 3.0)
    return Index(box, frame, below, leaf, np.array([max(scale, spacing)]))


def leaf_order(low: Floats, high: Floats) -> Integers:
    """Which of the boxes (n, 3) is at each leaf, shape (m,), m a power of 2; n where none is.

    They are in Morton's order. Each part of the tree is split where that order goes furthest
    aside, of the places that leave neither half with more than its leaves.
    """
    n = len(low)
    capacity = 1 << max(0, math.ceil(math.log2(max(n, 1))))
    code = _morton(0.5 * (low + high))
    sequence = np.argsort(code, kind="stable")
    leaps = np.zeros(n + 1, dtype=np.int64)
    leaps[1:n] = np.frexp((code[sequence[1:]] ^ code[sequence[:-1]]).astype(np.float64))[1]
    leaps = (leaps << _PLACE_BITS) | np.arange(n + 1)
    start, count, order = np.zeros(1, dtype=np.int64), np.array([n]), np.full(capacity, n)
    while capacity > _BRANCHES:
        half = capacity // 2
        split = start + np.minimum(count, half)
        first = start + np.maximum(count - half, 1)
        last = start + np.minimum(half, count - 1)
        free = first <= last
        between = np.stack([first[free], last[free] + 1], axis=1).reshape(-1)
        if len(between):
            split[free] = np.maximum.reduceat(leaps, between)[::2] & ((1 << _PLACE_BITS) - 1)
        stop = start + count
        start = np.stack([start, split], axis=1).reshape(-1)
        count = np.stack([split, stop], axis=1).reshape(-1) - start
        capacity = half
    order[np.repeat(capacity * np.arange(len(start)) - start, count) + np.arange(n)] = sequence
    return order


def _morton(centre: Floats) -> npt.NDArray[np.uint64]:
    """The place of points (n, 3) along Morton's curve through the box around them."""
    if len(centre) == 0:
        return np.zeros(0, dtype=np.uint64)
    corner = centre.min(axis=0)
    side = float((centre.max(axis=0) - corner).max())
    return morton_codes((centre - corner) * ((2.0**_BITS - 1.0) / side if side > 0.0 else 0.0))


def _eight_below(low: Floats, high: Floats, order: Integers) -> npt.NDArray[np.float32]:
    """`Index.below` of boxes (n, 3), in the index's frame and in the order of its leaves."""
    size, n = len(order), len(low)
    many = order < n
    lows, highs = np.full((size, 3), -_EMPTY), np.full((size, 3), _EMPTY)
    lows[many], highs[many] = low[order[many]], high[order[many]]
    below = np.zeros((max(1, size // 4), 6, _BRANCHES), dtype=np.float32)
    below[:, 3:] = _EMPTY
    while True:
        # A level: its nodes are below those of the level that is three levels up.
        middle = (0.5 * (lows + highs)).astype(np.float32)
        half = np.maximum(highs - middle, middle - lows)
        half = half * (1.0 + _SINGLE_ROUNDING) + _SINGLE_ROUNDING
        if size < _BRANCHES:
            below[0, :3, size : 2 * size], below[0, 3:, size : 2 * size] = middle.T, half.T
            return below
        above = size // _BRANCHES
        rows = (above, _BRANCHES, 3)
        below[above : 2 * above, :3] = middle.reshape(rows).transpose(0, 2, 1)
        below[above : 2 * above, 3:] = half.reshape(rows).transpose(0, 2, 1)
        lows = lows.reshape(above, _BRANCHES, 3).min(axis=1)
        highs = highs.reshape(above, _BRANCHES, 3).max(axis=1)
        size = above


NO_INDEX = build_index(np.empty((0, 3)), np.empty((0, 3)), np.empty(0, np.int64))
"""Of features that are looked for in other ways."""


@inlined
def _in_frame(index: Index, bounds: SweptBounds) -> _Path:
    """What is near a path, in the index's frame; wider by all that single precision rounds off."""
    unit = index.frame[3]
    middle = (bounds.middle - TVector(index.frame[0], index.frame[1], index.frame[2])) * unit
    half, wide = bounds.half * unit, bounds.wide * unit
    far = manhattan_norm(middle) + manhattan_norm(half)
    more = 1.0 + _SINGLE_ROUNDING
    if not far + manhattan_norm(wide) < _TOO_LONG:
        far, middle, half, wide = 0.0, ZERO, ZERO, TVector(_TOO_LONG, _TOO_LONG, _TOO_LONG)
    return _Path(
        np.float32(middle.x),
        np.float32(middle.y),
        np.float32(middle.z),
        np.float32(half.x),
        np.float32(half.y),
        np.float32(half.z),
        np.float32((wide.x + _SINGLE_ROUNDING * far) * more),
        np.float32((wide.y + _SINGLE_ROUNDING * far) * more),
        np.float32((wide.z + _SINGLE_ROUNDING * far) * more),
    )


@inlined
def _met_below(index: Index, node: int, path: _Path) -> np.uint64:
    """A set of bits: those of the eight boxes below a node that a segment, grown, meets.

    On the three axes, and on those across segment and sides, which are all by which the two may be
    apart (C. Ericson, Real-Time Collision Detection, section 5.3.3).
    """
    box = index.below
    half_x, half_y, half_z = path.half_x, path.half_y, path.half_z
    ax, ay, az = abs(half_x), abs(half_y), abs(half_z)
    met = np.uint64(0)
    for k in range(_BRANCHES):
        mx, my, mz = path.x - box[node, 0, k], path.y - box[node, 1, k], path.z - box[node, 2, k]
        ex = box[node, 3, k] + path.wide_x
        ey = box[node, 4, k] + path.wide_y
        ez = box[node, 5, k] + path.wide_z
        meets = (
            (abs(mx) <= ex + ax)
            & (abs(my) <= ey + ay)
            & (abs(mz) <= ez + az)
            & (abs(my * half_z - mz * half_y) <= ey * az + ez * ay)
            & (abs(mz * half_x - mx * half_z) <= ex * az + ez * ax)
            & (abs(mx * half_y - my * half_x) <= ex * ay + ey * ax)
        )
        met |= np.uint64(meets) << np.uint64(k)
    return met


@routine
def next_near_leaf(index: Index, leaf: int, bounds: SweptBounds) -> int:
    """The next leaf whose box is near a path, after another one or, for 0, the first; 0 if none.

    Its feature is that of `feature_of`. The number holds besides the leaf's own, in its higher
    bits, which of the leaves beside it are still to come.
    """
    node, many = (leaf & _LEAVES) // _BRANCHES, index.feature.size
    path = _in_frame(index, bounds)
    met = np.uint64(leaf >> _LEAF_BITS) if leaf > 0 else _met_below(index, node, path)
    trail, known = np.uint64(0), 0  # what is still to come above, level by level
    while True:
        # Up, to where something is left.
        while met == np.uint64(0):
            if node == 0:
                return 0
            passed, node = node, node // _BRANCHES
            if known > 0:
                met, trail, known = trail & _EIGHT_BITS, trail >> np.uint64(8), known - 1
            else:
                met = _met_below(index, node, path) & _after(passed)
        # Down.
        below = _BRANCHES * node + lowest_bit(met)
        met &= met - np.uint64(1)
        if below >= many:
            return below | int(met) << _LEAF_BITS
        node, trail, known = below, trail << np.uint64(8) | met, min(known + 1, _BRANCHES)
        met = _met_below(index, node, path)


@inlined
def feature_of(index: Index, leaf: int) -> int:
    """The feature of a leaf, as `next_near_leaf` gives it."""
    return int(index.feature[(leaf & _LEAVES) - index.feature.size])


@inlined
def _after(node: int) -> np.uint64:
    """The bits of the nodes beside a node, with the same one above, that come after it."""
    return ~((np.uint64(2) << np.uint64(node % _BRANCHES)) - np.uint64(1))


@inlined
def around(x: TVector, reach: float) -> SweptBounds:
    """What is near a sphere."""
    r = TVector(reach, reach, reach)
    return SweptBounds(x, x * 0.0, r, reach)


@routine
def swept_bounds(path: BallPath, reach: float, begin: float, end: float) -> SweptBounds:
    """What is near a ball's path, straight or falling, between two times.

    A parabola strays from its chord by |a|·T²/8 at the most.
    """
    x, v, g = path
    a, b = x + (v + g * (0.5 * begin)) * begin, x + (v + g * (0.5 * end)) * end
    bent = 0.125 * (end - begin) * (end - begin)
    grown = reach * (1.0 + 1e-6)
    bulge = TVector(
        grown + abs(g.x) * bent + 1e-12 * (abs(a.x) + abs(b.x)),
        grown + abs(g.y) * bent + 1e-12 * (abs(a.y) + abs(b.y)),
        grown + abs(g.z) * bent + 1e-12 * (abs(a.z) + abs(b.z)),
    )
    far = grown + g.mag() * bent + 1e-12 * (manhattan_norm(a) + manhattan_norm(b))
    return SweptBounds((a + b) * 0.5, (b - a) * 0.5, bulge, far)
