"""An index over the boxes of features: which of them come near a path.

The features' boxes are the leaves of a complete binary tree of boxes, laid out as a heap (node j
has the nodes 2j and 2j + 1 below it, the root is 1), in Morton's order, so that neighbours in
space are neighbours in the tree. A search goes three levels at a time: the nodes 8j to 8j + 7 are
below node j, and a path is compared with all eight of them at once, in a loop without branches
which the compiler turns into vector instructions. It needs no stack: where it goes on after a leaf
follows from the leaf's number.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.numerics.vector import TVector

_BITS = 20
"""Of a Morton code, along each axis."""

_BRANCHES = 8
"""Below a node, three levels further down."""

_LEAF_BITS = 48
_LEAVES = (1 << _LEAF_BITS) - 1
"""Where the number of a leaf stands in what a search returns."""

_EIGHT_BITS = np.uint64(255)

_EMPTY = -1e100
"""Half the size of a box that no path comes near: less than none."""


class Index(NamedTuple):
    """low, high: the nodes' boxes, shape (2m, 3), empty ones with low > high; below: the middles
    and half sizes of the eight nodes three levels below a node, in rows of eight numbers, shape
    (nodes, 6, 8), where the first level that has them hangs below a node 0; feature: the leaves'
    features, shape (m,); scale: the size of a typical feature, shape (1,)."""

    low: Any
    high: Any
    below: Any
    feature: Any
    scale: Any


class Corners(NamedTuple):
    """All that is near a path: within `wide` along each axis of the segment middle ± half."""

    middle: TVector
    half: TVector
    wide: TVector


def build_index(low: Any, high: Any, feature: Any) -> Index:
    """The index of features (n,) with these boxes, shape (n, 3) each."""
    n = len(feature)
    m = 1 << max(0, math.ceil(math.log2(max(n, 1))))
    order = np.argsort(_morton(0.5 * (low + high)), kind="stable")
    lows, highs = np.full((2 * m, 3), np.inf), np.full((2 * m, 3), -np.inf)
    lows[m : m + n], highs[m : m + n] = low[order], high[order]
    leaf = np.zeros(m, dtype=np.int64)
    leaf[:n] = feature[order]
    level = m // 2
    while level >= 1:
        below = slice(2 * level, 4 * level)
        lows[level : 2 * level] = lows[below].reshape(level, 2, 3).min(axis=1)
        highs[level : 2 * level] = highs[below].reshape(level, 2, 3).max(axis=1)
        level //= 2
    scale = float(np.median((high - low).max(axis=1))) if n else 0.0
    wide = high.max(axis=0) - low.min(axis=0) if n else np.zeros(3)
    spacing = (float(np.prod(wide)) / max(n, 1)) ** (1.0 / 3.0)
    return Index(lows, highs, _eight_below(lows, highs), leaf, np.array([max(scale, spacing)]))


def _eight_below(low: Any, high: Any) -> Any:
    """`Index.below` of boxes laid out as a heap; larger than they are by what rounding takes."""
    size = len(low) // 2
    below = np.zeros((max(1, size // 4), 6, _BRANCHES))
    below[:, 3:] = _EMPTY
    while True:
        node = size + np.flatnonzero(low[size : 2 * size, 0] <= high[size : 2 * size, 0])
        middle = 0.5 * (low[node] + high[node])
        half = np.maximum(high[node] - middle, middle - low[node])
        parent, branch = node // _BRANCHES, node % _BRANCHES
        below[parent, :3, branch] = middle
        below[parent, 3:, branch] = half + 2.0**-52 * np.maximum(half, np.abs(middle))
        if size < _BRANCHES:
            return below
        size //= _BRANCHES


def _morton(centre: Any) -> Any:
    """The place of points (n, 3) along Morton's curve through the box around them."""
    if len(centre) == 0:
        return np.zeros(0, dtype=np.uint64)
    corner = centre.min(axis=0)
    side = float((centre.max(axis=0) - corner).max())
    cell = ((centre - corner) * ((2.0**_BITS - 1.0) / side if side > 0.0 else 0.0)).astype(
        np.uint64
    )
    code = np.zeros(len(centre), dtype=np.uint64)
    for bit in range(_BITS):
        for axis in range(3):
            one = (cell[:, axis] >> np.uint64(bit)) & np.uint64(1)
            code |= one << np.uint64(3 * bit + axis)
    return code


@inlined
def _met_below(index: Index, node: int, corners: Corners) -> Any:
    """A set of bits: those of the eight boxes below a node that a segment, grown, meets.

    On the three axes, and on those across segment and sides, which are all by which the two may be
    apart (C. Ericson, Real-Time Collision Detection, section 5.3.3).
    """
    box, half, wide = index.below, corners.half, corners.wide
    ax, ay, az = abs(half.x), abs(half.y), abs(half.z)
    met = np.uint64(0)
    for k in range(_BRANCHES):
        mx = corners.middle.x - box[node, 0, k]
        my = corners.middle.y - box[node, 1, k]
        mz = corners.middle.z - box[node, 2, k]
        ex, ey, ez = box[node, 3, k] + wide.x, box[node, 4, k] + wide.y, box[node, 5, k] + wide.z
        meets = (
            (abs(mx) <= ex + ax)
            & (abs(my) <= ey + ay)
            & (abs(mz) <= ez + az)
            & (abs(my * half.z - mz * half.y) <= ey * az + ez * ay)
            & (abs(mz * half.x - mx * half.z) <= ex * az + ez * ax)
            & (abs(mx * half.y - my * half.x) <= ex * ay + ey * ax)
        )
        met |= np.uint64(meets) << np.uint64(k)
    return met


@routine
def next_leaf(index: Index, leaf: int, corners: Corners) -> int:
    """The next leaf whose box is near a path, after another one or, for 0, the first; 0 if none.

    Its feature is that of `feature_of`. The number holds besides the leaf's own, in its higher
    bits, which of the leaves beside it are still to come.
    """
    node, many = (leaf & _LEAVES) // _BRANCHES, index.feature.size
    met = np.uint64(leaf >> _LEAF_BITS) if leaf > 0 else _met_below(index, node, corners)
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
                met = _met_below(index, node, corners) & _after(passed)
        # Down.
        below = _BRANCHES * node + lowest_bit(met)
        met &= met - np.uint64(1)
        if below >= many:
            return below | int(met) << _LEAF_BITS
        node, trail, known = below, trail << np.uint64(8) | met, min(known + 1, _BRANCHES)
        met = _met_below(index, node, corners)


@inlined
def feature_of(index: Index, leaf: int) -> int:
    """The feature of a leaf, as `next_leaf` gives it."""
    return int(index.feature[(leaf & _LEAVES) - index.feature.size])


@inlined
def _after(node: int) -> Any:
    """The bits of the nodes beside a node, with the same one above, that come after it."""
    return ~((np.uint64(2) << np.uint64(node % _BRANCHES)) - np.uint64(1))


@inlined
def around(x: TVector, reach: float) -> Corners:
    """What is near a sphere."""
    r = TVector(reach, reach, reach)
    return Corners(x, x * 0.0, r)


@routine
def around_path(
    x: TVector, v: TVector, g: TVector, reach: float, begin: float, end: float
) -> Corners:
    """What is near a ball's path, straight or falling, between two times.

    A parabola strays from its chord by |g|·T²/8 at the most.
    """
    a, b = x + (v + g * (0.5 * begin)) * begin, x + (v + g * (0.5 * end)) * end
    bent = 0.125 * (end - begin) * (end - begin)
    grown = reach * (1.0 + 1e-6)
    bulge = TVector(
        grown + abs(g.x) * bent + 1e-12 * (abs(a.x) + abs(b.x)),
        grown + abs(g.y) * bent + 1e-12 * (abs(a.y) + abs(b.y)),
        grown + abs(g.z) * bent + 1e-12 * (abs(a.z) + abs(b.z)),
    )
    return Corners((a + b) * 0.5, (b - a) * 0.5, bulge)


@routine
def time_in_reach(index: Index, x: TVector, v: TVector, g: TVector, reach: float) -> float:
    """A time after which a ball is past all features for good; 0 if it never gets near them."""
    grown, low, high = reach * (1.0 + 1e-6), index.low, index.high
    last = min(
        _last_time_between(low[1, 0] - grown - x.x, high[1, 0] + grown - x.x, v.x, g.x),
        _last_time_between(low[1, 1] - grown - x.y, high[1, 1] + grown - x.y, v.y, g.y),
        _last_time_between(low[1, 2] - grown - x.z, high[1, 2] + grown - x.z, v.z, g.z),
    )
    return max(0.0, last) * (1.0 + 1e-9)


@inlined
def _last_time_between(low: float, high: float, v: float, g: float) -> float:
    """The last t at which v·t + g·t²/2 is from low to high; −inf if never, inf if always."""
    if g == 0.0:
        if v == 0.0:
            return math.inf if low <= 0.0 <= high else -math.inf
        return (high if v > 0.0 else low) / v
    # In the end it leaves through the side to which it is pulled.
    goal = high if g > 0.0 else low
    discriminant = v * v + 2.0 * g * goal
    if discriminant < 0.0:
        return -math.inf
    root = math.sqrt(discriminant)
    push, away = (v, root) if g > 0.0 else (-v, root)
    pull, far = abs(g), goal if g > 0.0 else -goal
    # The larger root of pull·t²/2 + push·t − far, in the form in which nothing cancels.
    return 2.0 * far / (push + away) if push > 0.0 else (away - push) / pull


@inlined
def first_stretch(index: Index, v: TVector, g: TVector, radius: float) -> float:
    """The time in which a ball goes about as far as a feature is large."""
    length, speed, pull = index.scale[0] + radius, v.mag(), g.mag()
    faster = speed + math.sqrt(speed * speed + 2.0 * pull * length)
    return 2.0 * length / faster if faster > 0.0 else math.inf
