"""The point of a simplex that is nearest to the origin, and which corners make it.

Only the sides that the origin lies beyond are looked at, and those of which rounding does not
say (a sliver, a repeated point); of these the nearest is taken. Every candidate lies in the
simplex, so that none is further inside than the truth. After C. Ericson, Real-Time Collision
Detection, section 5.1.

A simplex is rows [w 0:3, index of a's point 3, index of b's point 4, weight 5] of an array;
an index of -1 is a row that is not in use.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import row
from spheresim.numerics.vector import TVector

INDEX_A, INDEX_B, WEIGHT = 3, 4, 5
CORNERS, COLUMNS = 4, 6


class Nearest(NamedTuple):
    """A point, and the weights of the four corners that make it; unused ones are 0."""

    point: TVector
    a: float
    b: float
    c: float
    d: float


_FAR = Nearest(TVector(math.inf, math.inf, math.inf), 0.0, 0.0, 0.0, 0.0)

_ROUNDING = 1e-26
"""Relative, squared: of a volume that is made of three vectors."""

_NOISE = 3e-30
"""Relative, squared: a height over a triangle that is smaller is rounding, and none.

Of a needle's triangle this may be 1e-10 of its length: on which side of it the origin lies is
then for the way out to say, which knows the other triangles.
"""

_SLANTED = 1e-10
"""Squared sine."""


@inlined
def _along(p: TVector, q: TVector) -> float:
    """How far from p to q the point nearest to the origin lies, from 0 to 1."""
    side = q - p
    length = side.mag_sqr()
    if length == 0.0:
        return 0.0
    # From the nearer end, so that the rounding is that of the shorter way.
    if p.mag_sqr() <= q.mag_sqr():
        return min(1.0, max(0.0, -p.dot(side) / length))
    return 1.0 - min(1.0, max(0.0, q.dot(side) / length))


@inlined
def _surely_inside(weight: float, noise: float) -> bool:
    """Whether the origin is inside a side: then the nearest point is on another one.

    `weight`: of the corner across from the side; `noise`: the square of its rounding.
    """
    return (weight > 0.0) & (weight * weight > noise)


@routine
def nearest_on_edge(p: TVector, q: TVector) -> Nearest:
    """Of the segment from p to q."""
    along = _along(p, q)
    point = p * (1.0 - along) + q * along
    if 0.0 < along < 1.0:
        # Once more: close to the origin, rounding would tilt it from across the edge.
        side = q - p
        point = point - side * (point.dot(side) / side.mag_sqr())
    return Nearest(point, 1.0 - along, along, 0.0, 0.0)


@routine
def nearest_on_triangle(p: TVector, q: TVector, r: TVector) -> Nearest:
    """Of the triangle p, q, r: the foot on its plane if that is inside, else on an edge."""
    normal = (q - p).cross(r - p)
    area = normal.mag_sqr()
    u, v, w = normal.dot(q.cross(r)), normal.dot(r.cross(p)), normal.dot(p.cross(q))
    if area > 0.0 and u >= 0.0 and v >= 0.0 and w >= 0.0 and u + v + w > 0.0:
        whole, height = u + v + w, normal.dot(p)
        along = height / area
        noise = _NOISE * ((q - p).mag_sqr() / area) * (r - p).mag_sqr() * p.mag_sqr()
        if height * along <= noise:
            along = 0.0
        return Nearest(normal * along, u / whole, v / whole, w / whole, 0.0)
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
    """Whether the sides of a parallelogram are so nearly parallel that rounding tells."""
    u, v = q - p, r - p
    area = u.cross(v).mag_sqr()
    return 0.0 < area <= _SLANTED * u.mag_sqr() * v.mag_sqr()


@routine
def nearest_on_parallelogram(p: TVector, q: TVector, r: TVector, s: TVector) -> Nearest:
    """Of the parallelogram p, q, r, s = q + r − p: inside it, or on an edge that is passed."""
    u, v = q - p, r - p
    normal = u.cross(v)
    area = normal.mag_sqr()
    along_u = along_v = math.nan  # without area, no side is known: all are looked at
    if area > 0.0:
        along_u, along_v = p.dot(normal.cross(v)) / area, p.dot(u.cross(normal)) / area
    if 0.0 <= along_u <= 1.0 and 0.0 <= along_v <= 1.0:
        foot = p + u * along_u + v * along_v
        left, below = 1.0 - along_u, 1.0 - along_v
        point = normal * (normal.dot(foot) / area)
        return Nearest(point, left * below, along_u * below, left * along_v, along_u * along_v)
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
    """Of the tetrahedron: the origin itself if it is inside, else the nearest of its faces."""
    q_r, r_s, p_q = q.cross(r), r.cross(s), p.cross(q)
    # Six times the volumes that the origin makes with the faces; their sum is the whole.
    a, b = q_r.dot(s), -r_s.dot(p)
    c, d = p_q.dot(s), -p_q.dot(r)
    whole = a + b + c + d
    if whole != 0.0 and a / whole > 0.0 and b / whole > 0.0 and c / whole > 0.0 and d / whole > 0.0:
        return Nearest(TVector(0.0, 0.0, 0.0), a / whole, b / whole, c / whole, d / whole)
    reach = max(p.mag_sqr(), q.mag_sqr(), r.mag_sqr(), s.mag_sqr())
    noise = _ROUNDING * reach * reach * reach
    # Of a tetrahedron without volume no side is known: it is turned so that all are looked at.
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
def nearest_of(simplex: Any, k: int, count: int) -> Nearest:
    """Of the first `count` corners of simplex k."""
    rows = simplex[k]
    if count == 1:
        return Nearest(row(rows, 0), 1.0, 0.0, 0.0, 0.0)
    if count == 2:
        return nearest_on_edge(row(rows, 0), row(rows, 1))
    if count == 3:
        return nearest_on_triangle(row(rows, 0), row(rows, 1), row(rows, 2))
    return nearest_on_tetrahedron(row(rows, 0), row(rows, 1), row(rows, 2), row(rows, 3))


@inlined
def reduce_to(simplex: Any, k: int, count: int, nearest: Nearest) -> int:
    """Keep those of the first `count` corners that carry weight, in front; how many they are."""
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
