"""Where an obstacle that moves is at a moment: the frame in which it stands still."""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, value
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.ball_path import BallPath

_SHORT = 0.25
"""Of a turn of one radian: the longest time over which `Frame.jerk` is used."""


@inlined
def rotated(d: TVector, axis: TVector, cosine: float, sine: float) -> TVector:
    """A vector turned about a unit vector (Rodrigues' formula)."""
    return d * cosine + axis.cross(d) * sine + axis * (axis.dot(d) * (1.0 - cosine))


class _FrameFields(NamedTuple):
    offset: TVector
    velocity: TVector
    acceleration: TVector
    third: float
    lasts: float
    span: float
    point: TVector
    axis: TVector
    rate: float
    cosine: float
    sine: float


@value
class Frame(_FrameFields):
    """A frame that is displaced by `offset`, or turned about an axis through `point`.

    velocity, acceleration: of the offset; third: a bound of its third time derivative; lasts: for
    how long these hold; span: how far from here it may get; rate: of the turning [radian/time];
    cosine, sine: of the angle.
    """

    __slots__ = ()

    def seen(self, x: TVector) -> TVector:
        """A point as the obstacle sees it."""
        if self.rate == 0.0:
            return x - self.offset
        return self.point + rotated(x - self.point, self.axis, self.cosine, -self.sine)

    def placed(self, x: TVector) -> TVector:
        """A point that the obstacle sees, in the world."""
        if self.rate == 0.0:
            return x + self.offset
        return self.point + rotated(x - self.point, self.axis, self.cosine, self.sine)

    def turned(self, direction: TVector) -> TVector:
        """A direction that the obstacle sees, in the world."""
        if self.rate == 0.0:
            return direction
        return rotated(direction, self.axis, self.cosine, self.sine)

    def turned_back(self, direction: TVector) -> TVector:
        """A direction in the world, as the obstacle sees it."""
        if self.rate == 0.0:
            return direction
        return rotated(direction, self.axis, self.cosine, -self.sine)

    def velocity_at(self, x: TVector) -> TVector:
        """The velocity of the obstacle at a point of the world."""
        if self.rate == 0.0:
            return self.velocity
        return self.axis.cross(x - self.point) * self.rate

    def path(self, x: TVector, v: TVector, g: TVector) -> BallPath:
        """The path of a ball as the obstacle sees it."""
        if self.rate == 0.0:
            return BallPath(x - self.offset, v - self.velocity, g - self.acceleration)
        spin = self.axis * self.rate
        along = v - spin.cross(x - self.point)
        force = g - spin.cross(along) * 2.0 - spin.cross(spin.cross(x - self.point))
        c, s = self.cosine, -self.sine
        return BallPath(
            self.seen(x), rotated(along, self.axis, c, s), rotated(force, self.axis, c, s)
        )

    def is_uniform(self) -> bool:
        """Whether the path of a falling ball is a parabola as the obstacle sees it."""
        return self.rate == 0.0 and self.third == 0.0

    def longest(self) -> float:
        """The longest time over which `jerk` is a bound."""
        if self.rate == 0.0:
            return self.lasts
        return _SHORT / abs(self.rate)

    def jerk(self, x: TVector, v: TVector, g: TVector) -> float:
        """A bound of the third time derivative of `path`, from now on, for `longest`."""
        if self.rate == 0.0:
            return self.third
        # In the turning frame (d/dt − spin×)³ of the place: the sum of binomial terms.
        rate, time, pull = abs(self.rate), self.longest(), g.mag()
        speed = v.mag() + pull * time
        far = (x - self.point).mag() + speed * time
        return rate * (rate * (rate * far + 3.0 * speed) + 3.0 * pull)


@inlined
def displacement(before: Frame, after: Frame, x: TVector, y: TVector) -> TVector:
    """The displacement of an obstacle between two of its frames, where a ball that goes from x to y
    touches it: the mean for the points of the obstacle that are at x before and at y after.

    Displaced obstacles have one displacement. For a turning plate and a force along its normal half
    way, the mean is exact.
    """
    if before.rate == 0.0:
        return after.offset - before.offset
    return (after.placed(before.seen(x)) - x + y - before.placed(after.seen(y))) * 0.5


AT_REST = Frame(ZERO, ZERO, ZERO, 0.0, math.inf, 0.0, ZERO, ZERO, 0.0, 1.0, 0.0)
"""The frame of what never moves."""
