"""Many rays against a tree of bodies, or of a mesh's triangles: each ray's first hit.

A ray goes to the nearest of the boxes that it meets first, and leaves out what begins behind the
best hit so far. Times are in units of the direction's length.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.parts import SPHERE
from spheresim.collision_world.ray_tree import RayNodes
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.ray_boxes import ray_boxes
from spheresim.convex.geometry.posed_body import posed_body
from spheresim.convex.ray_cast import first_surface
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_NEVER = float("inf")

_LEAST = 1e-12
"""Of a direction's largest component: smaller ones count as this where boxes are met."""

_LATER = 1.0 + 1e-6
"""By how much the times of 32 bits, at which boxes are entered, may be too late."""


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


@routine
def _body_time(geometry: Any, poses: Any, row: int, origin: TVector, direction: TVector) -> float:
    time, _ = first_surface(posed_body(geometry, poses, row), origin, direction)
    return time


@inlined
def _ball_time(balls: Any, item: int, origin: TVector, direction: TVector) -> float:
    """When a ray meets a sphere, from outside or from inside, as `first_surface` of one."""
    quadratic = contact_quadratic(origin - vector_at(balls, item), direction, balls[item, 3])
    if quadratic.discriminant < 0.0:
        return _NEVER
    enter, leave = quadratic.crossings()
    if leave <= 0.0:
        return _NEVER
    return enter if enter >= 0.0 else leave


@kernel
def cast_at_bodies(
    nodes: RayNodes,
    rows: Any,
    balls: Any,
    geometry: Any,
    poses: Any,
    kind: Any,
    groups: Any,
    mask: int,
    origins: Any,
    directions: Any,
    turns: Any,
    times: Any,
    hit: Any,
    search: Search,
) -> None:
    """Write the time and the part of each ray's first hit, if it is before the time that is there.

    rows: the part of each item; balls: centre and radius of those that are spheres, (items, 4);
    groups: of each part; turns: the order in which rays are worked on.
    """
    for turn in range(len(turns)):
        k = turns[turn]
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        ray, best = unit_ray(nodes, origin, direction), times[k]
        search.stack[0], search.when[0], waiting = 0, 0.0, 1
        while waiting > 0:
            waiting -= 1
            node = search.stack[waiting]
            if ray.start + search.when[waiting] * ray.scale > best * _LATER:
                continue
            if node >= 0:
                waiting = open_node(nodes, node, ray, best, search, waiting)
                continue
            start = nodes.leaf[-1 - node, 0]
            for i in range(start, start + nodes.leaf[-1 - node, 1]):
                item = nodes.order[i]
                row = rows[item]
                if groups[row] & mask == 0:
                    continue
                if kind[row] == SPHERE:
                    time = _ball_time(balls, item, origin, direction)
                else:
                    time = _body_time(geometry, poses, row, origin, direction)
                # Of hits at the same time that of the first part.
                if time < best or (time == best and time < _NEVER and row < hit[k]):
                    best = time
                    hit[k] = row
        times[k] = best


@kernel
def cast_at_triangles(
    nodes: RayNodes,
    obstacles: Any,
    origins: Any,
    directions: Any,
    turns: Any,
    times: Any,
    hit: Any,
    search: Search,
) -> None:
    """The same against a mesh's triangles. obstacles: their faces as features, leaf by leaf."""
    for turn in range(len(turns)):
        k = turns[turn]
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        ray, best = unit_ray(nodes, origin, direction), times[k]
        line = TRay(origin, direction)
        search.stack[0], search.when[0], waiting = 0, 0.0, 1
        while waiting > 0:
            waiting -= 1
            node = search.stack[waiting]
            if ray.start + search.when[waiting] * ray.scale > best * _LATER:
                continue
            if node >= 0:
                waiting = open_node(nodes, node, ray, best, search, waiting)
                continue
            start = nodes.leaf[-1 - node, 0]
            for i in range(start, start + nodes.leaf[-1 - node, 1]):
                face = obstacles.features.as_face(obstacles, i)
                time = face.side_towards(origin).toi(line, 0.0)
                # Most are behind, or later than the best: only of the rest the outline decides.
                if time <= best and time < _NEVER and face.covers(line.at_parameter(time)):
                    if time < best or nodes.order[i] < hit[k]:
                        hit[k] = nodes.order[i]
                    best = time
        times[k] = best


@kernel
def meet_bodies(
    nodes: RayNodes, rows: Any, origins: Any, directions: Any, found: Any, search: Search
) -> int:
    """Write the pairs (ray, part) of all boxes of leaves that rays meet, as far as there is room;
    how many there are."""
    count = 0
    for k in range(len(origins)):
        ray = unit_ray(nodes, vector_at(origins, k), vector_at(directions, k))
        search.stack[0], waiting = 0, 1
        while waiting > 0:
            waiting -= 1
            node = search.stack[waiting]
            if node >= 0:
                waiting = open_node(nodes, node, ray, _NEVER, search, waiting)
                continue
            start = nodes.leaf[-1 - node, 0]
            for i in range(start, start + nodes.leaf[-1 - node, 1]):
                if count < len(found):
                    found[count, 0], found[count, 1] = k, rows[nodes.order[i]]
                count += 1
    return count


_KEY_BITS = 10
"""Of a key, along each axis."""


@kernel
def entry_keys(nodes: RayNodes, origins: Any, directions: Any, keys: Any) -> None:
    """Write the place of each ray's entry into the tree's box along Morton's curve."""
    for k in range(len(keys)):
        near = unit_ray(nodes, vector_at(origins, k), vector_at(directions, k)).origin
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
