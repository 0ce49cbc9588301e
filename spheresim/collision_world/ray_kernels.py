"""Rays against a tree of bodies, or of a mesh's triangles: each ray's first hit.

Many rays are worked on in the order in which they enter the tree's box, along Morton's curve, so
that neighbours read the same nodes one after the other. Times are in units of the direction's
length.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.aabb_tree.ray_nodes import RayNodes
from spheresim.aabb_tree.ray_search import Search, next_leaf, start_search, unit_ray
from spheresim.aabb_tree.search import Nodes, next_leaf_met, start_at_root
from spheresim.collision_world.parts import CONVEX, PartArrays
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.geometry.posed_body import (
    PosedBodies,
    PosedBody,
    posed_body,
    to_body,
    to_world,
)
from spheresim.convex.query_result import without_minus_zero
from spheresim.convex.ray_hit import first_surface
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.morton import dilated
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.shapes import face_at
from spheresim.obstacles.table import Obstacles


@routine
def _body_time(bodies: PosedBodies, row: int, ray: TRay) -> float:
    body = posed_body(bodies.geometry, bodies.poses, row)
    time, _ = first_surface(body, ray.origin, ray.direction)
    return time


@inlined
def _ball_time(balls: Floats, item: int, ray: TRay) -> float:
    """When a ray meets a sphere, from outside or from inside, as `first_surface` of one."""
    away = ray.origin - vector_at(balls, item)
    quadratic = contact_quadratic(away, ray.direction, balls[item, 3])
    if quadratic.discriminant < 0.0:
        return math.inf
    enter, leave = quadratic.crossings()
    if leave <= 0.0:
        return math.inf
    return enter if enter >= 0.0 else leave


class Rays(NamedTuple):
    """Many rays: starts and directions of any length but zero, (n, 3) each."""

    origins: Floats
    directions: Floats


class Frame(NamedTuple):
    """The frame of a part: its row among the bodies of all parts; −1 is the world's."""

    bodies: PosedBodies
    row: int


@inlined
def _ray_at(rays: Rays, k: int) -> TRay:
    return TRay(vector_at(rays.origins, k), vector_at(rays.directions, k))


class RayItems(NamedTuple):
    """The bodies of a tree, leaf by leaf.

    rows: their parts, (n,); balls: centre and radius of a sphere, radius −1 for other bodies,
    (n, 4); handles: of their shapes, (n,).
    """

    rows: Integers
    balls: Floats
    handles: Integers


class BodyTree(NamedTuple):
    """A tree of bodies; groups: of the items, (n,)."""

    nodes: RayNodes
    items: RayItems
    groups: Integers


class MeshRays(NamedTuple):
    """Rays in a mesh's own frame, in the order in which they are worked on.

    turns: which ray each is, (n,); rays: themselves; times, pieces: time and triangle of each one's
    first hit, −1 for none, (n,).
    """

    turns: Integers
    rays: Rays
    times: Floats
    pieces: Integers


class FirstHits(NamedTuple):
    """The first hit of each ray.

    part: number of the part; times: in units of the direction's length; the rest as in `RayHits`.
    """

    part: Integers
    times: Floats
    handle: Integers
    distance: Floats
    point: Floats
    normal: Floats
    triangle: Integers

    def copied(self) -> "FirstHits":
        """The same in arrays of their own."""
        return FirstHits._make(column.copy() for column in self)


class _Hit(NamedTuple):
    """The hit of a ray on a part, and on a mesh's triangle, −1 for other shapes."""

    part: int
    handle: int
    time: float
    normal: TVector
    triangle: int


@routine
def _set_hit(found: FirstHits, k: int, ray: TRay, hit: _Hit) -> None:
    """Write the hit of ray k."""
    found.part[k], found.times[k], found.handle[k] = hit.part, hit.time, hit.handle
    found.distance[k], found.triangle[k] = hit.time * ray.direction.mag(), hit.triangle
    set_vector(found.point, k, ray.origin + ray.direction * hit.time)
    set_vector(found.normal, k, without_minus_zero(hit.normal))


@kernel
def cast_at_bodies(
    tree: BodyTree,
    bodies: PosedBodies,
    mask: int,
    rays: Rays,
    found: FirstHits,
    search: Search,
) -> None:
    """Write each ray's first hit, if it is before the time in `found`."""
    nodes, items, groups = tree
    for k in range(len(rays.origins)):
        line, best, hit = _ray_at(rays, k), found.times[k], -1
        ray = unit_ray(nodes, line.origin, line.direction)
        waiting = start_search(search)
        while True:
            leaf, waiting = next_leaf(nodes, ray, best, search, waiting)
            if leaf < 0:
                break
            for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
                if items.balls[i, 3] >= 0.0:
                    time = _ball_time(items.balls, i, line)
                else:
                    time = _body_time(bodies, items.rows[i], line)
                if (time <= best) & (time < math.inf) & ((groups[i] & mask) != 0):
                    # Of hits at the same time that of the first part.
                    if time < best or hit < 0 or items.rows[i] < items.rows[hit]:
                        hit = i
                    best = time
        if hit >= 0:
            normal = _normal_at(bodies, items, hit, line, best)
            item = _Hit(items.rows[hit], items.handles[hit], best, normal, -1)
            _set_hit(found, k, line, item)


@kernel
def cast_at_tree(
    nodes: Nodes,
    stack: Integers,
    items: RayItems,
    parts: PartArrays,
    mask: int,
    rays: Rays,
    found: FirstHits,
) -> None:
    """`cast_at_bodies` of few rays through a tree of all parts; items: by their rows."""
    bodies = PosedBodies(parts.geometry, parts.poses)
    for k in range(len(rays.origins)):
        line, best, hit = _ray_at(rays, k), found.times[k], -1
        point, waiting = Bounds(line.origin, line.origin), start_at_root(nodes, stack)
        while True:
            leaf, waiting = next_leaf_met(nodes, point, line.direction, best, stack, waiting)
            if leaf < 0:
                break
            row = nodes.order[nodes.link[leaf, 0]]
            if parts.kind[row] > CONVEX or parts.group[parts.owner[row]] & mask == 0:
                continue
            if items.balls[row, 3] >= 0.0:
                time = _ball_time(items.balls, row, line)
            else:
                time = _body_time(bodies, row, line)
            if (time <= best) & (time < math.inf):
                # Of hits at the same time that of the first part.
                if time < best or hit < 0 or row < hit:
                    hit = row
                best = time
        if hit >= 0:
            normal = _normal_at(bodies, items, hit, line, best)
            item = _Hit(items.rows[hit], items.handles[hit], best, normal, -1)
            _set_hit(found, k, line, item)


@routine
def _normal_at(bodies: PosedBodies, items: RayItems, i: int, ray: TRay, time: float) -> TVector:
    """The normal of an item where a ray hits it."""
    if items.balls[i, 3] >= 0.0:
        away = ray.origin + ray.direction * time - vector_at(items.balls, i)
        size = away.mag()
        if size == 0.0:
            return ray.direction / -ray.direction.mag()
        return away / (size if away.dot(ray.direction) <= 0.0 else -size)
    body = posed_body(bodies.geometry, bodies.poses, items.rows[i])
    _, normal = first_surface(body, ray.origin, ray.direction)
    return normal


@kernel
def cast_at_triangles(nodes: RayNodes, obstacles: Obstacles, own: MeshRays, search: Search) -> None:
    """Write time and triangle of each ray's first hit on a mesh, if it is before that in `times`.

    The triangle is −1 if there is no such hit.

    obstacles: the triangles as features, leaf by leaf.
    """
    rays, times, hit = own.rays, own.times, own.pieces
    for k in range(len(rays.origins)):
        line, best = _ray_at(rays, k), times[k]
        origin, ray = line.origin, unit_ray(nodes, line.origin, line.direction)
        hit[k] = -1
        waiting = start_search(search)
        while True:
            leaf, waiting = next_leaf(nodes, ray, best, search, waiting)
            if leaf < 0:
                break
            for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
                face = face_at(obstacles, obstacles.features.outline, i)
                time = face.side_towards(origin).toi(line, 0.0)
                # Most are behind, or later than the best: only of the rest the outline decides.
                if time <= best and time < math.inf and face.covers(line.at_parameter(time)):
                    if time < best or hit[k] < 0 or nodes.order[i] < hit[k]:
                        hit[k] = nodes.order[i]
                    best = time
        times[k] = best


@kernel
def meet_bodies(
    nodes: RayNodes, items: RayItems, rays: Rays, found: Integers, search: Search
) -> int:
    """Write the pairs (ray, part) of all leaves whose boxes rays meet; returns their number.

    Only as many are written as `found` has room for.
    """
    count = 0
    for k in range(len(rays.origins)):
        ray = unit_ray(nodes, vector_at(rays.origins, k), vector_at(rays.directions, k))
        waiting = start_search(search)
        while True:
            leaf, waiting = next_leaf(nodes, ray, math.inf, search, waiting)
            if leaf < 0:
                break
            for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
                if count < len(found):
                    found[count, 0], found[count, 1] = k, items.rows[i]
                count += 1
    return count


_KEY_BITS = 10
"""Bits of a key along each axis."""


@inlined
def own_ray(body: PosedBody, origin: TVector, direction: TVector) -> tuple[TVector, TVector]:
    """A ray as it is seen from a part's frame."""
    return to_body(body, origin - body.position), to_body(body, direction)


@kernel
def entry_keys(
    nodes: RayNodes,
    frame: Frame,
    rays: Rays,
    keys: npt.NDArray[np.uint32],
) -> None:
    """Write the place along Morton's curve of each ray's entry into the tree's box.

    frame: of the tree.
    """
    body = posed_body(frame.bodies.geometry, frame.bodies.poses, max(frame.row, 0))
    for k in range(len(keys)):
        origin, direction = vector_at(rays.origins, k), vector_at(rays.directions, k)
        if frame.row >= 0:
            origin, direction = own_ray(body, origin, direction)
        near = unit_ray(nodes, origin, direction).origin
        x, y, z = _cell(near.x), _cell(near.y), _cell(near.z)
        keys[k] = dilated(x) | dilated(y) << 1 | dilated(z) << 2


@inlined
def _cell(coordinate: float) -> int:
    """One of the cells into which the tree's box is cut along an axis."""
    most = (1 << _KEY_BITS) - 1
    return min(max(int((coordinate + 1.0) * (0.5 * most)), 0), most)


@kernel
def gather_rays(frame: Frame, rays: Rays, most: Floats, own: MeshRays) -> None:
    """Write rays in a part's own frame, in the order `turns`; most: their latest times, (n,)."""
    body = posed_body(frame.bodies.geometry, frame.bodies.poses, frame.row)
    for turn in range(len(own.turns)):
        k = own.turns[turn]
        origin, direction = own_ray(body, vector_at(rays.origins, k), vector_at(rays.directions, k))
        set_vector(own.rays.origins, turn, origin)
        set_vector(own.rays.directions, turn, direction)
        own.times[turn] = most[k]


@kernel
def write_mesh_hits(
    frame: Frame, rays: Rays, handle: int, normals: Floats, own: MeshRays, found: FirstHits
) -> None:
    """Write the hits on a mesh that come before those in `found`.

    normals: of all triangles, in the mesh's frame.
    """
    body, row = posed_body(frame.bodies.geometry, frame.bodies.poses, frame.row), frame.row
    for turn in range(len(own.turns)):
        k, time, piece = own.turns[turn], own.times[turn], own.pieces[turn]
        if piece < 0 or (time == found.times[k] and row > found.part[k]):
            continue
        ray, normal = _ray_at(rays, k), to_world(body, vector_at(normals, piece))
        if normal.dot(ray.direction) > 0.0:
            normal = -normal
        _set_hit(found, k, ray, _Hit(row, handle, time, normal, piece))
