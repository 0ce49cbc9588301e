"""Where two bodies lie against each other: a face on a face, on an edge, or two edges.

After C. Ericson, Real-Time Collision Detection, section 5, and D. Gregorius, Robust contact
creation for physics simulations (Game Developers Conference 2015): one body has a face that
separates the two as well as any axis does, the reference. The face of the other that holds its
deepest points, the incident one, is clipped against its sides; what is left and near enough is
the contact. Without a reference face there is one point, or two between nearly parallel edges.

Positions are measured from a's, along the world's axes. Cores are considered, without radii.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.contact.polygon_clipping import Side, clip_by_plane, without_repeats
from spheresim.convex.contact.supporting_face import (
    ANY_FACE,
    Face,
    core_gap,
    face_corners,
    separating_face,
    supporting_face,
)
from spheresim.convex.geometry.posed_body import MinkowskiDifference, PosedBody, balls_of, point_at
from spheresim.convex.geometry.slabs import edge_at, surface_of
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector

ROUNDING = 1e-9
"""Relative to the bodies' size: contacts nearer together than this count as one."""

_UNSURE = 1e-7
"""Relative to the bodies' size: the nearest points of cores nearer than this give no normal."""

_ALONG = 0.05
"""The sine of the angle up to which two edges, or two faces, count as parallel."""


class ClipBuffers(NamedTuple):
    """Three polygons, each of the corners of the largest faces of both bodies together."""

    reference: Floats
    incident: Floats
    clipped: Floats


@inlined
def size_of(a: PosedBody, b: PosedBody) -> float:
    """The size of two bodies together, to which tolerances are relative."""
    return balls_of(a).outer + balls_of(b).outer + a.radius + b.radius


class OffsetBody(NamedTuple):
    """A body, and its position from a's."""

    body: PosedBody
    offset: TVector


class Reference(NamedTuple):
    """The face against which the other body lies; whether it is a's."""

    face: Face
    of_a: bool


@routine
def reference_face(
    difference: MinkowskiDifference,
    normal: TVector,
    gap: float,
    size: float,
    within: float,
) -> Reference:
    """The face, of either body, that separates the cores by their gap, or by `within` less.

    Two faces that are not quite parallel may have an edge of each nearest, by a hair: as long as
    the faces are within reach, they are what the bodies stand on.
    `normal`: from b to a, as far as known; `gap`: of the cores.
    """
    a, b, offset = difference
    slack = ROUNDING * size
    least = gap - max(slack, within)
    if -_UNSURE * size < gap < _UNSURE * size:
        face_a = separating_face(a, b, offset, slack)
        face_b = separating_face(b, a, -offset, slack)
    else:
        face_a, face_b = supporting_face(a, -normal, ANY_FACE), supporting_face(b, normal, ANY_FACE)
        if face_a.normal.cross(normal).mag() > _ALONG or face_b.normal.cross(normal).mag() > _ALONG:
            least = gap - slack
    beyond_a = core_gap(a, b, offset, face_a) if face_a.slab >= 0 else -math.inf
    beyond_b = core_gap(b, a, -offset, face_b) if face_b.slab >= 0 else -math.inf
    # Of two that are equally good, a's: rounding must not choose.
    if beyond_b > beyond_a + slack and beyond_b >= least:
        return Reference(face_b, False)
    if beyond_a >= least:
        return Reference(face_a, True)
    return Reference(Face(-1, False, normal), True)


@inlined
def _core_points(body: PosedBody, offset: TVector, corners: Floats) -> int:
    """Write the one or two points of a core without faces; return their number."""
    count = body.normals - body.points
    for i in range(count):
        set_vector(corners, i, offset + point_at(body, i))
    return count


@routine
def face_patch(
    own: OffsetBody,
    other: OffsetBody,
    face: Face,
    slack: float,
    buffers: ClipBuffers,
) -> int:
    """Clip the incident face of `other` against the sides of `own`'s reference face.

    Leaves the corners of what remains in `buffers.incident`, and returns their number.
    """
    # The reference face, and what of the other body lies against it.
    sides = face_corners(own.body, own.offset, face, buffers.reference)
    incident = supporting_face(other.body, -face.normal, slack)
    if incident.slab < 0:
        incident = supporting_face(other.body, -face.normal, ANY_FACE)
    if incident.slab >= 0:
        count = face_corners(other.body, other.offset, incident, buffers.incident)
    else:
        count = _core_points(other.body, other.offset, buffers.incident)
    # Clip it against one side after the other.
    for i in range(sides):
        start = vector_at(buffers.reference, i)
        along = vector_at(buffers.reference, (i + 1) % sides) - start
        inwards = face.normal.cross(along) if own.body.dimension == 3 else along
        inwards = inwards / inwards.mag()
        side = Side(start, inwards)
        count = clip_by_plane(buffers.incident, count, side, slack, buffers.clipped)
        for j in range(count):
            set_vector(buffers.incident, j, vector_at(buffers.clipped, j))
    return without_repeats(buffers.incident, count, 4.0 * slack)


class Edge(NamedTuple):
    """A segment: its start and the vector to its end; whether there is one."""

    start: TVector
    along: TVector
    found: bool


@routine
def _edge_through(
    body: PosedBody, offset: TVector, point: TVector, normal: TVector, slack: float
) -> Edge:
    """Of the edges through a point of the core, the one most nearly perpendicular to the normal."""
    surface, least = surface_of(body), 1.0
    best = Edge(point, ZERO, False)
    for i in range(int(body.rows[surface, 1])):
        one, other = edge_at(body, surface, i)
        start = offset + point_at(body, one)
        along = offset + point_at(body, other) - start
        part = min(1.0, max(0.0, (point - start).dot(along) / along.mag_sqr()))
        tilt = abs(along.dot(normal)) / along.mag()
        if (start + along * part).dist_sqr(point) <= slack * slack and tilt < least - ROUNDING:
            best, least = Edge(start, along, True), tilt
    return best


class EdgeContact(NamedTuple):
    """Two pairs of opposite points of cores, on a and on b; whether there are any."""

    first_a: TVector
    first_b: TVector
    second_a: TVector
    second_b: TVector
    found: bool


@inlined
def _opposite(edge: Edge, point: TVector) -> TVector:
    """The point of an edge that is nearest to a point."""
    part = (point - edge.start).dot(edge.along) / edge.along.mag_sqr()
    return edge.start + edge.along * min(1.0, max(0.0, part))


@routine
def edge_pair(
    difference: MinkowskiDifference,
    on_a: TVector,
    on_b: TVector,
    normal: TVector,
    slack: float,
) -> EdgeContact:
    """The ends of the stretch along which two parallel edges through the nearest points overlap."""
    a, b, offset = difference
    edge_a = _edge_through(a, ZERO, on_a, normal, slack)
    edge_b = _edge_through(b, offset, on_b, normal, slack)
    none = EdgeContact(on_a, on_b, on_a, on_b, False)
    if not (edge_a.found and edge_b.found):
        return none
    lengths = edge_a.along.mag_sqr() * edge_b.along.mag_sqr()
    if edge_a.along.cross(edge_b.along).mag_sqr() > _ALONG * _ALONG * lengths:
        return none
    start = _opposite(edge_a, edge_b.start)
    end = _opposite(edge_a, edge_b.start + edge_b.along)
    if start.dist_sqr(end) <= 16.0 * slack * slack:
        return none
    return EdgeContact(start, _opposite(edge_b, start), end, _opposite(edge_b, end), True)
