"""The supporting face of a body in a direction, and the corners of that face in order.

A face is one of the planes of `slabs` that holds at least three points; in 2D, two.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.layout import HEADER
from spheresim.convex.geometry.posed_body import PosedBody, point_at, to_body, to_world
from spheresim.convex.geometry.slabs import COPLANAR, Slab, slab_at, surface_of
from spheresim.convex.geometry.support import support
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector

_BETTER = 1e-9
"""A face listed later must be better by this (a cosine), or rounding would choose."""


ANY_FACE = -math.inf
"""As the slack of `supporting_face`: the face need not hold the support point."""


class Face(NamedTuple):
    """A face: its slab, or -1 if there is none; whether it is the high plane; outward normal."""

    slab: int
    high: bool
    normal: TVector


@inlined
def _no_face() -> Face:
    return Face(-1, False, ZERO)


@inlined
def _face_at(body: PosedBody, surface: int, i: int, high: bool) -> Face:
    """Plane i of the slabs as a face, or none if too few points lie in it."""
    slab = slab_at(body, surface, i)
    if (slab.highest if high else slab.lowest) < body.dimension:
        return _no_face()
    return Face(i, high, to_world(body, slab.normal / (slab.length if high else -slab.length)))


@inlined
def _in_plane(body: PosedBody, slab: Slab, high: bool, i: int) -> bool:
    """Whether point i of the core lies in a plane of a slab."""
    header = body.points - HEADER
    height = slab.normal.dot(
        vector_at(body.rows, body.points + i) - vector_at(body.rows, header + 3)
    )
    slack = COPLANAR * body.rows[header + 4, 0] * slab.length
    return bool(height >= slab.high - slack if high else height <= slab.low + slack)


@routine
def supporting_face(body: PosedBody, direction: TVector, slack: float) -> Face:
    """The face whose normal is nearest to a direction of the world, if there is one.

    It must hold all points that are furthest in that direction, to `slack`; with `ANY_FACE`, any
    face will do.
    """
    surface, own = surface_of(body), to_body(body, direction)
    count = body.normals - body.points
    top = own.dot(vector_at(body.rows, body.points + support(body, direction))) - slack
    best, chosen, high = 0.0, -1, False
    for i in range(int(body.rows[surface, 0])):
        slab = slab_at(body, surface, i)
        along = slab.normal.dot(own) / slab.length
        points = slab.highest if along > 0.0 else slab.lowest
        if points < body.dimension or abs(along) <= best + _BETTER:
            continue
        holds = True
        for j in range(count):
            if own.dot(vector_at(body.rows, body.points + j)) >= top:
                holds &= _in_plane(body, slab, along > 0.0, j)
        if holds:
            best, chosen, high = abs(along), i, along > 0.0
    return _face_at(body, surface, chosen, high) if chosen >= 0 else _no_face()


@inlined
def core_gap(body: PosedBody, other: PosedBody, offset: TVector, face: Face) -> float:
    """How far another core lies beyond a face of this one; `offset`: to the other's position."""
    slab = slab_at(body, surface_of(body), face.slab)
    top = (slab.high if face.high else -slab.low) / slab.length
    centre = to_world(body, vector_at(body.rows, body.points - HEADER + 3))
    nearest = offset + point_at(other, support(other, -face.normal)) - centre
    return face.normal.dot(nearest) - top


@routine
def separating_face(body: PosedBody, other: PosedBody, offset: TVector, slack: float) -> Face:
    """The face beyond which another core lies furthest."""
    surface = surface_of(body)
    best, found = -math.inf, _no_face()
    for i in range(2 * int(body.rows[surface, 0])):
        face = _face_at(body, surface, i // 2, i % 2 == 1)
        if face.slab >= 0:
            beyond = core_gap(body, other, offset, face)
            if beyond > best + slack:
                best, found = beyond, face
    return found


@routine
def face_corners(body: PosedBody, offset: TVector, face: Face, corners: Floats) -> int:
    """Write a face's corners, anticlockwise from outside; return their number."""
    slab = slab_at(body, surface_of(body), face.slab)
    count = 0
    for i in range(body.normals - body.points):
        if _in_plane(body, slab, face.high, i):
            set_vector(corners, count, offset + point_at(body, i))
            count += 1
    if body.dimension == 3:
        _in_order(corners, count, face.normal)
    return count


@routine
def _in_order(corners: Floats, count: int, normal: TVector) -> None:
    """Sort the corners of a face by their angles about its middle, by insertion."""
    middle = ZERO
    for i in range(count):
        middle = middle + vector_at(corners, i) / count
    across = normal.perpendicular()
    upwards = normal.cross(across)
    for i in range(count):
        corner = vector_at(corners, i)
        angle = math.atan2((corner - middle).dot(upwards), (corner - middle).dot(across))
        j = i
        while j > 0 and corners[j - 1, 3] > angle:
            for column in range(4):
                corners[j, column] = corners[j - 1, column]
            j -= 1
        set_vector(corners, j, corner)
        corners[j, 3] = angle
