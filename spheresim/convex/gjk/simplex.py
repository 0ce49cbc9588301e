"""The point of a simplex that is nearest to the origin, and which corners make it.

Tried are the faces and edges that the origin lies beyond, and those for which rounding leaves
the side undecided (of a sliver, or with a repeated point); the nearest of their points is the
answer. Every candidate lies in the simplex, so rounding cannot make a distance too small by
choosing a wrong one. After C. Ericson, Real-Time Collision Detection, section 5.1.

A simplex is four rows of an array, one for each corner of the Minkowski difference: columns 0 to
2 its coordinates, 3 and 4 the indices of the points of a and b whose difference it is, 5 its
weight in the nearest point. A row whose index is -1 is not in use.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector

INDEX_A, INDEX_B, WEIGHT = 3, 4, 5
CORNERS, COLUMNS = 4, 6


class Nearest(NamedTuple):
    """A point, and the weights of the four corners whose mixture it is; unused ones are 0."""

    point: TVector
    a: float
    b: float
    c: float
    d: float


_FAR = Nearest(TVector(math.inf, math.inf, math.inf), 0.0, 0.0, 0.0, 0.0)

_ROUNDING = 1e-26
"""Relative and squared: the rounding of a volume that is computed from three vectors."""

_NOISE = 3e-30
"""Relative and squared: a height of the origin over a triangle that is smaller counts as 0.

For the triangle of a needle this may be 1e-10 of its length. On which side the origin lies is
then decided by the search for the depth, which sees the other triangles too.
"""

_SLANTED = 1e-10
"""The squared sine of the angle below which the sides of a parallelogram count as parallel."""


@inlined
def _along(p: TVector, q: TVector) -> float:
    """How far from p to q the point nearest to the origin lies, from 0 to 1."""
    side = q - p
    length = side.mag_sqr()
    if length == 0.0:
        return 0.0
    # Measured from the nearer end: the rounding is relative to the shorter distance.
    if p.mag_sqr() <= q.mag_sqr():
        return min(1.0, max(0.0, -p.dot(side) / length))
    return 1.0 - min(1.0, max(0.0, q.dot(side) / length))


@inlined
def _surely_inside(weight: float, noise: float) -> bool:
    """Whether the origin surely lies on the inner side of an edge or face, which is then skipped.

    `weight`: of the corner opposite the edge or face; `noise`: the square of its rounding.
    """
    return (weight > 0.0) & (weight * weight > noise)


@routine
def nearest_on_edge(p: TVector, q: TVector) -> Nearest:
    """The nearest point of the segment from p to q (Ericson, section 5.1.2)."""
    along = _along(p, q)
    point = p * (1.0 - along) + q * along
    if 0.0 < along < 1.0:
        # Projected once more: near the origin, rounding would tilt it off the perpendicular.
        side = q - p
        point = point - side * (point.dot(side) / side.mag_sqr())
    return Nearest(point, 1.0 - along, along, 0.0, 0.0)


@routine
def nearest_on_triangle(p: TVector, q: TVector, r: TVector) -> Nearest:
    """The nearest point of a triangle: the foot on its plane if inside, else on an edge.

    After Ericson, section 5.1.5.
    """
    normal = (q - p).cross(r - p)
    area = normal.mag_sqr()
    # The weights of the corners in the foot, from the triangles that it makes with the edges.
    u, v, w = normal.dot(q.cross(r)), normal.dot(r.cross(p)), normal.dot(p.cross(q))
    if area > 0.0 and u >= 0.0 and v >= 0.0 and w >= 0.0 and u + v + w > 0.0:
        whole, height = u + v + w, normal.dot(p)
        along = height / area
        noise = _NOISE * ((q - p).mag_sqr() / area) * (r - p).mag_sqr() * p.mag_sqr()
        if height * along <= noise:
            along = 0.0
        return Nearest(normal * along, u / whole, v / whole, w / whole, 0.0)
    # The foot is outside, or the triangle has no area: the nearest of the edges tried.
    reach = max(p.mag_sqr(), q.mag_sqr(), r.mag_sqr())
    noise = _ROUNDING * area * reach * reach
    best = _FAR
    if not _surely_inside(w, noise):
        edge = nearest_on_edge(p, q)
        best = Nearest(edge.point, edge.a, edge.b, 0.0, 0.0)
    if not _surely_inside(u, noise):
        edge = nearest_on_edge(q, r)
        if edge.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(edge.point, 0.0, edge.a, edge.b, 0.0)
    if not _surely_inside(v, noise):
        edge = nearest_on_edge(r, p)
        if edge.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(edge.point, edge.b, 0.0, edge.a, 0.0)
    return best


@inlined
def is_slanted(p: TVector, q: TVector, r: TVector) -> bool:
    """Whether the sides of a parallelogram are so nearly parallel that rounding shows."""
    u, v = q - p, r - p
    area = u.cross(v).mag_sqr()
    return 0.0 < area <= _SLANTED * u.mag_sqr() * v.mag_sqr()


@routine
def nearest_on_parallelogram(p: TVector, q: TVector, r: TVector, s: TVector) -> Nearest:
    """The nearest point of the parallelogram p, q, r, s = q + r − p."""
    u, v = q - p, r - p
    normal = u.cross(v)
    area = normal.mag_sqr()
    along_u = along_v = math.nan  # without area no side can be excluded: all four are tried
    if area > 0.0:
        along_u, along_v = p.dot(normal.cross(v)) / area, p.dot(u.cross(normal)) / area
    # The foot of the origin lies inside.
    if 0.0 <= along_u <= 1.0 and 0.0 <= along_v <= 1.0:
        foot = p + u * along_u + v * along_v
        left, below = 1.0 - along_u, 1.0 - along_v
        point = normal * (normal.dot(foot) / area)
        return Nearest(point, left * below, along_u * below, left * along_v, along_u * along_v)
    # It lies beyond one edge or two.
    best = _FAR
    if not along_v >= 0.0:
        edge = nearest_on_edge(p, q)
        best = Nearest(edge.point, edge.a, edge.b, 0.0, 0.0)
    if not along_u >= 0.0:
        edge = nearest_on_edge(p, r)
        if edge.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(edge.point, edge.a, 0.0, edge.b, 0.0)
    if not along_v <= 1.0:
        edge = nearest_on_edge(r, s)
        if edge.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(edge.point, 0.0, 0.0, edge.a, edge.b)
    if not along_u <= 1.0:
        edge = nearest_on_edge(q, s)
        if edge.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(edge.point, 0.0, edge.a, 0.0, edge.b)
    return best


@routine
def nearest_on_tetrahedron(p: TVector, q: TVector, r: TVector, s: TVector) -> Nearest:
    """The nearest point of a tetrahedron: the origin itself if inside, else on a face.

    After Ericson, section 5.1.6.
    """
    q_r, r_s, p_q = q.cross(r), r.cross(s), p.cross(q)
    # Six times the volumes of the tetrahedra that the origin makes with each face.
    a, b = q_r.dot(s), -r_s.dot(p)
    c, d = p_q.dot(s), -p_q.dot(r)
    whole = a + b + c + d
    if whole != 0.0 and a / whole > 0.0 and b / whole > 0.0 and c / whole > 0.0 and d / whole > 0.0:
        return Nearest(ZERO, a / whole, b / whole, c / whole, d / whole)
    reach = max(p.mag_sqr(), q.mag_sqr(), r.mag_sqr(), s.mag_sqr())
    noise = _ROUNDING * reach * reach * reach
    # Without volume no face can be excluded: comparisons with NaN let all four be tried.
    side = math.copysign(1.0, whole) if whole * whole > noise else math.nan
    best = _FAR
    if not _surely_inside(d * side, noise):
        best = nearest_on_triangle(p, q, r)
    if not _surely_inside(c * side, noise):
        face = nearest_on_triangle(p, q, s)
        if face.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(face.point, face.a, face.b, 0.0, face.c)
    if not _surely_inside(b * side, noise):
        face = nearest_on_triangle(p, r, s)
        if face.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(face.point, face.a, 0.0, face.b, face.c)
    if not _surely_inside(a * side, noise):
        face = nearest_on_triangle(q, r, s)
        if face.point.mag_sqr() < best.point.mag_sqr():
            best = Nearest(face.point, 0.0, face.a, face.b, face.c)
    return best


@routine
def nearest_of(simplex: Floats, k: int, count: int) -> Nearest:
    """The nearest point of the first `count` corners of simplex k."""
    rows = simplex[k]
    if count == 1:
        return Nearest(vector_at(rows, 0), 1.0, 0.0, 0.0, 0.0)
    if count == 2:
        return nearest_on_edge(vector_at(rows, 0), vector_at(rows, 1))
    if count == 3:
        return nearest_on_triangle(vector_at(rows, 0), vector_at(rows, 1), vector_at(rows, 2))
    return nearest_on_tetrahedron(
        vector_at(rows, 0), vector_at(rows, 1), vector_at(rows, 2), vector_at(rows, 3)
    )


@inlined
def size_sqr(simplex: Floats, k: int, count: int) -> float:
    """The squared distance of the furthest of the first `count` corners from the origin."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, vector_at(simplex[k], i).mag_sqr())
    return largest


@inlined
def reduce_to(simplex: Floats, k: int, count: int, nearest: Nearest) -> int:
    """Keep of the first `count` corners those that carry weight, in front; return their number."""
    rows = simplex[k]
    rows[0, WEIGHT], rows[1, WEIGHT] = nearest.a, nearest.b
    rows[2, WEIGHT], rows[3, WEIGHT] = nearest.c, nearest.d
    kept = 0
    for i in range(count):
        for column in range(COLUMNS):
            rows[kept, column] = rows[i, column]
        kept += rows[i, WEIGHT] > 0.0
    for i in range(kept, CORNERS):
        rows[i, INDEX_A] = -1.0
    return kept
