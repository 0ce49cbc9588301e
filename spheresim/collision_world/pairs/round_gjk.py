"""A convex body and a disc or solid cylinder: GJK and EPA on a polygon that grows corners.

The round shape is a hull of points of its rims, at first eight of each. The nearest points of that
hull and the body, or the least way out of each other, have a normal; the point of the round shape
that is furthest along it becomes one more corner, until that is no further than the hull itself.
Then the answer for the hull is that for the shape. Each corner halves the arc in which the answer
lies, so its error becomes a quarter.

Everything is seen from the round shape: its middle is the origin.
"""

from typing import NamedTuple

import numpy as np

from spheresim.collision_world.pairs.side import Impact
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.compiler.support_index import LANES
from spheresim.convex.epa.expansion import expand
from spheresim.convex.geometry.layout import HEADER, POSE_SIZE
from spheresim.convex.geometry.posed_body import (
    MinkowskiDifference,
    PosedBodies,
    PosedBody,
    balls_of,
    point_at,
    posed_body,
)
from spheresim.convex.geometry.support import support
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest, witness_a
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

_CORNERS = 64
"""Most corners of the hull; each one that is added gains two binary digits."""

_FIRST = 8
"""Corners of each rim at first."""

_ENOUGH = 2.0**-46
"""Relative to the sizes of both: a corner further out by less than this is not added."""

_TOUCHING = 2.0**-40
"""Relative to the sizes of both: when two move, a gap smaller than this counts as touching."""

_MOST_STEPS = 100


class Round(NamedTuple):
    """A disc, or a cylinder with flat ends, about the origin: axis, unit; radius; half its length,
    0 of a disc."""

    axis: TVector
    radius: float
    half: float


class RoundScratch(NamedTuple):
    """Working memory: the hull's geometry and pose; simplices of GJK; polytope of EPA."""

    rows: Floats
    home: Floats
    simplices: Floats
    polytope: Floats


def round_scratch(polytope: Floats) -> RoundScratch:
    """Working memory for one question at a time."""
    rows, home = np.zeros((HEADER + 2 * _CORNERS, 3)), np.zeros((1, POSE_SIZE))
    rows[0, 0], rows[1, 2] = _CORNERS, 3.0
    home[0, 4:] = np.eye(3).ravel()
    return RoundScratch(rows, home, np.zeros((2, CORNERS, COLUMNS)), polytope)


class RoundContact(NamedTuple):
    """The gap; the normal, from the round shape towards the body; the body's nearest point, or
    its deepest."""

    gap: float
    normal: TVector
    point: TVector


class RoundContacts(NamedTuple):
    """The same of m pairs: (m,), (m, 3) and (m, 3)."""

    gap: Floats
    normal: Floats
    point: Floats


@inlined
def round_at(rounds: Floats, k: int) -> Round:
    """Row k of round shapes, (m, 5)."""
    return Round(TVector(rounds[k, 0], rounds[k, 1], rounds[k, 2]), rounds[k, 3], rounds[k, 4])


@routine
def _furthest(shape: Round, way: TVector) -> TVector:
    """The point of a round shape that is furthest in a direction."""
    along = way.dot(shape.axis)
    across = way - shape.axis * along
    end = shape.axis * (shape.half if along > 0.0 else -shape.half)
    if across.mag_sqr() <= 1e-30 * way.mag_sqr():
        return end + shape.axis.perpendicular() * shape.radius
    return end + across.unit() * shape.radius


@inlined
def _set_corner(rows: Floats, i: int, corner: TVector) -> None:
    """Write corner i of the hull, where GJK reads single points and where it reads four."""
    set_vector(rows, HEADER + i, corner)
    block, lane = HEADER + _CORNERS + i // LANES * LANES, i % LANES
    for axis in range(3):
        at = LANES * axis + lane
        value = corner.x if axis == 0 else (corner.y if axis == 1 else corner.z)
        rows[block + at // 3, at % 3] = value


@routine
def _first_corners(rows: Floats, shape: Round) -> int:
    """Write the first corners, and that all others are the first one; how many there are."""
    across = shape.axis.perpendicular()
    other, ends = shape.axis.cross(across), 2 if shape.half > 0.0 else 1
    for i in range(_CORNERS):
        turn = 2.0 * np.pi * (i % _FIRST) / _FIRST
        end = shape.axis * (shape.half if i < _FIRST else -shape.half)
        rim = across * (np.cos(turn) * shape.radius) + other * (np.sin(turn) * shape.radius)
        if i < ends * _FIRST:
            _set_corner(rows, i, end + rim)
        else:
            _set_corner(rows, i, vector_at(rows, HEADER))
    return ends * _FIRST


@routine
def round_contact(body: PosedBody, shape: Round, scratch: RoundScratch) -> RoundContact:
    """How far a body is from a round shape, or how deep in it."""
    count = _first_corners(scratch.rows, shape)
    hull = posed_body(scratch.rows, scratch.home, 0)
    difference = MinkowskiDifference(body, hull, -body.position)
    size = balls_of(body).outer + shape.radius + shape.half + body.position.mag()
    gap, normal, point = 0.0, shape.axis, body.position
    while True:
        scratch.simplices[0, 0, INDEX_A] = -1.0
        found = closest(difference, scratch.simplices, 0, LIMIT, NEVER_ENOUGH)
        distance = found.point.mag()
        if not found.overlapping and distance > _ENOUGH * size:
            gap, normal = distance, found.point / distance
            point = witness_a(body, scratch.simplices, 0)
        else:
            deep = expand(difference, scratch.simplices, 0, 1, scratch.polytope)
            if deep.tested > 0:
                # Of thin simplices GJK may take a small gap for an overlap: the axis decides.
                gap, normal = -deep.overlap, deep.axis
                point = witness_a(body, scratch.simplices, 1)
        corner = _furthest(shape, normal)
        gain = normal.dot(corner - point_at(hull, support(hull, normal)))
        if gain <= _ENOUGH * size or count == _CORNERS:
            # Along the normal the two are apart by the gap less the gain, or so deep in each other.
            # It matters where many directions are as good, as from the middle of a disc.
            on_body = body.position + point - normal * body.radius
            return RoundContact(gap - max(0.0, gain) - body.radius + 0.0, normal, on_body)
        _set_corner(scratch.rows, count, corner)
        count += 1


@kernel
def round_contacts(
    bodies: PosedBodies, rounds: Floats, scratch: RoundScratch, found: RoundContacts
) -> None:
    """Write how far bodies are from round shapes; poses as these see them, (m, 13)."""
    for k in range(len(bodies.poses)):
        body = posed_body(bodies.geometry, bodies.poses, k)
        contact = round_contact(body, round_at(rounds, k), scratch)
        found.gap[k] = contact.gap
        set_vector(found.normal, k, contact.normal)
        set_vector(found.point, k, contact.point)


@kernel
def round_impacts(
    bodies: PosedBodies,
    rounds: Floats,
    velocities: Floats,
    dt: float,
    scratch: RoundScratch,
    found: Impact,
) -> None:
    """Write when bodies that do not turn first touch round shapes, up to dt; and how, if they do.

    Each step ends where the planes that part the two touch, which is never late; it is the exact
    time, to rounding, after a few.
    """
    poses = bodies.poses
    for k in range(len(poses)):
        shape, velocity = round_at(rounds, k), vector_at(velocities, k)
        start, time = vector_at(poses[:, 1:4], k), 0.0
        for _ in range(_MOST_STEPS):
            set_vector(poses[:, 1:4], k, start + velocity * time)
            body = posed_body(bodies.geometry, poses, k)
            near = round_contact(body, shape, scratch)
            set_vector(found.normal, k, near.normal)
            set_vector(found.point, k, near.point)
            size = balls_of(body).outer + body.radius + shape.radius + shape.half
            if near.gap <= _TOUCHING * size:
                found.toi[k] = time
                break
            closing = -near.normal.dot(velocity)
            if closing <= 0.0:
                break
            # Half of what counts as touching is left: where two overlap, by rounding, the points
            # in which they touch are not well defined.
            later = time + (near.gap - 0.5 * _TOUCHING * size) / closing
            if later > dt:
                break
            if later == time:
                found.toi[k] = time
                break
            time = later
        set_vector(poses[:, 1:4], k, start)
