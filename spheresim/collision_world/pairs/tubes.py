"""Convex bodies inside of infinite cylinders: their corners, and when these reach the wall."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.body import Bodies
from spheresim.convex.geometry.motion import bounding_radius, motion_at, moved
from spheresim.convex.geometry.posed_body import PosedBody, point_at, posed_body
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder


class Tubes(NamedTuple):
    """Of many cylinders in the world: a point and the axis, unit, (m, 3); the radius, (m,)."""

    point: Any
    axis: Any
    radius: Any

    def taken(self, which: Any) -> "Tubes":
        """Some of them."""
        return Tubes(*(column[which] for column in self))


@inlined
def _from_axis(place: TVector, point: TVector, axis: TVector) -> TVector:
    """From a line, given by a point and a unit vector, at right angles to a place."""
    away = place - point
    return away - axis * away.dot(axis)


@inlined
def _outwards(radial: TVector, axis: TVector) -> TVector:
    """The direction away from an axis; any, if the place is on it."""
    return radial.unit() if radial.mag_sqr() > 0.0 else axis.perpendicular()


@routine
def _furthest(body: PosedBody, point: TVector, axis: TVector) -> int:
    """The corner that is furthest from a line."""
    best, far = -1.0, 0
    for i in range(body.normals - body.points):
        away = _from_axis(body.position + point_at(body, i), point, axis).mag_sqr()
        if away > best:
            best, far = away, i
    return far


@kernel
def furthest_corners(
    geometry: Any, poses: Any, tubes: Tubes, middle: Any, reach: Any, direction: Any, corner: Any
) -> None:
    """Write how far each body's middle (the mean of its corners) and its furthest corner are from
    the axis; in which direction that is, and where the corner is."""
    for k in range(len(poses)):
        body = posed_body(geometry, poses, k)
        point, axis = vector_at(tubes.point, k), vector_at(tubes.axis, k)
        mean, many = TVector(0.0, 0.0, 0.0), body.normals - body.points
        for i in range(many):
            mean = mean + point_at(body, i) / many
        middle[k] = _from_axis(body.position + mean, point, axis).mag()
        place = body.position + point_at(body, _furthest(body, point, axis))
        radial = _from_axis(place, point, axis)
        reach[k] = radial.mag()
        set_vector(direction, k, _outwards(radial, axis))
        set_vector(corner, k, place)


def corners_at_the_wall(bodies: Bodies, tubes: Tubes) -> tuple[Any, ...]:
    """Of all corners that reach the wall: of which body, (c,); point midway between the surfaces
    and normal, inwards, (c, 3); depth, (c,)."""
    room = 8 * len(bodies)
    while True:
        pair, depth = np.empty(room, np.int64), np.empty(room)
        place, normal = np.empty((2, room, 3))
        count = _at_the_wall(bodies.geometry, bodies.poses, tubes, pair, place, normal, depth)
        if count <= room:
            return pair[:count], place[:count], normal[:count], depth[:count]
        room = count


@kernel
def _at_the_wall(
    geometry: Any, poses: Any, tubes: Tubes, pair: Any, place: Any, normal: Any, depth: Any
) -> int:
    """Write the corners that reach the wall, as far as there is room; how many there are."""
    count = 0
    for k in range(len(poses)):
        body = posed_body(geometry, poses, k)
        point, axis = vector_at(tubes.point, k), vector_at(tubes.axis, k)
        for i in range(body.normals - body.points):
            core = body.position + point_at(body, i)
            radial = _from_axis(core, point, axis)
            gap = tubes.radius[k] - body.radius - radial.mag()
            if gap <= 0.0:
                if count < len(pair):
                    outwards = _outwards(radial, axis)
                    pair[count], depth[count] = k, -gap
                    set_vector(place, count, core + outwards * (body.radius + 0.5 * gap))
                    set_vector(normal, count, -outwards)
                count += 1
    return count


@kernel
def leaving_times(
    geometry: Any,
    poses: Any,
    speeds: Any,
    tubes: Tubes,
    toi: Any,
    normal: Any,
    point: Any,
) -> None:
    """Write when the first corner of each body reaches the wall from inside, inf if none does;
    where the two then touch, and the normal inwards there.

    speeds: velocities of the bodies and of the walls, (m, 3) each.
    """
    for k in range(len(poses)):
        body = posed_body(geometry, poses, k)
        tube = Cylinder(vector_at(tubes.point, k), vector_at(tubes.axis, k), tubes.radius[k])
        own = vector_at(speeds[0], k)
        relative = own - vector_at(speeds[1], k)
        best, first = math.inf, TVector(0.0, 0.0, 0.0)
        if relative.mag_sqr() > 0.0:
            for i in range(body.normals - body.points):
                core = body.position + point_at(body, i)
                time = tube.toi(TRay(core, relative), body.radius)
                if time < best:
                    best, first = time, core
        toi[k] = best
        if best < math.inf:
            radial = _from_axis(first + relative * best, tube.point, tube.axis)
            outwards = _outwards(radial, tube.axis)
            set_vector(point, k, first + own * best + outwards * body.radius)
            set_vector(normal, k, -outwards)


@kernel
def turning_times(
    geometry: Any,
    poses: Any,
    motions: Any,
    walls: Any,
    wall_poses: Any,
    wall_motions: Any,
    dt: float,
    tolerance: float,
    toi: Any,
    normal: Any,
    point: Any,
) -> None:
    """`leaving_times` of bodies or walls that turn, within a tolerance and never late.

    walls: the cylinders as capsules. By conservative advancement: no corner comes nearer to the
    wall by more than the largest speed that any of them can have.
    """
    for k in range(len(poses)):
        start, wall = posed_body(geometry, poses, k), posed_body(walls, wall_poses, k)
        motion, other = motion_at(motions, k, 0), motion_at(wall_motions, k, 0)
        relative, reach = (motion.velocity - other.velocity).mag(), bounding_radius(start)
        away = (start.position - wall.position).mag() + reach + relative * dt
        fastest = relative + motion.spin.mag() * reach + other.spin.mag() * away
        time = 0.0
        while time <= dt:
            body, tube = moved(start, motion, time), moved(wall, other, time)
            middle = tube.position + point_at(tube, 0)
            axis = (point_at(tube, 1) - point_at(tube, 0)).unit()
            core = body.position + point_at(body, _furthest(body, middle, axis))
            radial = _from_axis(core, middle, axis)
            gap = tube.radius - body.radius - radial.mag()
            if gap <= tolerance:
                outwards = _outwards(radial, axis)
                toi[k] = time
                set_vector(point, k, core + outwards * body.radius)
                set_vector(normal, k, -outwards)
                break
            time += gap / fastest
