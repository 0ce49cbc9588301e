"""EPA: the way out of an overlap of bodies with many faces, by an expanding polytope.

G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects,
2001. From GJK's last simplex, which holds the origin, the face nearest to the origin is
pushed out to the Minkowski difference's supporting point, until it can go no further: then
it lies on the difference's surface, and is its nearest face. The walk over all axes gives
the same, but grows with the product of the edges.

A simplex of fewer corners holds the origin in a corner, an edge or a face: it is completed by
supporting points across it. Where there are none, the difference itself is flat, and the way
out is across it.

The answer carries its own proof: the supporting point is no further out than the face. What
is not proven, for rounding or for want of room, goes to the walk.
"""

from typing import Any

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
from spheresim.convex.geometry.posed_body import Placed, point_at, support
from spheresim.convex.gjk.search import put_corner
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
)
from spheresim.convex.separating_axes.axes import Walk
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_ENOUGH = 1e-13
"""Of the size: less than this further out is rounding."""

_FLAT = 1e-14
"""Of the size: a simplex that is less thick than this is flat."""

_UNPROVEN = Walk(0.0, TVector(0.0, 0.0, 0.0), 0)


# --- Completing the simplex ------------------------------------------------------------


@inlined
def _count(simplex: Any, k: int) -> int:
    count = 0
    while count < CORNERS and simplex[k, count, INDEX_A] >= 0.0:
        count += 1
    return count


@inlined
def _size(simplex: Any, k: int, count: int) -> float:
    size = 0.0
    for i in range(count):
        size = max(size, vector_at(simplex[k], i).mag())
    return size


@routine
def _thickness(simplex: Any, k: int, count: int) -> float:
    """The least height of the last corner over those before it, or of any other in its place."""
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
def _exchange(simplex: Any, k: int, i: int, j: int) -> None:
    for column in range(COLUMNS):
        simplex[k, i, column], simplex[k, j, column] = simplex[k, j, column], simplex[k, i, column]


@routine
def _drop_one(simplex: Any, k: int, count: int) -> int:
    """Leave the corner out without which the simplex is still nearest to the origin."""
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
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, count: int, way: TVector
) -> float:
    """Add the corner furthest along ± a unit direction; how far out it is of the others."""
    base = way.dot(vector_at(simplex[k], 0))
    ahead = put_corner(a, b, offset, simplex, k, count, support(a, way), support(b, -way))
    height = way.dot(ahead) - base
    back_a, back_b = support(a, -way), support(b, way)
    depth = base - way.dot(point_at(a, back_a) - point_at(b, back_b) - offset)
    if depth > height:
        put_corner(a, b, offset, simplex, k, count, back_a, back_b)
    return max(height, depth)


@inlined
def _across(simplex: Any, k: int, count: int, which: int, dimension: int) -> TVector:
    """Unit direction `which` of those across a corner (of 2 or 3), an edge, a triangle."""
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
def _complete(a: Placed, b: Placed, offset: TVector, simplex: Any, k: int) -> Walk:
    """Make simplex k a tetrahedron, in the plane a triangle, that still holds the origin.

    `tested` is 0 if it is one; else the difference is flat, and the answer the way across.
    """
    count = _count(simplex, k)
    while count > 1 and _thickness(simplex, k, count) <= _FLAT * _size(simplex, k, count):
        count = _drop_one(simplex, k, count)
    while count <= a.dimension:
        best, reach = _across(simplex, k, count, 0, a.dimension), -1.0
        for which in range(a.dimension + 1 - count):
            way = _across(simplex, k, count, which, a.dimension)
            height = _reach_out(a, b, offset, simplex, k, count, way)
            if height > reach:
                best, reach = way, height
        _reach_out(a, b, offset, simplex, k, count, best)
        count += 1
        if reach <= _FLAT * _size(simplex, k, count):
            return Walk(reach, best, 1)
    return _UNPROVEN


# --- Expanding -------------------------------------------------------------------------


@routine
def _begin(polytope: Any, simplex: Any, k: int, dimension: int) -> bool:
    """The simplex with its faces outwards."""
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
def _is_corner_of(polytope: Any, face: int, at_a: int, at_b: int) -> bool:
    found = False
    for i in range(3):
        corner = 1 + corner_of(polytope, face, i)
        found |= (polytope[corner, INDEX_A] == at_a) & (polytope[corner, INDEX_B] == at_b)
    return found


@routine
def _push(polytope: Any, face: int, corner: int, slack: float, dimension: int) -> bool:
    """Replace what is beneath a corner that is beyond a face."""
    if corner < 0:
        return False
    if dimension == 3:
        return push_out(polytope, face, corner, slack)
    i, j = corner_of(polytope, face, 0), corner_of(polytope, face, 1)
    remove(polytope, face)
    return add_edge(polytope, i, corner) and add_edge(polytope, corner, j)


@inlined
def _nearest_on(polytope: Any, face: int, dimension: int) -> Nearest:
    p, q = (
        corner_at(polytope, corner_of(polytope, face, 0)),
        corner_at(polytope, corner_of(polytope, face, 1)),
    )
    if dimension == 2:
        return nearest_on_edge(p, q)
    return nearest_on_triangle(p, q, corner_at(polytope, corner_of(polytope, face, 2)))


@routine
def _put_foot(polytope: Any, distance: float, dimension: int, simplex: Any, k: int) -> None:
    """Make simplex k the face that the way out leads through, with the weights of its foot.

    Of several in one plane (edges across each other make a parallelogram) it is the one that
    the foot is in.
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
def _put_flat_foot(simplex: Any, k: int, foot: int) -> None:
    """Make simplex `foot` the corners of simplex k that hold the origin."""
    for i in range(CORNERS):
        for column in range(COLUMNS):
            simplex[foot, i, column] = simplex[k, i, column]
    count = _count(simplex, k)
    reduce_to(simplex, foot, count, nearest_of(simplex, k, count))


@routine
def expand(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, foot: int, polytope: Any
) -> Walk:
    """The way out by EPA from GJK's simplex k; `tested` is 0 if it could not be proven.

    Simplex `foot` becomes the face that the way leads through; simplex k a tetrahedron.
    """
    flat = _complete(a, b, offset, simplex, k)
    if flat.tested > 0:
        _put_flat_foot(simplex, k, foot)
        return flat
    ready = _begin(polytope, simplex, k, a.dimension)
    size, tested = _size(simplex, k, a.dimension + 1), 0
    while ready:
        face = face_at(polytope, 0)
        normal, distance = normal_of(polytope, face), distance_of(polytope, face)
        at_a, at_b = support(a, normal), support(b, -normal)
        outermost = point_at(a, at_a) - point_at(b, at_b) - offset
        reach = normal.dot(outermost)
        tested += 1
        if reach - distance <= _ENOUGH * size:
            _put_foot(polytope, reach + _ENOUGH * size, a.dimension, simplex, foot)
            return Walk(reach, -normal, tested)
        if _is_corner_of(polytope, face, at_a, at_b):
            # A sliver, whose plane misses its own corners by rounding: it goes no further.
            set_distance(polytope, face, reach)
            continue
        corner = add_corner(polytope, outermost, at_a, at_b)
        ready = _push(polytope, face, corner, 0.1 * _ENOUGH * size, a.dimension)
    return _UNPROVEN
