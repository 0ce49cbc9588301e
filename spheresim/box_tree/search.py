"""Searches through a tree of boxes: which items' boxes meet a box, which is nearest to it, and
which a box meets as it moves.

A search is a loop over leaves:

    waiting = start_at_root(nodes, stack)
    while True:
        leaf, waiting = next_nearest_leaf(nodes, low, high, k, best, stack, waiting)
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
from spheresim.numerics.vector import TVector

STACK = 128
"""Nodes that wait in a search at the most."""

_LATER = 2.0**-40
"""Relative margin for the rounding of the times at which boxes meet."""


class Nodes(NamedTuple):
    """low, high: the nodes' boxes, (n, 3); link: of an inner node its first child (the second
    follows it) and 0, of a leaf where its items begin in `order` and how many there are, (n, 2);
    order: items, leaf by leaf."""

    low: Floats
    high: Floats
    link: Integers
    order: Integers


@inlined
def _meet(low: Floats, high: Floats, i: int, other_low: Floats, other_high: Floats, j: int) -> bool:
    return bool(
        (low[i, 0] <= other_high[j, 0])
        & (low[i, 1] <= other_high[j, 1])
        & (low[i, 2] <= other_high[j, 2])
        & (high[i, 0] >= other_low[j, 0])
        & (high[i, 1] >= other_low[j, 1])
        & (high[i, 2] >= other_low[j, 2])
    )


@inlined
def apart_sqr(
    low: Floats, high: Floats, i: int, other_low: Floats, other_high: Floats, j: int
) -> float:
    """The square of the distance of two boxes."""
    total = 0.0
    for axis in range(3):
        way = max(0.0, low[i, axis] - other_high[j, axis], other_low[j, axis] - high[i, axis])
        total += way * way
    return total


@inlined
def _between(low: float, high: float, speed: float) -> tuple[float, float]:
    """The time span in which a point that is at 0 now is between two others: (enter, leave)."""
    if speed == 0.0:
        return (-math.inf, math.inf) if low <= 0.0 <= high else (math.inf, -math.inf)
    one, two = low / speed, high / speed
    return min(one, two), max(one, two)


@inlined
def _meeting_time(
    nodes: Nodes, node: int, low: Floats, high: Floats, k: int, velocity: TVector
) -> float:
    """When moving box k first meets a node's, not later than that by rounding; inf if never."""
    near, far = nodes.low, nodes.high
    x, to_x = _between(near[node, 0] - high[k, 0], far[node, 0] - low[k, 0], velocity.x)
    y, to_y = _between(near[node, 1] - high[k, 1], far[node, 1] - low[k, 1], velocity.y)
    z, to_z = _between(near[node, 2] - high[k, 2], far[node, 2] - low[k, 2], velocity.z)
    first, last = max(0.0, x, y, z), min(to_x, to_y, to_z)
    return first * (1.0 - _LATER) if first <= last * (1.0 + _LATER) else math.inf


# --- Searches, leaf by leaf -----------------------------------------------------------


@inlined
def start_at_root(nodes: Nodes, stack: Integers) -> int:
    """Put the root on the stack; how many nodes wait: none if the tree holds nothing."""
    stack[0] = 0
    return min(1, len(nodes.low))


@inlined
def _open(nodes: Nodes, node: int, second_is_next: bool, stack: Integers, waiting: int) -> int:
    """Put both children of a node on the stack, one of them to be next; how many nodes wait."""
    first, after = nodes.link[node, 0], 1 if second_is_next else 0
    stack[waiting], stack[waiting + 1] = first + 1 - after, first + after
    return waiting + 2


@inlined
def next_overlapping_leaf(
    nodes: Nodes, low: Floats, high: Floats, k: int, stack: Integers, waiting: int
) -> tuple[int, int]:
    """The next leaf whose box meets box k, −1 if there is none; how many nodes still wait."""
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if _meet(nodes.low, nodes.high, node, low, high, k):
            if nodes.link[node, 1] > 0:
                return node, waiting
            waiting = _open(nodes, node, True, stack, waiting)
    return -1, waiting


@inlined
def next_nearest_leaf(
    nodes: Nodes, low: Floats, high: Floats, k: int, most: float, stack: Integers, waiting: int
) -> tuple[int, int]:
    """The next leaf, nearer ones first, whose distance from box k has a square up to `most`.

    Returns what `next_overlapping_leaf` returns.
    """
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if apart_sqr(nodes.low, nodes.high, node, low, high, k) <= most:
            if nodes.link[node, 1] > 0:
                return node, waiting
            first = nodes.link[node, 0]
            one = apart_sqr(nodes.low, nodes.high, first, low, high, k)
            two = apart_sqr(nodes.low, nodes.high, first + 1, low, high, k)
            waiting = _open(nodes, node, two < one, stack, waiting)
    return -1, waiting


@inlined
def next_leaf_met(
    nodes: Nodes,
    low: Floats,
    high: Floats,
    k: int,
    velocity: TVector,
    until: float,
    stack: Integers,
    waiting: int,
) -> tuple[int, int]:
    """The next leaf, earlier ones first, that box k meets as it moves, until a time.

    Returns what `next_overlapping_leaf` returns. A ray is a box of no size that moves.
    """
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        time = _meeting_time(nodes, node, low, high, k, velocity)
        if time <= until and time < math.inf:
            if nodes.link[node, 1] > 0:
                return node, waiting
            first = nodes.link[node, 0]
            one = _meeting_time(nodes, first, low, high, k, velocity)
            two = _meeting_time(nodes, first + 1, low, high, k, velocity)
            waiting = _open(nodes, node, two < one, stack, waiting)
    return -1, waiting


# --- Many boxes at once ---------------------------------------------------------------


@kernel
def overlaps_of(
    nodes: Nodes,
    item_low: Floats,
    item_high: Floats,
    low: Floats,
    high: Floats,
    stack: Integers,
    found: Integers,
) -> int:
    """Write the pairs (query, item) that meet, as far as there is room; how many there are."""
    count = 0
    for query in range(len(low)):
        waiting = start_at_root(nodes, stack)
        while True:
            leaf, waiting = next_overlapping_leaf(nodes, low, high, query, stack, waiting)
            if leaf < 0:
                break
            start = nodes.link[leaf, 0]
            for i in range(start, start + nodes.link[leaf, 1]):
                item = nodes.order[i]
                if _meet(item_low, item_high, item, low, high, query):
                    if count < len(found):
                        found[count, 0], found[count, 1] = query, item
                    count += 1
    return count


@kernel
def nearest_of(
    nodes: Nodes,
    item_low: Floats,
    item_high: Floats,
    low: Floats,
    high: Floats,
    stack: Integers,
    found: Integers,
) -> None:
    """Write the item nearest to each box; of equally near ones the first that is come to."""
    for query in range(len(low)):
        best, found[query] = np.inf, nodes.order[0]
        waiting = start_at_root(nodes, stack)
        while best > 0.0:  # nothing is nearer than what meets the box
            leaf, waiting = next_nearest_leaf(nodes, low, high, query, best, stack, waiting)
            if leaf < 0:
                break
            start = nodes.link[leaf, 0]
            for i in range(start, start + nodes.link[leaf, 1]):
                item = nodes.order[i]
                away = apart_sqr(item_low, item_high, item, low, high, query)
                if away < best:
                    best, found[query] = away, item


def overlapping(
    nodes: Nodes, items: tuple[Floats, Floats], low: Floats, high: Floats
) -> tuple[Integers, Integers]:
    """All pairs (query, item) of boxes that meet, sorted; items, and queries: low, high, (n, 3)
    each. The tree must hold something."""
    low, high, stack = *map(np.ascontiguousarray, (low, high)), np.empty(STACK, np.int64)
    found = np.empty((4 * len(low) + 64, 2), np.int64)
    count = overlaps_of(nodes, *items, low, high, stack, found)
    if count > len(found):
        found = np.empty((count, 2), np.int64)
        overlaps_of(nodes, *items, low, high, stack, found)
    found = found[:count]
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    return found[:, 0], found[:, 1]


def nearest_items(
    nodes: Nodes, items: tuple[Floats, Floats], low: Floats, high: Floats
) -> Integers:
    """Of each box the item whose box is nearest, (m,); see `overlapping`."""
    low, high, stack = *map(np.ascontiguousarray, (low, high)), np.empty(STACK, np.int64)
    found = np.empty(len(low), np.int64)
    nearest_of(nodes, *items, low, high, stack, found)
    return found
