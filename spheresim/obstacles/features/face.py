"""A face: a flat piece that stops balls on both its sides, of a polygon or a disc.

Grown by a radius it is two planes, n·(x − p) = ±(rounding + radius), cut off bluntly over its
outline: a ball that comes in through the cut has met the edge or corner there before.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.arrays import Floats
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import Polynomial, contact_quartic, first_contact_root
from spheresim.numerics.vector import TVector
from spheresim.obstacles.plane import Plane

OVERHANG = 1e-10
"""How far a face, a line reaches beyond its ends, in units of its size: so nothing falls through
the seam of two features, where rounding could put it beside both."""

_SAG = 1e-10
"""How far below its place a face also stops a ball, in radii of the ball: one that slides over an
edge onto the face may enter the edge by so much (`contact.tolerances.PENETRATION`)."""


class _FaceFields(NamedTuple):
    point: TVector
    normal: TVector
    rounding: float
    extent: float
    outline: Floats
    start: int
    stop: int


@value
class Face(_FaceFields):
    """A face through `point`, where it is a disc of radius `extent` or a convex polygon.

    extent: inf for a polygon; outline: rows (m, offset, overhang, corner), of which those from
    `start` to `stop` are the polygon's sides, in order: m·(x − point) ≤ offset inside, and each
    begins at its corner, counted from `point`.
    """

    __slots__ = ()

    def beyond(self, point: TVector) -> float:
        """How far a point is outside of the side that it is furthest outside of, seen along the
        normal; negative inside.
        """
        d = point - self.point
        far = -math.inf
        if self.extent < math.inf:
            far = (d - self.normal * d.dot(self.normal)).mag() - self.extent
        for row in range(self.start, self.stop):
            m = self.outline
            side = m[row, 0] * d.x + m[row, 1] * d.y + m[row, 2] * d.z - m[row, 3]
            far = max(far, side)
        return far

    def covers(self, point: TVector) -> bool:
        """Whether a point is over the outline, or its overhang, seen along the normal."""
        d = point - self.point
        if self.extent < math.inf:
            across = d - self.normal * d.dot(self.normal)
            return across.mag() <= self.extent * (1.0 + OVERHANG)
        m = self.outline
        for row in range(self.start, self.stop):
            if m[row, 0] * d.x + m[row, 1] * d.y + m[row, 2] * d.z - m[row, 3] > m[row, 4]:
                return False
        return True

    def end_time(self, x: TVector, v: TVector, g: TVector) -> float:
        """When a point on a path is over the outline and its overhang no more, clearly."""
        d = x - self.point
        if self.extent < math.inf:
            across, reach = d.cross(self.normal), self.extent * (1.0 + 2.0 * OVERHANG)
            off = across.mag_sqr() - reach * reach
            within = contact_quartic(across, v.cross(self.normal), g.cross(self.normal), off)
            return first_contact_root(-within, math.inf)
        first, rows = math.inf, self.outline
        for row in range(self.start, self.stop):
            m = TVector(rows[row, 0], rows[row, 1], rows[row, 2])
            left = rows[row, 3] + 2.0 * rows[row, 4] - m.dot(d)
            way = Polynomial(left, -m.dot(v), -0.5 * m.dot(g), 0.0, 0.0)
            first = min(first, first_contact_root(way, math.inf))
        return first

    def aside(self, point: TVector) -> float:
        """How far a point is from the outline, seen along the normal; 0 inside."""
        outside = max(0.0, self.beyond(point))
        if outside == 0.0 or self.extent < math.inf:
            return outside
        d, rows = point - self.point, self.outline
        d = d - self.normal * d.dot(self.normal)
        nearest = math.inf
        for row in range(self.start, self.stop):
            after = row + 1 if row + 1 < self.stop else self.start
            a = TVector(rows[row, 5], rows[row, 6], rows[row, 7])
            side = TVector(rows[after, 5], rows[after, 6], rows[after, 7]) - a
            part = min(1.0, max(0.0, side.dot(d - a) / side.mag_sqr()))
            nearest = min(nearest, (d - a - side * part).mag())
        return nearest

    def side_towards(self, point: TVector) -> Plane:
        """The plane that stops a ball on the side on which a point is."""
        n = self.normal
        if n.dot(point - self.point) < 0.0:
            n = n * -1.0
        return Plane(self.point + n * self.rounding, n)

    def toi(self, ray: TRay, radius: float) -> float:
        """When a ball is stopped, as by a plane, if it is over the outline then."""
        t = self.side_towards(ray.origin).toi(ray, radius)
        if t == math.inf or not self.covers(ray.at_parameter(t)):
            return math.inf
        return t

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a falling ball is stopped: first by the one side or by the other.

        It may come past the edge, and back from below.
        """
        if g.mag_sqr() == 0.0:
            return math.inf if v.mag_sqr() == 0.0 else self.toi(TRay(x, v), radius)
        first = math.inf
        for side in range(2):
            n = self.normal if side == 0 else self.normal * -1.0
            plane = Plane(self.point + n * self.rounding, n)
            for reach in (radius, radius * (1.0 - _SAG)):
                t = plane.falling_toi(x, v, g, reach, until)
                if t >= first or t > until:
                    break
                if self.covers(x + (v + g * (0.5 * t)) * t):
                    first = t
                    break
        return first

    def gap(self, point: TVector) -> float:
        """The distance of a point from the nearest of it."""
        height = self.normal.dot(point - self.point)
        return abs(math.hypot(height, self.aside(point)) - self.rounding)

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The normal, towards where it is seen from."""
        return self.side_towards(seen_from).normal
