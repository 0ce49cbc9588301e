"""Answering one impact: the physics, with what ends inelastic collapse.

Inelastic collapse is infinitely many impacts in finite time. Where a ball has gone less
than RAPID_PATH of its radius between each of its last RAPID impacts, and so has its
partner, an impact is elastic (S. Luding and S. McNamara, How to handle the inelastic
collapse of a dissipative hard-sphere gas with the TC model, Granular Matter 1, 1998, whose
measure is a time; a length needs no choice of one). In a tube, which bends towards a ball
that slides along it, it is also turned inwards to at least the angle GLIDE.

What was hit more than STUCK times without any time between is in a corner, into which rounding
lets it go no further. An elastic ball leaves it on the way that it would take after all the
bounces, with the energy that it had (`corner`). Where there is no corner, or no way out of it
either, the ball is jammed: its impact takes all its approach, and where that does not help
the run cannot go on.

Under gravity a ball comes to rest on a plane where it would rise by less than REST_HEIGHT
of its radius, which is little beside what rounding makes of its place: then it lies there,
and slides without friction, until an impact lifts it or presses it down. At restitution
.9 it is the time of rest within 1e-6 of the sum of the infinitely many bounces. Balls do
not come to rest on balls: on one that lies, another goes on hopping, HOP_HEIGHT of its
radius high, and presses it down no more than that. On a cylinder, which bends away, a ball
goes on hopping likewise.
"""

import math
from typing import Any

from spheresim.collision.impacts import BALL, OBSTACLE, REST, WAKE
from spheresim.collision.response import exchange, glide, loss, part, reflect
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.corners import leave_corner, leave_corner_between
from spheresim.engines.event_driven.engine_state import (
    BALL_IMPACTS,
    COLLAPSE_ANSWERS,
    DEEPEST_OVERLAP,
    DISSIPATED,
    JAMMED,
    OBSTACLE_IMPACTS,
    RECORDING,
    VIRIAL,
    Around,
    Flight,
    size,
    turned,
)
from spheresim.engines.event_driven.journal import move_to, set_velocity, write_down
from spheresim.engines.event_driven.neighbours import images_near
from spheresim.engines.event_driven.pair_toi import ROUNDING
from spheresim.engines.event_driven.space import shift_of
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import PLANE, cylinder_at, is_tube, normal_at, plane_at

GLIDE = 1e-4
RAPID = 16
STUCK = 10_000
REST_HEIGHT = 1e-14
HOP_HEIGHT = 1e-6


@inlined
def answer_balls(around: Around, flight: Flight, i: Any, j: Any, now: float) -> Any:
    """The impact of two balls; the one with the lower name comes first in the record.

    Gives a third ball whose flight has changed, or one of the two.
    """
    a, b = (i, j) if flight.body[i].name < flight.body[j].name else (j, i)
    move_to(around, flight, a, now)
    move_to(around, flight, b, now)
    ball_a, ball_b = flight.ball[a], flight.ball[b]
    body_a, body_b = flight.body[a], flight.body[b]
    x_b = TVector(ball_b.x, ball_b.y, ball_b.z)
    d = around.space.between(TVector(ball_a.x, ball_a.y, ball_a.z), x_b)
    v_a = TVector(ball_a.vx, ball_a.vy, ball_a.vz)
    v_b = TVector(ball_b.vx, ball_b.vy, ball_b.vz)
    distance = d.mag()
    overlap = ball_a.radius + ball_b.radius - distance
    flight.measure[DEEPEST_OVERLAP] = max(flight.measure[DEEPEST_OVERLAP], overlap)
    # Scaled by d.unit(): where all distances are 2, d / distance errs in one direction only.
    normal = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (v_a - v_b).dot(normal)
    restitution = min(body_a.restitution, body_b.restitution)
    rapid, stuck = min(body_a.rapid, body_b.rapid), min(body_a.stuck, body_b.stuck)
    if STUCK < stuck <= 2 * STUCK and restitution == 1.0:
        third, leaves = leave_corner_between(around, flight, a, b, now)
        if leaves:
            return third
    body_a.last, body_b.last = -1 - int(b), -1 - int(a)
    restitution = _unless_collapsing(flight, rapid, stuck, restitution, i)
    after = exchange(v_a, v_b, body_a.mass, body_b.mass, normal, restitution)
    if not around.motion.pulled_alike(ball_a, ball_b):
        hop = _hop(around, min(ball_a.radius, ball_b.radius), HOP_HEIGHT)
        if after.vn_after < hop:
            after = part(v_a, v_b, body_a.mass, body_b.mass, normal, hop)
    flight.count[BALL_IMPACTS] += 1
    flight.measure[VIRIAL] += after.impulse * distance
    flight.measure[DISSIPATED] += loss(after.impulse, vn, after.vn_after)
    set_velocity(flight, a, after.velocity_i)
    set_velocity(flight, b, after.velocity_j)
    if flight.count[RECORDING] == 1:
        point = x_b + turned(flight.image, b, around.space.size) + normal * ball_b.radius
        other = int(body_b.name)
        write_down(flight, BALL, a, other, now, point, normal, vn, after.vn_after, after.impulse)
    _lift(around, flight, a, now)
    _lift(around, flight, b, now)
    return i


@inlined
def answer_obstacle(around: Around, flight: Flight, i: Any, k: int, now: float) -> Any:
    """The impact of ball i on obstacle k; gives another ball whose flight has changed, or i."""
    move_to(around, flight, i, now)
    ball, body = flight.ball[i], flight.body[i]
    x, v = TVector(ball.x, ball.y, ball.z), TVector(ball.vx, ball.vy, ball.vz)
    images = images_near(around, flight, i, k, x)
    image = shift_of(images, int(flight.event[i].other_stamp))
    normal = normal_at(around.obstacles, k, x - image)
    vn = v.dot(normal)
    restitution = own = min(body.restitution, around.obstacles.restitution[k])
    plane, pull = around.obstacles.kind[k] == PLANE, around.motion.gravity.dot(normal)
    can_rest = plane and pull < 0.0
    rapid, stuck = 0 if can_rest else int(body.rapid), int(body.stuck)
    if STUCK < stuck <= 2 * STUCK and own == 1.0:
        third, leaves = leave_corner(around, flight, i, k, now)
        if leaves:
            return third
    body.last = k
    restitution = _unless_collapsing(flight, rapid, stuck, restitution, i)
    after = reflect(v, normal, restitution) if vn < 0.0 else v
    if rapid > RAPID and pull >= 0.0 and stuck <= STUCK and is_tube(around.obstacles, k, x - image):
        after = glide(after, normal, cylinder_at(around.obstacles, k).axis, GLIDE)
    vn_after = after.dot(normal)
    hop = _hop(around, ball.radius, HOP_HEIGHT)
    if not plane and pull < 0.0 and vn_after < hop and (own < 1.0 or vn > -ROUNDING * size(v)):
        after = after + normal * (hop - vn_after)
        vn_after = hop
    point = x + turned(flight.image, i, around.space.size) - normal * ball.radius
    rests = can_rest and vn_after * vn_after <= -2.0 * pull * REST_HEIGHT * ball.radius
    impulse = body.mass * (vn_after - vn)
    flight.measure[DISSIPATED] += loss(impulse, vn, vn_after)
    if vn < 0.0 or vn_after > vn:
        flight.count[OBSTACLE_IMPACTS] += 1
        write_down(flight, OBSTACLE, i, k, now, point, normal, vn, vn_after, impulse)
    set_velocity(flight, i, after)
    _lift(around, flight, i, now)
    if rests:
        _lay_down(around, flight, i, k)
        write_down(flight, REST, i, k, now, point, normal, vn_after, 0.0, 0.0)
    return i


@inlined
def _lay_down(around: Around, flight: Flight, i: int, k: int) -> None:
    """Let ball i lie on plane k: nothing moves or pulls it but along the plane.

    One that lies on another plane already is left what is along both.
    """
    ball, body = flight.ball[i], flight.body[i]
    n = plane_at(around.obstacles, k).normal
    v, pull = TVector(ball.vx, ball.vy, ball.vz), _left_by(around, n)
    v = v - n * v.dot(n)
    if body.support >= 0 and body.support != k:
        along = n.cross(plane_at(around.obstacles, body.support).normal)
        if along.mag_sqr() > 0.0:
            along = along.unit()
            v, pull = along * v.dot(along), along * pull.dot(along)
    body.support = k
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    around.motion.pull(ball, _unless_rounding(around, pull))


@inlined
def _left_by(around: Around, normal: TVector) -> TVector:
    """What a plane leaves of gravity to a ball that lies on it."""
    gravity = around.motion.gravity
    return _unless_rounding(around, gravity - normal * gravity.dot(normal))


@inlined
def _unless_rounding(around: Around, pull: TVector) -> TVector:
    """A part of gravity, or nothing where it is no more than rounding."""
    return pull if size(pull) > ROUNDING * size(around.motion.gravity) else pull * 0.0


@routine
def _free_of_groove(around: Around, flight: Flight, i: int) -> None:
    """Let ball i, which lies on two planes, slide on one if it has been moved off the other.

    What presses it into the other no harder than a hop is taken away, as on one plane.
    """
    ball, body = flight.ball[i], flight.body[i]
    normal = plane_at(around.obstacles, int(body.support)).normal
    own = _left_by(around, normal)
    away = around.motion.pull_of(ball) - own  # what the other plane does, up along the first
    if away.mag_sqr() == 0.0:
        return
    v, up = TVector(ball.vx, ball.vy, ball.vz), away.unit()
    rise = v.dot(up)
    if abs(rise) <= ROUNDING * size(v):
        return
    if -_hop(around, ball.radius, 4.0 * HOP_HEIGHT) <= rise < 0.0:
        set_velocity(flight, i, v - up * rise)
        flight.measure[DISSIPATED] += loss(-body.mass * rise, rise, 0.0)
        return
    around.motion.pull(ball, own)


@inlined
def _lift(around: Around, flight: Flight, i: int, now: float) -> None:
    """Let ball i fly, if it lies on a plane and has just been moved away from it or into it."""
    body = flight.body[i]
    if body.support < 0:
        return
    ball, k = flight.ball[i], int(body.support)
    normal = plane_at(around.obstacles, k).normal
    v = TVector(ball.vx, ball.vy, ball.vz)
    vn = v.dot(normal)
    if abs(vn) <= ROUNDING * size(v):
        _free_of_groove(around, flight, i)
        return
    if -_hop(around, ball.radius, 4.0 * HOP_HEIGHT) <= vn < 0.0:
        set_velocity(flight, i, v - normal * vn)
        flight.measure[DISSIPATED] += loss(-body.mass * vn, vn, 0.0)
        _free_of_groove(around, flight, i)
        return
    body.support = -1
    around.motion.pull(ball, around.motion.gravity)
    x = TVector(ball.x, ball.y, ball.z) + turned(flight.image, i, around.space.size)
    write_down(flight, WAKE, i, k, now, x - normal * ball.radius, normal, 0.0, vn, 0.0)


@inlined
def _hop(around: Around, radius: float, height: float) -> float:
    """The speed with which a ball rises by so much of its radius."""
    return math.sqrt(2.0 * around.motion.gravity.mag() * height * radius)


@inlined
def _unless_collapsing(flight: Flight, rapid: int, stuck: int, restitution: float, i: int) -> float:
    """The restitution of an impact, or what ends a collapse."""
    if stuck > STUCK:
        flight.count[COLLAPSE_ANSWERS] += 1
        if stuck > 3 * STUCK:
            flight.count[JAMMED] = 1 + int(flight.body[i].name)
        return 0.0
    if restitution < 1.0 and rapid > RAPID:
        flight.count[COLLAPSE_ANSWERS] += 1
        return 1.0
    return restitution
