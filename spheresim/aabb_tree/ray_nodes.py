"""A tree of boxes for rays: each node has up to eight children, which a ray meets all at once.

Made of an `AabbTree` by opening the child with the largest surface until there are eight
(H. Dammertz et al., Shallow bounding volume hierarchies for fast SIMD ray tracing of incoherent
rays, 2008).
Boxes are 32-bit floats, in units in which all of space that is used is about 1, and made larger by
more than that rounds.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.aabb_tree.search import Nodes
from spheresim.aabb_tree.tree import AabbTree
from spheresim.compiler.decorators import kernel, routine
from spheresim.compiler.ray_boxes import BOXES
from spheresim.numerics.arrays import Floats, Integers

_MARGIN = 2.0**-19
"""How much boxes are larger than they are, in units of all of them together."""

RAY_STACK = 8 * 64


class RayNodes(NamedTuple):
    """boxes: (n, 6, 8), see `ray_boxes`; link: of each child the node, or −1 − a leaf, (n, 8);
    leaf: where a leaf's items begin in `order`, and how many there are, (l, 2); order: items;
    units: a middle and a scale, (4,), of a point p the units are (p − middle) / scale; low, high:
    the box around all, (3,)."""

    boxes: npt.NDArray[np.float32]
    link: Integers
    leaf: Integers
    order: Integers
    units: Floats
    low: Floats
    high: Floats


def ray_nodes(tree: AabbTree) -> RayNodes:
    """The nodes of a tree that is not empty."""
    nodes, low, high = tree.nodes, tree.nodes.boxes.low[0], tree.nodes.boxes.high[0]
    middle, scale = 0.5 * (low + high), max(0.5 * float((high - low).max()), 1e-290)
    count = tree.count
    boxes = np.empty((count, 6, BOXES), dtype=np.float32)
    boxes[:, :3], boxes[:, 3:] = np.inf, -np.inf
    link, leaf = np.full((count, BOXES), -1), np.empty((count, 2), dtype=np.int64)
    stack, children = np.empty((count + 1, 2), np.int64), np.empty(BOXES, np.int64)
    units = np.array([*middle, scale])
    wide = RayNodes(boxes, link, leaf, nodes.order, units, low, high)
    used, leaves = _widen(nodes, wide, stack, children)
    return wide._replace(boxes=boxes[:used], link=link[:used], leaf=leaf[:leaves])


@routine
def _largest_inner(nodes: Nodes, children: Integers, many: int) -> int:
    """Which of the first children that are no leaves has the largest surface; −1 if all are."""
    low, high = nodes.boxes
    largest, best = -1, -1.0
    for k in range(many):
        child = children[k]
        if nodes.link[child, 1] == 0:
            x = high[child, 0] - low[child, 0]
            y = high[child, 1] - low[child, 1]
            z = high[child, 2] - low[child, 2]
            if x * y + y * z + z * x > best:
                largest, best = k, x * y + y * z + z * x
    return largest


@kernel
def _widen(nodes: Nodes, made: RayNodes, stack: Integers, children: Integers) -> tuple[int, int]:
    """Write the wide nodes and leaves; how many there are of both."""
    boxes, link, leaf, units = made.boxes, made.link, made.leaf, made.units
    stack[0, 0], stack[0, 1], waiting, used, leaves = 0, 0, 1, 1, 0
    while waiting > 0:
        waiting -= 1
        node, wide = stack[waiting, 0], stack[waiting, 1]
        # Open the largest child until there are eight; a root that is a leaf is its own child.
        children[0], many = node, 1
        while many < BOXES:
            largest = _largest_inner(nodes, children, many)
            if largest < 0:
                break
            child = nodes.link[children[largest], 0]
            children[largest], children[many] = child, child + 1
            many += 1
        for k in range(many):
            child = children[k]
            for axis in range(3):
                low = (nodes.boxes.low[child, axis] - units[axis]) / units[3]
                high = (nodes.boxes.high[child, axis] - units[axis]) / units[3]
                boxes[wide, axis, k], boxes[wide, axis + 3, k] = low - _MARGIN, high + _MARGIN
            if nodes.link[child, 1] == 0:
                link[wide, k] = used
                stack[waiting, 0], stack[waiting, 1] = child, used
                waiting += 1
                used += 1
            else:
                link[wide, k] = -1 - leaves
                leaf[leaves, 0], leaf[leaves, 1] = nodes.link[child, 0], nodes.link[child, 1]
                leaves += 1
    return used, leaves
