"""Balls that come to rest on planes under gravity, slide there, and are lifted off again.

A ball comes to rest on a plane where it would rise by less than REST_HEIGHT of its radius,
which is little beside the rounding of its position. It then lies on the plane and slides
without friction until an impact lifts it or presses it down. At restitution .9 the time at
which it comes to rest is within 1e-6 of the sum of its infinitely many bounces.

Balls do not come to rest on balls: on a ball that lies, another one goes on hopping,
HOP_HEIGHT of its radius high, and presses it down no harder than that. On a cylinder, which
bends away, a ball goes on hopping likewise.
"""

import math

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import DISSIPATED, log_event
from spheresim.collision.response import loss
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import plane_at

REST_HEIGHT = 1e-14
HOP_HEIGHT = 1e-6


@inlined
def lay_down(environment: Environment, state: EngineState, i: int, k: int) -> None:
    """Let ball i lie on plane k: it moves and is accelerated only along the plane.

    A ball that lies on another plane already keeps what is along both.
    """
    ball, body = state.ball[i], state.body[i]
    # What is left along plane k.
    n = plane_at(environment.obstacles, k).normal
    v, acceleration = velocity_at_clock(ball), _gravity_along(environment.motion.gravity, n)
    v = v - n * v.dot(n)
    # What of it is along the other plane, too.
    if body.support >= 0 and body.support != k:
        along = n.cross(plane_at(environment.obstacles, body.support).normal)
        if along.mag_sqr() > 0.0:
            along = along.unit()
            v, acceleration = along * v.dot(along), along * acceleration.dot(along)
    body.support = k
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    acceleration = _zero_if_rounding(environment.motion.gravity, acceleration)
    environment.motion.set_acceleration(ball, acceleration)


@inlined
def _gravity_along(gravity: TVector, normal: TVector) -> TVector:
    """The acceleration of a ball that lies on a plane with this normal."""
    return _zero_if_rounding(gravity, gravity - normal * gravity.dot(normal))


@inlined
def _zero_if_rounding(gravity: TVector, acceleration: TVector) -> TVector:
    """A part of gravity, or zero where it may be rounding alone."""
    if manhattan_norm(acceleration) > ROUNDING * manhattan_norm(gravity):
        return acceleration
    return acceleration * 0.0


@inlined
def lift_if_moved(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Let ball i fly, if it lies on a plane and an impact has moved it away from it or into it."""
    body = state.body[i]
    if body.support < 0:
        return
    # Still along the plane, or pressed into it by a hop.
    ball, k = state.ball[i], int(body.support)
    normal = plane_at(environment.obstacles, k).normal
    v = velocity_at_clock(ball)
    vn = v.dot(normal)
    if abs(vn) <= ROUNDING * manhattan_norm(v):
        _leave_groove(environment, state, i)
        return
    if _is_hop(environment.motion.gravity, ball.radius, vn):
        set_velocity(state, i, v - normal * vn)
        state.measure[DISSIPATED] += loss(-body.mass * vn, vn, 0.0)
        _leave_groove(environment, state, i)
        return
    # It wakes.
    body.support = -1
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    x = position_at_clock(ball) + image_shift(state.image, i, environment.space.size)
    point, name, time = x - normal * ball.radius, int(body.name), absolute(state, now)
    log_event(state, WAKE, name, k, 0, time, point, normal, 0.0, vn, 0.0)


@routine
def _leave_groove(environment: Environment, state: EngineState, i: int) -> None:
    """Let ball i, which lies on two planes, slide on one if it has been moved off the other.

    A velocity into the other plane that is no more than a hop's is taken away, as on one plane.
    """
    ball, body = state.ball[i], state.body[i]
    # The direction in which the second plane holds the ball, up along the first.
    normal = plane_at(environment.obstacles, int(body.support)).normal
    along_first = _gravity_along(environment.motion.gravity, normal)
    held = environment.motion.acceleration_of(ball) - along_first
    if held.mag_sqr() == 0.0:
        return  # it lies on one plane
    # Is it still along the second plane?
    v, up = velocity_at_clock(ball), held.unit()
    rise = v.dot(up)
    if abs(rise) <= ROUNDING * manhattan_norm(v):
        return
    if _is_hop(environment.motion.gravity, ball.radius, rise):
        set_velocity(state, i, v - up * rise)
        state.measure[DISSIPATED] += loss(-body.mass * rise, rise, 0.0)
        return
    environment.motion.set_acceleration(ball, along_first)


@inlined
def _is_hop(gravity: TVector, radius: float, vn: float) -> bool:
    """Whether a velocity into a plane is no more than that of a ball that hops on this one."""
    return -hop_speed(gravity, radius, 4.0 * HOP_HEIGHT) <= vn < 0.0


@inlined
def hop_speed(gravity: TVector, radius: float, height: float) -> float:
    """The speed at which a ball rises by `height` of its radius."""
    return math.sqrt(2.0 * gravity.mag() * height * radius)
