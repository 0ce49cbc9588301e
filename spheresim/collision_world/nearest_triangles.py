"""The triangle of a mesh that is nearest to a convex body, by descending the mesh's tree.

A node is opened if its box is nearer to the body's than the best triangle so far; the distance of a
triangle is GJK's, which ends as soon as it is surely greater than the best.
"""

from typing import NamedTuple

import numpy as np

from spheresim.aabb_tree.search import STACK, Nodes, next_nearest_leaf, start_at_root
from spheresim.collision_world.bounds import body_box
from spheresim.compiler.decorators import kernel, routine
from spheresim.compiler.support_index import LANES
from spheresim.convex.geometry.layout import HEADER, POSE_SIZE
from spheresim.convex.geometry.posed_body import MinkowskiDifference, PosedBodies, posed_body
from spheresim.convex.gjk.search import LIMIT, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.numerics.arrays import Booleans, Floats, Integers

NONE = -1
"""In place of a triangle, if none is near enough."""

_CLEARLY = 1.0 + 1e-12
"""A box further away than the best distance times this is not searched."""


class Buffers(NamedTuple):
    """Working memory. triangle: of one, as a body; stack: of nodes; simplex: for GJK."""

    triangle: PosedBodies
    stack: Integers
    simplex: Floats


class NearestTriangles(NamedTuple):
    """piece: the triangle nearest to each body, or NONE; crosses: whether the body's core crosses
    it, (n,) each."""

    piece: Integers
    crosses: Booleans


def nearest_triangles(
    nodes: Nodes, corners: Floats, bodies: PosedBodies, limit: Floats
) -> NearestTriangles:
    """The triangles nearest to bodies in the mesh's frame.

    corners: of the triangles, (m, 3, 3); limit: only a triangle with a gap no larger than this
    counts, (n,). Of equally near triangles the first is taken.
    """
    found = NearestTriangles(np.full(len(limit), NONE), np.zeros(len(limit), dtype=bool))
    rows, home = np.zeros((HEADER + 3 + LANES, 3)), np.zeros((1, POSE_SIZE))
    rows[0, 0] = 3.0
    home[0, 4:] = np.eye(3).ravel()
    stack, simplex = np.empty(STACK, np.int64), np.zeros((1, CORNERS, COLUMNS))
    _descend(nodes, corners, bodies, limit, Buffers(PosedBodies(rows, home), stack, simplex), found)
    return found


@routine
def _set_triangle(rows: Floats, corners: Floats, item: int) -> None:
    """Lay out a triangle's points as a geometry has them, as much of it as GJK reads."""
    for axis in range(3):
        for i in range(3):
            rows[HEADER + i, axis] = corners[item, i, axis]
        for lane in range(LANES):
            at = LANES * axis + lane
            i = lane if lane < 3 else 0
            rows[HEADER + 3 + at // 3, at % 3] = corners[item, i, axis]


@kernel
def _descend(
    nodes: Nodes,
    corners: Floats,
    bodies: PosedBodies,
    limit: Floats,
    buffers: Buffers,
    found: NearestTriangles,
) -> None:
    (rows, home), stack, simplex = buffers
    piece, crosses = found
    for k in range(len(limit)):
        body = posed_body(bodies.geometry, bodies.poses, k)
        box = body_box(body)
        best, core = limit[k], limit[k] + body.radius
        waiting = start_at_root(nodes, stack)
        while True:
            bound = max(best, 0.0) * _CLEARLY
            leaf, waiting = next_nearest_leaf(nodes, box, bound * bound, stack, waiting)
            if leaf < 0:
                break
            start = nodes.link[leaf, 0]
            for i in range(start, start + nodes.link[leaf, 1]):
                item = nodes.order[i]
                _set_triangle(rows, corners, item)
                triangle = posed_body(rows, home, 0)
                simplex[0, 0, INDEX_A] = -1.0
                difference = MinkowskiDifference(body, triangle, -body.position)
                core_gap = closest(difference, simplex, 0, LIMIT, core)
                distance = 0.0 if core_gap.overlapping else core_gap.point.mag()
                if distance < core or (distance == core and (piece[k] < 0 or item < piece[k])):
                    best, core, piece[k] = distance - body.radius, distance, item
        crosses[k] = piece[k] >= 0 and core == 0.0
