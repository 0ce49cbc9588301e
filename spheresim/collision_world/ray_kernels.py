"""Rays against a tree of bodies, or of a mesh's triangles: each ray's first hit.

Many rays are worked on in the order in which they enter the tree's box, along Morton's curve, so
that neighbours read the same nodes one after the other. Times are in units of the direction's
length.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.box_tree.ray_nodes import RayNodes
from spheresim.box_tree.ray_search import Search, next_leaf, start_search, unit_ray
from spheresim.box_tree.search import Nodes, next_leaf_met, start_at_root
from spheresim.collision_world.parts import CONVEX, PartArrays
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.geometry.posed_body import PosedBody, posed_body, to_body, to_world
from spheresim.convex.query_result import without_minus_zero
from spheresim.convex.ray_hit import first_surface
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.morton import dilated
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.shapes import face_at
from spheresim.obstacles.table import Obstacles


@routine
def _body_time(
    geometry: Floats, poses: Floats, row: int, origin: TVector, direction: TVector
) -> float:
    time, _ = first_surface(posed_body(geometry, poses, row), origin, direction)
    return time


@inlined
def _ball_time(balls: Floats, item: int, origin: TVector, direction: TVector) -> float:
    """When a ray meets a sphere, from outside or from inside, as `first_surface` of one."""
    quadratic = contact_quadratic(origin - vector_at(balls, item), direction, balls[item, 3])
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
    """The frame of a part: its row among the poses of all parts, (p, 13); −1 is the world's."""

    geometry: Floats
    poses: Floats
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


@kernel
def cast_at_bodies(
    nodes: RayNodes,
    items: RayItems,
    allowed: Booleans,
    geometry: Floats,
    poses: Floats,
    rays: Rays,
    found: FirstHits,
    search: Search,
) -> None:
    """Write each ray's first hit, if it is before the time in `found`.

    allowed: which of the items are in the groups asked for, (n,).
    """
    for k in range(len(rays.origins)):
        origin, direction = vector_at(rays.origins, k), vector_at(rays.directions, k)
        ray, best, hit = unit_ray(nodes, origin, direction), found.times[k], -1
        waiting = start_search(search)
        while True:
            leaf, waiting = next_leaf(nodes, ray, best, search, waiting)
            if leaf < 0:
                break
            for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
                if items.balls[i, 3] >= 0.0:
                    time = _ball_time(items.balls, i, origin, direction)
                else:
                    time = _body_time(geometry, poses, items.rows[i], origin, direction)
                if (time <= best) & (time < math.inf) & allowed[i]:
                    # Of hits at the same time that of the first part.
                    if time < best or hit < 0 or items.rows[i] < items.rows[hit]:
                        hit = i
                    best = time
        if hit >= 0:
            _write_hit(geometry, poses, items, hit, best, _ray_at(rays, k), found, k)


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
    for k in range(len(rays.origins)):
        origin, direction = vector_at(rays.origins, k), vector_at(rays.directions, k)
        best, hit = found.times[k], -1
        point, waiting = rays.origins, start_at_root(nodes, stack)
        while True:
            leaf, waiting = next_leaf_met(nodes, point, point, k, direction, best, stack, waiting)
            if leaf < 0:
                break
            row = nodes.order[nodes.link[leaf, 0]]
            if parts.kind[row] > CONVEX or parts.group[parts.owner[row]] & mask == 0:
                continue
            if items.balls[row, 3] >= 0.0:
                time = _ball_time(items.balls, row, origin, direction)
            else:
                time = _body_time(parts.geometry, parts.poses, row, origin, direction)
            if (time <= best) & (time < math.inf):
                # Of hits at the same time that of the first part.
                if time < best or hit < 0 or row < hit:
                    hit = row
                best = time
        if hit >= 0:
            _write_hit(parts.geometry, parts.poses, items, hit, best, _ray_at(rays, k), found, k)


@routine
def _write_hit(
    geometry: Floats,
    poses: Floats,
    items: RayItems,
    i: int,
    time: float,
    ray: TRay,
    found: FirstHits,
    k: int,
) -> None:
    """Write the hit of ray k on an item."""
    origin, direction = ray.origin, ray.direction
    point = origin + direction * time
    if items.balls[i, 3] >= 0.0:
        away = point - vector_at(items.balls, i)
        size = away.mag()
        normal = away / (size if away.dot(direction) <= 0.0 else -size)
        if size == 0.0:
            normal = direction / -direction.mag()
    else:
        body = posed_body(geometry, poses, items.rows[i])
        _, normal = first_surface(body, origin, direction)
    found.part[k], found.times[k], found.handle[k] = items.rows[i], time, items.handles[i]
    found.distance[k] = time * direction.mag()
    set_vector(found.point, k, point)
    set_vector(found.normal, k, without_minus_zero(normal))


@kernel
def cast_at_triangles(
    nodes: RayNodes,
    obstacles: Obstacles,
    rays: Rays,
    times: Floats,
    hit: Integers,
    search: Search,
) -> None:
    """Write time and triangle of each ray's first hit on a mesh, if it is before that in `times`.

    The triangle is −1 if there is no such hit.

    obstacles: the triangles as features, leaf by leaf.
    """
    for k in range(len(rays.origins)):
        origin, direction = vector_at(rays.origins, k), vector_at(rays.directions, k)
        ray, best = unit_ray(nodes, origin, direction), times[k]
        hit[k] = -1
        line = TRay(origin, direction)
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
    body = posed_body(frame.geometry, frame.poses, max(frame.row, 0))
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
def gather_rays(
    turns: Integers,
    frame: Frame,
    rays: Rays,
    most: Floats,
    own: Rays,
    times: Floats,
) -> None:
    """Write rays in a part's own frame, in the order `turns`, (n,)."""
    body = posed_body(frame.geometry, frame.poses, frame.row)
    for turn in range(len(turns)):
        k = turns[turn]
        origin, direction = own_ray(body, vector_at(rays.origins, k), vector_at(rays.directions, k))
        set_vector(own.origins, turn, origin)
        set_vector(own.directions, turn, direction)
        times[turn] = most[k]


@kernel
def write_mesh_hits(
    turns: Integers,
    frame: Frame,
    rays: Rays,
    handle: int,
    normals: Floats,
    pieces: Integers,
    times: Floats,
    found: FirstHits,
) -> None:
    """Write the hits on a mesh that come before those in `found`.

    turns: the order of the rays in pieces and times; pieces: the triangles that the rays hit, −1
    for none; times: of the hits; normals: of all triangles, in the mesh's frame.
    """
    body, row = posed_body(frame.geometry, frame.poses, frame.row), frame.row
    for turn in range(len(turns)):
        k, time = turns[turn], times[turn]
        if pieces[turn] < 0 or (time == found.times[k] and row > found.part[k]):
            continue
        origin, direction = vector_at(rays.origins, k), vector_at(rays.directions, k)
        normal = to_world(body, vector_at(normals, pieces[turn]))
        if normal.dot(direction) > 0.0:
            normal = -normal
        found.part[k], found.times[k], found.handle[k] = row, time, handle
        found.distance[k], found.triangle[k] = time * direction.mag(), pieces[turn]
        set_vector(found.point, k, origin + direction * time)
        set_vector(found.normal, k, without_minus_zero(normal))
