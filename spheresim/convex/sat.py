"""SAT: two convex bodies are apart exactly if some axis separates their projections.

For polygons, boxes (15 axes) and polyhedra the axes are those of `walk`; the search ends at
the first that separates, and says how many it looked at. If none does, the axis of least
overlap is the shortest way out. Where they are many, the axis is searched for instead, see
`separation_of_many`. A rounded body, and one that is flat, a segment or a point, has one more
axis to ask: that of the cores' nearest points (Ericson, section 5.2.1; for two spheres it is
the only one, and the overlap is the slides' r1 + r2 − d).

Signs: `overlap` is positive if the bodies overlap, else minus a distance that surely
separates them; `normal` is a unit vector from b towards a.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import kernel, routine
from spheresim.convex.body import Body, Placing, asked, coordinates
from spheresim.convex.epa.expansion import expand
from spheresim.convex.epa.polytope import scratch as polytope_scratch
from spheresim.convex.geometry.posed_body import Placed, balls_of, placed
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.query_arguments import Many, pair, pairs
from spheresim.convex.query_result import Answers
from spheresim.convex.separating_axes.axes import (
    Walk,
    axis_of,
    count_axes,
    many_axes,
    no_axis,
    walk,
)
from spheresim.numerics.vector import TVector

_OVERLAP, _NORMAL, _TESTED, _WIDTH = 0, 1, 4, 5


class Separation(Answers):
    """Of one pair, or with a leading axis of many."""

    __slots__ = ()

    @property
    def overlapping(self) -> Any:
        """Whether no axis separates the bodies; touching does not."""
        return self.overlap >= 0.0

    @property
    def overlap(self) -> Any:
        """The least overlap on any axis [length]; negative: apart by that, or more, on `normal`."""
        return self.column(_OVERLAP)

    @property
    def normal(self) -> np.ndarray:
        """The axis, unit, from b towards a."""
        return self.vector(_NORMAL)

    @property
    def mtv(self) -> np.ndarray:
        """The minimum translation vector: moves a out of b; zero if they are apart."""
        return np.asarray(np.maximum(self.overlap, 0.0)[..., np.newaxis] * self.normal)

    @property
    def tested(self) -> Any:
        """How many axes were looked at."""
        return self.column(_TESTED)


@routine
def separation_by_balls(a: Placed, b: Placed, offset: TVector) -> Walk:
    """By how much the balls around two cores overlap, on the axis from centre to centre."""
    ball_a, ball_b = balls_of(a), balls_of(b)
    between = ball_a.centre - ball_b.centre - offset
    distance = between.mag()
    axis = between / distance if distance > 0.0 else no_axis(a, b)
    return Walk(ball_a.outer + ball_b.outer - distance, axis, 1)


@routine
def separation_of_many(a: Placed, b: Placed, offset: TVector, simplex: Any, polytope: Any) -> Walk:
    """`separation` of bodies of many faces: the axes are not asked, but searched.

    From centre to centre, if the balls around the two are apart; else GJK closes in on an
    axis that separates them; if there is none, the expanding polytope on that of least overlap.
    """
    radii = a.radius + b.radius
    found = separation_by_balls(a, b, offset)
    if found.overlap < -radii:
        return Walk(found.overlap + radii, found.axis, 1)
    simplex[0, 0, INDEX_A] = -1.0
    nearest = closest(a, b, offset, simplex, 0, LIMIT, radii)
    tested = 1 + nearest.steps
    if not nearest.overlapping:
        distance = nearest.point.mag()
        return Walk(radii - distance, nearest.point / distance, tested)
    found = expand(a, b, offset, simplex, 0, 1, polytope)
    if found.tested == 0:
        found = walk(a, b, offset, radii)
    return Walk(found.overlap + radii, found.axis, tested + found.tested)


@routine
def separation(a: Placed, b: Placed, offset: TVector, simplex: Any, polytope: Any) -> Walk:
    """The axis of least overlap, or one that separates. `simplex`: scratch, two of them."""
    if many_axes(a, b):
        return separation_of_many(a, b, offset, simplex, polytope)
    radii = a.radius + b.radius
    found = walk(a, b, offset, radii)
    if found.overlap < -radii:
        return Walk(found.overlap + radii, found.axis, found.tested)
    if found.overlap <= 0.0 and (radii > 0.0 or not (a.solid or b.solid)):
        simplex[0, 0, INDEX_A] = -1.0
        nearest = closest(a, b, offset, simplex, 0, LIMIT, NEVER_ENOUGH)
        if not nearest.overlapping:
            distance = nearest.point.mag()
            return Walk(radii - distance, nearest.point / distance, found.tested + 1)
    return Walk(found.overlap + radii, found.axis, found.tested)


@kernel
def _separations(
    forms_a: Any,
    places_a: Any,
    forms_b: Any,
    places_b: Any,
    simplex: Any,
    polytope: Any,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        found = separation(a, b, b.position - a.position, simplex, polytope)
        rows[k, _OVERLAP] = found.overlap
        for i in range(3):
            rows[k, _NORMAL + i] = found.axis[i] + 0.0  # no -0.0
        rows[k, _TESTED] = found.tested


def _ask(a: Placing, b: Placing) -> np.ndarray:
    rows = np.empty((asked(a, b), _WIDTH))
    simplex = np.empty((2, CORNERS, COLUMNS))
    polytope = polytope_scratch(len(a.forms) + len(b.forms))
    _separations(a.forms, a.places, b.forms, b.places, simplex, polytope, rows)
    return rows


def sat(a: Body, b: Body) -> Separation:
    """Whether two bodies overlap, and the shortest way out.

    >>> from spheresim.convex import box
    >>> answer = sat(box((1, 1)), box((1, 1), position=(1.5, 0.25)))
    >>> bool(answer.overlapping), answer.mtv.tolist(), int(answer.tested)
    (True, [-0.5, 0.0, 0.0], 4)
    """
    return Separation(_ask(*pair(a, b))[0])


def sat_batch(a: Many, b: Many) -> Separation:
    """`sat` of a[k] and b[k] for all k."""
    return Separation(_ask(*pairs(a, b)))


def resolve(a: Body, b: Body) -> tuple[Body, Body]:
    """Both bodies moved apart by half the overlap each, as in "2D Collision Series: SAT"."""
    half = 0.5 * sat(a, b).mtv
    n = a.dimension
    return a.at((a.position + half)[:n]), b.at((b.position - half)[:n])


# --- To look at -------------------------------------------------------------------------


class Projections(NamedTuple):
    """All axes of two bodies, and where they lie on them; for k axes.

    axis: (k, 3), unit; a, b: (k, 2), the intervals [length] from the world's origin; of
    rounded bodies with their radii.
    """

    axis: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def overlap(self) -> np.ndarray:
        """On each axis, shape (k,); negative is a gap."""
        return np.asarray(np.minimum(self.a[:, 1] - self.b[:, 0], self.b[:, 1] - self.a[:, 0]))


def interval(body: Body, axis: Any) -> tuple[float, float]:
    """Where a body lies on an axis through the world's origin, (low, high), times |axis|."""
    direction = coordinates([axis], body.dimension, "an axis")[0]
    along = body.world_points @ direction
    reach = body.radius * float(np.linalg.norm(direction))
    return float(along.min()) - reach, float(along.max()) + reach


def axes(a: Body, b: Body) -> np.ndarray:
    """The unit axes that `sat` asks, in its order, shape (k, 3)."""
    asked(*pair(a, b))
    first, second = placed(a.forms, a.places, 0), placed(b.forms, b.places, 0)
    found = [axis_of(first, second, i) for i in range(count_axes(first, second))]
    return np.array([axis.unit() for axis in found if axis.mag_sqr() > 0.0]).reshape(-1, 3)


def projections(a: Body, b: Body) -> Projections:
    """Both bodies' intervals on every axis."""
    every = axes(a, b)
    return Projections(
        every,
        np.array([interval(a, axis) for axis in every]).reshape(-1, 2),
        np.array([interval(b, axis) for axis in every]).reshape(-1, 2),
    )
