"""GJK: the distance of two convex bodies, from the Minkowski difference of their cores.

E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance
between complex objects in three-dimensional space, 1988, in the seven steps of the lecture
slides (after Ericson, section 9.5). A corner of the Minkowski difference is a − b; the
distance is that of the origin. Bodies are points + radius: only the cores take part, their
radii are taken off the distance at the end. Where the cores themselves overlap, the
depth is the least overlap on any of their axes (`separating_axes`), or, if these are many, is
found by the expanding polytope (`epa`).

Signs: `gap` is the distance, negative if the bodies overlap; `normal` is a unit vector from
b towards a.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.epa.expansion import expand
from spheresim.convex.geometry.posed_body import MinkowskiDifference, balls_of, point_at
from spheresim.convex.geometry.support import sole_support
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest, witness_a
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import ManyBodies, pair, pairs
from spheresim.convex.query_result import (
    NUMBER,
    VECTOR,
    WHOLE,
    Field,
    Flag,
    QueryResult,
    without_minus_zero,
)
from spheresim.convex.separating_axes.axes import LeastOverlap, least_overlap, many_axes
from spheresim.numerics.arguments import shown, whole_number
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector

_TOUCHING = 2.0**-44
"""Relative to the bodies' size: nearer than this, rounding spoils the normal that the nearest
points give."""

_CLEAR = 1e-9
"""Relative to the bodies' size: lead below which a support point is not unique."""


class Contact(NamedTuple):
    """The gap; normal; the nearest point of each body, from a's position; steps of the search."""

    separation: float
    normal: TVector
    point_a: TVector
    point_b: TVector
    steps: int
    finished: bool


@inlined
def contact_of(
    difference: MinkowskiDifference, scratch: Scratch, k: int, spare: int, limit: int
) -> Contact:
    """Distance or penetration of two bodies, from simplex k on; simplex `spare` is overwritten."""
    simplex, polytope = scratch
    a, b, _ = difference
    # Nearest points of the cores.
    found = closest(difference, simplex, k, limit, NEVER_ENOUGH)
    distance = found.point.mag()
    normal, on_a = found.point, witness_a(a, simplex, k)
    on_b, gap = on_a - found.point, distance - (a.radius + b.radius)
    near = _TOUCHING * (balls_of(a).outer + balls_of(b).outer)
    # Cores that overlap, or are so near that the depth decides more exactly than the distance.
    if found.overlapping or (distance <= near and (a.solid or b.solid)):
        penetration = penetration_of(difference, simplex, k, spare, polytope)
        normal = penetration.axis
        if found.overlapping or penetration.overlap > near:
            # A long and thin simplex may take a small gap for an overlap: the axis decides.
            overlap = (
                penetration.overlap
                if penetration.overlap < -near
                else max(0.0, penetration.overlap)
            )
            on_a, on_b = penetration.point_a, penetration.point_a + normal * overlap
            gap = -(overlap + (a.radius + b.radius))
    else:
        normal = normal / distance
    # The radii: the surfaces lie that far outside the cores.
    return Contact(
        gap, normal, on_a - normal * a.radius, on_b + normal * b.radius, found.steps, found.finished
    )


class Penetration(NamedTuple):
    """How deep two cores overlap; the axis along which a leaves b; a's point that leaves last.

    `overlap` is negative if they are apart on that axis.
    """

    overlap: float
    axis: TVector
    point_a: TVector


@routine
def penetration_of(
    difference: MinkowskiDifference, simplex: Floats, k: int, scratch: int, polytope: Floats
) -> Penetration:
    """The depth of an overlap of cores and its direction, from GJK's simplex k."""
    a, b, _ = difference
    if many_axes(a, b):
        found = expand(difference, simplex, k, scratch, polytope)
        if found.tested > 0:
            return Penetration(found.overlap, found.axis, witness_a(a, simplex, scratch))
    found = least_overlap(difference, NEVER_ENOUGH)
    deepest = deepest_point(difference, found, simplex, scratch)
    return Penetration(found.overlap, found.axis, deepest)


@routine
def deepest_point(
    difference: MinkowskiDifference, penetration: LeastOverlap, simplex: Floats, k: int
) -> TVector:
    """The point of a's core that leaves b's last along the shortest way out."""
    a, b, offset = difference
    normal, overlap = penetration.axis, max(penetration.overlap, 0.0)
    if a.half.z > 0.0 and b.half.z > 0.0:
        # A corner that lies deepest in the other box is that point, or lies opposite to it.
        clear = _CLEAR * (a.half.mag() + b.half.mag())
        at_a, at_b = sole_support(a, -normal, clear), sole_support(b, normal, clear)
        if at_a >= 0:
            return point_at(a, at_a)
        if at_b >= 0:
            return point_at(b, at_b) + offset - normal * overlap
    return touching_point(difference, normal, overlap, simplex, k)


@routine
def touching_point(
    difference: MinkowskiDifference,
    normal: TVector,
    overlap: float,
    simplex: Floats,
    k: int,
) -> TVector:
    """A point of a's core that touches b's once a is moved by normal · overlap.

    Moved that far it would touch, and the nearest points would be anywhere in a cell of
    rounding; moved further, by about the bodies' size, they are the same and well defined.
    """
    a, b, offset = difference
    reach = overlap + point_at(a, 0).mag() + point_at(b, 0).mag()
    if reach == 0.0:
        reach = 1.0
    simplex[k, 0, INDEX_A] = -1.0
    moved = MinkowskiDifference(a, b, offset - normal * (overlap + reach))
    closest(moved, simplex, k, LIMIT, NEVER_ENOUGH)
    return witness_a(a, simplex, k)


# --- Asking ----------------------------------------------------------------------------


class Distance(QueryResult):
    """The answer of `gjk` for one pair; for many, every field has a leading axis.

    `simplex`: shape (4, 6), from which the next question about the same two can start.
    """

    __slots__ = ("simplex",)

    def __init__(self, records: np.ndarray, simplex: np.ndarray) -> None:
        self.records = records
        self.simplex = simplex

    gap = Field(NUMBER, "Distance [length]; negative: how deep the bodies overlap.")
    normal = Field(VECTOR, "Unit, from b towards a.")
    point_a = Field(VECTOR, "The point of a nearest to b; if they overlap, a's deepest inside b.")
    point_b = Field(
        VECTOR, "The point of b nearest to a; if they overlap, where `point_a` comes out."
    )

    @property
    def overlapping(self) -> Booleans:
        """Whether the bodies have a point in common; touching to rounding counts."""
        return self.gap <= 0.0

    @property
    def mtv(self) -> np.ndarray:
        """The shortest move of a that ends the overlap; zero if there is none."""
        return np.asarray(np.maximum(-self.gap, 0.0)[..., np.newaxis] * self.normal + 0.0)

    steps = Field(WHOLE, "Number of simplices examined.")
    finished = Flag("False if `limit` ended the search: then the distance is at most the gap.")


@routine
def _distance(
    difference: MinkowskiDifference,
    k: int,
    scratch: Scratch,
    given: Any,
    records: np.ndarray,
) -> None:
    """Answer `gjk` of pair k, from simplex k if it is warm; the last simplex is scratch."""
    warm, limit = given
    simplices = scratch.simplices
    if not warm:
        simplices[k, 0, INDEX_A] = -1.0
    a, spare = difference.a, len(records)
    found = contact_of(difference, scratch, k, spare, limit)
    records[k]["gap"] = found.separation + 0.0
    set_vector(records["normal"], k, without_minus_zero(found.normal))
    set_vector(records["point_a"], k, found.point_a + a.position)
    set_vector(records["point_b"], k, found.point_b + a.position)
    records[k]["steps"], records[k]["finished"] = found.steps, found.finished


_distances = pair_kernel(_distance)


def _ask(
    a: BodyArrays, b: BodyArrays, start: Distance | None, limit: int
) -> tuple[np.ndarray, np.ndarray]:
    """The records of all pairs, and the simplices in which the searches ended."""
    count = len(a.poses)
    simplices = np.zeros((count + 1, CORNERS, COLUMNS))
    if start is not None:
        simplices[:-1] = _simplices(start, count)
    warm = start is not None
    return ask(_distances, a, b, Distance.dtype, warm, limit, simplices=simplices), simplices


def _simplices(start: "Distance | None", count: int) -> np.ndarray:
    """Where the last answer ended, for each of `count` pairs."""
    if not isinstance(start, Distance):
        raise TypeError(f"a start is the last answer about the same bodies, not {shown(start)}")
    simplices = start.simplex.reshape(-1, CORNERS, COLUMNS)
    if len(simplices) != count:
        raise ValueError(f"a start of {len(simplices)} answers does not fit {count} pairs")
    return simplices


def gjk(a: Body, b: Body, start: Distance | None = None, limit: int = LIMIT) -> Distance:
    """Distance and nearest points of two bodies, or depth and direction of their overlap.

    Returns a `Distance`. Its `gap` is negative if the bodies overlap; its `normal` is a unit vector
    from b towards a. `start`: an earlier answer for the same two bodies; if they have moved little
    since, the search is shorter. `limit`: most steps of the search. ValueError for a limit below 1.
    """
    most = limit if limit is LIMIT else whole_number(limit, "a limit", 1)
    records, simplices = _ask(*pair(a, b), start, most)
    return Distance(records.reshape(()), simplices[0])


def gjk_batch(a: ManyBodies, b: ManyBodies, start: Distance | None = None) -> Distance:
    """Distances of many pairs of bodies: row k is `gjk` of a[k] and b[k]."""
    records, simplices = _ask(*pairs(a, b), start, LIMIT)
    return Distance(records, simplices[:-1])
