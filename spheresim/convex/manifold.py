"""The contact manifold: all points at which two bodies lie against each other.

Where `gjk` names one pair of points, a box on a box touches in four, and needs them all to
stand: the corners of the region in which the two faces overlap (see `patch`). Bodies that only
come near may be asked too, `within` some distance, before they touch.

Signs: `normal` is a unit vector from b towards a; a depth is positive where the bodies overlap
and negative where there is still a gap.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import kernel, routine
from spheresim.convex.body import Body, Placing, asked
from spheresim.convex.contact.patch import (
    ROUNDING,
    Scratch,
    edge_pair,
    face_patch,
    reference_face,
    size_of,
)
from spheresim.convex.distance import Distance, gjk, gjk_batch
from spheresim.convex.geometry.posed_body import Placed, placed
from spheresim.convex.geometry.slabs import points_of_largest_face
from spheresim.convex.gjk.search import NEVER_ENOUGH
from spheresim.convex.query_arguments import Many, pair, pairs
from spheresim.convex.query_result import Answers
from spheresim.convex.separating_axes.axes import many_axes, walk
from spheresim.numerics.arguments import number
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_COUNT, _NORMAL, _POINTS, _PER_POINT = 0, 1, 4, 4


class Manifold(Answers):
    """Of one pair, or with a leading axis of many, whose points are filled up with zeros."""

    __slots__ = ()

    @property
    def count(self) -> Any:
        """How many points there are; 0 if the bodies are apart."""
        return np.int64(self.column(_COUNT))

    @property
    def normal(self) -> np.ndarray:
        """Common to all points, unit, from b towards a; zeros if the bodies are apart."""
        return self.rows[..., _NORMAL:_POINTS]

    @property
    def points(self) -> np.ndarray:
        """Midway between the two surfaces, in the world, in order around the region: (count, 3)."""
        return np.asarray(self._each()[..., :3])

    @property
    def depth(self) -> np.ndarray:
        """How deep the bodies overlap at each point [length]; negative is a gap: (count,)."""
        return np.asarray(self._each()[..., 3])

    def _each(self) -> np.ndarray:
        rows = self.rows[..., _POINTS:]
        each = rows.reshape(*rows.shape[:-1], -1, _PER_POINT)
        return each[: int(self.count)] if self.rows.ndim == 1 else each


class Nearest(NamedTuple):
    """The gap; normal from b to a; the nearest or deepest points, from a's position."""

    separation: float
    normal: TVector
    point_a: TVector
    point_b: TVector


@routine
def _put_point(rows: Any, k: int, point: TVector, depth: float) -> None:
    at = _POINTS + _PER_POINT * int(rows[k, _COUNT])
    rows[k, at], rows[k, at + 1], rows[k, at + 2] = point.x, point.y, point.z
    rows[k, at + 3] = depth + 0.0
    rows[k, _COUNT] += 1.0


@routine
def _put_face_points(
    a: Placed,
    b: Placed,
    offset: TVector,
    contact: Nearest,
    within: float,
    rows: Any,
    k: int,
    scratch: Scratch,
) -> bool:
    """The points of a face contact; whether it is one."""
    size, radii, nowhere = size_of(a, b), a.radius + b.radius, TVector(0.0, 0.0, 0.0)
    slack = ROUNDING * size
    gap_of_cores = contact.separation + radii
    found = reference_face(a, b, offset, contact.normal, gap_of_cores, size, within)
    face = found.face
    if face.slab < 0:
        return False
    if found.of_a:
        count = face_patch(a, b, nowhere, offset, face, slack, scratch)
        radius, sign = b.radius, -1.0
    else:
        count = face_patch(b, a, offset, nowhere, face, slack, scratch)
        radius, sign = a.radius, 1.0
    top = vector_at(scratch.reference, 0)
    furthest = max(within, contact.separation) + slack
    for i in range(count):
        point = vector_at(scratch.incident, i)
        gap = face.normal.dot(point - top) - radii
        if gap <= furthest:
            middle = point - face.normal * (radius + 0.5 * gap)
            _put_point(rows, k, a.position + middle, -gap)
    _put_normal(rows, k, face.normal * sign)
    return bool(rows[k, _COUNT] > 0.0)


@routine
def _put_normal(rows: Any, k: int, normal: TVector) -> None:
    for i in range(3):
        rows[k, _NORMAL + i] = normal[i] + 0.0  # no -0.0


@routine
def _put_edge_points(
    a: Placed, b: Placed, offset: TVector, contact: Nearest, within: float, rows: Any, k: int
) -> None:
    """Two points between edges that run along each other, else the one of the nearest points."""
    normal, radii = contact.normal, a.radius + b.radius
    slack = ROUNDING * size_of(a, b)
    furthest = max(within, contact.separation) + slack
    if contact.separation + radii > slack and a.dimension == 3:
        on_a, on_b = contact.point_a + normal * a.radius, contact.point_b - normal * b.radius
        pair = edge_pair(a, b, offset, on_a, on_b, normal, slack)
        gap = pair.first_a.dist(pair.first_b) - radii
        other_gap = pair.second_a.dist(pair.second_b) - radii
        if pair.found and gap <= furthest and other_gap <= furthest:
            middle = pair.first_a - normal * (a.radius + 0.5 * gap)
            _put_point(rows, k, a.position + middle, -gap)
            middle = pair.second_a - normal * (a.radius + 0.5 * other_gap)
            _put_point(rows, k, a.position + middle, -other_gap)
    if rows[k, _COUNT] == 0.0:
        middle = (contact.point_a + contact.point_b) * 0.5
        _put_point(rows, k, a.position + middle, -contact.separation)
    _put_normal(rows, k, normal)


@routine
def _sure_normal(a: Placed, b: Placed, offset: TVector, contact: Nearest) -> TVector:
    """The normal; of edges that just touch from the axes, as the way between them is rounding."""
    gap, size = contact.separation + a.radius + b.radius, size_of(a, b)
    if 0.0 < gap < ROUNDING * size and not many_axes(a, b):
        found = walk(a, b, offset, NEVER_ENOUGH)
        if found.tested > 0 and -found.overlap >= gap - ROUNDING * size:
            return found.axis
    return contact.normal


@kernel
def _manifolds(
    forms_a: Any,
    places_a: Any,
    forms_b: Any,
    places_b: Any,
    nearest: Any,
    within: float,
    scratch: Scratch,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        offset = b.position - a.position
        contact = Nearest(
            nearest[k, 0],
            TVector(nearest[k, 1], nearest[k, 2], nearest[k, 3]),
            TVector(nearest[k, 4], nearest[k, 5], nearest[k, 6]) - a.position,
            TVector(nearest[k, 7], nearest[k, 8], nearest[k, 9]) - a.position,
        )
        if contact.separation > within + ROUNDING * size_of(a, b):
            continue
        single = a.normals - a.points == 1 or b.normals - b.points == 1
        if single or not _put_face_points(a, b, offset, contact, within, rows, k, scratch):
            normal = _sure_normal(a, b, offset, contact)
            contact = Nearest(contact.separation, normal, contact.point_a, contact.point_b)
            _put_edge_points(a, b, offset, contact, within, rows, k)


def _largest_face(side: Placing) -> int:
    """How many corners the largest face of any body has."""
    starts = set(side.places[:, 0].tolist())
    return max((points_of_largest_face(side.forms, int(start)) for start in starts), default=1)


def _ask(a: Placing, b: Placing, found: Distance, within: Any) -> np.ndarray:
    near = number(within, "the distance within which to look", 0.0)
    gaps = np.reshape(found.gap, (asked(a, b), 1))
    vectors = [np.reshape(each, (-1, 3)) for each in (found.normal, found.point_a, found.point_b)]
    most = _largest_face(a) + _largest_face(b) + 2
    rows = np.zeros((len(gaps), _POINTS + _PER_POINT * most))
    scratch = Scratch(*np.empty((3, most, 4)))
    nearest = np.hstack([gaps, *vectors])
    _manifolds(a.forms, a.places, b.forms, b.places, nearest, near, scratch, rows)
    return rows


def manifold(a: Body, b: Body, within: float = 0.0) -> Manifold:
    """Where two bodies touch, overlap or are within a distance of each other.

    Points whose gap is at most `within` [length]; what is as near as the nearest to a 1e-9th
    of the bodies' size is with it, so that turning by rounding changes nothing. Boxes that have
    been tilted by more than that stand on faces, and not on an edge, as long as `within` says
    that the faces are near enough: stacks want some.

    >>> from spheresim.convex import box
    >>> answer = manifold(box((1, 1, 1), position=(0.5, 0, 2)), box((1, 1, 1)))
    >>> int(answer.count), answer.normal.tolist(), answer.depth.tolist()
    (4, [0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0])
    >>> answer.points.tolist()
    [[1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-0.5, 1.0, 1.0], [-0.5, -1.0, 1.0]]
    """
    one, other = pair(a, b)
    return Manifold(_ask(one, other, gjk(a, b), within)[0])


def manifold_batch(a: Many, b: Many, within: float = 0.0) -> Manifold:
    """`manifold` of a[k] and b[k] for all k."""
    those, others = pairs(a, b)
    return Manifold(_ask(those, others, gjk_batch(those, others), within))
