"""A ray on its way through a tree of boxes, in the tree's own units.

Boxes are met in 32-bit floats, so a ray is first moved to where it enters the box around them all.
It goes to the nearest of the boxes that it meets first, and leaves out what begins behind the best
hit so far. Times are in units of the direction's length. A search is a loop over leaves:

    waiting = start_search(search)
    while True:
        leaf, waiting = next_leaf(nodes, ray, best, search, waiting)
        if leaf < 0:
            break
        for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
            …  # item nodes.order[i] may make `best` smaller
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.aabb_tree.ray_nodes import RAY_STACK, RayNodes
from spheresim.compiler.decorators import inlined
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.ray_boxes import BOXES, ray_boxes
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector

_LATER = 1.0 + 1e-6
"""By how much the times of 32 bits, at which boxes are entered, may be too late."""

_LEAST = 1e-12
"""Of a direction's largest component: smaller ones count as this where boxes are met."""


class Search(NamedTuple):
    """Where a search works. stack: nodes and leaves; when: at which each is entered; enter: of the
    eight boxes of a node."""

    stack: Integers
    when: Floats
    enter: npt.NDArray[np.float32]


def new_search() -> Search:
    """Room for one search at a time."""
    return Search(np.empty(RAY_STACK, np.int64), np.empty(RAY_STACK), np.empty(BOXES, np.float32))


class UnitRay(NamedTuple):
    """A ray in a tree's units, from where it enters the tree's box. inverse: 1 over its components;
    start, scale: its time 0, and how long its unit of time is, in those of the ray itself."""

    origin: TVector
    inverse: TVector
    start: float
    scale: float


@inlined
def _inverse(component: float) -> float:
    """1 over a component of a direction of which the largest is 1."""
    if abs(component) < _LEAST:
        return 1.0 / _LEAST
    return 1.0 / component


@inlined
def _enter_time(low: float, high: float, origin: float, direction: float) -> float:
    """When a ray comes between two planes; −inf if it always was."""
    if direction > 0.0:
        return (low - origin) / direction
    if direction < 0.0:
        return (high - origin) / direction
    return -math.inf


@inlined
def unit_ray(nodes: RayNodes, origin: TVector, direction: TVector) -> UnitRay:
    """A ray as a tree's boxes see it: near them, so that 32 bits are enough."""
    low, high, units = nodes.low, nodes.high, nodes.units
    start = max(
        0.0,
        _enter_time(low[0], high[0], origin.x, direction.x),
        _enter_time(low[1], high[1], origin.y, direction.y),
        _enter_time(low[2], high[2], origin.z, direction.z),
    )
    largest = max(abs(direction.x), abs(direction.y), abs(direction.z))
    near, along = origin + direction * start, direction / largest
    near = TVector(near.x - units[0], near.y - units[1], near.z - units[2]) / units[3]
    # Further away than this it misses all; a coordinate must not overflow 32 bits.
    near = TVector(_near(near.x), _near(near.y), _near(near.z))
    inverse = TVector(_inverse(along.x), _inverse(along.y), _inverse(along.z))
    return UnitRay(near, inverse, start, units[3] / largest)


@inlined
def _near(coordinate: float) -> float:
    return min(max(coordinate, -1e6), 1e6)


@inlined
def start_search(search: Search) -> int:
    """Put the root on the stack; how many nodes wait."""
    search.stack[0], search.when[0] = 0, 0.0
    return 1


@inlined
def next_leaf(
    nodes: RayNodes, ray: UnitRay, best: float, search: Search, waiting: int
) -> tuple[int, int]:
    """The next leaf that a ray enters before its best hit, −1 if there is none; how many nodes
    still wait."""
    while waiting > 0:
        waiting -= 1
        node = search.stack[waiting]
        if ray.start + search.when[waiting] * ray.scale > best * _LATER:
            continue
        if node < 0:
            return -1 - node, waiting
        waiting = _open_node(nodes, node, ray, best, search, waiting)
    return -1, waiting


@inlined
def _open_node(
    nodes: RayNodes, node: int, ray: UnitRay, best: float, search: Search, waiting: int
) -> int:
    """Put the children of a node that a ray meets on the stack, the nearest last."""
    left = min((best - ray.start) / ray.scale, 1e30)
    found = ray_boxes(nodes.boxes, node, ray.origin, ray.inverse, left, search.enter)
    bottom = waiting
    while found != np.uint64(0):
        k = lowest_bit(found)
        found &= found - np.uint64(1)
        time, i = search.enter[k], waiting
        while i > bottom and search.when[i - 1] < time:
            search.stack[i], search.when[i] = search.stack[i - 1], search.when[i - 1]
            i -= 1
        search.stack[i], search.when[i] = nodes.link[node, k], time
        waiting += 1
    return waiting
