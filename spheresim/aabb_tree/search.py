"""Searches through a tree of boxes: which items' boxes meet a box, which is nearest to it, and
which a box meets as it moves.

A search is a loop over leaves:

    waiting = start_at_root(nodes, stack)
    while True:
        leaf, waiting = next_nearest_leaf(nodes, box, best, stack, waiting)
        if leaf < 0:
            break
        for i in range(nodes.link[leaf, 0], nodes.link[leaf, 0] + nodes.link[leaf, 1]):
            …  # item nodes.order[i] may make `best` smaller
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

STACK = 128
"""Nodes that wait in a search at the most."""

_LATER = 2.0**-40
"""Relative margin for the rounding of the times at which boxes meet."""


class Boxes(NamedTuple):
    """low, high: the corners of n boxes, (n, 3) each."""

    low: Floats
    high: Floats


class Nodes(NamedTuple):
    """boxes: of the n nodes; link: of an inner node its first child (the second follows it) and 0,
    of a leaf where its items begin in `order` and how many there are, (n, 2); order: items, leaf by
    leaf."""

    boxes: Boxes
    link: Integers
    order: Integers


@inlined
def box_at(boxes: Boxes, i: int) -> Bounds:
    """Box i of many."""
    return Bounds(vector_at(boxes.low, i), vector_at(boxes.high, i))


@inlined
def _meets(boxes: Boxes, i: int, box: Bounds) -> bool:
    low, high = boxes
    return bool(
        (low[i, 0] <= box.high.x)
        & (low[i, 1] <= box.high.y)
        & (low[i, 2] <= box.high.z)
        & (high[i, 0] >= box.low.x)
        & (high[i, 1] >= box.low.y)
        & (high[i, 2] >= box.low.z)
    )


@inlined
def apart_sqr(boxes: Boxes, i: int, box: Bounds) -> float:
    """The square of the distance of box i of many from another one."""
    low, high = boxes
    x = max(0.0, low[i, 0] - box.high.x, box.low.x - high[i, 0])
    y = max(0.0, low[i, 1] - box.high.y, box.low.y - high[i, 1])
    z = max(0.0, low[i, 2] - box.high.z, box.low.z - high[i, 2])
    return x * x + y * y + z * z


@inlined
def _between(low: float, high: float, speed: float) -> tuple[float, float]:
    """The time span in which a point that is at 0 now is between two others: (enter, leave)."""
    if speed == 0.0:
        return (-math.inf, math.inf) if low <= 0.0 <= high else (math.inf, -math.inf)
    one, two = low / speed, high / speed
    return min(one, two), max(one, two)


@inlined
def _meeting_time(boxes: Boxes, i: int, box: Bounds, velocity: TVector) -> float:
    """When a moving box first meets box i of many, not later than that by rounding; inf if
    never."""
    near, far = boxes
    x, to_x = _between(near[i, 0] - box.high.x, far[i, 0] - box.low.x, velocity.x)
    y, to_y = _between(near[i, 1] - box.high.y, far[i, 1] - box.low.y, velocity.y)
    z, to_z = _between(near[i, 2] - box.high.z, far[i, 2] - box.low.z, velocity.z)
    first, last = max(0.0, x, y, z), min(to_x, to_y, to_z)
    return first * (1.0 - _LATER) if first <= last * (1.0 + _LATER) else math.inf


# --- Searches, leaf by leaf -----------------------------------------------------------


@inlined
def start_at_root(nodes: Nodes, stack: Integers) -> int:
    """Put the root on the stack; how many nodes wait: none if the tree holds nothing."""
    stack[0] = 0
    return min(1, len(nodes.boxes.low))


@inlined
def _open(nodes: Nodes, node: int, second_is_next: bool, stack: Integers, waiting: int) -> int:
    """Put both children of a node on the stack, one of them to be next; how many nodes wait."""
    first, after = nodes.link[node, 0], 1 if second_is_next else 0
    stack[waiting], stack[waiting + 1] = first + 1 - after, first + after
    return waiting + 2


@inlined
def next_overlapping_leaf(
    nodes: Nodes, box: Bounds, stack: Integers, waiting: int
) -> tuple[int, int]:
    """The next leaf whose box meets another one, −1 if there is none; how many nodes still wait."""
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if _meets(nodes.boxes, node, box):
            if nodes.link[node, 1] > 0:
                return node, waiting
            waiting = _open(nodes, node, True, stack, waiting)
    return -1, waiting


@inlined
def next_nearest_leaf(
    nodes: Nodes, box: Bounds, most: float, stack: Integers, waiting: int
) -> tuple[int, int]:
    """The next leaf, nearer ones first, whose distance from a box has a square up to `most`.

    Returns what `next_overlapping_leaf` returns.
    """
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if apart_sqr(nodes.boxes, node, box) <= most:
            if nodes.link[node, 1] > 0:
                return node, waiting
            first = nodes.link[node, 0]
            one = apart_sqr(nodes.boxes, first, box)
            two = apart_sqr(nodes.boxes, first + 1, box)
            waiting = _open(nodes, node, two < one, stack, waiting)
    return -1, waiting


@inlined
def next_leaf_met(
    nodes: Nodes, box: Bounds, velocity: TVector, until: float, stack: Integers, waiting: int
) -> tuple[int, int]:
    """The next leaf, earlier ones first, that a box meets as it moves, until a time.

    Returns what `next_overlapping_leaf` returns. A ray is a box of no size that moves.
    """
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        time = _meeting_time(nodes.boxes, node, box, velocity)
        if time <= until and time < math.inf:
            if nodes.link[node, 1] > 0:
                return node, waiting
            first = nodes.link[node, 0]
            one = _meeting_time(nodes.boxes, first, box, velocity)
            two = _meeting_time(nodes.boxes, first + 1, box, velocity)
            waiting = _open(nodes, node, two < one, stack, waiting)
    return -1, waiting


# --- Many boxes at once ---------------------------------------------------------------


@kernel
def overlaps_of(
    nodes: Nodes, items: Boxes, queries: Boxes, stack: Integers, found: Integers
) -> int:
    """Write the pairs (query, item) that meet, as far as there is room; how many there are."""
    count = 0
    for query in range(len(queries.low)):
        box, waiting = box_at(queries, query), start_at_root(nodes, stack)
        while True:
            leaf, waiting = next_overlapping_leaf(nodes, box, stack, waiting)
            if leaf < 0:
                break
            start = nodes.link[leaf, 0]
            for i in range(start, start + nodes.link[leaf, 1]):
                item = nodes.order[i]
                if _meets(items, item, box):
                    if count < len(found):
                        found[count, 0], found[count, 1] = query, item
                    count += 1
    return count


@kernel
def nearest_of(
    nodes: Nodes, items: Boxes, queries: Boxes, stack: Integers, found: Integers
) -> None:
    """Write the item nearest to each box; of equally near ones the first that is come to."""
    for query in range(len(queries.low)):
        best, found[query] = np.inf, nodes.order[0]
        box, waiting = box_at(queries, query), start_at_root(nodes, stack)
        while best > 0.0:  # nothing is nearer than what meets the box
            leaf, waiting = next_nearest_leaf(nodes, box, best, stack, waiting)
            if leaf < 0:
                break
            start = nodes.link[leaf, 0]
            for i in range(start, start + nodes.link[leaf, 1]):
                item = nodes.order[i]
                away = apart_sqr(items, item, box)
                if away < best:
                    best, found[query] = away, item


def overlapping(nodes: Nodes, items: Boxes, low: Floats, high: Floats) -> tuple[Integers, Integers]:
    """All pairs (query, item) of boxes that meet, sorted; queries: low, high, (m, 3) each. The tree
    must hold something."""
    queries, stack = _contiguous(low, high), np.empty(STACK, np.int64)
    found = np.empty((4 * len(low) + 64, 2), np.int64)
    count = overlaps_of(nodes, items, queries, stack, found)
    if count > len(found):
        found = np.empty((count, 2), np.int64)
        overlaps_of(nodes, items, queries, stack, found)
    found = found[:count]
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    return found[:, 0], found[:, 1]


def nearest_items(nodes: Nodes, items: Boxes, low: Floats, high: Floats) -> Integers:
    """Of each box the item whose box is nearest, (m,); see `overlapping`."""
    found = np.empty(len(low), np.int64)
    nearest_of(nodes, items, _contiguous(low, high), np.empty(STACK, np.int64), found)
    return found


def _contiguous(low: Floats, high: Floats) -> Boxes:
    return Boxes(np.ascontiguousarray(low), np.ascontiguousarray(high))
