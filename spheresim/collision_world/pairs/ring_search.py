"""A convex body and a ring: where on the ring's circle they are nearest, or first meet.

A ring is the union of balls of one radius, its thickness, about all points of a circle. The gap of
such a ball from a convex body (negative: a depth), and the time at which a body that moves straight
hits it, are convex functions of the ball's centre. So a plane that separates the body from one ball
gives a lower bound for all other balls, which on the circle is a cosine. Arcs of the circle whose
bound is not below the least known value are dropped, the others are halved: branch and bound.

A body inside of a ring, where it is hollow, is in `ring_inside`.

Everything is seen from the middle of the ring.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.pairs.ring_inside import away_from, circle_at, furthest, leave
from spheresim.collision_world.pairs.side import Impact, Nearest
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.distance import contact_of
from spheresim.convex.geometry.layout import POSE_SIZE
from spheresim.convex.geometry.posed_body import (
    MinkowskiDifference,
    PosedBody,
    balls_of,
    difference_of,
    posed_body,
    to_world,
)
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.pair_query import Scratch
from spheresim.convex.ray_crossing import crossing, ray_in_body
from spheresim.convex.shapes import capsule, sphere
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector

_FIRST = 16
"""Arcs at first."""

_NARROW = 2.0 * math.pi / 1024
"""A narrower arc [rad] has at most one minimum, inside only if values fall from both ends."""

_NARROWEST = 2.0**-44
"""Arcs are not halved further [rad]."""

_ENOUGH = 2.0**-48
"""Relative to the sizes of both: an arc that can improve by less than this is dropped."""

_LEVEL = 2.0**-30
"""A slope less steep than this counts as level: the possible gain goes with its square."""


class Wire(NamedTuple):
    """A circle about the origin: two unit vectors in its plane, at right angles; its radius; how
    thick the ring about it is."""

    across: TVector
    beside: TVector
    radius: float
    thickness: float


class RingPairs(NamedTuple):
    """Pairs of bodies and rings as the rings see them.

    geometry: of all bodies; poses: of the bodies, (m, 13); rings: axis, radius and thickness,
    (m, 5); is_inside: which bodies have their middle, the mean of their corners, in a ring, (m,).
    """

    geometry: Floats
    poses: Floats
    rings: Floats
    is_inside: Booleans


class Sample(NamedTuple):
    """A ball of a ring: where it is on the circle [rad].

    value: its gap from a body; or of a body that moves when it hits the ball, or, if it does not,
    which `hit` says, how far it passes by. slope: no other ball has a value below this one's plus
    slope · (the way from this ball's centre to the other's).
    """

    angle: float
    value: float
    slope: TVector
    hit: bool


class RingScratch(NamedTuple):
    """Working memory.

    geometry, poses: of a point and a segment; arcs: not searched yet, each by the samples at its
    ends; simplices, polytope: of GJK and EPA.
    """

    geometry: Floats
    poses: Floats
    arcs: Floats
    simplices: Floats
    polytope: Any


def ring_scratch(polytope: Floats | None) -> RingScratch:
    """Working memory for one question at a time."""
    bodies = sphere(0.0).geometry, capsule((0, 0, 0), (0, 0, 1), 0.0).geometry
    poses = np.zeros((2, POSE_SIZE))
    poses[1, 0] = len(bodies[0])
    poses[:, 4:] = np.eye(3).ravel()
    arcs = np.empty((96, 2, 6))  # those at first, and one for each halving down to the narrowest
    simplices = np.zeros((2, CORNERS, COLUMNS))
    return RingScratch(np.concatenate(bodies), poses, arcs, simplices, polytope)


@inlined
def _wire_at(rings: Floats, k: int) -> Wire:
    """Row k of rings, (m, 5): axis, radius, thickness."""
    axis = TVector(rings[k, 0], rings[k, 1], rings[k, 2])
    across = axis.perpendicular()
    return Wire(across, axis.cross(across), rings[k, 3], rings[k, 4])


@inlined
def _on_circle(wire: Wire, angle: float) -> TVector:
    x, y = wire.radius * math.cos(angle), wire.radius * math.sin(angle)
    return wire.across * x + wire.beside * y


@inlined
def _along_circle(wire: Wire, angle: float) -> TVector:
    """The unit tangent, anticlockwise."""
    return wire.beside * math.cos(angle) - wire.across * math.sin(angle)


@routine
def _across_circle(wire: Wire, angle: float, direction: TVector) -> TVector:
    """The unit vector across the circle that is nearest to a direction."""
    along = _along_circle(wire, angle)
    across = direction - along * along.dot(direction)
    return across.unit() if across.mag() > _LEVEL else along.perpendicular()


@inlined
def _size(body: PosedBody, wire: Wire) -> float:
    """An upper bound on the distance of body and ring from the middle of the ring."""
    ball = balls_of(body)
    away = (body.position + ball.centre).mag()
    return away + ball.outer + body.radius + wire.radius + wire.thickness


# --- One ball -------------------------------------------------------------------------------------


@routine
def _gap_at(body: PosedBody, wire: Wire, angle: float, scratch: RingScratch) -> Sample:
    """How far a ball is from a body."""
    set_vector(scratch.poses[:, 1:4], 0, _on_circle(wire, angle))
    ball = posed_body(scratch.geometry, scratch.poses, 0)
    scratch.simplices[0, 0, INDEX_A] = -1.0
    memory = Scratch(scratch.simplices, scratch.polytope)
    found = contact_of(difference_of(body, ball), memory, 0, 1, LIMIT)
    return Sample(angle, found.separation - wire.thickness, -found.normal, True)


class Meeting(NamedTuple):
    """A body and a ring: the body moves until a time, or, if that is 0, stands still."""

    body: PosedBody
    wire: Wire
    velocity: TVector
    until: float


@routine
def _time_at(meeting: Meeting, angle: float, scratch: RingScratch) -> Sample:
    """When a body that moves hits a ball; seen from the body the ball moves along a segment."""
    body, wire, velocity, until = meeting
    centre, way, reach = _on_circle(wire, angle), velocity * -until, body.radius + wire.thickness
    set_vector(scratch.poses[:, 1:4], 1, centre)
    # The segment from 0 to z = 1 in a pose that makes z the way.
    scratch.poses[1, 6], scratch.poses[1, 9], scratch.poses[1, 12] = way.x, way.y, way.z
    swept = posed_body(scratch.geometry, scratch.poses, 1)
    scratch.simplices[0, 0, INDEX_A] = -1.0
    difference = MinkowskiDifference(body, swept, centre - body.position)
    near = closest(difference, scratch.simplices, 0, LIMIT, NEVER_ENOUGH)
    distance = near.point.mag()
    if not near.overlapping and distance > reach:
        return Sample(angle, distance - reach, near.point / -distance, False)
    origin, along = ray_in_body(body, centre, -velocity)
    met = crossing(body, origin, along, reach)
    outwards = to_world(body, met.normal)
    closing = outwards.dot(velocity)
    if not (met.enter <= until and closing > 0.0):
        return Sample(angle, 0.0, ZERO, False)  # it passes by, by rounding
    return Sample(angle, max(0.0, met.enter), outwards / closing, True)


@inlined
def _sample(meeting: Meeting, angle: float, scratch: RingScratch) -> Sample:
    """A ball as the body finds it."""
    if meeting.until > 0.0:
        return _time_at(meeting, angle, scratch)
    return _gap_at(meeting.body, meeting.wire, angle, scratch)


# --- All balls ------------------------------------------------------------------------------------


@routine
def _least_on(wire: Wire, at: Sample, begin: float, end: float) -> float:
    """The lower bound that one ball gives for those on an arc."""
    x, y = at.slope.dot(wire.across) * wire.radius, at.slope.dot(wire.beside) * wire.radius
    base = at.value - (x * math.cos(at.angle) + y * math.sin(at.angle))
    trough = math.atan2(y, x) + math.pi
    trough += 2.0 * math.pi * math.ceil((begin - trough) / (2.0 * math.pi))
    if trough <= end:
        return base - math.hypot(x, y)
    one, two = (
        x * math.cos(begin) + y * math.sin(begin),
        x * math.cos(end) + y * math.sin(end),
    )
    return base + min(one, two)


@inlined
def _falls(wire: Wire, at: Sample, ahead: float) -> bool:
    """Whether values become less from a ball on; ahead: 1.0 anticlockwise, −1.0 clockwise."""
    return ahead * at.slope.dot(_along_circle(wire, at.angle)) < -_LEVEL * at.slope.mag()


@routine
def _may_be_better(wire: Wire, one: Sample, two: Sample, least: float) -> bool:
    """Whether a ball between two others may have a value below the least one that is known."""
    wide = two.angle - one.angle
    if wide < _NARROWEST:
        return False
    for at in (one, two):
        if _least_on(wire, at, one.angle, two.angle) >= (least if at.hit else 0.0):
            return False
    if wide > _NARROW:
        return True
    onwards, backwards = _falls(wire, one, 1.0), _falls(wire, two, -1.0)
    if one.hit == two.hit:
        return onwards and backwards
    return onwards if one.hit else backwards


@inlined
def _push(arcs: Floats, count: int, one: Sample, two: Sample) -> None:
    for end in range(2):
        at = one if end == 0 else two
        arcs[count, end, 0], arcs[count, end, 1], arcs[count, end, 2] = at.angle, at.value, at.hit
        arcs[count, end, 3], arcs[count, end, 4] = at.slope.x, at.slope.y
        arcs[count, end, 5] = at.slope.z


@inlined
def _end_of(arcs: Floats, k: int, end: int) -> Sample:
    slope = TVector(arcs[k, end, 3], arcs[k, end, 4], arcs[k, end, 5])
    return Sample(arcs[k, end, 0], arcs[k, end, 1], slope, arcs[k, end, 2] != 0.0)


@inlined
def _better(one: Sample, two: Sample) -> Sample:
    return two if two.hit and two.value < one.value else one


@routine
def _least(meeting: Meeting, enough: float, scratch: RingScratch) -> Sample:
    """The ball of the least value, to `enough`; not hit if none is."""
    wire = meeting.wire
    best = Sample(0.0, math.inf, ZERO, False)
    last = first = _sample(meeting, 0.0, scratch)
    for k in range(_FIRST):
        best = _better(best, last)
        following = Sample(2.0 * math.pi, first.value, first.slope, first.hit)
        if k + 1 < _FIRST:
            angle = 2.0 * math.pi * (k + 1) / _FIRST
            following = _sample(meeting, angle, scratch)
        _push(scratch.arcs, k, last, following)
        last = following
    waiting = _FIRST
    while waiting > 0:
        waiting -= 1
        one, two = _end_of(scratch.arcs, waiting, 0), _end_of(scratch.arcs, waiting, 1)
        if _may_be_better(wire, one, two, best.value - enough):
            angle = 0.5 * (one.angle + two.angle)
            middle = _sample(meeting, angle, scratch)
            best = _better(best, middle)
            _push(scratch.arcs, waiting, one, middle)
            _push(scratch.arcs, waiting + 1, middle, two)
            waiting += 2
    return best


# --- Questions ------------------------------------------------------------------------------------


@kernel
def ring_contacts(pairs: RingPairs, scratch: RingScratch, found: Nearest) -> None:
    """Write how far bodies are from rings, the normals towards the bodies, and the points of both,
    as the rings see them."""
    gap, normal, on_body, on_ring = found
    for k in range(len(pairs.poses)):
        body, wire = posed_body(pairs.geometry, pairs.poses, k), _wire_at(pairs.rings, k)
        if pairs.is_inside[k]:
            circle = circle_at(pairs.rings, k)
            core = furthest(body, circle)
            outwards = away_from(circle, core)
            gap[k] = wire.thickness - body.radius - circle.distance_to(core)
            set_vector(normal, k, -outwards)
            set_vector(on_body, k, core + outwards * body.radius)
            set_vector(on_ring, k, core - circle.away(core) + outwards * wire.thickness)
        else:
            enough = _ENOUGH * _size(body, wire)
            best = _least(Meeting(body, wire, ZERO, 0.0), enough, scratch)
            gap[k] = best.value
            set_vector(normal, k, -best.slope)
            centre, towards = _on_circle(wire, best.angle), -best.slope
            set_vector(on_body, k, centre + towards * (wire.thickness + best.value))
            if best.value <= enough - (wire.thickness + body.radius):
                # The circle is in the core, and may leave it on both sides of the deepest ball.
                towards = _across_circle(wire, best.angle, towards)
            set_vector(on_ring, k, centre + towards * wire.thickness)


@kernel
def ring_impacts(
    pairs: RingPairs, velocities: Floats, dt: float, scratch: RingScratch, found: Impact
) -> None:
    """Write when bodies that do not turn, and do not touch yet, hit rings, up to dt; and how.

    velocities: of the bodies relative to the rings, (m, 3).
    """
    for k in range(len(pairs.poses)):
        body, velocity = posed_body(pairs.geometry, pairs.poses, k), vector_at(velocities, k)
        wire = _wire_at(pairs.rings, k)
        speed = velocity.mag()
        if speed == 0.0:
            continue
        if pairs.is_inside[k]:
            exit_at = leave(body, circle_at(pairs.rings, k), velocity, dt)
            if exit_at.time < math.inf:
                found.toi[k] = exit_at.time
                set_vector(found.normal, k, exit_at.normal)
                set_vector(found.point, k, exit_at.point)
            continue
        size = _size(body, wire)
        # Then it is past the ring, however long the step.
        until = min(dt, size / speed)
        meeting = Meeting(body, wire, velocity, until)
        best = _least(meeting, _ENOUGH * size / speed, scratch)
        if best.hit:
            towards = -best.slope.unit()
            found.toi[k] = best.value
            set_vector(found.normal, k, towards)
            set_vector(found.point, k, _on_circle(wire, best.angle) + towards * wire.thickness)
