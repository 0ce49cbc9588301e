"""GJK's search: a simplex in the Minkowski difference closes in on the origin.

`gjk` names the source, and makes an answer of what is found here.
"""

from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import Placed, point_at, support
from spheresim.convex.gjk.simplex import (
    CORNERS,
    INDEX_A,
    INDEX_B,
    WEIGHT,
    is_slanted,
    nearest_of,
    nearest_on_parallelogram,
    reduce_to,
)
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

LIMIT = 64
"""Steps after which the search ends; bodies of a few dozen points need less than ten."""

NEVER_ENOUGH = float("inf")
"""The distance itself is wanted, not only a bound."""

_NO_PROGRESS = 2.0**-50
_AT_ORIGIN = 2.0**-100
"""Of the squared size: nearer than this is rounding of the difference's corners."""


class Closest(NamedTuple):
    """The point of a − b nearest to the origin; whether that is the origin; steps taken."""

    point: TVector
    overlapping: bool
    steps: int
    finished: bool


@inlined
def put_corner(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, i: int, at_a: int, at_b: int
) -> TVector:
    """Write the difference of two points as corner i of simplex k."""
    corner = point_at(a, at_a) - point_at(b, at_b) - offset
    simplex[k, i, 0], simplex[k, i, 1], simplex[k, i, 2] = corner.x, corner.y, corner.z
    simplex[k, i, INDEX_A], simplex[k, i, INDEX_B] = float(at_a), float(at_b)
    simplex[k, i, WEIGHT] = 1.0
    return corner


@routine
def start_simplex(a: Placed, b: Placed, offset: TVector, simplex: Any, k: int) -> int:
    """The simplex of last time where the bodies are now, or one corner; how many it has."""
    count = 0
    points_a, points_b = a.normals - a.points, b.normals - b.points
    while count < CORNERS and 0.0 <= simplex[k, count, INDEX_A] < points_a:
        if not 0.0 <= simplex[k, count, INDEX_B] < points_b:
            break
        at_a, at_b = int(simplex[k, count, INDEX_A]), int(simplex[k, count, INDEX_B])
        put_corner(a, b, offset, simplex, k, count, at_a, at_b)
        count += 1
    if count == 0:
        put_corner(a, b, offset, simplex, k, 0, support(a, offset), support(b, -offset))
        count = 1
    return count


@inlined
def _has(simplex: Any, k: int, count: int, at_a: int, at_b: int) -> bool:
    found = False
    for i in range(count):
        found |= (simplex[k, i, INDEX_A] == at_a) & (simplex[k, i, INDEX_B] == at_b)
    return found


@routine
def search(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, limit: int, enough: float
) -> Closest:
    """`closest` by GJK, whatever the bodies."""
    count = start_simplex(a, b, offset, simplex, k)
    last, size = float("inf"), 0.0
    for i in range(count):
        size = max(size, vector_at(simplex[k], i).mag_sqr())
    point = TVector(0.0, 0.0, 0.0)
    for step in range(1, limit + 1):
        nearest = nearest_of(simplex, k, count)
        count = reduce_to(simplex, k, count, nearest)
        point = nearest.point
        distance_sqr = point.mag_sqr()
        if distance_sqr <= _AT_ORIGIN * size:
            return Closest(point, True, step, True)
        at_a, at_b = support(a, -point), support(b, point)
        if distance_sqr >= last or _has(simplex, k, count, at_a, at_b):
            return Closest(point, False, step, True)
        corner = put_corner(a, b, offset, simplex, k, count, at_a, at_b)
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
def _put_all(a: Placed, b: Placed, offset: TVector, simplex: Any, k: int) -> int:
    """The difference of bodies of one or two points as simplex k; how many corners it has."""
    count = 0
    for at_b in range(b.normals - b.points):
        for at_a in range(a.normals - a.points):
            put_corner(a, b, offset, simplex, k, count, at_a, at_b)
            count += 1
    return count


@routine
def _closest_of_few(simplex: Any, k: int, count: int) -> Closest:
    """Of a corner, an edge or a parallelogram, which simplex k is and is reduced to."""
    size = 0.0
    for i in range(count):
        size = max(size, vector_at(simplex[k], i).mag_sqr())
    if count < CORNERS:
        nearest = nearest_of(simplex, k, count)
    else:
        p, q = vector_at(simplex[k], 0), vector_at(simplex[k], 1)
        nearest = nearest_on_parallelogram(p, q, vector_at(simplex[k], 2), vector_at(simplex[k], 3))
    reduce_to(simplex, k, count, nearest)
    return Closest(nearest.point, nearest.point.mag_sqr() <= _AT_ORIGIN * size, 1, True)


@inlined
def closest(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, limit: int, enough: float
) -> Closest:
    """Let simplex k close in on the origin; `offset` leads from a's position to b's.

    Once the cores are surely further apart than `enough`, the search ends with a point that
    is on an axis that separates them by its length. Points and segments need no search.
    """
    if (a.normals - a.points <= 2) & (b.normals - b.points <= 2):
        count = _put_all(a, b, offset, simplex, k)
        rows = simplex[k]
        if count < CORNERS or not is_slanted(
            vector_at(rows, 0), vector_at(rows, 1), vector_at(rows, 2)
        ):
            return _closest_of_few(simplex, k, count)
        simplex[k, 0, INDEX_A] = -1.0
    return search(a, b, offset, simplex, k, limit, enough)


@inlined
def witness_a(a: Placed, simplex: Any, k: int) -> TVector:
    """The point of a's core that the simplex stands for, from a's position."""
    total = TVector(0.0, 0.0, 0.0)
    for i in range(CORNERS):
        if simplex[k, i, INDEX_A] < 0.0:
            break
        total = total + point_at(a, int(simplex[k, i, INDEX_A])) * simplex[k, i, WEIGHT]
    return total
