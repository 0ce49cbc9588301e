"""When two balls meet that plain floats see too badly, or that do not fall alike."""

import math
from typing import Any

import numpy as np

from spheresim.collision.toi import exact_toi, pair_toi
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    EXTENT,
    HASTE,
    UNSURE,
    EngineState,
    Environment,
    size,
)
from spheresim.engines.event_driven.space import NOWHERE
from spheresim.numerics.double_double import DoubleDouble, two_sum
from spheresim.numerics.roots import contact_quadratic, contact_quartic, first_contact_root
from spheresim.numerics.vector import TVector

ROUNDING = 4.0 * 2.0**-52
"""Some units in the last place: what is smaller than this, relatively, is not there."""

_DOUBT = 64.0 * 2.0**-52 * UNSURE
"""The same for the discriminant a·s² − |d×v|², which loses fewer digits; see `predict`."""


@inlined
def touching(x: TVector, s: float) -> float:
    """Up to which c two balls touch, but for the rounding of their places."""
    return 2.0 * s * ROUNDING * (size(x) + s)


@routine
def rare_meeting(
    environment: Environment, state: EngineState, i: int, j: Any, now: float, x: TVector, v: TVector
) -> float:
    """When ball i meets one that touches or grazes it, is far away, or falls otherwise."""
    ball, other = state.ball[i], state.ball[j]
    d = environment.space.between(x, environment.motion.position_of(other, now))
    w = v - environment.motion.velocity_of(other, now)
    s = ball.radius + other.radius
    if not environment.motion.same_acceleration(ball, other):
        acceleration = environment.motion.acceleration_of(
            ball
        ) - environment.motion.acceleration_of(other)
        return bent_meeting(d, w, acceleration, s, state.event[i].time - now)
    if d.mag_sqr() - s * s > touching(x, s):
        plain, extent = contact_quadratic(d, w, s), state.measure[EXTENT] + size(d) + s
        haste = state.measure[HASTE] * (size(w) + state.measure[HASTE])
        doubt = _DOUBT * (size(d) + s) * (plain.a * extent + haste * (size(d) + s))
        if abs(plain.discriminant) > doubt:
            return pair_toi(d, w, s, NOWHERE, NOWHERE, 0.0)
        return _exact_meeting(environment, ball, other, d, now)
    # What approaches by no more than the rounding of velocities does not.
    slowest = ROUNDING * (size(v) + size(v - w)) * (s + s)
    return 0.0 if d.dot(w) < -slowest else math.inf


@routine
def bent_meeting(d: TVector, w: TVector, acceleration: TVector, s: float, horizon: float) -> float:
    """When two balls meet of which one falls and the other lies: |d + w·t + g·t²/2| = s."""
    quartic = contact_quartic(d, w, acceleration, d.mag_sqr() - s * s)
    return first_contact_root(quartic, horizon)


@routine
def _exact_meeting(
    environment: Environment, ball: Any, other: Any, near: TVector, now: float
) -> float:
    """When two balls meet that fall alike, by double-doubles from where each last was.

    Where they are now is rounded already; `near` only tells which image is the nearest.
    """
    d = _exact_place(environment, ball, now) - _exact_place(environment, other, now)
    rough = TVector(d.x.high, d.y.high, d.z.high) - near
    side, inverse = environment.space.size, environment.space.inverse
    turns = TVector(
        np.rint(rough.x * inverse.x), np.rint(rough.y * inverse.y), np.rint(rough.z * inverse.z)
    )
    d = TVector(
        d.x - _exact(side.x) * _exact(turns.x),
        d.y - _exact(side.y) * _exact(turns.y),
        d.z - _exact(side.z) * _exact(turns.z),
    )
    w = _exact_velocity(environment, ball, now) - _exact_velocity(environment, other, now)
    return exact_toi(d, w, two_sum(ball.radius, other.radius))


@inlined
def _exact(number: float) -> DoubleDouble:
    return DoubleDouble(number, 0.0)


@inlined
def _exact_vector(vector: TVector) -> Any:
    return TVector(_exact(vector.x), _exact(vector.y), _exact(vector.z))


@inlined
def _exact_place(environment: Environment, ball: Any, now: float) -> Any:
    elapsed: Any = two_sum(now, -ball.clock)
    bent = _exact_vector(environment.motion.acceleration_of(ball)) * (elapsed * _exact(0.5))
    speed = _exact_vector(TVector(ball.vx, ball.vy, ball.vz)) + bent
    return _exact_vector(TVector(ball.x, ball.y, ball.z)) + speed * elapsed


@inlined
def _exact_velocity(environment: Environment, ball: Any, now: float) -> Any:
    acceleration = _exact_vector(environment.motion.acceleration_of(ball))
    return _exact_vector(TVector(ball.vx, ball.vy, ball.vz)) + acceleration * two_sum(
        now, -ball.clock
    )
