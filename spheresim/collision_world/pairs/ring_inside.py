"""A convex body inside of a ring, which is hollow: the point of the body nearest to the wall.

It is the point furthest from the ring's circle: a corner of the body, or a point of an edge that
passes between the circle and the axis. The origin is the middle of the ring.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import PosedBody, point_at
from spheresim.convex.geometry.slabs import edge_at, surface_of
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.features.circle import Circle

_TOUCHING = 2.0**-40
"""In units of the ring's thickness: when a body moves, a smaller gap counts as touching."""


@routine
def _furthest_of_edge(circle: Circle, start: TVector, way: TVector) -> TVector:
    """The point between the ends of an edge that may be further from a circle than both.

    With d from the circle's middle, D its part across the axis and R the radius, half the slope of
    the squared distance along the edge e is d·e − R D·e/|D|. With E the part of e across the axis
    and p the distance at which the edge passes the axis, it falls only where |D|³ < R p²|E|²/|e|².
    """
    across, part = (
        start - circle.axis * start.dot(circle.axis),
        way - circle.axis * way.dot(circle.axis),
    )
    speed = part.mag_sqr()
    if speed == 0.0:
        return start
    middle = -across.dot(part) / speed
    passing = (across + part * middle).mag_sqr()
    cubed = circle.extent * passing * speed / way.mag_sqr()
    half = math.sqrt(max(0.0, math.pow(cubed, 2.0 / 3.0) - passing) / speed)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    if not low < high:
        return start
    while True:
        time = 0.5 * (low + high)
        if not low < time < high:
            return start + way * time
        there = across + part * time
        slope = (start + way * time).dot(way) - circle.extent * there.dot(part) / there.mag()
        low, high = (time, high) if slope > 0.0 else (low, time)


@routine
def furthest(body: PosedBody, circle: Circle) -> TVector:
    """The point of a body's core that is furthest from a circle."""
    best, far = body.position + point_at(body, 0), -1.0
    for i in range(body.normals - body.points):
        corner = body.position + point_at(body, i)
        if circle.distance_to(corner) > far:
            best, far = corner, circle.distance_to(corner)
    surface = surface_of(body)
    for i in range(int(body.rows[surface, 1])):
        one, two = edge_at(body, surface, i)
        start = body.position + point_at(body, one)
        inner = _furthest_of_edge(circle, start, point_at(body, two) - point_at(body, one))
        if circle.distance_to(inner) > far:
            best, far = inner, circle.distance_to(inner)
    return best


@inlined
def circle_at(rings: Floats, k: int) -> Circle:
    """The circle of row k of rings, (m, 5): axis, radius, thickness."""
    axis = TVector(rings[k, 0], rings[k, 1], rings[k, 2])
    return Circle(ZERO, axis, rings[k, 4], rings[k, 3], 1.0)


@inlined
def away_from(circle: Circle, point: TVector) -> TVector:
    """The direction away from a circle."""
    away = circle.away(point)
    return away.unit() if away.mag_sqr() > 0.0 else circle.axis


class Exit(NamedTuple):
    """When a body reaches a ring from inside, inf if not in time; the normal and the point then."""

    time: float
    normal: TVector
    point: TVector


@routine
def leave(body: PosedBody, circle: Circle, velocity: TVector, dt: float) -> Exit:
    """When a body in a ring hits it from inside: no point moves further than the body does, so that
    no step is too long."""
    time, speed = 0.0, velocity.mag()
    while time <= dt:
        back, axis = velocity * -time, circle.axis
        moved = Circle(back, axis, circle.rounding, circle.extent, circle.hollow)
        core = furthest(body, moved) - back
        gap = circle.rounding - body.radius - circle.distance_to(core)
        later = time + gap / speed
        if gap <= _TOUCHING * circle.rounding or later == time:
            outwards = away_from(circle, core)
            return Exit(time, -outwards, core - circle.away(core) + outwards * circle.rounding)
        time = later
    return Exit(math.inf, ZERO, ZERO)
