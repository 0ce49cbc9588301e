"""Times of impact of two balls where plain floats are not enough.

The prediction of a ball's next event tests all neighbours in plain floats. The pairs for
which rounding could decide are computed again here: they touch or graze, or are far apart
beside their radii, or do not fall alike.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.toi import exact_toi, pair_toi
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    FlyingBall,
    position_at_clock,
    relative_velocity,
    separation,
    velocity_at_clock,
)
from spheresim.engines.event_driven.falling_toi import (
    falling_pair_toi,
    parting_pair_toi,
    stay_apart,
)
from spheresim.engines.event_driven.lasting_contact.support_geometry import still_speed
from spheresim.engines.event_driven.motion import SAFETY_FACTOR
from spheresim.engines.event_driven.moving_ball import MovingBall
from spheresim.numerics.double_double import DoubleDouble, two_sum
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.ball_path import BallPath

_DISCRIMINANT_ERROR = 64.0 * 2.0**-52 * SAFETY_FACTOR
"""Relative error bound of the discriminant a·s² − |d×v|², which loses fewer digits than b² − a·c
in `predict`."""


class _Pair(NamedTuple):
    """The records of two balls, and their relative position now, to rounding."""

    ball: FlyingBall
    other: FlyingBall
    near: TVector


@inlined
def contact_tolerance(x: TVector, s: float) -> float:
    """Up to which c = |d|² − s² two balls touch, given the rounding of their positions."""
    return 2.0 * s * ROUNDING * (manhattan_norm(x) + s)


@routine
def robust_pair_toi(
    environment: Environment, state: EngineState, moving: MovingBall, j: int
) -> float:
    """The time from now until a ball touches ball j; inf if never."""
    i, now, x, v = moving
    ball, other = state.ball[i], state.ball[j]
    y, u = environment.motion.position_of(other, now), environment.motion.velocity_of(other, now)
    d = separation(environment, state, x, y, now)
    w = relative_velocity(environment, x, v, y, u)
    final = ball.radius + other.radius
    s = environment.growth.radius_at(state.measure, final, now)
    if environment.trap.exists():
        slowest = ROUNDING * (manhattan_norm(v) + manhattan_norm(v - w))
        return float(environment.trap.pair_toi(d, w, s, contact_tolerance(x, s), slowest))
    # One falls, the other lies.
    if not environment.motion.same_acceleration(ball, other):
        a = environment.motion.acceleration_of(ball)
        a_other = environment.motion.acceleration_of(other)
        horizon, a = state.event[i].time - now, a - a_other
        if stay_apart(d, w, a, s, horizon):
            return math.inf
        if _grazes_ball(environment, state, moving, BallPath(d, w, a), s):
            return parting_pair_toi(d, w, a, s, environment.motion.gravity.mag(), horizon)
        return falling_pair_toi(d, w, a, s, horizon)
    # Apart: double-doubles, from the clocks' positions on if those of now are too inexact.
    if d.mag_sqr() - s * s > contact_tolerance(x, s):
        if environment.growth.grows():
            return float(environment.growth.pair_toi(d, w, s, final))
        plain, reach = contact_quadratic(d, w, s), manhattan_norm(d) + s
        position_bound = state.measure.coordinate_bound + reach
        speed_bound = state.measure.speed_bound
        velocity_error = speed_bound * (manhattan_norm(w) + speed_bound)
        error = _DISCRIMINANT_ERROR * reach * (plain.a * position_bound + velocity_error * reach)
        if abs(plain.discriminant) > error:
            return pair_toi(d, w, s, ZERO, ZERO, 0.0)
        return _pair_toi_from_clocks(environment, state, _Pair(ball, other, d), now)
    # In contact: an approach within the rounding of the velocities is none.
    slowest = ROUNDING * (manhattan_norm(v) + manhattan_norm(v - w)) * (s + s)
    approach = environment.growth.quadratic_b(d.dot(w), final, s)
    return 0.0 if approach < -slowest else math.inf


@inlined
def _grazes_ball(
    environment: Environment, state: EngineState, moving: MovingBall, relative: BallPath, s: float
) -> bool:
    """Whether balls touch that neither approach nor part, to rounding of speeds or of places.

    relative: the path of the ball as the other one sees it; s: the sum of the radii.
    """
    x, v = moving.x, moving.v
    d, w, acceleration = relative
    touches = d.mag_sqr() - s * s <= contact_tolerance(x, s)
    slowest = still_speed(environment, state, moving.i, v) + ROUNDING * manhattan_norm(v - w)
    b, rate = d.dot(w), w.mag_sqr() + d.dot(acceleration)
    ends_at_once = (b < 0.0) & (b * b <= 2.0 * rate * s * ROUNDING * (manhattan_norm(x) + s))
    return bool(touches & ((abs(b) <= slowest * s) | ends_at_once))


@routine
def _pair_toi_from_clocks(
    environment: Environment, state: EngineState, pair: _Pair, now: float
) -> float:
    """When two balls that fall alike touch, in double-doubles from their positions at their clocks.

    Their positions now are rounded already, and only decide which image is the nearest.
    """
    ball, other, near = pair
    # The difference of the positions, with the nearest image.
    apart = _exact_position(environment, ball, now) - _exact_position(environment, other, now)
    d = environment.shear.exactly_slid(environment, state, apart, near, now)
    rough = TVector(d.x.high, d.y.high, d.z.high) - near
    side, inverse = environment.space.size, environment.space.inverse
    periods = TVector(
        np.rint(rough.x * inverse.x), np.rint(rough.y * inverse.y), np.rint(rough.z * inverse.z)
    )
    d = TVector(
        d.x - _exact(side.x) * _exact(periods.x),
        d.y - _exact(side.y) * _exact(periods.y),
        d.z - _exact(side.z) * _exact(periods.z),
    )
    w = _exact_velocity(environment, ball, now) - _exact_velocity(environment, other, now)
    w = environment.shear.exact_image_velocity(environment, apart, near, w)
    return exact_toi(d, w, two_sum(ball.radius, other.radius))


@inlined
def _exact(number: float) -> DoubleDouble:
    return DoubleDouble(number, 0.0)


@inlined
def _exact_vector(vector: TVector) -> Any:
    return TVector(_exact(vector.x), _exact(vector.y), _exact(vector.z))


@inlined
def _exact_position(environment: Environment, ball: FlyingBall, now: float) -> Any:
    elapsed: Any = two_sum(now, -ball.clock)
    gained = _exact_vector(environment.motion.acceleration_of(ball)) * (elapsed * _exact(0.5))
    mean_velocity = _exact_vector(velocity_at_clock(ball)) + gained
    return _exact_vector(position_at_clock(ball)) + mean_velocity * elapsed


@inlined
def _exact_velocity(environment: Environment, ball: FlyingBall, now: float) -> Any:
    acceleration = _exact_vector(environment.motion.acceleration_of(ball))
    return _exact_vector(velocity_at_clock(ball)) + acceleration * two_sum(now, -ball.clock)
