"""SAT: two convex bodies are apart exactly if some axis separates their projections.

The axes of polygons, boxes (15) and polyhedra are listed in `separating_axes`; the test ends at
the first that separates, and says how many it looked at. If none does, the axis of least
overlap is the minimum translation. Where there are many axes, the best is searched for instead,
see `separation_of_many`. Rounded bodies, and those that are flat, segments or points, have one
more axis, between the cores' nearest points (Ericson, section 5.2.1; for two spheres it is the
only one, and the overlap is the slides' r1 + r2 − d).

Signs: `overlap` is positive if the bodies overlap, 0 if they touch, else minus a distance that
surely separates them; `normal` is a unit vector from b towards a.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.body import Body
from spheresim.convex.coordinates import vector_row
from spheresim.convex.epa.expansion import expand
from spheresim.convex.geometry.posed_body import (
    MinkowskiDifference,
    balls_of,
    posed_body,
)
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import ManyBodies, pair, pair_count, pairs
from spheresim.convex.query_result import (
    NUMBER,
    VECTOR,
    WHOLE,
    Field,
    QueryResult,
    without_minus_zero,
)
from spheresim.convex.separating_axes.axes import (
    LeastOverlap,
    axis_of,
    count_axes,
    least_overlap,
    many_axes,
    no_axis,
)
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.rows import set_vector


class Separation(QueryResult):
    """The answer of `sat` for one pair; for many, every field has a leading axis."""

    __slots__ = ()

    @property
    def overlapping(self) -> Booleans:
        """Whether no axis separates the bodies; bodies that touch overlap, by 0."""
        return self.overlap >= 0.0

    overlap = Field(
        NUMBER,
        "The least on any axis [length]; negative: they are apart on `normal` by at least that.",
    )
    normal = Field(VECTOR, "The axis, unit, from b towards a.")

    @property
    def mtv(self) -> np.ndarray:
        """The minimum translation vector: moves a out of b; zero if they are apart."""
        return np.asarray(np.maximum(self.overlap, 0.0)[..., np.newaxis] * self.normal + 0.0)

    tested = Field(
        WHOLE,
        "Number of axes tested; 0 if there is none, for balls about one point and capsules on one "
        "line: they overlap alike on all axes across.",
    )


@routine
def separation_by_balls(difference: MinkowskiDifference) -> LeastOverlap:
    """How far the balls around two cores overlap, on the axis through their centres."""
    a, b, offset = difference
    ball_a, ball_b = balls_of(a), balls_of(b)
    between = ball_a.centre - ball_b.centre - offset
    distance = between.mag()
    axis = between / distance if distance > 0.0 else no_axis(a, b)
    return LeastOverlap(ball_a.outer + ball_b.outer - distance, axis, 1)


@routine
def separation_of_many(
    difference: MinkowskiDifference, simplex: Floats, polytope: Floats
) -> LeastOverlap:
    """`separation` of bodies of many faces, whose axes are not tested one by one.

    The axis through the centres, if the balls around the two are apart; else GJK finds one that
    separates them; if there is none, the expanding polytope finds that of least overlap.
    """
    a, b, _ = difference
    radii = a.radius + b.radius
    found = separation_by_balls(difference)
    if found.overlap < -radii:
        return LeastOverlap(found.overlap + radii, found.axis, 1)
    simplex[0, 0, INDEX_A] = -1.0
    nearest = closest(difference, simplex, 0, LIMIT, radii)
    tested = 1 + nearest.steps
    if not nearest.overlapping:
        distance = nearest.point.mag()
        return LeastOverlap(radii - distance, nearest.point / distance, tested)
    found = expand(difference, simplex, 0, 1, polytope)
    if found.tested == 0:
        found = least_overlap(difference, radii)
    return LeastOverlap(found.overlap + radii, found.axis, tested + found.tested)


@routine
def separation(difference: MinkowskiDifference, simplex: Floats, polytope: Floats) -> LeastOverlap:
    """The axis of least overlap, or one that separates. `simplex`: scratch, two simplices."""
    a, b, _ = difference
    if many_axes(a, b):
        return separation_of_many(difference, simplex, polytope)
    radii = a.radius + b.radius
    found = least_overlap(difference, radii)
    if found.overlap < -radii:
        return LeastOverlap(found.overlap + radii, found.axis, found.tested)
    if found.overlap <= 0.0 and (radii > 0.0 or not (a.solid or b.solid)):
        simplex[0, 0, INDEX_A] = -1.0
        nearest = closest(difference, simplex, 0, LIMIT, NEVER_ENOUGH)
        if not nearest.overlapping:
            distance = nearest.point.mag()
            return LeastOverlap(radii - distance, nearest.point / distance, found.tested + 1)
    return LeastOverlap(found.overlap + radii, found.axis, found.tested)


@inlined
def _separation(
    difference: MinkowskiDifference,
    k: int,
    scratch: Scratch,
    _given: object,
    records: np.ndarray,
) -> None:
    """Answer `sat` of pair k."""
    found = separation(difference, scratch.simplices, scratch.polytope)
    records[k]["overlap"], records[k]["tested"] = found.overlap + 0.0, found.tested
    set_vector(records["normal"], k, without_minus_zero(found.axis))


_separations = pair_kernel(_separation)


def sat(a: Body, b: Body) -> Separation:
    """Whether two bodies overlap, and the minimum translation that ends the overlap.

    Returns a `Separation`: `overlapping` (bodies that touch overlap, by 0), and `mtv`, the
    translation of a, (3,) [length]; zero if the bodies are apart or touch.

    >>> from spheresim.convex import box
    >>> answer = sat(box((1, 1)), box((1, 1), position=(1.5, 0.25)))
    >>> bool(answer.overlapping), answer.mtv.tolist(), int(answer.tested)
    (True, [-0.5, 0.0, 0.0], 4)
    """
    return Separation(ask(_separations, *pair(a, b), Separation.dtype).reshape(()))


def sat_batch(a: ManyBodies, b: ManyBodies) -> Separation:
    """Separating axes of many pairs of bodies: row k is `sat` of a[k] and b[k]."""
    return Separation(ask(_separations, *pairs(a, b), Separation.dtype))


def resolve(a: Body, b: Body) -> tuple[Body, Body]:
    """Copies of both bodies, each moved by half of `sat`'s translation so that they only touch.

    As in "2D Collision Series: SAT".
    """
    half = 0.5 * sat(a, b).mtv
    n = a.dimension
    return a.at((a.position + half)[:n]), b.at((b.position - half)[:n])


# --- For display ------------------------------------------------------------------------


class Projections(NamedTuple):
    """The k axes of two bodies, and the bodies' intervals on them.

    axis: (k, 3), unit; a, b: (k, 2), the intervals [length] from the world's origin; of
    rounded bodies with their radii.
    """

    axis: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def overlap(self) -> np.ndarray:
        """The overlap on each axis [length], shape (k,); negative is a gap."""
        return np.asarray(np.minimum(self.a[:, 1] - self.b[:, 0], self.b[:, 1] - self.a[:, 0]))


def interval(body: Body, axis: npt.ArrayLike) -> tuple[float, float]:
    """The interval (low, high) of a body on an axis through the world's origin.

    axis: of any length but 0 (ValueError); the values are products with it, so for a unit vector
    they are lengths.
    """
    direction = vector_row(axis, body.dimension, "an axis")[0]
    if not direction.any():
        raise ValueError("an axis must have a direction: the zero vector has none")
    along = body.world_points @ direction
    reach = body.radius * float(np.linalg.norm(direction))
    return float(along.min()) - reach, float(along.max()) + reach


def axes(a: Body, b: Body) -> np.ndarray:
    """The unit axes that `sat` tests, in its order, shape (k, 3)."""
    pair_count(*pair(a, b))
    first, second = posed_body(a.geometry, a.poses, 0), posed_body(b.geometry, b.poses, 0)
    found = [axis_of(first, second, i) for i in range(count_axes(first, second))]
    return np.array([axis.unit() for axis in found if axis.mag_sqr() > 0.0]).reshape(-1, 3)


def projections(a: Body, b: Body) -> Projections:
    """The intervals of two bodies on all axes that `sat` tests; returns `Projections`."""
    every = axes(a, b)
    return Projections(
        every,
        np.array([interval(a, axis) for axis in every]).reshape(-1, 2),
        np.array([interval(b, axis) for axis in every]).reshape(-1, 2),
    )
