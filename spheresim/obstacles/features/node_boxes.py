"""The boxes of all nodes of the tree over features, for rays that meet the nearest ones first."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import leaf_order


class NodeBoxes(NamedTuple):
    """low, high: the nodes' boxes, shape (2m, 3), of a heap whose root is node 1, empty ones with
    low > high; feature: the features of its leaves, nodes m to 2m − 1, shape (m,)."""

    low: Any
    high: Any
    feature: Any


def build_node_boxes(low: Any, high: Any) -> NodeBoxes:
    """The tree over features with these boxes, shape (n, 3) each."""
    order, n = leaf_order(low, high), len(low)
    m, some = len(order), order < n
    lows, highs = np.full((2 * m, 3), np.inf), np.full((2 * m, 3), -np.inf)
    lows[m:][some], highs[m:][some] = low[order[some]], high[order[some]]
    level = m // 2
    while level >= 1:
        below = slice(2 * level, 4 * level)
        lows[level : 2 * level] = lows[below].reshape(level, 2, 3).min(axis=1)
        highs[level : 2 * level] = highs[below].reshape(level, 2, 3).max(axis=1)
        level //= 2
    return NodeBoxes(lows, highs, order)


@inlined
def entry_into(
    boxes: NodeBoxes, node: int, origin: TVector, inverse: TVector, grown: float
) -> float:
    """The parameter at which a ray enters a node's box, grown; inf if it misses it.

    By slabs (T. L. Kay and J. T. Kajiya, Ray tracing complex scenes, 1986). A box is entered
    through the sides that the direction looks at: an empty one, low above high, by none.
    """
    low, high = boxes.low, boxes.high
    x_in, x_out = low[node, 0] - grown - origin.x, high[node, 0] + grown - origin.x
    y_in, y_out = low[node, 1] - grown - origin.y, high[node, 1] + grown - origin.y
    z_in, z_out = low[node, 2] - grown - origin.z, high[node, 2] + grown - origin.z
    if inverse.x < 0.0:
        x_in, x_out = x_out, x_in
    if inverse.y < 0.0:
        y_in, y_out = y_out, y_in
    if inverse.z < 0.0:
        z_in, z_out = z_out, z_in
    enter = max(x_in * inverse.x, y_in * inverse.y, z_in * inverse.z)
    leave = min(x_out * inverse.x, y_out * inverse.y, z_out * inverse.z)
    return enter if enter <= leave and leave >= 0.0 else math.inf
