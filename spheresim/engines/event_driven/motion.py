"""Free flight: straight, falling with a constant acceleration, or in a harmonic trap.

`Straight`, `Falling` and `Trapped` are types, so that the compiler leaves gravity out of the
kernels of a run that has none.
"""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, value
from spheresim.compiler.simd import LANES
from spheresim.engines.event_driven.engine_state import (
    BallLane,
    FallingBall,
    FallingBallRecord,
    FlyingBall,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.trapped_toi import trapped_position, trapped_velocity
from spheresim.model.force_field import ConstantAccelerations, HarmonicTrap
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import ZERO, TVector

SAFETY_FACTOR = 2.0**16
"""A discriminant must be this many times larger than its rounding error, or it is computed
again in double-doubles: then not only its sign is certain, its root also has digits."""

VELOCITY_ERROR = 3200.0 * 2.0**-52 * SAFETY_FACTOR
"""Gravity changes velocities, which are then off by 4 units in the last place of the speed
bound u. With |d|² up to 400·s² that changes a discriminant by up to 3200·s²·√a·u units, and
√a·u is less than a + u²."""


@inlined
def _ball_in_lane(lanes: Floats, k: int, acceleration: TVector) -> BallLane:
    return BallLane(
        lanes[k],
        lanes[1 * LANES + k],
        lanes[2 * LANES + k],
        lanes[3 * LANES + k],
        lanes[4 * LANES + k],
        lanes[5 * LANES + k],
        lanes[6 * LANES + k],
        lanes[7 * LANES + k],
        acceleration.x,
        acceleration.y,
        acceleration.z,
    )


class _Gravity(NamedTuple):
    gravity: TVector


@value
class Straight(_Gravity):
    """Free flight without gravity."""

    __slots__ = ()

    def position_of(self, ball: FlyingBall, time: float) -> TVector:
        """Where a ball is at a time, if nothing happens to it till then."""
        elapsed = time - ball.clock
        return TVector(
            ball.x + ball.vx * elapsed, ball.y + ball.vy * elapsed, ball.z + ball.vz * elapsed
        )

    def velocity_of(self, ball: FlyingBall, time: float) -> TVector:
        """A ball's velocity at a time, if nothing happens to it till then."""
        return TVector(ball.vx, ball.vy, ball.vz)

    def ball_in_lane(self, lanes: Floats, k: int) -> BallLane:
        """The ball in lane k."""
        return _ball_in_lane(lanes, k, self.gravity)

    def acceleration_of(self, ball: FlyingBall) -> TVector:
        """A ball's acceleration."""
        return self.gravity

    def set_acceleration(self, ball: FallingBallRecord, acceleration: TVector) -> None:
        """Do nothing: without gravity no ball is accelerated."""

    def discriminant_error(
        self, a: float, s: float, position_error: float, velocity_error: float
    ) -> float:
        """The error bound of a discriminant: within it, rounding decides the sign."""
        return a * s * position_error

    def same_acceleration(self, a: FlyingBall, b: FlyingBall) -> bool:
        """Whether two balls have the same acceleration, so that their relative path is straight."""
        return True


@value
class Falling(_Gravity):
    """Free fall, and balls that lie on a plane: each has an acceleration of its own."""

    __slots__ = ()

    def position_of(self, ball: FallingBall, time: float) -> TVector:
        """Where a ball is at a time, if nothing happens to it till then."""
        elapsed = time - ball.clock
        half = 0.5 * elapsed
        return TVector(
            ball.x + (ball.vx + ball.acceleration_x * half) * elapsed,
            ball.y + (ball.vy + ball.acceleration_y * half) * elapsed,
            ball.z + (ball.vz + ball.acceleration_z * half) * elapsed,
        )

    def velocity_of(self, ball: FallingBall, time: float) -> TVector:
        """A ball's velocity at a time, if nothing happens to it till then."""
        elapsed = time - ball.clock
        return TVector(
            ball.vx + ball.acceleration_x * elapsed,
            ball.vy + ball.acceleration_y * elapsed,
            ball.vz + ball.acceleration_z * elapsed,
        )

    def ball_in_lane(self, lanes: Floats, k: int) -> BallLane:
        """The ball in lane k."""
        acceleration = TVector(lanes[8 * LANES + k], lanes[9 * LANES + k], lanes[10 * LANES + k])
        return _ball_in_lane(lanes, k, acceleration)

    def acceleration_of(self, ball: FallingBall) -> TVector:
        """A ball's acceleration: gravity, or its part along the plane on which the ball lies."""
        return TVector(ball.acceleration_x, ball.acceleration_y, ball.acceleration_z)

    def set_acceleration(self, ball: FallingBallRecord, acceleration: TVector) -> None:
        """Give a ball another acceleration, from its clock's time on."""
        ball.acceleration_x = acceleration.x
        ball.acceleration_y = acceleration.y
        ball.acceleration_z = acceleration.z

    def discriminant_error(
        self, a: float, s: float, position_error: float, velocity_error: float
    ) -> float:
        """The error bound of a discriminant: within it, rounding decides the sign."""
        return a * s * (position_error + VELOCITY_ERROR * s) + velocity_error * s * s

    def same_acceleration(self, a: FallingBall, b: FallingBall) -> bool:
        """Whether two balls have the same acceleration, so that their relative path is straight."""
        same: bool = (
            (a.acceleration_x == b.acceleration_x)
            & (a.acceleration_y == b.acceleration_y)
            & (a.acceleration_z == b.acceleration_z)
        )
        return same


class _Trap(NamedTuple):
    gravity: TVector
    centre: TVector
    frequency: float


@value
class Trapped(_Trap):
    """Ellipses around the centre of a harmonic trap, which has taken in gravity: that is 0 here.

    Times of impact are those of `Trap`. In plain floats no test of a pair is certain, so each is
    made one by one: see `predict`.
    """

    __slots__ = ()

    def position_of(self, ball: FlyingBall, time: float) -> TVector:
        """Where a ball is at a time, if nothing happens to it till then."""
        x, v = position_at_clock(ball) - self.centre, velocity_at_clock(ball)
        return self.centre + trapped_position(x, v, self.frequency, time - ball.clock)

    def velocity_of(self, ball: FlyingBall, time: float) -> TVector:
        """A ball's velocity at a time, if nothing happens to it till then."""
        x, v = position_at_clock(ball) - self.centre, velocity_at_clock(ball)
        return trapped_velocity(x, v, self.frequency, time - ball.clock)

    def ball_in_lane(self, lanes: Floats, k: int) -> BallLane:
        """The ball in lane k."""
        return _ball_in_lane(lanes, k, self.gravity)

    def acceleration_of(self, ball: FlyingBall) -> TVector:
        """A constant acceleration: none; `Trap` has that of the trap."""
        return self.gravity

    def set_acceleration(self, ball: FallingBallRecord, acceleration: TVector) -> None:
        """Do nothing: where a ball is decides."""

    def discriminant_error(
        self, a: float, s: float, position_error: float, velocity_error: float
    ) -> float:
        """The error bound of a discriminant: within it, rounding decides the sign."""
        return a * s * position_error

    def same_acceleration(self, a: FlyingBall, b: FlyingBall) -> bool:
        """Whether two balls have the same acceleration, so that their relative path is straight."""
        return False


def motion_of(
    field: HarmonicTrap | ConstantAccelerations | None, gravity: TVector, falls: bool
) -> tuple[Falling | Straight | Trapped, Floats | None]:
    """How balls fly between impacts; and the accelerations of their own, (n, 3), or None.

    falls: whether they may have any without a field.
    """
    if isinstance(field, HarmonicTrap):
        trap = field.with_gravity(gravity)
        return Trapped(ZERO, trap.centre, trap.frequency), None
    if isinstance(field, ConstantAccelerations):
        own = field.acceleration + np.array(gravity)
        greatest = own[np.abs(own).sum(axis=1).argmax()]  # bounds of speeds follow from it
        return Falling(TVector(greatest)), own
    # With walls balls always fall, if only by 0: one kernel serves them with and without gravity.
    return (Falling if falls else Straight)(gravity), None
