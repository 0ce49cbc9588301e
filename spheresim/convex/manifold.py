"""The contact manifold: all points at which two bodies lie against each other.

`gjk` finds one pair of points. A box on a box touches at four, and needs all of them to stand: the
corners of the region in which the two faces overlap (see `contact.patch`). With a distance
`within`, bodies that do not touch yet have a manifold too.

Signs: `normal` is a unit vector from b towards a; a depth is positive where the bodies overlap
and negative where there is still a gap.
"""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import routine
from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.contact.patch import (
    ROUNDING,
    ClipBuffers,
    OffsetBody,
    edge_pair,
    face_patch,
    reference_face,
    size_of,
)
from spheresim.convex.distance import Distance, gjk, gjk_batch
from spheresim.convex.geometry.posed_body import MinkowskiDifference
from spheresim.convex.geometry.slabs import points_of_largest_face
from spheresim.convex.gjk.search import NEVER_ENOUGH
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import ManyBodies, pair, pairs
from spheresim.convex.query_result import VECTOR, WHOLE, Field, QueryResult, without_minus_zero
from spheresim.convex.separating_axes.axes import least_overlap, many_axes
from spheresim.numerics.arguments import number
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector


class Manifold(QueryResult):
    """The answer of `manifold` for one pair.

    For many, every field has a leading axis, and missing points are zeros.
    """

    __slots__ = ("_contacts",)

    def __init__(self, records: np.ndarray, contacts: np.ndarray) -> None:
        """`contacts`: of each pair's points x, y, z and the depth, shape (…, most, 4)."""
        self.records = records
        self._contacts = contacts if records.ndim else contacts[: int(self.count)]

    count = Field(WHOLE, "The number of points; 0 if the bodies are apart.")
    normal = Field(
        VECTOR, "Common to all points, unit, from b towards a; zeros if the bodies are apart."
    )

    @property
    def points(self) -> np.ndarray:
        """In the world, midway between the surfaces, in order around the region: (count, 3)."""
        return self._contacts[..., :3]

    @property
    def depth(self) -> np.ndarray:
        """The depth of the overlap at each point [length], negative for a gap: (count,)."""
        return self._contacts[..., 3]


class Contacts(NamedTuple):
    """Where the manifold of pair k is written: all records; x, y, z and depth of all points."""

    records: np.ndarray
    points: Floats
    k: int


class Nearest(NamedTuple):
    """The gap; normal from b to a; the nearest or deepest points, from a's position."""

    separation: float
    normal: TVector
    point_a: TVector
    point_b: TVector


@routine
def _add_point(contacts: Contacts, point: TVector, depth: float) -> None:
    k = contacts.k
    i = contacts.records[k]["count"]
    set_vector(contacts.points[k], i, point)
    contacts.points[k, i, 3] = depth + 0.0
    contacts.records[k]["count"] = i + 1


@routine
def _add_face_points(
    difference: MinkowskiDifference,
    contact: Nearest,
    within: float,
    contacts: Contacts,
    buffers: ClipBuffers,
) -> bool:
    """Add the points of a face contact; False if there is none."""
    a, b, offset = difference
    size, radii, nowhere = size_of(a, b), a.radius + b.radius, ZERO
    slack = ROUNDING * size
    gap_of_cores = contact.separation + radii
    # The face that separates the two, and the other body's face clipped against its sides.
    found = reference_face(difference, contact.normal, gap_of_cores, size, within)
    face = found.face
    if face.slab < 0:
        return False
    of_a, of_b = OffsetBody(a, nowhere), OffsetBody(b, offset)
    if found.of_a:
        count = face_patch(of_a, of_b, face, slack, buffers)
        radius, sign = b.radius, -1.0
    else:
        count = face_patch(of_b, of_a, face, slack, buffers)
        radius, sign = a.radius, 1.0
    # Those of the clipped corners that are near enough.
    top = vector_at(buffers.reference, 0)
    furthest = max(within, contact.separation) + slack
    for i in range(count):
        point = vector_at(buffers.incident, i)
        gap = face.normal.dot(point - top) - radii
        if gap <= furthest:
            middle = point - face.normal * (radius + 0.5 * gap)
            _add_point(contacts, a.position + middle, -gap)
    set_vector(contacts.records["normal"], contacts.k, without_minus_zero(face.normal * sign))
    return bool(contacts.records[contacts.k]["count"] > 0)


@routine
def _add_edge_points(
    difference: MinkowskiDifference, contact: Nearest, within: float, contacts: Contacts
) -> None:
    """Add two points between nearly parallel edges, else one between the nearest points."""
    a, b, _ = difference
    normal, radii = contact.normal, a.radius + b.radius
    slack = ROUNDING * size_of(a, b)
    furthest = max(within, contact.separation) + slack
    # Both ends of the stretch along which two edges run beside each other.
    # (Where edges cross there is none; capsules on one axis have it.)
    is_apart = contact.separation + radii > slack
    are_segments = a.normals - a.points == 2 and b.normals - b.points == 2
    if (is_apart or are_segments) and a.dimension == 3:
        on_a, on_b = contact.point_a + normal * a.radius, contact.point_b - normal * b.radius
        pair = edge_pair(difference, on_a, on_b, normal, slack)
        gap = pair.first_a.dist(pair.first_b) - radii
        other_gap = pair.second_a.dist(pair.second_b) - radii
        is_along = is_apart or max(gap, other_gap) + radii <= slack
        if pair.found and is_along and gap <= furthest and other_gap <= furthest:
            middle = pair.first_a - normal * (a.radius + 0.5 * gap)
            _add_point(contacts, a.position + middle, -gap)
            middle = pair.second_a - normal * (a.radius + 0.5 * other_gap)
            _add_point(contacts, a.position + middle, -other_gap)
    # Else the one between the nearest points.
    if contacts.records[contacts.k]["count"] == 0:
        middle = (contact.point_a + contact.point_b) * 0.5
        _add_point(contacts, a.position + middle, -contact.separation)
    set_vector(contacts.records["normal"], contacts.k, without_minus_zero(normal))


@routine
def _sure_normal(difference: MinkowskiDifference, contact: Nearest) -> TVector:
    """The normal; for edges that just touch, to rounding, the axis of least overlap."""
    a, b, _ = difference
    gap, size = contact.separation + a.radius + b.radius, size_of(a, b)
    if 0.0 < gap < ROUNDING * size and not many_axes(a, b):
        found = least_overlap(difference, NEVER_ENOUGH)
        if found.tested > 0 and -found.overlap >= gap - ROUNDING * size:
            return found.axis
    return contact.normal


@routine
def _manifold(
    difference: MinkowskiDifference,
    k: int,
    _scratch: Scratch,
    given: tuple[np.ndarray, float, ClipBuffers, Floats],
    records: np.ndarray,
) -> None:
    """Answer `manifold` of pair k; given: see `_ask`, where it is called."""
    nearest, within, buffers, points = given
    a, b = difference.a, difference.b
    contact = Nearest(
        nearest[k]["gap"],
        vector_at(nearest["normal"], k),
        vector_at(nearest["point_a"], k) - a.position,
        vector_at(nearest["point_b"], k) - a.position,
    )
    contacts = Contacts(records, points, k)
    records[k]["count"] = 0
    set_vector(records["normal"], k, ZERO)
    if contact.separation <= within + ROUNDING * size_of(a, b):
        is_ball = a.normals - a.points == 1 or b.normals - b.points == 1
        if is_ball or not _add_face_points(difference, contact, within, contacts, buffers):
            normal = _sure_normal(difference, contact)
            contact = Nearest(contact.separation, normal, contact.point_a, contact.point_b)
            _add_edge_points(difference, contact, within, contacts)


_manifolds = pair_kernel(_manifold)


def _largest_face(side: BodyArrays) -> int:
    """How many corners the largest face of any body has."""
    starts = set(side.poses[:, 0].tolist())
    return max((points_of_largest_face(side.geometry, int(start)) for start in starts), default=1)


def _ask(
    a: BodyArrays, b: BodyArrays, nearest: Distance, within: float
) -> tuple[np.ndarray, np.ndarray]:
    """The records of all pairs, and their contact points, shape (n, most, 4)."""
    near = number(within, "the distance within which to look", 0.0)
    most = _largest_face(a) + _largest_face(b) + 2
    points = np.zeros((len(a.poses), most, 4))
    found = np.atleast_1d(nearest.records)
    buffers = ClipBuffers(*np.empty((3, most, 4)))
    return ask(_manifolds, a, b, Manifold.dtype, found, near, buffers, points), points


def manifold(a: Body, b: Body, within: float = 0.0) -> Manifold:
    """All points at which two bodies touch, overlap or are within a distance of each other.

    Returns a `Manifold`: count, points, depth, and a normal from b towards a. A point is in the
    manifold if its gap is at most `within` [length]. So that rounding does not change the number of
    points, a point is also included if its gap exceeds that of the nearest point by at most 1e-9 of
    the bodies' size. A box that is tilted by more touches with an edge only: for stacks of boxes,
    give a `within` that is larger than the gap by which they are tilted.

    >>> from spheresim.convex import box
    >>> answer = manifold(box((1, 1, 1), position=(0.5, 0, 2)), box((1, 1, 1)))
    >>> int(answer.count), answer.normal.tolist(), answer.depth.tolist()
    (4, [0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0])
    >>> answer.points.tolist()
    [[1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-0.5, 1.0, 1.0], [-0.5, -1.0, 1.0]]
    """
    one, other = pair(a, b)
    records, contacts = _ask(one, other, gjk(a, b), within)
    return Manifold(records.reshape(()), contacts[0])


def manifold_batch(a: ManyBodies, b: ManyBodies, within: float = 0.0) -> Manifold:
    """Manifolds of many pairs of bodies: row k is `manifold` of a[k] and b[k]."""
    those, others = pairs(a, b)
    return Manifold(*_ask(those, others, gjk_batch(those, others), within))
