"""When a moving point comes within a distance of a core: the formula of rays and swept spheres.

A moving sphere against a thing is a moving point against the thing grown by the radius. A
polytope grown by s is the union of its faces moved out by s, of cylinders around its edges and
spheres around its corners (C. Ericson, Real-Time Collision Detection, section 5.5.7), so the
first entry into any of them is exact. Each may be cut off bluntly at its ends: a point that
crosses the cut has entered the neighbouring part before. Only one face can be met, the last
reached of those that look towards the point (M. Cyrus and J. Beck, 1978; T. L. Kay and
J. T. Kajiya, 1986). If the point arrives there beside the face proper, the edges and corners
decide. With reach 0 there are only faces.

Times are those of the whole line, past and future: −inf where it is always within reach, inf
where it never is. All in the body's own frame, from the centre of its balls.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.layout import HEADER
from spheresim.convex.geometry.posed_body import PosedBody, to_body
from spheresim.convex.geometry.slabs import edge_at, slab_at, surface_of
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector

_ROUNDING = 2.0**-48
"""Relative to the lengths involved: safety margin; exceeds the error of a point on a face."""

_FAR = 1e9
"""Relative to the body's size: a start further away than this is first moved near the body."""

_MOST_STEPS = 50


class Entry(NamedTuple):
    """When the line comes within reach; the unit normal there, zero if it never does."""

    time: float
    normal: TVector


@inlined
def _centre(body: PosedBody) -> TVector:
    return vector_at(body.rows, body.points - HEADER + 3)


@inlined
def ray_in_body(body: PosedBody, origin: TVector, direction: TVector) -> tuple[TVector, TVector]:
    """A ray in the body's frame, its origin measured from the centre of the body's balls."""
    return to_body(body, origin - body.position) - _centre(body), to_body(body, direction)


@inlined
def _in_core(body: PosedBody, surface: int, point: TVector, slack: float) -> bool:
    for i in range(int(body.rows[surface, 0])):
        slab = slab_at(body, surface, i)
        height, beyond = slab.normal.dot(point), slack * slab.length
        if not slab.low - beyond <= height <= slab.high + beyond:
            return False
    return True


@routine
def _through_slabs(
    body: PosedBody, surface: int, origin: TVector, velocity: TVector, reach: float
) -> Entry:
    """When a moving point enters the intersection of all slabs, each grown by the reach."""
    enter, leave, normal = -math.inf, math.inf, ZERO
    for i in range(int(body.rows[surface, 0])):
        slab = slab_at(body, surface, i)
        speed, at, grown = slab.normal.dot(velocity), slab.normal.dot(origin), reach * slab.length
        to_low, to_high = slab.low - grown - at, slab.high + grown - at
        if speed == 0.0:
            if to_low > 0.0 or to_high < 0.0:
                return Entry(math.inf, ZERO)
            continue
        first, last = (to_low, to_high) if speed > 0.0 else (to_high, to_low)
        if first / speed > enter:
            enter = first / speed
            normal = slab.normal / (-slab.length if speed > 0.0 else slab.length)
        leave = min(leave, last / speed)
        if enter > leave:
            return Entry(math.inf, ZERO)
    return Entry(enter, normal)


@routine
def _into_edges(
    body: PosedBody, surface: int, origin: TVector, velocity: TVector, reach: float
) -> Entry:
    """When a moving point enters the first of the cylinders around the edges."""
    best, normal = math.inf, ZERO
    centre = _centre(body)
    for i in range(int(body.rows[surface, 1])):
        one, other = edge_at(body, surface, i)
        start = vector_at(body.rows, body.points + one)
        along = vector_at(body.rows, body.points + other) - start
        length = along.mag()
        axis, from_start = along / length, origin - (start - centre)
        # Crossed with the axis, the cylinder is a circle: lengths across the axis are kept.
        quadratic = contact_quadratic(from_start.cross(axis), velocity.cross(axis), reach)
        time = quadratic.first_crossing()
        if -math.inf < time < best:
            arm = from_start + velocity * time
            height = arm.dot(axis)
            if 0.0 <= height <= length:
                best, normal = time, arm - axis * height
    return Entry(best, normal)


@routine
def _into_corners(body: PosedBody, origin: TVector, velocity: TVector, reach: float) -> Entry:
    """When a moving point enters the first of the spheres around the corners."""
    best, normal = math.inf, ZERO
    centre = _centre(body)
    for i in range(body.normals - body.points):
        arm = origin - (vector_at(body.rows, body.points + i) - centre)
        time = contact_quadratic(arm, velocity, reach).first_crossing()
        if time < best:
            best, normal = time, arm + velocity * time
    return Entry(best, normal)


@routine
def entry(body: PosedBody, origin: TVector, velocity: TVector, reach: float) -> Entry:
    """When a point that moves along a line first comes within reach of a core; it must move."""
    surface = surface_of(body)
    # The face that is reached last, if it is met where it is not rounded off.
    if body.rows[surface, 0] > 0.0:
        face = _through_slabs(body, surface, origin, velocity, reach)
        if face.time == math.inf or reach == 0.0:
            return face
        foot = origin + velocity * face.time - face.normal * reach
        slack = _ROUNDING * (origin.mag() + body.rows[body.points - 1, 0] + reach)
        if _in_core(body, surface, foot, slack):
            return face
    # Else the first of the rounded edges and corners.
    found = _into_edges(body, surface, origin, velocity, reach)
    corner = _into_corners(body, origin, velocity, reach)
    if corner.time < found.time:
        found = corner
    length = found.normal.mag()
    return Entry(found.time, found.normal / length if length > 0.0 else _against(velocity))


@inlined
def _against(velocity: TVector) -> TVector:
    """The normal on a core that is a point, and met at its centre."""
    return velocity / -velocity.mag()


class Crossing(NamedTuple):
    """When a point comes within reach and leaves; the outward normals at both."""

    enter: float
    leave: float
    normal: TVector
    normal_at_leave: TVector


@routine
def crossing(body: PosedBody, origin: TVector, velocity: TVector, reach: float) -> Crossing:
    """From when to when a moving point is within reach of a core; (inf, −inf) if never.

    `origin`, `velocity`: in the body's frame, from the centre of its balls; not at rest.
    """
    # Scaled by a power of two to about 1, the velocity's square neither over- nor underflows.
    scale = math.ldexp(1.0, min(1000, -math.frexp(_largest(velocity))[1]))
    unit = velocity * scale
    near, start = _from_nearby(body, origin, unit, reach)
    never = Crossing(math.inf, -math.inf, ZERO, ZERO)
    if start == math.inf:
        return never
    into = entry(body, near, unit, reach)
    if (into.time + start) * scale == math.inf:
        return never
    # The last contact is the first one of the reversed motion.
    out = entry(body, near, -unit, reach)
    if -out.time < into.time:  # a graze, by rounding
        out = Entry(-into.time, into.normal)
    enter, leave = (into.time + start) * scale, (start - out.time) * scale
    return Crossing(enter, leave, into.normal, out.normal)


@inlined
def _largest(vector: TVector) -> float:
    return max(abs(vector.x), abs(vector.y), abs(vector.z))


@routine
def _from_nearby(
    body: PosedBody, origin: TVector, velocity: TVector, reach: float
) -> tuple[TVector, float]:
    """Where and when to start: the origin at 0, or, if that is far away, a point near the body.

    Rounding is relative to the distance either way, but near the body no square overflows. The
    time is inf if the line misses the body.
    """
    size, start = body.rows[body.points - 1, 0] + reach, 0.0
    for _ in range(_MOST_STEPS):  # each step leaves the rounding of the one before
        way = _largest(origin)
        if way <= _FAR * size:
            break
        time = -origin.dot(velocity) / velocity.mag_sqr()
        origin, start = origin + velocity * time, start + time
        if _largest(origin) > size + _ROUNDING * way:
            return origin, math.inf
    return origin, start
