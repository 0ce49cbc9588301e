"""Rays on their way into a mesh's frame and back: in the order in which they are worked on."""

from typing import Any

from spheresim.collision_world.ray_kernels import FirstHits
from spheresim.collision_world.ray_order import own_ray
from spheresim.compiler.decorators import kernel
from spheresim.convex.geometry.posed_body import posed_body, to_world
from spheresim.convex.query_result import without_minus_zero
from spheresim.numerics.rows import set_vector, vector_at


@kernel
def gather_rays(
    turns: Any,
    geometry: Any,
    poses: Any,
    row: int,
    origins: Any,
    directions: Any,
    most: Any,
    own_origins: Any,
    own_directions: Any,
    times: Any,
) -> None:
    """Write rays, seen from a part's frame, one after the other in the order of their turns."""
    body = posed_body(geometry, poses, row)
    for turn in range(len(turns)):
        k = turns[turn]
        origin, direction = own_ray(body, vector_at(origins, k), vector_at(directions, k))
        set_vector(own_origins, turn, origin)
        set_vector(own_directions, turn, direction)
        times[turn] = most[k]


@kernel
def write_mesh_hits(
    turns: Any,
    geometry: Any,
    poses: Any,
    row: int,
    handle: int,
    normals: Any,
    pieces: Any,
    times: Any,
    origins: Any,
    directions: Any,
    found: FirstHits,
) -> None:
    """Write the hits on a mesh that come before those that are there.

    pieces: the triangles that the rays hit, −1 where none, and times: when, both by turns;
    normals: of all triangles, in the mesh's frame.
    """
    body = posed_body(geometry, poses, row)
    for turn in range(len(turns)):
        k, time = turns[turn], times[turn]
        if pieces[turn] < 0 or (time == found.times[k] and row > found.part[k]):
            continue
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        normal = to_world(body, vector_at(normals, pieces[turn]))
        if normal.dot(direction) > 0.0:
            normal = -normal
        found.part[k], found.times[k], found.handle[k] = row, time, handle
        found.distance[k], found.triangle[k] = time * direction.mag(), pieces[turn]
        set_vector(found.point, k, origin + direction * time)
        set_vector(found.normal, k, without_minus_zero(normal))
