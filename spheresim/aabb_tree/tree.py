"""A tree of boxes for questions: which boxes meet a box, and (see `ray_nodes`) which a ray meets.

Built from the top by the surface area heuristic over bins: a box is hit by a ray that hits the box
around it with a probability in proportion to its surface, so the split is taken at which the sum of
(surface × number of boxes) over both sides is least (I. Wald, On fast construction of SAH-based
bounding volume hierarchies, 2007).
"""

from typing import NamedTuple

import numpy as np

from spheresim.aabb_tree.search import STACK, Boxes, Nodes, nearest_items, overlapping
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.arrays import Floats, Integers

_BINS = 16
_DEEPEST = 60
"""Below this level boxes are halved by number, so that a search needs no more than `STACK`."""


class _Bins(NamedTuple):
    """many: boxes in each bin; low, high: around them; area: the costs of all from a bin on."""

    many: Integers
    low: Floats
    high: Floats
    area: Floats


class _Building(NamedTuple):
    """A tree while it is built. boxes: of the items; stack: nodes to be split, and their levels."""

    boxes: Boxes
    nodes: Nodes
    stack: Integers
    bins: _Bins


class _Binning(NamedTuple):
    """How boxes go into bins along an axis: by the sum of their two ends along it, which
    is `first` at the start of bin 0; scale: bins per length of this sum."""

    axis: int
    first: float
    scale: float


class AabbTree:
    """A tree over boxes low, high, shape (n, 3) each, of finite size."""

    def __init__(self, low: Floats, high: Floats, leaf: int = 4) -> None:
        n = len(low)
        size = max(1, 2 * n)
        self.nodes = Nodes(
            Boxes(*np.empty((2, size, 3))), np.zeros((size, 2), np.int64), np.arange(n)
        )
        self.count = 0
        self._boxes = Boxes(np.ascontiguousarray(low), np.ascontiguousarray(high))
        if n:
            around_low, around_high = np.empty((2, _BINS, 3))
            bins = _Bins(np.empty(_BINS, np.int64), around_low, around_high, np.empty(_BINS))
            stack = np.empty((STACK, 2), np.int64)
            self.count = _build(_Building(self._boxes, self.nodes, stack, bins), leaf)

    def overlaps(self, low: Floats, high: Floats) -> tuple[Integers, Integers]:
        """All pairs (query, item) of boxes that meet, sorted; queries: low, high, (m, 3) each."""
        if self.count == 0 or len(low) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return overlapping(self.nodes, self._boxes, low, high)

    def nearest(self, low: Floats, high: Floats) -> Integers:
        """Of each box (m, 3) the item whose box is nearest, (m,); there must be one."""
        return nearest_items(self.nodes, self._boxes, low, high)


# --- Building ---------------------------------------------------------------------------


@inlined
def _half_area(x: float, y: float, z: float) -> float:
    return x * y + y * z + z * x


@routine
def _bound(tree: _Building, node: int, start: int, count: int) -> None:
    boxes = tree.boxes
    low, high = tree.nodes.boxes
    for axis in range(3):
        low[node, axis], high[node, axis] = np.inf, -np.inf
    for i in range(start, start + count):
        item = tree.nodes.order[i]
        for axis in range(3):
            low[node, axis] = min(low[node, axis], boxes.low[item, axis])
            high[node, axis] = max(high[node, axis], boxes.high[item, axis])


@inlined
def _bin_of(boxes: Boxes, item: int, binning: _Binning) -> int:
    """The bin of a box by its middle."""
    axis = binning.axis
    place = int((boxes.low[item, axis] + boxes.high[item, axis] - binning.first) * binning.scale)
    return min(max(place, 0), _BINS - 1)


@routine
def _fill_bins(tree: _Building, start: int, count: int, binning: _Binning) -> None:
    boxes, bins = tree.boxes, tree.bins
    for k in range(_BINS):
        bins.many[k] = 0
        for side in range(3):
            bins.low[k, side], bins.high[k, side] = np.inf, -np.inf
    for i in range(start, start + count):
        item = tree.nodes.order[i]
        k = _bin_of(boxes, item, binning)
        bins.many[k] += 1
        for side in range(3):
            bins.low[k, side] = min(bins.low[k, side], boxes.low[item, side])
            bins.high[k, side] = max(bins.high[k, side], boxes.high[item, side])


@routine
def _sweep_bins(bins: _Bins) -> tuple[float, int]:
    """The least cost of a split of the bins, and the first bin of its right side."""
    many, best, split = 0, np.inf, 0
    x0, y0, z0, x1, y1, z1 = np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf
    for k in range(_BINS - 1, 0, -1):
        x0, x1 = min(x0, bins.low[k, 0]), max(x1, bins.high[k, 0])
        y0, y1 = min(y0, bins.low[k, 1]), max(y1, bins.high[k, 1])
        z0, z1 = min(z0, bins.low[k, 2]), max(z1, bins.high[k, 2])
        many += bins.many[k]
        bins.area[k] = many * _half_area(x1 - x0, y1 - y0, z1 - z0) if many else 0.0
    many = 0
    x0, y0, z0, x1, y1, z1 = np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf
    total = 0
    for k in range(_BINS):
        total += bins.many[k]
    for k in range(1, _BINS):
        x0, x1 = min(x0, bins.low[k - 1, 0]), max(x1, bins.high[k - 1, 0])
        y0, y1 = min(y0, bins.low[k - 1, 1]), max(y1, bins.high[k - 1, 1])
        z0, z1 = min(z0, bins.low[k - 1, 2]), max(z1, bins.high[k - 1, 2])
        many += bins.many[k - 1]
        if (many > 0) & (many < total):
            cost = bins.area[k] + many * _half_area(x1 - x0, y1 - y0, z1 - z0)
            if cost < best:
                best, split = cost, k
    return best, split


@routine
def _split(tree: _Building, start: int, count: int, level: int) -> int:
    """Put the items of a node in order, those of its left child first; how many these are."""
    boxes, nodes = tree.boxes, tree.nodes
    least, best, best_split = np.inf, _Binning(0, 0.0, 0.0), 0
    if level < _DEEPEST:
        for axis in range(3):
            first, last = np.inf, -np.inf
            for i in range(start, start + count):
                item = nodes.order[i]
                middle = boxes.low[item, axis] + boxes.high[item, axis]
                first, last = min(first, middle), max(last, middle)
            if not last > first:
                continue
            scale = _BINS / (last - first)
            if not scale < np.inf:
                continue
            binning = _Binning(axis, first, scale)
            _fill_bins(tree, start, count, binning)
            cost, split = _sweep_bins(tree.bins)
            if cost < least:
                least, best, best_split = cost, binning, split
    if least == np.inf:
        return count // 2
    i, j = start, start + count - 1
    while i <= j:
        item = nodes.order[i]
        if _bin_of(boxes, item, best) < best_split:
            i += 1
        else:
            nodes.order[i], nodes.order[j] = nodes.order[j], item
            j -= 1
    return i - start


@kernel
def _build(tree: _Building, leaf: int) -> int:
    """Build the tree from the root; how many nodes it has."""
    link, stack, items = tree.nodes.link, tree.stack, len(tree.nodes.order)
    link[0, 0], link[0, 1] = 0, items
    _bound(tree, 0, 0, items)
    used, waiting = 1, 1
    stack[0, 0], stack[0, 1] = 0, 0
    while waiting > 0:
        waiting -= 1
        node, level = stack[waiting, 0], stack[waiting, 1]
        start, count = link[node, 0], link[node, 1]
        if count <= leaf:
            continue
        left = _split(tree, start, count, level)
        link[node, 0], link[node, 1] = used, 0
        link[used, 0], link[used, 1] = start, left
        link[used + 1, 0], link[used + 1, 1] = start + left, count - left
        _bound(tree, used, start, left)
        _bound(tree, used + 1, start + left, count - left)
        stack[waiting, 0], stack[waiting, 1] = used, level + 1
        stack[waiting + 1, 0], stack[waiting + 1, 1] = used + 1, level + 1
        waiting += 2
        used += 2
    return used
