"""The bounding-volume hierarchy: a tree of boxes around the objects, and around those boxes.

The objects are the leaves of a complete binary tree, laid out as a heap (node j has the nodes 2j
and 2j + 1 below it, the root is 1), in Morton's order, so that neighbours in space are neighbours
in the tree. A search needs no stack: what follows a whole branch is found by counting. Where
objects only move, the boxes are made to fit again (refit) and the tree stays; it is built anew
when its boxes have become much larger (C. Ericson, Real-Time Collision Detection, chapter 6).
"""

import sys
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.boxes import crowd_hull, overlap, pair_number
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arguments import number
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.morton import dilated

_BITS = 20
"""Of a Morton code, along each axis."""


class BoundingVolumeHierarchy(BroadPhase):
    """Proposes the pairs of leaves that a search from each leaf comes to.

    `rebuild_at`: the tree is built anew when the sum of the sizes of its boxes has become this
    multiple of the sum when it was built. `nodes`: (2m, 6), the boxes, those of the leaves from m
    on; `order`: the objects of the leaves; `is_refit`: whether the last update kept the tree.
    """

    name: ClassVar[str] = "bvh"
    title: ClassVar[str] = "A tree of boxes, refitted when objects move"

    def __init__(self, rebuild_at: float = 1.25) -> None:
        super().__init__()
        self.rebuild_at = number(rebuild_at, "rebuild_at", low=1.0)
        self.order: Integers = np.zeros(0, dtype=np.int64)
        self.nodes: Floats = np.zeros((2, 6))
        self.is_refit = False
        self._size, self._hull = 0.0, (np.zeros(3), np.zeros(3))

    def _arrange(self) -> None:
        self._hull = crowd_hull(self.boxes)
        self.is_refit = len(self.order) == len(self.boxes) > 0
        if self.is_refit:
            self._refit()
            self.is_refit = self._total_size() <= self.rebuild_at * self._size
        if not self.is_refit:
            self._build()

    def _build(self) -> None:
        """A new tree."""
        n = len(self.boxes)
        low, high = self._hull
        side = float((0.5 * high - 0.5 * low).max())
        codes = np.empty(n, dtype=np.uint64)
        scale = (2.0**_BITS - 1.0) / max(side, sys.float_info.min)
        _morton(self.boxes, low, high, min(scale, sys.float_info.max), codes)
        self.order = np.argsort(codes, kind="stable")
        leaves = 1 << max(0, n - 1).bit_length()
        self.nodes = np.empty((2 * leaves, 6))
        self.nodes[:, :3], self.nodes[:, 3:] = np.inf, -np.inf
        self._refit()
        self._size = self._total_size()

    def _refit(self) -> None:
        _refit(self.nodes, self.order, self.boxes)

    def _total_size(self) -> float:
        return _total_size(self.nodes, *self._hull)

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
        return _search(self.nodes, self.order, every, found)


@kernel
def _morton(
    boxes: Floats, low: Floats, high: Floats, scale: float, codes: npt.NDArray[np.uint64]
) -> None:
    """The places of the boxes' middles along Morton's curve through the hull."""
    for k in range(len(boxes)):
        code = 0
        for axis in range(3):
            bottom = min(max(boxes[k, axis], low[axis]), high[axis])
            top = min(max(boxes[k, 3 + axis], low[axis]), high[axis])
            # Quarters and halves, because sums of the largest floats would overflow.
            cell = int((0.25 * bottom + 0.25 * top - 0.5 * low[axis]) * scale)
            code |= dilated(cell) << axis
        codes[k] = code


@kernel
def _refit(nodes: Floats, order: Integers, boxes: Floats) -> None:
    """The leaves' boxes anew, and those of all nodes above them, from below."""
    leaves = len(nodes) // 2
    for k in range(len(order)):
        for side in range(6):
            nodes[leaves + k, side] = boxes[order[k], side]
    for node in range(leaves - 1, 0, -1):
        for side in range(3):
            nodes[node, side] = min(nodes[2 * node, side], nodes[2 * node + 1, side])
        for side in range(3, 6):
            nodes[node, side] = max(nodes[2 * node, side], nodes[2 * node + 1, side])


@kernel
def _total_size(nodes: Floats, low: Floats, high: Floats) -> float:
    """The sum of the widths of all inner nodes along all axes, each cut off at the hull."""
    total = 0.0
    for node in range(1, len(nodes) // 2):
        for axis in range(3):
            bottom, top = max(nodes[node, axis], low[axis]), min(nodes[node, 3 + axis], high[axis])
            total += max(0.0, top - bottom)
    return total


@inlined
def _after(node: int) -> int:
    """The node at which a search goes on when it is done with a node and all below it; 0 at the
    end."""
    while node & 1:
        node >>= 1
    return node + 1 if node > 0 else 0


@kernel
def _search(nodes: Floats, order: Integers, every: bool, found: Integers) -> tuple[int, int]:
    """For each leaf, all leaves behind it whose boxes overlap its own."""
    leaves, n = len(nodes) // 2, len(order)
    last, count, proposed = len(found) - 1, 0, 0
    for k in range(n):
        leaf = leaves + k
        node = _after(leaf)
        while node > 0:
            if node >= leaves:
                if node >= leaves + n:
                    break
                found[min(count, last)] = pair_number(order[k], order[node - leaves])
                count += every | overlap(nodes, leaf, nodes, node)
                proposed += 1
                node = _after(node)
            elif overlap(nodes, leaf, nodes, node):
                node = 2 * node
            else:
                node = _after(node)
    return count, proposed
