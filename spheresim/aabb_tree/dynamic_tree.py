"""A tree of boxes that come, move and go one by one, each at the cost of a path to the root.

A new box becomes the neighbour of that node at which the surfaces of the boxes around it grow
least (E. Catto, Dynamic bounding volume hierarchies, GDC 2019, descending to the cheaper child). A
box that moves is taken out and put in again, so the tree stays good wherever boxes go. Many at
once, or paths that have become too long for a search, are reason to build all anew.
"""

from typing import NamedTuple

import numpy as np

from spheresim.aabb_tree.search import STACK, Boxes, Nodes, box_at, nearest_items, overlapping
from spheresim.aabb_tree.tree import AabbTree
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.rows import set_vector

_MANY = 4
"""If more than one in this number of boxes changes at once, the tree is built anew."""

_HIGHEST = STACK - 8
"""Nodes below the root on the longest way, at the most: the stack of a search holds no more."""

_NO_NODE = -1
_FREE, _USED, _ITEMS = 0, 1, 2


class _Growing(NamedTuple):
    """nodes: see `Nodes`, of which each leaf holds one item, by its number; parent, height: of
    nodes; leaf: of items, _NO_NODE of those that are not there; free: pairs of nodes that were
    given back; counts: how many those are, how many nodes were ever used, how many items there
    are."""

    nodes: Nodes
    parent: Integers
    height: Integers
    leaf: Integers
    free: Integers
    counts: Integers


class DynamicTree:
    """Boxes, of finite size, of items that are whole numbers from 0 on."""

    def __init__(self) -> None:
        self._arrays = _empty_arrays(0)
        self._boxes = Boxes(*np.zeros((2, 0, 3)))

    def __len__(self) -> int:
        return int(self._arrays.counts[_ITEMS])

    @property
    def nodes(self) -> Nodes:
        """The tree as searches read it; of no nodes, if it holds nothing."""
        return self._arrays.nodes if len(self) else _NOTHING

    def update(self, items: Integers, is_there: Booleans, low: Floats, high: Floats) -> None:
        """Some items, (k,), each once, have come, moved or gone: which are there now, (k,) bool.

        low, high: the boxes of all items by their numbers, (n, 3) each, which are kept.
        """
        self._boxes = Boxes(low, high)
        if len(low) > len(self._arrays.leaf):
            self._arrays = _moved_to(_empty_arrays(2 * len(low)), self._arrays)
        if _MANY * len(items) > len(self):
            here = self._arrays.leaf != _NO_NODE
            here[items] = is_there
            self._build(np.flatnonzero(here))
        elif _change(self._arrays, items, is_there, self._boxes) > _HIGHEST:
            self._build(np.flatnonzero(self._arrays.leaf != _NO_NODE))

    def overlaps(self, low: Floats, high: Floats) -> tuple[Integers, Integers]:
        """All pairs (query, item) of boxes that meet, sorted; queries: low, high, (m, 3) each."""
        if len(self) == 0 or len(low) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return overlapping(self.nodes, self._boxes, low, high)

    def nearest(self, low: Floats, high: Floats) -> Integers:
        """Of each box (m, 3) the item whose box is nearest, (m,); there must be one."""
        return nearest_items(self.nodes, self._boxes, low, high)

    def _build(self, items: Integers) -> None:
        """Make the tree of some items, and of nothing else."""
        made = AabbTree(self._boxes.low[items], self._boxes.high[items], leaf=1)
        self._arrays.leaf[:] = _NO_NODE
        self._arrays.counts[:] = 0, max(1, made.count), len(items)
        if len(items):
            _adopt(self._arrays, made.nodes, items, made.count)


_NOTHING = Nodes(Boxes(*np.zeros((2, 0, 3))), np.zeros((0, 2), np.int64), np.arange(0))


def _empty_arrays(items: int) -> _Growing:
    """An empty tree with the capacity for this number of items."""
    nodes = 2 * items + 1
    parent, height, free = np.full(nodes, _NO_NODE), np.zeros(nodes, np.int64), np.zeros(items, int)
    of = Nodes(Boxes(*np.zeros((2, nodes, 3))), np.zeros((nodes, 2), np.int64), np.arange(items))
    return _Growing(of, parent, height, np.full(items, _NO_NODE), free, np.array([0, 1, 0]))


def _moved_to(larger: _Growing, old: _Growing) -> _Growing:
    """The same tree, in larger arrays."""
    of_larger = *larger.nodes.boxes, larger.nodes.link, *larger[1:]
    of_old = *old.nodes.boxes, old.nodes.link, *old[1:]
    for new, kept in zip(of_larger, of_old, strict=True):
        new[: len(kept)] = kept
    return larger


@routine
def _area(boxes: Boxes, k: int) -> float:
    """Half the surface of box k."""
    low, high = boxes
    x, y, z = high[k, 0] - low[k, 0], high[k, 1] - low[k, 1], high[k, 2] - low[k, 2]
    return float(x * y + y * z + z * x)


@routine
def _area_with(boxes: Boxes, k: int, box: Bounds) -> float:
    """Half the surface of the box around box k and another."""
    low, high = boxes
    x = max(high[k, 0], box.high.x) - min(low[k, 0], box.low.x)
    y = max(high[k, 1], box.high.y) - min(low[k, 1], box.low.y)
    z = max(high[k, 2], box.high.z) - min(low[k, 2], box.low.z)
    return float(x * y + y * z + z * x)


@routine
def _put(tree: _Growing, node: int, source: int) -> None:
    """Let a node be what another one is: its box, and its item or children."""
    nodes = tree.nodes
    low, high = nodes.boxes
    for axis in range(3):
        low[node, axis], high[node, axis] = low[source, axis], high[source, axis]
    first = nodes.link[source, 0]
    nodes.link[node, 0], nodes.link[node, 1] = first, nodes.link[source, 1]
    tree.height[node] = tree.height[source]
    if nodes.link[node, 1] == 0:
        tree.parent[first] = tree.parent[first + 1] = node
    else:
        tree.leaf[first] = node


@routine
def _make_leaf(tree: _Growing, node: int, item: int, box: Bounds) -> None:
    set_vector(tree.nodes.boxes.low, node, box.low)
    set_vector(tree.nodes.boxes.high, node, box.high)
    tree.nodes.link[node, 0], tree.nodes.link[node, 1] = item, 1
    tree.height[node], tree.leaf[item] = 0, node


@routine
def _fit(tree: _Growing, node: int) -> None:
    """Bring the boxes and heights of a node and all above it up to date."""
    low, high = tree.nodes.boxes
    while node != _NO_NODE:
        one = tree.nodes.link[node, 0]
        for axis in range(3):
            low[node, axis] = min(low[one, axis], low[one + 1, axis])
            high[node, axis] = max(high[one, axis], high[one + 1, axis])
        tree.height[node] = 1 + max(tree.height[one], tree.height[one + 1])
        node = tree.parent[node]


@inlined
def _price(nodes: Nodes, child: int, box: Bounds) -> float:
    """By how much the surfaces below and at a child grow at least, if a box goes there."""
    grown = _area_with(nodes.boxes, child, box)
    if nodes.link[child, 1] == 0:
        grown -= _area(nodes.boxes, child)
    return grown


@routine
def _insert(tree: _Growing, item: int, box: Bounds) -> None:
    nodes, counts = tree.nodes, tree.counts
    counts[_ITEMS] += 1
    if counts[_ITEMS] == 1:
        tree.parent[0] = _NO_NODE
        _make_leaf(tree, 0, item, box)
        return
    node = 0
    while nodes.link[node, 1] == 0:
        here = _area_with(nodes.boxes, node, box)
        grows = here - _area(nodes.boxes, node)
        one = nodes.link[node, 0]
        first = grows + _price(nodes, one, box)
        second = grows + _price(nodes, one + 1, box)
        if here < min(first, second):
            break
        node = one if first <= second else one + 1
    if counts[_FREE] > 0:
        counts[_FREE] -= 1
        pair = tree.free[counts[_FREE]]
    else:
        pair = counts[_USED]
        counts[_USED] += 2
    _put(tree, pair, node)
    _make_leaf(tree, pair + 1, item, box)
    tree.parent[pair] = tree.parent[pair + 1] = node
    nodes.link[node, 0], nodes.link[node, 1] = pair, 0
    _fit(tree, node)


@routine
def _remove(tree: _Growing, item: int) -> None:
    node = tree.leaf[item]
    tree.leaf[item] = _NO_NODE
    tree.counts[_ITEMS] -= 1
    if node == 0:
        return
    above = tree.parent[node]
    pair = tree.nodes.link[above, 0]
    _put(tree, above, 2 * pair + 1 - node)
    tree.free[tree.counts[_FREE]] = pair
    tree.counts[_FREE] += 1
    _fit(tree, tree.parent[above])


@kernel
def _change(tree: _Growing, items: Integers, is_there: Booleans, boxes: Boxes) -> int:
    """Take items out and put those in that are there; the height of the root. boxes: of all."""
    for k in range(len(items)):
        if tree.leaf[items[k]] != _NO_NODE:
            _remove(tree, items[k])
        if is_there[k]:
            _insert(tree, items[k], box_at(boxes, items[k]))
    return int(tree.height[0])


@kernel
def _adopt(tree: _Growing, made: Nodes, items: Integers, count: int) -> None:
    """Take over the nodes of a tree that has one box in each leaf; items: of its boxes."""
    tree.parent[0] = _NO_NODE
    for node in range(count - 1, -1, -1):  # children come after their parents
        for axis in range(3):
            tree.nodes.boxes.low[node, axis] = made.boxes.low[node, axis]
            tree.nodes.boxes.high[node, axis] = made.boxes.high[node, axis]
        first, many = made.link[node, 0], made.link[node, 1]
        tree.nodes.link[node, 0], tree.nodes.link[node, 1] = first, many
        if many == 0:
            tree.parent[first] = tree.parent[first + 1] = node
            tree.height[node] = 1 + max(tree.height[first], tree.height[first + 1])
        else:
            item = items[made.order[first]]
            tree.nodes.link[node, 0], tree.height[node], tree.leaf[item] = item, 0, node
