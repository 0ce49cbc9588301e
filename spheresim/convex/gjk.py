"""GJK: the distance of two convex bodies, from the Minkowski difference of their cores.

E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
between complex objects in three-dimensional space, 1988, in the seven steps of the lecture
slides (after Ericson, section 9.5). A corner of the Minkowski difference is a − b; the
distance is that of the origin. Bodies are points + radius: only the cores take part, their
radii are taken off the distance at the end. Where the cores themselves overlap, the
shortest way out is found by the `walk` over the difference's faces, or, if these are many, by
an expanding `polytope`.

Signs: `gap` is the distance, negative if the bodies overlap; `normal` is a unit vector from
b towards a.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import inlined, kernel, routine
from spheresim.convex import polytope as epa
from spheresim.convex.answers import Answers
from spheresim.convex.body import Bodies, Body, Placing, asked
from spheresim.convex.form import Placed, placed, point_at, support
from spheresim.convex.simplex import (
    COLUMNS,
    CORNERS,
    INDEX_A,
    INDEX_B,
    WEIGHT,
    nearest_of,
    reduce_to,
)
from spheresim.convex.walk import Walk, count_axes, walk
from spheresim.rows import vector_at
from spheresim.vector import TVector

LIMIT = 64
"""Steps after which the search ends; bodies of a few dozen points need less than ten."""

_MANY_AXES = 48
"""With more, the expanding polytope finds the way out faster than the walk over all axes."""

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
def _put_corner(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, i: int, at_a: int, at_b: int
) -> TVector:
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
        _put_corner(a, b, offset, simplex, k, count, at_a, at_b)
        count += 1
    if count == 0:
        _put_corner(a, b, offset, simplex, k, 0, support(a, offset), support(b, -offset))
        count = 1
    return count


@inlined
def _has(simplex: Any, k: int, count: int, at_a: int, at_b: int) -> bool:
    found = False
    for i in range(count):
        found |= (simplex[k, i, INDEX_A] == at_a) & (simplex[k, i, INDEX_B] == at_b)
    return found


@routine
def closest(a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, limit: int) -> Closest:
    """Let simplex k close in on the origin; `offset` leads from a's position to b's."""
    count = start_simplex(a, b, offset, simplex, k)
    last, size = float("inf"), 0.0
    point = TVector(0.0, 0.0, 0.0)
    for step in range(1, limit + 1):
        nearest = nearest_of(simplex, k, count)
        for i in range(count):
            size = max(size, vector_at(simplex[k], i).mag_sqr())
        count = reduce_to(simplex, k, count, nearest)
        point = nearest.point
        distance_sqr = point.mag_sqr()
        if distance_sqr <= _AT_ORIGIN * size:
            return Closest(point, True, step, True)
        at_a, at_b = support(a, -point), support(b, point)
        if distance_sqr >= last or _has(simplex, k, count, at_a, at_b):
            return Closest(point, False, step, True)
        corner = _put_corner(a, b, offset, simplex, k, count, at_a, at_b)
        if distance_sqr - point.dot(corner) <= _NO_PROGRESS * distance_sqr:
            simplex[k, count, INDEX_A] = -1.0
            return Closest(point, False, step, True)
        count += 1
        last = distance_sqr
    return Closest(point, False, limit, False)


@routine
def _witness_a(a: Placed, simplex: Any, k: int) -> TVector:
    """The point of a's core that the simplex stands for, from a's position."""
    total = TVector(0.0, 0.0, 0.0)
    for i in range(CORNERS):
        if simplex[k, i, INDEX_A] < 0.0:
            break
        total = total + point_at(a, int(simplex[k, i, INDEX_A])) * simplex[k, i, WEIGHT]
    return total


class Contact(NamedTuple):
    """The gap; normal; the witness on each body, from a's position; steps; whether it finished."""

    separation: float
    normal: TVector
    point_a: TVector
    point_b: TVector
    steps: int
    finished: bool


@routine
def contact_of(
    a: Placed,
    b: Placed,
    offset: TVector,
    simplex: Any,
    k: int,
    scratch: int,
    polytope: Any,
    limit: int,
) -> Contact:
    """Distance or penetration of two bodies; simplex `scratch` and `polytope` are scratch."""
    found = closest(a, b, offset, simplex, k, limit)
    if not found.overlapping:
        distance = found.point.mag()
        normal = found.point / distance
        on_a = _witness_a(a, simplex, k)
        on_b = on_a - found.point
        gap = distance - (a.radius + b.radius)
    else:
        way_out = Walk(0.0, found.point, 0)
        if a.dimension == 3 and count_axes(a, b) > _MANY_AXES:
            way_out = epa.expand(a, b, offset, simplex, k, polytope)
        if way_out.tested == 0:
            way_out = walk(a, b, offset, float("inf"))
        overlap = max(way_out.overlap, 0.0)
        normal = way_out.axis
        on_a = touching_point(a, b, offset, normal, overlap, simplex, scratch)
        on_b = on_a + normal * overlap
        gap = -(overlap + (a.radius + b.radius))
    return Contact(
        gap, normal, on_a - normal * a.radius, on_b + normal * b.radius, found.steps, found.finished
    )


@routine
def touching_point(
    a: Placed, b: Placed, offset: TVector, normal: TVector, overlap: float, simplex: Any, k: int
) -> TVector:
    """A point of a's core that touches b's once a is moved by normal · overlap.

    Moved that far it would touch, and the nearest points would be anywhere in a cell of
    rounding; moved further, by about the bodies' size, they are the same and well defined.
    """
    reach = overlap + point_at(a, 0).mag() + point_at(b, 0).mag()
    if reach == 0.0:
        reach = 1.0
    simplex[k, 0, INDEX_A] = -1.0
    closest(a, b, offset - normal * (overlap + reach), simplex, k, LIMIT)
    return _witness_a(a, simplex, k)


# --- Asking ----------------------------------------------------------------------------

_GAP, _NORMAL, _POINT_A, _POINT_B, _STEPS, _FINISHED, _WIDTH = 0, 1, 4, 7, 10, 11, 12


class Distance(Answers):
    """Of one pair, or with a leading axis of many.

    `simplex`: shape (4, 6), from which the next question about the same two can start.
    """

    __slots__ = ("simplex",)

    def __init__(self, rows: np.ndarray, simplex: np.ndarray) -> None:
        super().__init__(rows)
        self.simplex = simplex

    @property
    def gap(self) -> Any:
        """Distance [length]; negative: how deep the bodies overlap."""
        return self.column(_GAP)

    @property
    def normal(self) -> np.ndarray:
        """Unit, from b towards a."""
        return self.rows[..., _NORMAL:_POINT_A]

    @property
    def point_a(self) -> np.ndarray:
        """The point of a nearest to b; if they overlap, a's deepest inside b."""
        return self.rows[..., _POINT_A:_POINT_B]

    @property
    def point_b(self) -> np.ndarray:
        """The point of b nearest to a; if they overlap, where `point_a` comes out."""
        return self.rows[..., _POINT_B:_STEPS]

    @property
    def overlapping(self) -> Any:
        """Whether the bodies have a point in common; touching to rounding counts."""
        return self.gap <= 0.0

    @property
    def mtv(self) -> np.ndarray:
        """The shortest move of a that ends the overlap; zero if there is none."""
        return np.asarray(np.maximum(-self.gap, 0.0)[..., np.newaxis] * self.normal)

    @property
    def steps(self) -> Any:
        """Simplices that were looked at."""
        return self.column(_STEPS)

    @property
    def finished(self) -> Any:
        """False if `limit` ended the search: then the gap is no less than the distance's."""
        return self.column(_FINISHED) == 1.0


@kernel
def _distances(
    forms_a: Any,
    places_a: Any,
    forms_b: Any,
    places_b: Any,
    simplex: Any,
    polytope: Any,
    limit: int,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        found = contact_of(
            a, b, b.position - a.position, simplex, k, len(places_a), polytope, limit
        )
        rows[k, _GAP] = found.separation
        for i in range(3):
            rows[k, _NORMAL + i] = found.normal[i] + 0.0  # no -0.0
            rows[k, _POINT_A + i] = found.point_a[i] + a.position[i]
            rows[k, _POINT_B + i] = found.point_b[i] + a.position[i]
        rows[k, _STEPS], rows[k, _FINISHED] = found.steps, found.finished


def _ask(
    a: Placing, b: Placing, start: np.ndarray | None, limit: int
) -> tuple[np.ndarray, np.ndarray]:
    count = asked(a, b)
    rows = np.empty((count, _WIDTH))
    simplex = np.empty((count + 1, CORNERS, COLUMNS))  # the last is scratch
    if start is None:
        simplex[:, 0, INDEX_A] = -1.0
    else:
        simplex[:-1] = start
    polytope = np.empty((epa.ROWS, epa.COLUMNS))
    _distances(a.forms, a.places, b.forms, b.places, simplex, polytope, limit, rows)
    return rows, simplex


def gjk(a: Body, b: Body, start: Distance | None = None, limit: int = LIMIT) -> Distance:
    """Distance and nearest points, or depth and direction of the overlap, of two bodies.

    `start`: the last answer about the same two, if they have moved little since.
    """
    rows, simplex = _ask(a, b, None if start is None else start.simplex, limit)
    return Distance(rows[0], simplex[0])


def gjk_batch(a: Bodies, b: Bodies, start: Distance | None = None) -> Distance:
    """`gjk` of a[k] and b[k] for all k."""
    rows, simplex = _ask(a, b, None if start is None else start.simplex, LIMIT)
    return Distance(rows, simplex[:-1])
