"""An index over the boxes of features: which of them come near a path.

The features' boxes are the leaves of a complete binary tree of boxes, laid out as a heap (node j
has the nodes 2j and 2j + 1 below it, the root is 1), in Morton's order, so that neighbours in
space are neighbours in the tree. A search needs no stack: what follows a node, or a whole branch,
is found by counting.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.vector import TVector

_BITS = 20
"""Of a Morton code, along each axis."""


class Index(NamedTuple):
    """low, high: the nodes' boxes, shape (2m, 3), empty ones with low > high; feature: the
    leaves' features, shape (m,); scale: the size of a typical feature, shape (1,)."""

    low: Any
    high: Any
    feature: Any
    scale: Any


class Corners(NamedTuple):
    """All that is near a path: within `wide` along each axis of the segment middle ± half.

    lower, upper: the corners of the box around it.
    """

    lower: TVector
    upper: TVector
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
    return Index(lows, highs, leaf, np.array([max(scale, spacing)]))


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
def _after(node: int) -> int:
    """The node at which a search goes on when it is done with a node and all below it."""
    while node & 1:
        node >>= 1
    return node + 1 if node > 0 else 0


@routine
def next_leaf(index: Index, leaf: int, corners: Corners) -> int:
    """The next leaf whose box is near a path, after another one or, for 0, the first; 0 if none.

    Its feature is `index.feature[leaf - m]`.
    """
    low, high, many = index.low, index.high, index.feature.size
    node = 1 if leaf == 0 else _after(leaf)
    lower, upper = corners.lower, corners.upper
    while node > 0:
        meets = (
            (low[node, 0] <= upper.x)
            & (low[node, 1] <= upper.y)
            & (low[node, 2] <= upper.z)
            & (high[node, 0] >= lower.x)
            & (high[node, 1] >= lower.y)
            & (high[node, 2] >= lower.z)
        )
        if not (meets and _is_crossed(index, node, corners)):
            node = _after(node)
        elif node >= many:
            return node
        else:
            node = 2 * node
    return 0


@inlined
def _is_crossed(index: Index, node: int, corners: Corners) -> bool:
    """Whether a segment crosses a node's box grown by `wide`, where the boxes around them meet.

    Only the axes across segment and sides are left to be tried (C. Ericson, Real-Time Collision
    Detection, section 5.3.3).
    """
    low, high, half, wide = index.low, index.high, corners.half, corners.wide
    ex = 0.5 * (high[node, 0] - low[node, 0]) + wide.x
    ey = 0.5 * (high[node, 1] - low[node, 1]) + wide.y
    ez = 0.5 * (high[node, 2] - low[node, 2]) + wide.z
    mx = corners.middle.x - 0.5 * (low[node, 0] + high[node, 0])
    my = corners.middle.y - 0.5 * (low[node, 1] + high[node, 1])
    mz = corners.middle.z - 0.5 * (low[node, 2] + high[node, 2])
    ax, ay, az = abs(half.x), abs(half.y), abs(half.z)
    return bool(
        (abs(my * half.z - mz * half.y) <= ey * az + ez * ay)
        & (abs(mz * half.x - mx * half.z) <= ex * az + ez * ax)
        & (abs(mx * half.y - my * half.x) <= ex * ay + ey * ax)
    )


@inlined
def around(x: TVector, reach: float) -> Corners:
    """What is near a sphere."""
    r = TVector(reach, reach, reach)
    return Corners(x - r, x + r, x, x * 0.0, r)


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
    lower = TVector(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z))
    upper = TVector(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z))
    return Corners(lower - bulge, upper + bulge, (a + b) * 0.5, (b - a) * 0.5, bulge)


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
