"""A ring plug: what stops a ball in the mouth of a ring through which it does not fit.

On the axis such a ball touches the ring all around, with a normal from each side; a circle returns
only one of them at a time. The ball cannot go further along the axis either, and that is a surface
of its own: with s = rounding + radius > R, the heights z = ±√(s² − R²) over the hole. This surface
lies inside of the grown ring, and touches its surface on the axis alone.
"""

import math

from spheresim.compiler.decorators import value
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.circle import Circle, CircleFields
from spheresim.obstacles.plane import Plane

_NONE = -1.0

SNUG = 1e-12
"""The play, in radii, below which a ball fits exactly: a tube then holds it from all around, and a
hole counts as narrower by as much: rounding would decide whether the ball goes through."""


@value
class RingPlug(CircleFields):
    """The plug of the ring of these fields, see `Circle`."""

    __slots__ = ()

    def height_of(self, radius: float) -> float:
        """How far from the ring's plane a ball is stopped; _NONE if it fits through."""
        s, play = self.rounding + radius, SNUG * self.extent
        if s < self.extent - play:
            return _NONE
        s = max(s, self.extent + play)
        return math.sqrt((s - self.extent) * (s + self.extent))

    def width_at(self, point: TVector) -> float:
        """The distance of a point from the axis."""
        return (point - self.point).cross(self.axis).mag()

    def is_in_tube(self, point: TVector) -> bool:
        """Whether a point is inside the ring, where that is hollow: it has no plug from there."""
        return Circle(*self).holds(point)

    def toi(self, ray: TRay, radius: float) -> float:
        """When a ball in straight flight is stopped."""
        high, x = self.height_of(radius), ray.origin
        if high < 0.0 or self.is_in_tube(x):
            return math.inf
        n = self.normal_at(x, x)
        t = Plane(self.point + n * (high - radius), n).toi(ray, radius)
        if t == math.inf or self.width_at(ray.at_parameter(t)) > self.extent:
            return math.inf
        return t

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a falling ball is stopped: from above or from below."""
        high = self.height_of(radius)
        if high < 0.0 or self.is_in_tube(x) or (g.mag_sqr() == 0.0 and v.mag_sqr() == 0.0):
            return math.inf
        first = math.inf
        for side in range(2):
            n = self.axis if side == 0 else self.axis * -1.0
            plane = Plane(self.point + n * (high - radius), n)
            t = plane.falling_toi(x, v, g, radius, until)
            if t < first:
                there = x + (v + g * (0.5 * t)) * t
                is_on_this_side = (there - self.point).dot(n) > 0.0
                if is_on_this_side and self.width_at(there) <= self.extent:
                    first = t
        return first

    def gap(self, point: TVector) -> float:
        """The distance of a point over the hole from the ring, as if it were on the axis.

        It is nowhere less than the distance from the ring itself.
        """
        return math.inf if self.is_in_tube(point) else self.gap_outside(point)

    def gap_outside(self, point: TVector) -> float:
        """The same, wherever the point is."""
        z = (point - self.point).dot(self.axis)
        return math.hypot(max(self.width_at(point), self.extent), z) - self.rounding

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The axis, towards where it is seen from."""
        behind = self.axis.dot(seen_from - self.point) < 0.0
        return self.axis * -1.0 if behind else self.axis

    def side_towards(self, point: TVector) -> Plane:
        """The plane that is as far from a point as the plug is."""
        n = self.normal_at(point, point)
        return Plane(point - n * self.gap_outside(point), n)
