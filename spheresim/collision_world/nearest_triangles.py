"""The triangle of a mesh that is nearest to a convex body, by descending the mesh's tree.

A node is opened if its box is nearer to the body's than the best triangle so far; the distance of a
triangle is GJK's, which ends as soon as it is surely greater than the best.
"""

from typing import NamedTuple

import numpy as np

from spheresim.box_tree.search import STACK, Nodes, next_nearest_leaf, start_at_root
from spheresim.collision_world.bounds import body_box
from spheresim.compiler.decorators import kernel, routine
from spheresim.compiler.support_index import LANES
from spheresim.convex.geometry.layout import HEADER, POSE_SIZE
from spheresim.convex.geometry.posed_body import MinkowskiDifference, posed_body
from spheresim.convex.gjk.search import LIMIT, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.numerics.arrays import Booleans, Floats, Integers

NONE = -1
"""In place of a triangle, if none is near enough."""

_CLEARLY = 1.0 + 1e-12
"""A box further away than the best distance times this is not searched."""


class Buffers(NamedTuple):
    """Working memory. rows, home: geometry and pose of one triangle; stack: of nodes; simplex: for
    GJK; low, high: the body's box, (1, 3)."""

    rows: Floats
    home: Floats
    stack: Integers
    simplex: Floats
    low: Floats
    high: Floats


def nearest_triangles(
    nodes: Nodes, corners: Floats, geometry: Floats, poses: Floats, limit: Floats
) -> tuple[Integers, Booleans]:
    """The triangle nearest to each body, or NONE, and whether the core crosses it, (n,) each.

    corners: of the triangles, (m, 3, 3); poses: of the bodies in the mesh's frame, (n, 13), of
    geometries in `geometry`; limit: only a triangle with a gap no larger than this counts, (n,).
    Of equally near triangles the first is taken.
    """
    piece, crosses = np.full(len(poses), NONE), np.zeros(len(poses), dtype=bool)
    rows, home = np.zeros((HEADER + 3 + LANES, 3)), np.zeros((1, POSE_SIZE))
    rows[0, 0] = 3.0
    home[0, 4:] = np.eye(3).ravel()
    stack, simplex = np.empty(STACK, np.int64), np.zeros((1, CORNERS, COLUMNS))
    buffers = Buffers(rows, home, stack, simplex, *np.empty((2, 1, 3)))
    _descend(nodes, corners, geometry, poses, limit, buffers, piece, crosses)
    return piece, crosses


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
    geometry: Floats,
    poses: Floats,
    limit: Floats,
    buffers: Buffers,
    piece: Integers,
    crosses: Booleans,
) -> None:
    rows, home, stack, simplex, low, high = buffers
    for k in range(len(poses)):
        body = posed_body(geometry, poses, k)
        body_box(body, 0, low, high)
        best, core = limit[k], limit[k] + body.radius
        waiting = start_at_root(nodes, stack)
        while True:
            bound = max(best, 0.0) * _CLEARLY
            leaf, waiting = next_nearest_leaf(nodes, low, high, 0, bound * bound, stack, waiting)
            if leaf < 0:
                break
            start = nodes.link[leaf, 0]
            for i in range(start, start + nodes.link[leaf, 1]):
                item = nodes.order[i]
                _set_triangle(rows, corners, item)
                triangle = posed_body(rows, home, 0)
                simplex[0, 0, INDEX_A] = -1.0
                difference = MinkowskiDifference(body, triangle, -body.position)
                found = closest(difference, simplex, 0, LIMIT, core)
                distance = 0.0 if found.overlapping else found.point.mag()
                if distance < core or (distance == core and (piece[k] < 0 or item < piece[k])):
                    best, core, piece[k] = distance - body.radius, distance, item
        crosses[k] = piece[k] >= 0 and core == 0.0
