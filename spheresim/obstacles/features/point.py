"""A point: a corner, the end of a capsule, or with a radius of its own a sphere.

Grown by a radius it is a sphere. One that is hollow is a bowl to what is inside.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import first_contact_root
from spheresim.numerics.vector import TVector
from spheresim.obstacles.round import bend_around, falling_quartic, stop_radius, straight_toi


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
        d, inside = ray.origin - self.point, self.holds(ray.origin)
        return straight_toi(d, ray.direction, stop_radius(self.rounding, radius, inside), inside)

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a falling ball is stopped: a root of a quartic."""
        if g.mag_sqr() == 0.0:
            return math.inf if v.mag_sqr() == 0.0 else self.toi(TRay(x, v), radius)
        inside, d = self.holds(x), x - self.point
        s = stop_radius(self.rounding, radius, inside)
        return first_contact_root(falling_quartic(d, v, g, s, inside), until)

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
        """The second time derivative of the distance of a point that goes straight on."""
        return bend_around(point - self.point, velocity, self.holds(point))

    def curvature_radius(self, point: TVector) -> float:
        """The distance from the point."""
        return (point - self.point).mag()
