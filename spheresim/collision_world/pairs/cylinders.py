"""A convex body and an infinite cylinder, which is a thin wall.

For a body whose middle is outside, the cylinder is a capsule so long that the body reaches
neither end. A body whose middle is inside is stopped by its point that is furthest from the axis.
That point is a corner of the convex body, so each corner is a ball in a tube.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.collision_world.pairs import bodies
from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    PairAnswers,
    Points,
    Side,
    impacts,
    warn_of_unfinished,
    write_start,
    written_points,
)
from spheresim.collision_world.parts import CONVEX
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.body import Bodies
from spheresim.convex.conservative_advancement import MOST_STEPS, PATIENCE
from spheresim.convex.geometry.motion import bounding_radius, motion_at, moved
from spheresim.convex.geometry.posed_body import PosedBodies, PosedBody, point_at, posed_body
from spheresim.convex.shapes import hull
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.cylinder import Cylinder


class Tubes(NamedTuple):
    """Of many cylinders in the world: a point and the axis, unit, (m, 3); the radius, (m,)."""

    point: Floats
    axis: Floats
    radius: Floats

    def taken(self, which: Integers) -> "Tubes":
        """Some of them."""
        return Tubes(*(column[which] for column in self))


class Corners(NamedTuple):
    """Of each body the corner that is furthest from its cylinder's axis. reach: its distance from
    the axis, (m,); direction: from the axis to it; place: itself, (m, 3) each."""

    reach: Floats
    direction: Floats
    place: Floats


class MovingBodies(NamedTuple):
    """Many bodies: their geometries, poses (m, 13), and velocities and spins (m, 1, 2, 3)."""

    geometry: Floats
    poses: Floats
    motions: Floats


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
def furthest_corners(bodies: PosedBodies, tubes: Tubes, middle: Floats, found: Corners) -> None:
    """Write the distance from the axis of each body's middle (the mean of its corners), and its
    furthest corner."""
    for k in range(len(middle)):
        body = posed_body(bodies.geometry, bodies.poses, k)
        point, axis = vector_at(tubes.point, k), vector_at(tubes.axis, k)
        mean, many = ZERO, body.normals - body.points
        for i in range(many):
            mean = mean + point_at(body, i) / many
        middle[k] = _from_axis(body.position + mean, point, axis).mag()
        place = body.position + point_at(body, _furthest(body, point, axis))
        radial = _from_axis(place, point, axis)
        found.reach[k] = radial.mag()
        set_vector(found.direction, k, _outwards(radial, axis))
        set_vector(found.place, k, place)


@kernel
def _at_the_wall(bodies: PosedBodies, tubes: Tubes, found: Points) -> int:
    """Write the corners that reach the wall, see `written_points`; normals are inwards."""
    count = 0
    for k in range(len(bodies.poses)):
        body = posed_body(bodies.geometry, bodies.poses, k)
        point, axis = vector_at(tubes.point, k), vector_at(tubes.axis, k)
        for i in range(body.normals - body.points):
            core = body.position + point_at(body, i)
            radial = _from_axis(core, point, axis)
            gap = tubes.radius[k] - body.radius - radial.mag()
            if gap <= 0.0:
                if count < len(found.pair):
                    outwards = _outwards(radial, axis)
                    found.pair[count], found.depth[count] = k, -gap
                    set_vector(found.point, count, core + outwards * (body.radius + 0.5 * gap))
                    set_vector(found.normal, count, -outwards)
                count += 1
    return count


@kernel
def leaving_times(
    bodies: PosedBodies, speeds: tuple[Floats, Floats], tubes: Tubes, found: Impact
) -> None:
    """Write when the first corner of each body reaches the wall from inside, inf if none does;
    where the two then touch, and the normal inwards there.

    speeds: velocities of the bodies and of the walls, (m, 3) each.
    """
    for k in range(len(bodies.poses)):
        body = posed_body(bodies.geometry, bodies.poses, k)
        tube = Cylinder(vector_at(tubes.point, k), vector_at(tubes.axis, k), tubes.radius[k])
        own = vector_at(speeds[0], k)
        relative = own - vector_at(speeds[1], k)
        best, first = math.inf, ZERO
        if relative.mag_sqr() > 0.0:
            for i in range(body.normals - body.points):
                core = body.position + point_at(body, i)
                time = tube.toi(TRay(core, relative), body.radius)
                if time < best:
                    best, first = time, core
        found.toi[k] = best
        if best < math.inf:
            radial = _from_axis(first + relative * best, tube.point, tube.axis)
            outwards = _outwards(radial, tube.axis)
            set_vector(found.point, k, first + own * best + outwards * body.radius)
            set_vector(found.normal, k, -outwards)


@kernel
def turning_times(
    inner: MovingBodies, walls: MovingBodies, dt: float, tolerance: float, found: Impact
) -> int:
    """`leaving_times` of bodies or walls that turn, within a tolerance and never late.

    walls: the cylinders as capsules. By conservative advancement: no corner comes nearer to the
    wall by more than the largest speed that any of them can have. In a wall that does not turn, the
    ball that a turning body sweeps may be safe for longer. Returns how many searches the limit on
    steps ended.
    """
    unfinished = 0
    for k in range(len(inner.poses)):
        start = posed_body(inner.geometry, inner.poses, k)
        wall = posed_body(walls.geometry, walls.poses, k)
        motion, other = motion_at(inner.motions, k, 0), motion_at(walls.motions, k, 0)
        relative, reach = (motion.velocity - other.velocity).mag(), bounding_radius(start)
        away = (start.position - wall.position).mag() + reach + relative * dt
        fastest = relative + motion.spin.mag() * reach + other.spin.mag() * away
        time, steps = 0.0, 0
        while time <= dt:
            if steps == MOST_STEPS:
                unfinished += 1
                break
            steps += 1
            body, tube = moved(start, motion, time), moved(wall, other, time)
            middle = tube.position + point_at(tube, 0)
            axis = (point_at(tube, 1) - point_at(tube, 0)).unit()
            core = body.position + point_at(body, _furthest(body, middle, axis))
            radial = _from_axis(core, middle, axis)
            gap = tube.radius - body.radius - radial.mag()
            if gap <= tolerance:
                outwards = _outwards(radial, axis)
                found.toi[k] = time
                set_vector(found.point, k, core + outwards * body.radius)
                set_vector(found.normal, k, -outwards)
                break
            stride = gap / fastest
            if steps > PATIENCE and other.spin.mag_sqr() == 0.0:
                inwards = _from_axis(body.position, middle, axis).mag()
                room = tube.radius - body.radius - reach - inwards - 0.5 * tolerance
                if room > 0.0:
                    stride = max(stride, room / relative if relative > 0.0 else math.inf)
            time += stride
    return unfinished


class _Seen(NamedTuple):
    """Bodies in or beside their cylinders.

    inside, outside: indices of pairs, by the body's middle; tubes, furthest: of all pairs.
    """

    inside: Integers
    outside: Integers
    tubes: Tubes
    furthest: Corners


def _seen(a: Side, b: Side) -> _Seen:
    """Which bodies are inside of their cylinders, and their corners furthest from the axis."""
    own = np.array([solid.axis for solid in b.solids]).reshape(-1, 3)
    offsets = np.array([solid.point for solid in b.solids]).reshape(-1, 3)
    radii = np.array([solid.radius for solid in b.solids])
    tubes = Tubes(b.positions + b.to_world(offsets), b.to_world(own), radii)
    middle, reach = np.empty((2, len(radii)))
    furthest = Corners(reach, *np.empty((2, len(radii), 3)))
    furthest_corners(a.posed, tubes, middle, furthest)
    is_inside = middle < radii
    return _Seen(np.flatnonzero(is_inside), np.flatnonzero(~is_inside), tubes, furthest)


def _pillars(a: Side, b: Side, dt: float) -> Side:
    """Cylinders as capsules whose ends no body can reach in a step."""
    speed = np.linalg.norm(a.velocities - b.velocities, axis=1)
    away = np.linalg.norm(a.positions - b.positions, axis=1) + a.reaches + speed * dt
    rows, firsts, which = np.unique(b.row, return_index=True, return_inverse=True)
    capsules = []
    for row, first in zip(rows, firsts, strict=True):
        solid, pose = b.solids[first], b.poses[first]
        wide = 4.0 * (float(away[b.row == row].max()) + solid.radius + solid.point.mag())
        ends = [solid.point - solid.axis * wide, solid.point + solid.axis * wide]
        capsules.append(hull(ends, radius=solid.radius).at(pose[1:4], pose[4:].reshape(3, 3)))
    made = Bodies.of(capsules)[which.ravel()]
    motions = np.stack([b.velocities, _tilting(b)], axis=1)
    kinds = np.full(len(b.row), CONVEX)
    return Side(made.geometry, made.poses, motions, kinds, b.solids, b.row, b.piece)


def _tilting(b: Side) -> Floats:
    """The spins of cylinders, (m, 3), without those that turn one about its own axis."""
    spins = b.motions[:, 1].copy()
    for k in np.flatnonzero(spins.any(axis=1)):
        solid = b.solids[k]
        if not any(solid.point):
            axis = b.poses[k, 4:].reshape(3, 3) @ np.array(solid.axis)
            size = np.linalg.norm(spins[k])
            if np.linalg.norm(np.cross(spins[k] / size, axis)) < 1e-14:
                spins[k] = 0.0
    return spins


def nearest(a: Side, b: Side) -> Nearest:
    """The gap of a body from the wall, on the side of the wall on which the body's middle is."""
    seen, radii = _seen(a, b), a.radii
    reach, outwards, corner = seen.furthest
    gap = seen.tubes.radius - radii - reach
    on_body = corner + outwards * radii[:, None]
    answer = Nearest(gap, -outwards, on_body, on_body + outwards * gap[:, None])
    if len(seen.outside):
        one, other = a.taken(seen.outside), b.taken(seen.outside)
        found = bodies.nearest(one, _pillars(one, other, 0.0))
        for column, values in zip(answer, found, strict=True):
            column[seen.outside] = values
    return answer


def touch(a: Side, b: Side) -> Booleans:
    """Which bodies reach the wall."""
    seen = _seen(a, b)
    answer = seen.tubes.radius - a.radii - seen.furthest.reach <= 0.0  # as `nearest` rounds it
    if len(seen.outside):
        one, other = a.taken(seen.outside), b.taken(seen.outside)
        answer[seen.outside] = bodies.touch(one, _pillars(one, other, 0.0))
    return answer


def manifold(a: Side, b: Side) -> Points:
    """All points in which they lie against each other: inside, all corners at the wall."""
    seen = _seen(a, b)
    within, tubes = a.taken(seen.inside).posed, seen.tubes.taken(seen.inside)
    answer = written_points(_at_the_wall, 8 * len(seen.inside), within, tubes)
    answer = answer._replace(pair=seen.inside[answer.pair])
    if len(seen.outside) == 0:
        return answer
    one, other = a.taken(seen.outside), b.taken(seen.outside)
    found = bodies.manifold(one, _pillars(one, other, 0.0))
    found = found._replace(pair=seen.outside[found.pair])
    return Points(*(np.concatenate(columns) for columns in zip(answer, found, strict=True)))


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """The time at which a body first reaches the wall.

    From outside the wall is a capsule, see `bodies.sweep`; from inside the time is exact if neither
    turns.
    """
    answer, seen = impacts(len(a.row)), _seen(a, b)
    if len(seen.outside):
        one, other = a.taken(seen.outside), b.taken(seen.outside)
        _write(answer, seen.outside, bodies.sweep(one, _pillars(one, other, dt), dt, tolerance))
    if len(seen.inside):
        one, other = a.taken(seen.inside), b.taken(seen.inside)
        tubes = seen.tubes.taken(seen.inside)
        _write(answer, seen.inside, _sweep_inside(one, other, tubes, dt, tolerance))
    return answer


def _write(answer: Impact, rows: Integers, found: Impact) -> None:
    """Write the answers for some of the pairs."""
    for column, values in zip(answer, found, strict=True):
        column[rows] = values


def _sweep_inside(a: Side, b: Side, tubes: Tubes, dt: float, tolerance: float) -> Impact:
    """When bodies first reach the wall from inside."""
    answer, now = impacts(len(a.row)), nearest(a, b)
    turns = a.turning.any(axis=1) | _tilting(b).any(axis=1)
    begun = np.flatnonzero(now.gap <= 0.0)
    write_start(answer, begun, now.taken(begun))
    for is_turning, times in ((False, _straight), (True, _turning)):
        chosen = np.flatnonzero((now.gap > 0.0) & (turns == is_turning))
        if len(chosen):
            one, other = a.taken(chosen), b.taken(chosen)
            found = times(one, other, tubes.taken(chosen), dt, tolerance)
            met = np.flatnonzero(found.toi <= dt)
            _write(answer, chosen[met], Impact(*(column[met] for column in found)))
    return answer


def _straight(a: Side, b: Side, tubes: Tubes, dt: float, tolerance: float) -> Impact:
    """When bodies that do not turn reach the wall, however long the step."""
    del dt, tolerance
    found = impacts(len(a.row))
    speeds = np.ascontiguousarray(a.velocities), np.ascontiguousarray(b.velocities)
    leaving_times(a.posed, speeds, tubes, found)
    return found


def _turning(a: Side, b: Side, tubes: Tubes, dt: float, tolerance: float) -> Impact:
    """When bodies that turn, or in cylinders that tilt, reach the wall."""
    del tubes  # their capsules are moved instead
    found, walls = impacts(len(a.row)), _pillars(a, b, dt)
    motions = np.stack([a.velocities, a.turning], axis=1)[:, None]
    moving = MovingBodies(*a.posed, motions)
    turned = MovingBodies(walls.geometry, walls.poses, walls.motions[:, None])
    warn_of_unfinished(turning_times(moving, turned, dt, tolerance, found))
    return found


CYLINDER_ANSWERS = PairAnswers(touch, nearest, manifold, sweep, turning=True)
