"""How often a closed surface of triangles winds around a point: 0 for points outside of it.

Along a ray from the point, each triangle that is crossed from inside counts 1, and from outside −1.
With a, b, c from the point to a triangle's corners, the line along d crosses it if d·(a×b), d·(b×c)
and d·(c×a) have one sign, forwards if a·(b×c) has it too. A ray that passes so near to an edge,
or begins so near to a triangle, that rounding could have made a sign decides nothing: then the
solid angle of all triangles does (A. Van Oosterom and J. Strackee, The solid angle of a plane
triangle, 1983), which takes longer, in proportion to their number.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.aabb_tree.ray_nodes import RayNodes, ray_nodes
from spheresim.aabb_tree.ray_search import Search, new_search, next_leaf, start_search, unit_ray
from spheresim.aabb_tree.tree import AabbTree
from spheresim.compiler.decorators import kernel
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_RAY = TVector(0.5303, 0.2612, 0.8065)
"""Where rays go: a direction in which no edges or sides of usual shapes lie."""

_UNSURE = 8.0 * ROUNDING
"""Of the product of three vectors' sizes: it exceeds the rounding of their triple product."""


class Winding:
    """Triangles, corners (m, 3, 3), that close, each anticlockwise as seen from outside."""

    def __init__(self, corners: Floats) -> None:
        self._corners = corners
        self._nodes = ray_nodes(AabbTree(corners.min(axis=1), corners.max(axis=1)))

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) the surface winds around, (n,) bool."""
        found = _Turns(np.empty(len(points), np.int64), np.empty(len(points), bool))
        _wind(self._nodes, self._corners, points, new_search(), found)
        inside = found.turns != 0
        for k in np.flatnonzero(~found.sure):
            inside[k] = abs(_solid_angle(self._corners - points[k])) > 2.0 * np.pi
        return inside


class _Turns(NamedTuple):
    """How often a surface winds around each point, and whether that is sure, (n,) each."""

    turns: Integers
    sure: Booleans


@kernel
def _wind(nodes: RayNodes, corners: Floats, points: Floats, search: Search, found: _Turns) -> None:
    """Write how often the triangles wind around each point."""
    for k in range(len(points)):
        point = vector_at(points, k)
        ray = unit_ray(nodes, point, _RAY)
        count, is_sure = 0, True
        waiting = start_search(search)
        while is_sure:
            leaf, waiting = next_leaf(nodes, ray, math.inf, search, waiting)
            if leaf < 0:
                break
            for i in range(nodes.leaf[leaf, 0], nodes.leaf[leaf, 0] + nodes.leaf[leaf, 1]):
                item = nodes.order[i]
                a, b = vector_at(corners[item], 0) - point, vector_at(corners[item], 1) - point
                c = vector_at(corners[item], 2) - point
                size = max(manhattan_norm(a), manhattan_norm(b), manhattan_norm(c))
                unsure = _UNSURE * size * (size + manhattan_norm(point))
                ab, bc, ca = _RAY.dot(a.cross(b)), _RAY.dot(b.cross(c)), _RAY.dot(c.cross(a))
                least, most = min(ab, bc, ca), max(ab, bc, ca)
                if least < -unsure and most > unsure:
                    continue  # the line passes by
                volume = a.dot(b.cross(c))
                is_sure &= least > unsure or most < -unsure
                is_sure &= abs(volume) > unsure * size
                if volume > 0.0 and least > 0.0:
                    count += 1
                if volume < 0.0 and most < 0.0:
                    count -= 1
        found.turns[k], found.sure[k] = count, is_sure


def _solid_angle(corners: Floats) -> float:
    """The solid angle of triangles, (m, 3, 3), as seen from the origin, positive from inside."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
    angle = 2.0 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return float(angle.sum())
