"""GJK's search: a simplex in the Minkowski difference closes in on the origin.

E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
between complex objects in three-dimensional space, IEEE J. Robotics and Automation 4, 1988;
C. Ericson, Real-Time Collision Detection, section 9.5. `convex.distance` turns what is found
here into distance, normal and nearest points.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import MinkowskiDifference, PosedBody, point_at
from spheresim.convex.geometry.support import support
from spheresim.convex.gjk.simplex import (
    CORNERS,
    INDEX_A,
    INDEX_B,
    WEIGHT,
    is_slanted,
    nearest_of,
    nearest_on_parallelogram,
    reduce_to,
    size_sqr,
)
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector

LIMIT = 64
"""Steps after which the search ends; bodies of a few dozen points need less than ten."""

NEVER_ENOUGH = float("inf")
"""As the bound of a search: go on until the distance itself is known."""

_NO_PROGRESS = 2.0**-50
"""Relative to the squared distance: a new corner that gains less ends the search."""

_AT_ORIGIN = 2.0**-100
"""Relative to the squared size of the simplex: a point nearer than this counts as the origin."""


class Closest(NamedTuple):
    """The point of a − b nearest to the origin; whether that is the origin; steps taken."""

    point: TVector
    overlapping: bool
    steps: int
    finished: bool


class Vertex(NamedTuple):
    """A point of a − b: the indices of a's point and of b's."""

    at_a: int
    at_b: int


@inlined
def support_vertex(difference: MinkowskiDifference, way: TVector) -> Vertex:
    """The point of a − b that is furthest in a direction."""
    return Vertex(support(difference.a, way), support(difference.b, -way))


@inlined
def set_corner(
    difference: MinkowskiDifference, simplex: Floats, k: int, i: int, vertex: Vertex
) -> TVector:
    """Write a vertex of the difference as corner i of simplex k."""
    a, b, offset = difference
    at_a, at_b = vertex
    corner = point_at(a, at_a) - point_at(b, at_b) - offset
    simplex[k, i, 0], simplex[k, i, 1], simplex[k, i, 2] = corner.x, corner.y, corner.z
    simplex[k, i, INDEX_A], simplex[k, i, INDEX_B] = float(at_a), float(at_b)
    simplex[k, i, WEIGHT] = 1.0
    return corner


@routine
def start_simplex(difference: MinkowskiDifference, simplex: Floats, k: int) -> int:
    """Move the last search's simplex to the bodies' poses, or start one; return its corners."""
    a, b, offset = difference
    count = 0
    points_a, points_b = a.normals - a.points, b.normals - b.points
    while count < CORNERS and 0.0 <= simplex[k, count, INDEX_A] < points_a:
        if not 0.0 <= simplex[k, count, INDEX_B] < points_b:
            break
        at_a, at_b = int(simplex[k, count, INDEX_A]), int(simplex[k, count, INDEX_B])
        set_corner(difference, simplex, k, count, Vertex(at_a, at_b))
        count += 1
    if count == 0:
        set_corner(difference, simplex, k, 0, support_vertex(difference, offset))
        count = 1
    return count


@inlined
def _has(simplex: Floats, k: int, count: int, vertex: Vertex) -> bool:
    found = False
    for i in range(count):
        is_same = simplex[k, i, INDEX_A] == vertex.at_a
        found |= is_same & (simplex[k, i, INDEX_B] == vertex.at_b)
    return found


@routine
def search(
    difference: MinkowskiDifference, simplex: Floats, k: int, limit: int, enough: float
) -> Closest:
    """`closest` by GJK's iteration, for bodies of any number of points."""
    count = start_simplex(difference, simplex, k)
    last, size = float("inf"), size_sqr(simplex, k, count)
    point = ZERO
    for step in range(1, limit + 1):
        # The point of the simplex nearest to the origin, and the corners that make it.
        nearest = nearest_of(simplex, k, count)
        count = reduce_to(simplex, k, count, nearest)
        point = nearest.point
        distance_sqr = point.mag_sqr()
        if distance_sqr <= _AT_ORIGIN * size:
            return Closest(point, True, step, True)
        # The support point towards the origin: none, or one already there, ends the search.
        vertex = support_vertex(difference, -point)
        if distance_sqr >= last or _has(simplex, k, count, vertex):
            return Closest(point, False, step, True)
        corner = set_corner(difference, simplex, k, count, vertex)
        # What the new corner proves: the cores are apart by at least towards / distance.
        towards = point.dot(corner)
        if towards > 0.0 and towards * towards > enough * enough * distance_sqr:
            return Closest(point * (towards / distance_sqr), False, step, True)
        if distance_sqr - towards <= _NO_PROGRESS * distance_sqr:
            simplex[k, count, INDEX_A] = -1.0
            return Closest(point, False, step, True)
        size = max(size, corner.mag_sqr())
        count += 1
        last = distance_sqr
    return Closest(point, False, limit, False)


@inlined
def _set_all_corners(difference: MinkowskiDifference, simplex: Floats, k: int) -> int:
    """Make simplex k the difference of bodies of one or two points; return its corners."""
    a, b, _ = difference
    count = 0
    for at_b in range(b.normals - b.points):
        for at_a in range(a.normals - a.points):
            set_corner(difference, simplex, k, count, Vertex(at_a, at_b))
            count += 1
    return count


@routine
def _closest_of_few(simplex: Floats, k: int, count: int) -> Closest:
    """`closest` by formula: simplex k is a point, an edge or a parallelogram, and is reduced."""
    size = size_sqr(simplex, k, count)
    if count < CORNERS:
        nearest = nearest_of(simplex, k, count)
    else:
        p, q = vector_at(simplex[k], 0), vector_at(simplex[k], 1)
        nearest = nearest_on_parallelogram(p, q, vector_at(simplex[k], 2), vector_at(simplex[k], 3))
    reduce_to(simplex, k, count, nearest)
    return Closest(nearest.point, nearest.point.mag_sqr() <= _AT_ORIGIN * size, 1, True)


@inlined
def closest(
    difference: MinkowskiDifference, simplex: Floats, k: int, limit: int, enough: float
) -> Closest:
    """Let simplex k close in on the origin.

    Once the cores are surely further apart than `enough`, the search ends. The point is then
    the foot of the origin on a plane that separates the cores by the point's length. Points and
    segments need no search.
    """
    a, b, _ = difference
    if (a.normals - a.points <= 2) & (b.normals - b.points <= 2):
        count = _set_all_corners(difference, simplex, k)
        rows = simplex[k]
        if count < CORNERS or not is_slanted(
            vector_at(rows, 0), vector_at(rows, 1), vector_at(rows, 2)
        ):
            return _closest_of_few(simplex, k, count)
        simplex[k, 0, INDEX_A] = -1.0
    return search(difference, simplex, k, limit, enough)


@inlined
def witness_a(a: PosedBody, simplex: Floats, k: int) -> TVector:
    """The point of a's core that belongs to the nearest point, from a's position."""
    total = ZERO
    for i in range(CORNERS):
        if simplex[k, i, INDEX_A] < 0.0:
            break
        total = total + point_at(a, int(simplex[k, i, INDEX_A])) * simplex[k, i, WEIGHT]
    return total
