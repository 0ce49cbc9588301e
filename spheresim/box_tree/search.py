"""Searches through a tree of boxes: which items' boxes meet a box, and which is nearest to it."""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arrays import Floats, Integers

STACK = 128
"""Nodes that wait in a search at the most."""


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
        stack[0], waiting = 0, 1
        while waiting > 0:
            waiting -= 1
            node = stack[waiting]
            if not _meet(nodes.low, nodes.high, node, low, high, query):
                continue
            if nodes.link[node, 1] == 0:
                stack[waiting], stack[waiting + 1] = nodes.link[node, 0], nodes.link[node, 0] + 1
                waiting += 2
                continue
            start = nodes.link[node, 0]
            for i in range(start, start + nodes.link[node, 1]):
                item = nodes.order[i]
                if _meet(item_low, item_high, item, low, high, query):
                    if count < len(found):
                        found[count, 0], found[count, 1] = query, item
                    count += 1
    return count


@inlined
def _apart(
    low: Floats, high: Floats, i: int, other_low: Floats, other_high: Floats, j: int
) -> float:
    """The square of the distance of two boxes."""
    total = 0.0
    for axis in range(3):
        way = max(0.0, low[i, axis] - other_high[j, axis], other_low[j, axis] - high[i, axis])
        total += way * way
    return total


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
        stack[0], waiting = 0, 1
        while waiting > 0:
            waiting -= 1
            node = stack[waiting]
            if not _apart(nodes.low, nodes.high, node, low, high, query) < best:
                continue
            if nodes.link[node, 1] == 0:
                one = nodes.link[node, 0]
                first = _apart(nodes.low, nodes.high, one, low, high, query)
                second = _apart(nodes.low, nodes.high, one + 1, low, high, query)
                nearer = 0 if first <= second else 1
                stack[waiting], stack[waiting + 1] = one + 1 - nearer, one + nearer
                waiting += 2
                continue
            start = nodes.link[node, 0]
            for i in range(start, start + nodes.link[node, 1]):
                item = nodes.order[i]
                away = _apart(item_low, item_high, item, low, high, query)
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
