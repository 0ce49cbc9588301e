"""A point: a corner, the end of a capsule, or with a radius of its own a sphere.

Grown by a radius it is a sphere. One that is hollow is a bowl to what is inside.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic, contact_quartic, first_contact_root
from spheresim.numerics.vector import TVector


class _PointFields(NamedTuple):
    point: TVector
    rounding: float
    hollow: float


@value
class Point(_PointFields):
    """All that is within `rounding` of `point`.

    hollow: 1 if what is inside stays inside, as in a bowl; else 0.
    """

    __slots__ = ()

    def holds(self, point: TVector) -> bool:
        """Whether a point is inside, where it is hollow."""
        return self.hollow != 0.0 and (point - self.point).mag() < self.rounding

    def toi(self, ray: TRay, radius: float) -> float:
        """When a ball is stopped: at rounding + radius, or from inside at rounding − radius."""
        d = ray.origin - self.point
        if self.holds(ray.origin):
            return contact_quadratic(d, ray.direction, max(0.0, self.rounding - radius)).last_root()
        return contact_quadratic(d, ray.direction, self.rounding + radius).first_root()

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a falling ball is stopped: a root of a quartic."""
        if g.mag_sqr() == 0.0:
            return math.inf if v.mag_sqr() == 0.0 else self.toi(TRay(x, v), radius)
        inside, d = self.holds(x), x - self.point
        s = max(0.0, self.rounding - radius) if inside else self.rounding + radius
        distance = d.mag()
        quartic = contact_quartic(d, v, g, (distance - s) * (distance + s))
        return first_contact_root(-quartic if inside else quartic, until)

    def gap(self, point: TVector) -> float:
        """The distance of a point from the surface."""
        return abs((point - self.point).mag() - self.rounding)

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """Away from the point if seen from outside, towards it from inside."""
        d = point - self.point
        if d.mag_sqr() == 0.0:
            return TVector(0.0, 0.0, 1.0)
        n = d.unit()
        return n * -1.0 if self.holds(seen_from) else n

    def bend(self, point: TVector, velocity: TVector) -> float:
        """u²/D for a speed u around the point at the distance D."""
        d = point - self.point
        distance = d.mag()
        if distance == 0.0:
            return 0.0
        around = d.cross(velocity).mag_sqr() / (distance * distance * distance)
        return -around if self.holds(point) else around

    def curvature_radius(self, point: TVector) -> float:
        """The distance from the point."""
        return (point - self.point).mag()
