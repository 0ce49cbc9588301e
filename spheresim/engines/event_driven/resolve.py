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
from spheresim.collision.response import exchange, glide, loss, reflect, set_normal_velocity
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
    EngineState,
    Environment,
    image_shift,
    size,
)
from spheresim.engines.event_driven.journal import log_event, move_to, set_velocity
from spheresim.engines.event_driven.neighbours import images_near
from spheresim.engines.event_driven.pair_toi import ROUNDING
from spheresim.engines.event_driven.space import shift_of
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import cylinder_at, is_flat, is_tube, normal_at, plane_at

GLIDE = 1e-4
RAPID = 16
STUCK = 10_000
REST_HEIGHT = 1e-14
HOP_HEIGHT = 1e-6


@inlined
def resolve_balls(environment: Environment, state: EngineState, i: Any, j: Any, now: float) -> Any:
    """The impact of two balls; the one with the lower name comes first in the record.

    Gives a third ball whose flight has changed, or one of the two.
    """
    a, b = (i, j) if state.body[i].name < state.body[j].name else (j, i)
    move_to(environment, state, a, now)
    move_to(environment, state, b, now)
    ball_a, ball_b = state.ball[a], state.ball[b]
    body_a, body_b = state.body[a], state.body[b]
    x_b = TVector(ball_b.x, ball_b.y, ball_b.z)
    d = environment.space.between(TVector(ball_a.x, ball_a.y, ball_a.z), x_b)
    v_a = TVector(ball_a.vx, ball_a.vy, ball_a.vz)
    v_b = TVector(ball_b.vx, ball_b.vy, ball_b.vz)
    distance = d.mag()
    overlap = ball_a.radius + ball_b.radius - distance
    state.measure[DEEPEST_OVERLAP] = max(state.measure[DEEPEST_OVERLAP], overlap)
    # Scaled by d.unit(): where all distances are 2, d / distance errs in one direction only.
    normal = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (v_a - v_b).dot(normal)
    restitution = min(body_a.restitution, body_b.restitution)
    rapid, stuck = min(body_a.rapid, body_b.rapid), min(body_a.stuck, body_b.stuck)
    if STUCK < stuck <= 2 * STUCK and restitution == 1.0:
        third, leaves = leave_corner_between(environment, state, a, b, now)
        if leaves:
            return third
    body_a.last, body_b.last = -1 - int(b), -1 - int(a)
    restitution = _unless_collapsing(state, rapid, stuck, restitution, i)
    after = exchange(v_a, v_b, body_a.mass, body_b.mass, normal, restitution)
    if not environment.motion.same_acceleration(ball_a, ball_b):
        hop = _hop(environment, min(ball_a.radius, ball_b.radius), HOP_HEIGHT)
        if after.vn_after < hop:
            after = set_normal_velocity(v_a, v_b, body_a.mass, body_b.mass, normal, hop)
    state.count[BALL_IMPACTS] += 1
    state.measure[VIRIAL] += after.impulse * distance
    state.measure[DISSIPATED] += loss(after.impulse, vn, after.vn_after)
    set_velocity(state, a, after.velocity_i)
    set_velocity(state, b, after.velocity_j)
    if state.count[RECORDING] == 1:
        point = x_b + image_shift(state.image, b, environment.space.size) + normal * ball_b.radius
        other = int(body_b.name)
        log_event(state, BALL, a, other, now, point, normal, vn, after.vn_after, after.impulse)
    _lift(environment, state, a, now)
    _lift(environment, state, b, now)
    return i


@inlined
def resolve_obstacle(
    environment: Environment, state: EngineState, i: Any, k: int, now: float
) -> Any:
    """The impact of ball i on obstacle k; gives another ball whose flight has changed, or i."""
    move_to(environment, state, i, now)
    ball, body = state.ball[i], state.body[i]
    x, v = TVector(ball.x, ball.y, ball.z), TVector(ball.vx, ball.vy, ball.vz)
    images = images_near(environment, state, i, k, x)
    image = shift_of(images, int(state.event[i].other_stamp))
    normal = normal_at(environment.obstacles, k, x - image)
    vn = v.dot(normal)
    restitution = own = min(body.restitution, environment.obstacles.restitution[k])
    flat, acceleration = is_flat(environment.obstacles, k), environment.motion.gravity.dot(normal)
    can_rest = flat and acceleration < 0.0
    rapid, stuck = 0 if can_rest else int(body.rapid), int(body.stuck)
    if STUCK < stuck <= 2 * STUCK and own == 1.0:
        third, leaves = leave_corner(environment, state, i, k, now)
        if leaves:
            return third
    body.last = k
    restitution = _unless_collapsing(state, rapid, stuck, restitution, i)
    after = reflect(v, normal, restitution) if vn < 0.0 else v
    if (
        rapid > RAPID
        and acceleration >= 0.0
        and stuck <= STUCK
        and is_tube(environment.obstacles, k, x - image)
    ):
        after = glide(after, normal, cylinder_at(environment.obstacles, k).axis, GLIDE)
    vn_after = after.dot(normal)
    hop = _hop(environment, ball.radius, HOP_HEIGHT)
    if (
        not flat
        and acceleration < 0.0
        and vn_after < hop
        and (own < 1.0 or vn > -ROUNDING * size(v))
    ):
        after = after + normal * (hop - vn_after)
        vn_after = hop
    point = x + image_shift(state.image, i, environment.space.size) - normal * ball.radius
    rests = can_rest and vn_after * vn_after <= -2.0 * acceleration * REST_HEIGHT * ball.radius
    impulse = body.mass * (vn_after - vn)
    state.measure[DISSIPATED] += loss(impulse, vn, vn_after)
    if vn < 0.0 or vn_after > vn:
        state.count[OBSTACLE_IMPACTS] += 1
        log_event(state, OBSTACLE, i, k, now, point, normal, vn, vn_after, impulse)
    set_velocity(state, i, after)
    _lift(environment, state, i, now)
    if rests:
        _lay_down(environment, state, i, k)
        log_event(state, REST, i, k, now, point, normal, vn_after, 0.0, 0.0)
    return i


@inlined
def _lay_down(environment: Environment, state: EngineState, i: int, k: int) -> None:
    """Let ball i lie on plane k: nothing moves or pulls it but along the plane.

    One that lies on another plane already is left what is along both.
    """
    ball, body = state.ball[i], state.body[i]
    n = plane_at(environment.obstacles, k).normal
    v, acceleration = TVector(ball.vx, ball.vy, ball.vz), _left_by(environment, n)
    v = v - n * v.dot(n)
    if body.support >= 0 and body.support != k:
        along = n.cross(plane_at(environment.obstacles, body.support).normal)
        if along.mag_sqr() > 0.0:
            along = along.unit()
            v, acceleration = along * v.dot(along), along * acceleration.dot(along)
    body.support = k
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    environment.motion.set_acceleration(ball, _unless_rounding(environment, acceleration))


@inlined
def _left_by(environment: Environment, normal: TVector) -> TVector:
    """What a plane leaves of gravity to a ball that lies on it."""
    gravity = environment.motion.gravity
    return _unless_rounding(environment, gravity - normal * gravity.dot(normal))


@inlined
def _unless_rounding(environment: Environment, acceleration: TVector) -> TVector:
    """A part of gravity, or nothing where it is no more than rounding."""
    return (
        acceleration
        if size(acceleration) > ROUNDING * size(environment.motion.gravity)
        else acceleration * 0.0
    )


@routine
def _free_of_groove(environment: Environment, state: EngineState, i: int) -> None:
    """Let ball i, which lies on two planes, slide on one if it has been moved off the other.

    What presses it into the other no harder than a hop is taken away, as on one plane.
    """
    ball, body = state.ball[i], state.body[i]
    normal = plane_at(environment.obstacles, int(body.support)).normal
    own = _left_by(environment, normal)
    away = (
        environment.motion.acceleration_of(ball) - own
    )  # what the other plane does, up along the first
    if away.mag_sqr() == 0.0:
        return
    v, up = TVector(ball.vx, ball.vy, ball.vz), away.unit()
    rise = v.dot(up)
    if abs(rise) <= ROUNDING * size(v):
        return
    if -_hop(environment, ball.radius, 4.0 * HOP_HEIGHT) <= rise < 0.0:
        set_velocity(state, i, v - up * rise)
        state.measure[DISSIPATED] += loss(-body.mass * rise, rise, 0.0)
        return
    environment.motion.set_acceleration(ball, own)


@inlined
def _lift(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Let ball i fly, if it lies on a plane and has just been moved away from it or into it."""
    body = state.body[i]
    if body.support < 0:
        return
    ball, k = state.ball[i], int(body.support)
    normal = plane_at(environment.obstacles, k).normal
    v = TVector(ball.vx, ball.vy, ball.vz)
    vn = v.dot(normal)
    if abs(vn) <= ROUNDING * size(v):
        _free_of_groove(environment, state, i)
        return
    if -_hop(environment, ball.radius, 4.0 * HOP_HEIGHT) <= vn < 0.0:
        set_velocity(state, i, v - normal * vn)
        state.measure[DISSIPATED] += loss(-body.mass * vn, vn, 0.0)
        _free_of_groove(environment, state, i)
        return
    body.support = -1
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    x = TVector(ball.x, ball.y, ball.z) + image_shift(state.image, i, environment.space.size)
    log_event(state, WAKE, i, k, now, x - normal * ball.radius, normal, 0.0, vn, 0.0)


@inlined
def _hop(environment: Environment, radius: float, height: float) -> float:
    """The speed with which a ball rises by so much of its radius."""
    return math.sqrt(2.0 * environment.motion.gravity.mag() * height * radius)


@inlined
def _unless_collapsing(
    state: EngineState, rapid: int, stuck: int, restitution: float, i: int
) -> float:
    """The restitution of an impact, or what ends a collapse."""
    if stuck > STUCK:
        state.count[COLLAPSE_ANSWERS] += 1
        if stuck > 3 * STUCK:
            state.count[JAMMED] = 1 + int(state.body[i].name)
        return 0.0
    if restitution < 1.0 and rapid > RAPID:
        state.count[COLLAPSE_ANSWERS] += 1
        return 1.0
    return restitution
