"""GJK: the distance of two convex bodies, from the Minkowski difference of their cores.

E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
between complex objects in three-dimensional space, 1988, in the seven steps of the lecture
slides (after Ericson, section 9.5). A corner of the Minkowski difference is a − b; the
distance is that of the origin. Bodies are points + radius: only the cores take part, their
radii are taken off the distance at the end. Where the cores themselves overlap, the
shortest way out is found by the `walk` over the difference's faces, or, if these are many, by
the expanding polytope of `epa`.

Signs: `gap` is the distance, negative if the bodies overlap; `normal` is a unit vector from
b towards a.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.body import Body, Placing, asked
from spheresim.convex.epa.expansion import expand
from spheresim.convex.epa.polytope import scratch as polytope_scratch
from spheresim.convex.geometry.posed_body import Placed, balls_of, placed, point_at, sole_support
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest, witness_a
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.query_arguments import Many, pair, pairs
from spheresim.convex.query_result import Answers
from spheresim.convex.separating_axes.axes import Walk, many_axes, walk
from spheresim.numerics.arguments import shown, whole_number
from spheresim.numerics.vector import TVector

_TOUCHING = 2.0**-44
"""Of the bodies' size: nearer than this, rounding is seen in the nearest points' direction."""

_CLEAR = 1e-9
"""Of the bodies' size: a corner that is further out than all others by less is not alone."""


class Contact(NamedTuple):
    """The gap; normal; the witness on each body, from a's position; steps; whether it finished."""

    separation: float
    normal: TVector
    point_a: TVector
    point_b: TVector
    steps: int
    finished: bool


@inlined
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
    found = closest(a, b, offset, simplex, k, limit, NEVER_ENOUGH)
    distance = found.point.mag()
    normal, on_a = found.point, witness_a(a, simplex, k)
    on_b, gap = on_a - found.point, distance - (a.radius + b.radius)
    near = _TOUCHING * (balls_of(a).outer + balls_of(b).outer)
    if found.overlapping or (distance <= near and (a.solid or b.solid)):
        way_out = way_out_of(a, b, offset, simplex, k, scratch, polytope)
        normal = way_out.axis
        if found.overlapping or way_out.overlap > near:
            # Apart by less than the rounding of a long and thin simplex is for the axes to say.
            overlap = way_out.overlap if way_out.overlap < -near else max(0.0, way_out.overlap)
            on_a, on_b = way_out.point_a, way_out.point_a + normal * overlap
            gap = -(overlap + (a.radius + b.radius))
    else:
        normal = normal / distance
    return Contact(
        gap, normal, on_a - normal * a.radius, on_b + normal * b.radius, found.steps, found.finished
    )


class WayOut(NamedTuple):
    """How far two cores overlap; the axis along which a leaves b; a's point that leaves last.

    `overlap` is negative if they are apart on that axis.
    """

    overlap: float
    axis: TVector
    point_a: TVector


@routine
def way_out_of(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, scratch: int, polytope: Any
) -> WayOut:
    """The shortest way out of an overlap of cores, from GJK's simplex k."""
    if many_axes(a, b):
        found = expand(a, b, offset, simplex, k, scratch, polytope)
        if found.tested > 0:
            return WayOut(found.overlap, found.axis, witness_a(a, simplex, scratch))
    found = walk(a, b, offset, NEVER_ENOUGH)
    deepest = deepest_point(a, b, offset, found, simplex, scratch)
    return WayOut(found.overlap, found.axis, deepest)


@routine
def deepest_point(
    a: Placed, b: Placed, offset: TVector, way_out: Walk, simplex: Any, k: int
) -> TVector:
    """The point of a's core that leaves b's last along the shortest way out."""
    normal, overlap = way_out.axis, max(way_out.overlap, 0.0)
    if a.half.z > 0.0 and b.half.z > 0.0:
        # A corner of one that lies deepest in the other: it is that point, or across from it.
        clear = _CLEAR * (a.half.mag() + b.half.mag())
        at_a, at_b = sole_support(a, -normal, clear), sole_support(b, normal, clear)
        if at_a >= 0:
            return point_at(a, at_a)
        if at_b >= 0:
            return point_at(b, at_b) + offset - normal * overlap
    return touching_point(a, b, offset, normal, overlap, simplex, k)


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
    closest(a, b, offset - normal * (overlap + reach), simplex, k, LIMIT, NEVER_ENOUGH)
    return witness_a(a, simplex, k)


# --- Asking ----------------------------------------------------------------------------

_GAP, _NORMAL, _POINT_A, _POINT_B, _STEPS, _FINISHED, _WIDTH = 0, 1, 4, 7, 10, 11, 12


class Distance(Answers):
    """Of one pair, or with a leading axis of many.

    `simplex`: shape (4, 6), from which the next question about the same two can start.
    """

    __slots__ = ("simplex",)

    def __init__(self, rows: np.ndarray, simplex: np.ndarray) -> None:
        self.rows = rows
        self.simplex = simplex

    @property
    def gap(self) -> Any:
        """Distance [length]; negative: how deep the bodies overlap."""
        return self.column(_GAP)

    @property
    def normal(self) -> np.ndarray:
        """Unit, from b towards a."""
        return self.vector(_NORMAL)

    @property
    def point_a(self) -> np.ndarray:
        """The point of a nearest to b; if they overlap, a's deepest inside b."""
        return self.vector(_POINT_A)

    @property
    def point_b(self) -> np.ndarray:
        """The point of b nearest to a; if they overlap, where `point_a` comes out."""
        return self.vector(_POINT_B)

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
    warm: bool,
    limit: int,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        if not warm:
            simplex[k, 0, INDEX_A] = -1.0
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
    a: Placing, b: Placing, start: Distance | None, limit: int
) -> tuple[np.ndarray, np.ndarray]:
    count = asked(a, b)
    rows = np.empty((count, _WIDTH))
    simplex = np.empty((count + 1, CORNERS, COLUMNS))  # the last is scratch
    if start is not None:
        simplex[:-1] = _simplices(start, count)
    warm = start is not None
    polytope = polytope_scratch(len(a.forms) + len(b.forms))
    _distances(a.forms, a.places, b.forms, b.places, simplex, polytope, warm, limit, rows)
    return rows, simplex


def _simplices(start: Any, count: int) -> np.ndarray:
    """Where the last answer ended, for each of `count` pairs."""
    if not isinstance(start, Distance):
        raise TypeError(f"a start is the last answer about the same bodies, not {shown(start)}")
    simplices = start.simplex.reshape(-1, CORNERS, COLUMNS)
    if len(simplices) != count:
        raise ValueError(f"a start of {len(simplices)} answers does not fit {count} pairs")
    return simplices


def gjk(a: Body, b: Body, start: Distance | None = None, limit: int = LIMIT) -> Distance:
    """Distance and nearest points, or depth and direction of the overlap, of two bodies.

    `start`: the last answer about the same two, if they have moved little since.
    """
    most = limit if limit is LIMIT else whole_number(limit, "a limit", 1)
    rows, simplex = _ask(*pair(a, b), start, most)
    return Distance(rows[0], simplex[0])


def gjk_batch(a: Many, b: Many, start: Distance | None = None) -> Distance:
    """`gjk` of a[k] and b[k] for all k."""
    rows, simplex = _ask(*pairs(a, b), start, LIMIT)
    return Distance(rows, simplex[:-1])
