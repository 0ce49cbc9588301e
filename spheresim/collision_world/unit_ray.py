"""A ray on its way through a tree of boxes, in the tree's own units.

Boxes are met in 32-bit floats, so a ray is first moved to where it enters the box around them all.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.ray_tree import RayNodes
from spheresim.compiler.decorators import inlined, kernel
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.ray_boxes import ray_boxes
from spheresim.convex.geometry.posed_body import PosedBody, posed_body, to_body
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_NEVER = float("inf")

_LEAST = 1e-12
"""Of a direction's largest component: smaller ones count as this where boxes are met."""


class Search(NamedTuple):
    """Where a search works. stack: nodes and leaves; when: at which each is entered; enter: of the
    eight boxes of a node."""

    stack: Any
    when: Any
    enter: Any


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
    return -_NEVER


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
def open_node(
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


_KEY_BITS = 10
"""Of a key, along each axis."""


@inlined
def own_ray(body: PosedBody, origin: TVector, direction: TVector) -> tuple[TVector, TVector]:
    """A ray as it is seen from a part's frame."""
    return to_body(body, origin - body.position), to_body(body, direction)


@kernel
def entry_keys(
    nodes: RayNodes,
    geometry: Any,
    poses: Any,
    row: int,
    origins: Any,
    directions: Any,
    keys: Any,
) -> None:
    """Write the place of each ray's entry into the tree's box along Morton's curve; the tree is in
    the frame of a part, or, for row −1, in the world's."""
    body = posed_body(geometry, poses, max(row, 0))
    for k in range(len(keys)):
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        if row >= 0:
            origin, direction = own_ray(body, origin, direction)
        near = unit_ray(nodes, origin, direction).origin
        x, y, z = _cell(near.x), _cell(near.y), _cell(near.z)
        key = 0
        for bit in range(_KEY_BITS):
            key |= ((x >> bit) & 1) << (3 * bit)
            key |= ((y >> bit) & 1) << (3 * bit + 1)
            key |= ((z >> bit) & 1) << (3 * bit + 2)
        keys[k] = key


@inlined
def _cell(coordinate: float) -> int:
    """One of the cells into which the tree's box is cut along an axis."""
    most = (1 << _KEY_BITS) - 1
    return min(max(int((coordinate + 1.0) * (0.5 * most)), 0), most)
