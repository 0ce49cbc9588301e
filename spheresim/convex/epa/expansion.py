"""EPA: the depth of an overlap of bodies with many faces, by an expanding polytope.

G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects,
2001. From GJK's last simplex, which holds the origin, the face nearest to the origin is
pushed out to the Minkowski difference's support point, until it can go no further: then
it lies on the difference's surface, and is its nearest face. Testing all axes gives the same
answer, but takes a time that grows with the product of the numbers of edges.

GJK may end with fewer than four corners, with the origin in a corner, an edge or a triangle. The
simplex is then completed by support points perpendicular to it. Where there are none, the
difference itself is flat, and the direction across it is the answer.

The answer is proven: the support point is no further out than the face. Where that cannot be shown,
because of rounding or because the polytope is full, all axes are tested instead.
"""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.epa.polytope import (
    add_corner,
    add_edge,
    add_tetrahedron,
    clear,
    corner_at,
    corner_of,
    count_faces,
    distance_of,
    face_at,
    normal_of,
    remove,
    set_distance,
)
from spheresim.convex.epa.silhouette import push_out
from spheresim.convex.geometry.posed_body import MinkowskiDifference, PosedBody, point_at
from spheresim.convex.geometry.support import climb, has_neighbours, support
from spheresim.convex.gjk.search import set_corner, support_vertex
from spheresim.convex.gjk.simplex import (
    COLUMNS,
    CORNERS,
    INDEX_A,
    INDEX_B,
    WEIGHT,
    Nearest,
    nearest_of,
    nearest_on_edge,
    nearest_on_triangle,
    reduce_to,
    size_sqr,
)
from spheresim.convex.separating_axes.axes import LeastOverlap
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector

_ENOUGH = 1e-13
"""Relative to the size: a face is proven if its support point is further out by less than this."""

_FLAT = 1e-14
"""Relative to the size: a simplex that is less thick than this is flat."""

_UNPROVEN = LeastOverlap(0.0, ZERO, 0)


# --- Completing the simplex ------------------------------------------------------------


@inlined
def _count(simplex: Floats, k: int) -> int:
    count = 0
    while count < CORNERS and simplex[k, count, INDEX_A] >= 0.0:
        count += 1
    return count


@inlined
def _size(simplex: Floats, k: int, count: int) -> float:
    return math.sqrt(size_sqr(simplex, k, count))


@routine
def _thickness(simplex: Floats, k: int, count: int) -> float:
    """The least height of any corner over the line or plane of the others."""
    p, q = vector_at(simplex[k], 0), vector_at(simplex[k], 1)
    if count == 2:
        return (q - p).mag()
    r = vector_at(simplex[k], 2)
    u, v = q - p, r - p
    twice = u.cross(v).mag()
    if count == 3:
        longest = max(u.mag(), v.mag(), (r - q).mag())
        return twice / longest if longest > 0.0 else 0.0
    w = vector_at(simplex[k], 3) - p
    widest = max(twice, v.cross(w).mag(), w.cross(u).mag(), (v - u).cross(w - u).mag())
    return abs(u.cross(v).dot(w)) / widest if widest > 0.0 else 0.0


@inlined
def _exchange(simplex: Floats, k: int, i: int, j: int) -> None:
    for column in range(COLUMNS):
        simplex[k, i, column], simplex[k, j, column] = simplex[k, j, column], simplex[k, i, column]


@routine
def _drop_one(simplex: Floats, k: int, count: int) -> int:
    """Drop the corner without which the simplex stays nearest to the origin; return its corners."""
    best, least = 0, float("inf")
    for i in range(count):
        _exchange(simplex, k, i, count - 1)
        length = nearest_of(simplex, k, count - 1).point.mag_sqr()
        _exchange(simplex, k, i, count - 1)
        if length < least:
            best, least = i, length
    _exchange(simplex, k, best, count - 1)
    simplex[k, count - 1, INDEX_A] = -1.0
    return count - 1


@routine
def _reach_out(
    difference: MinkowskiDifference, simplex: Floats, k: int, count: int, way: TVector
) -> float:
    """Add the corner furthest along ± a unit direction; return how far beyond the others it is."""
    a, b, offset = difference
    base = way.dot(vector_at(simplex[k], 0))
    ahead = set_corner(difference, simplex, k, count, support_vertex(difference, way))
    height = way.dot(ahead) - base
    back = support_vertex(difference, -way)
    depth = base - way.dot(point_at(a, back.at_a) - point_at(b, back.at_b) - offset)
    if depth > height:
        set_corner(difference, simplex, k, count, back)
    return max(height, depth)


@inlined
def _across(simplex: Floats, k: int, count: int, which: int, dimension: int) -> TVector:
    """Unit direction `which` of those perpendicular to a corner (any axis), an edge, a triangle."""
    if count == 1:
        x, y = 1.0 if which == 0 else 0.0, 1.0 if which == 1 else 0.0
        return TVector(x, y, 1.0 - x - y)
    p = vector_at(simplex[k], 0)
    side = vector_at(simplex[k], 1) - p
    if count == 3:
        return side.cross(vector_at(simplex[k], 2) - p).unit()
    if dimension == 2:
        return TVector(side.y, -side.x, 0.0).unit()
    first = side.perpendicular()
    return first if which == 0 else side.cross(first).unit()


@routine
def _complete(difference: MinkowskiDifference, simplex: Floats, k: int) -> LeastOverlap:
    """Make simplex k a tetrahedron, in the plane a triangle, that still holds the origin.

    Returns `tested` 0 if it is one; else the difference is flat, and the answer is across it.
    """
    a = difference.a
    count = _count(simplex, k)
    while count > 1 and _thickness(simplex, k, count) <= _FLAT * _size(simplex, k, count):
        count = _drop_one(simplex, k, count)
    while count <= a.dimension:
        best, reach = _across(simplex, k, count, 0, a.dimension), -1.0
        for which in range(a.dimension + 1 - count):
            way = _across(simplex, k, count, which, a.dimension)
            height = _reach_out(difference, simplex, k, count, way)
            if height > reach:
                best, reach = way, height
        _reach_out(difference, simplex, k, count, best)
        count += 1
        if reach <= _FLAT * _size(simplex, k, count):
            return LeastOverlap(reach, best, 1)
    return _UNPROVEN


# --- Expanding -------------------------------------------------------------------------


@routine
def _begin(polytope: Floats, simplex: Floats, k: int, dimension: int) -> bool:
    """Make the polytope the simplex, its faces turned outwards; False if it is degenerate."""
    clear(polytope)
    for i in range(dimension + 1):
        at_a, at_b = int(simplex[k, i, INDEX_A]), int(simplex[k, i, INDEX_B])
        add_corner(polytope, vector_at(simplex[k], i), at_a, at_b)
    if dimension == 3:
        return add_tetrahedron(polytope)
    p, q, r = corner_at(polytope, 0), corner_at(polytope, 1), corner_at(polytope, 2)
    i, j = (0, 1) if (q - p).cross(r - p).z > 0.0 else (1, 0)
    ready = add_edge(polytope, i, j) and add_edge(polytope, j, 2)
    return ready and add_edge(polytope, 2, i)


@inlined
def _is_corner_of(polytope: Floats, face: int, at_a: int, at_b: int) -> bool:
    found = False
    for i in range(3):
        corner = 1 + corner_of(polytope, face, i)
        found |= (polytope[corner, INDEX_A] == at_a) & (polytope[corner, INDEX_B] == at_b)
    return found


@inlined
def _climbed(
    body: PosedBody, polytope: Floats, corner: int, column: int, direction: TVector
) -> int:
    """The body's point in a direction, climbed to from that of a corner where there are many."""
    if has_neighbours(body):
        return climb(body, direction, int(polytope[1 + corner, column]))
    return support(body, direction)


@routine
def _push(polytope: Floats, face: int, corner: int, slack: float, dimension: int) -> bool:
    """Make a corner that lies beyond a face one of the polytope; False if that fails."""
    if corner < 0:
        return False
    if dimension == 3:
        return push_out(polytope, face, corner, slack)
    i, j = corner_of(polytope, face, 0), corner_of(polytope, face, 1)
    remove(polytope, face)
    return add_edge(polytope, i, corner) and add_edge(polytope, corner, j)


@inlined
def _nearest_on(polytope: Floats, face: int, dimension: int) -> Nearest:
    p, q = (
        corner_at(polytope, corner_of(polytope, face, 0)),
        corner_at(polytope, corner_of(polytope, face, 1)),
    )
    if dimension == 2:
        return nearest_on_edge(p, q)
    return nearest_on_triangle(p, q, corner_at(polytope, corner_of(polytope, face, 2)))


@routine
def _set_foot(polytope: Floats, distance: float, dimension: int, simplex: Floats, k: int) -> None:
    """Make simplex k the nearest face, with the weights of the origin's foot on it.

    Of several triangles in one plane (two edges span a parallelogram) it is the one that holds
    the foot.
    """
    best, least = face_at(polytope, 0), float("inf")
    for place in range(count_faces(polytope)):
        face = face_at(polytope, place)
        if distance_of(polytope, face) <= distance:
            length = _nearest_on(polytope, face, dimension).point.mag_sqr()
            if length < least:
                best, least = face, length
    foot = _nearest_on(polytope, best, dimension)
    for i in range(dimension):
        corner = 1 + corner_of(polytope, best, i)
        for column in range(WEIGHT):
            simplex[k, i, column] = polytope[corner, column]
    simplex[k, 0, WEIGHT], simplex[k, 1, WEIGHT], simplex[k, 2, WEIGHT] = foot.a, foot.b, foot.c
    simplex[k, dimension, INDEX_A] = -1.0


@routine
def _set_flat_foot(simplex: Floats, k: int, foot: int) -> None:
    """Make simplex `foot` the corners of simplex k that hold the origin."""
    for i in range(CORNERS):
        for column in range(COLUMNS):
            simplex[foot, i, column] = simplex[k, i, column]
    count = _count(simplex, k)
    reduce_to(simplex, foot, count, nearest_of(simplex, k, count))


@routine
def expand(
    difference: MinkowskiDifference, simplex: Floats, k: int, foot: int, polytope: Floats
) -> LeastOverlap:
    """The axis of least overlap by EPA, from GJK's simplex k; `tested` is 0 without a proof.

    Simplex `foot` becomes the nearest face, with the weights of the origin's foot on it;
    simplex k becomes a tetrahedron.
    """
    a, b, offset = difference
    # A tetrahedron about the origin, in the plane a triangle.
    flat = _complete(difference, simplex, k)
    if flat.tested > 0:
        _set_flat_foot(simplex, k, foot)
        return flat
    ready = _begin(polytope, simplex, k, a.dimension)
    size, tested = _size(simplex, k, a.dimension + 1), 0
    while ready:
        # The face nearest to the origin, and the support point beyond it.
        face = face_at(polytope, 0)
        normal, distance = normal_of(polytope, face), distance_of(polytope, face)
        start = corner_of(polytope, face, 0)
        at_a = _climbed(a, polytope, start, INDEX_A, normal)
        at_b = _climbed(b, polytope, start, INDEX_B, -normal)
        outermost = point_at(a, at_a) - point_at(b, at_b) - offset
        reach = normal.dot(outermost)
        tested += 1
        # Any point beyond the face may be the next corner; a proof needs the furthest of all.
        if reach - distance <= _ENOUGH * size or _is_corner_of(polytope, face, at_a, at_b):
            at_a, at_b = support(a, normal), support(b, -normal)
            outermost = point_at(a, at_a) - point_at(b, at_b) - offset
            reach = normal.dot(outermost)
        # No corner lies beyond it: it is a face of the difference.
        if reach - distance <= _ENOUGH * size:
            _set_foot(polytope, reach + _ENOUGH * size, a.dimension, simplex, foot)
            return LeastOverlap(reach, -normal, tested)
        if _is_corner_of(polytope, face, at_a, at_b):
            # A sliver whose plane misses its own corners by rounding: it cannot be pushed out.
            set_distance(polytope, face, reach)
            continue
        # Push the polytope out to the new corner.
        corner = add_corner(polytope, outermost, at_a, at_b)
        ready = _push(polytope, face, corner, 0.1 * _ENOUGH * size, a.dimension)
    return _UNPROVEN
