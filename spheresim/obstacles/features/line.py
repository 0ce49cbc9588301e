"""A line with two ends: an edge, or the side of a capsule or of a cylinder with ends.

Grown by a radius it is a cylinder, cut off bluntly at its ends: a ball that comes in through
the cut has met the point, face or circle there before.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import LONG, first_contact_root
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.face import OVERHANG
from spheresim.obstacles.round import bend_around, falling_quartic, stop_radius, straight_toi

_CLEARLY = 1e-12
"""Of the terms that are added up; exceeds the rounding of their sum."""


class _LineFields(NamedTuple):
    point: TVector
    axis: TVector
    rounding: float
    length: float
    hollow: float


@value
class Line(_LineFields):
    """A line from `point` along the unit vector `axis`, with all that is within `rounding` of it.

    hollow: 1 if what is inside it stays inside, as in a drum; else 0.
    """

    __slots__ = ()

    def place_along(self, point: TVector) -> float:
        """How far along the line a point is."""
        return self.axis.dot(point - self.point)

    def is_beside(self, point: TVector) -> bool:
        """Whether a point is between the ends, seen along the line."""
        along, overhang = self.place_along(point), OVERHANG * self.length
        return -overhang <= along <= self.length + overhang

    def is_past(self, x: TVector, v: TVector, g: TVector, until: float) -> bool:
        """Whether a point on a path stays clearly beyond one of the ends, which is quickly seen.

        The place along the line is nowhere outside its three Bernstein coefficients.
        """
        first, rate = self.place_along(x), self.axis.dot(v) * until
        second, third = first + 0.5 * rate, 0.5 * self.axis.dot(g) * until * until
        last = first + rate + third
        least, most = min(first, second, last), max(first, second, last)
        clearly = _CLEARLY * (abs(first) + abs(rate) + abs(third)) + 2.0 * OVERHANG * self.length
        return least - self.length > clearly or -most > clearly

    def holds(self, point: TVector) -> bool:
        """Whether a point is inside, where the line is hollow."""
        if self.hollow == 0.0 or not self.is_beside(point):
            return False
        return (point - self.point).cross(self.axis).mag() < self.rounding

    def toi(self, ray: TRay, radius: float) -> float:
        """When a ball is stopped, as by a cylinder, if it is between the ends then."""
        d, v = (ray.origin - self.point).cross(self.axis), ray.direction.cross(self.axis)
        inside = self.holds(ray.origin)
        t = straight_toi(d, v, stop_radius(self.rounding, radius, inside), inside)
        if t == math.inf or not self.is_beside(ray.at_parameter(t)):
            return math.inf
        return t

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a falling ball is stopped; it may pass an end at first, and come back."""
        if g.mag_sqr() == 0.0:
            return math.inf if v.mag_sqr() == 0.0 else self.toi(TRay(x, v), radius)
        if until < LONG and self.is_past(x, v, g, until):
            return math.inf
        inside, d, w = self.holds(x), (x - self.point).cross(self.axis), v.cross(self.axis)
        s = stop_radius(self.rounding, radius, inside)
        quartic = falling_quartic(d, w, g.cross(self.axis), s, inside)
        t = -1.0
        for _ in range(4):
            t = first_contact_root(quartic, until, t)
            if t == math.inf or self.is_beside(x + (v + g * (0.5 * t)) * t):
                return t
        return math.inf

    def gap(self, point: TVector) -> float:
        """The distance of a point from the surface, which is open at its ends."""
        along = self.place_along(point)
        beyond = max(0.0, -along, along - self.length)
        across = (point - self.point).cross(self.axis).mag()
        return math.hypot(across - self.rounding, beyond)

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """Away from the line if seen from outside, towards it from inside."""
        d = point - self.point
        radial = d - self.axis * d.dot(self.axis)
        if radial.mag_sqr() == 0.0:
            return self.axis.perpendicular()
        n = radial.unit()
        return n * -1.0 if self.holds(seen_from) else n

    def bend(self, point: TVector, velocity: TVector) -> float:
        """As of a cylinder."""
        d, w = (point - self.point).cross(self.axis), velocity.cross(self.axis)
        return bend_around(d, w, self.holds(point))

    def curvature_radius(self, point: TVector) -> float:
        """The distance from the line."""
        return (point - self.point).cross(self.axis).mag()
