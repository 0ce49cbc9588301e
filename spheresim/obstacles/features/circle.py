"""A circle: the rim of a disc, or with a radius of its own a ring, which is a torus.

Grown by a radius it is a torus of the tube radius s = rounding + radius. With d from the circle's
centre, D its part across the axis and R the circle's radius, a point is on it where

    (|d|² + R² − s²)² = 4R²·|D|²

(G. Salmon, A Treatise on the Analytic Geometry of Three Dimensions, on the anchor ring), which in
time is a quartic in straight flight, and of degree 8 in a fall.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.octic import Octic, first_octic_contact_root, plus_multiple, squared
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import (
    Polynomial,
    contact_quadratic,
    contact_quartic,
    first_contact_root,
)
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.ball_path import BallPath

_THIN = 1e-3
"""A tube narrower than this, in units of the circle's radius, needs more digits than the sum of
squares has."""


_BESIDE = 64.0 * ROUNDING
"""What is so far from the axis, in units of where it is, has a direction from there."""

_HALF_THE_DIGITS = math.sqrt(ROUNDING)
"""How near the axis, in units of the radius of the tube, the polynomial does not tell the sides of
a ring's mouth apart."""

_ROOTS = 3
"""How many roots at which a ball does not come nearer are passed over."""

_LEAST_BEND = 1e-3
"""The least radius of the path around the axis of a ring, in units of that around its tube."""


class CircleFields(NamedTuple):
    """The fields of a circle, and of the plug of its ring."""

    point: TVector
    axis: TVector
    rounding: float
    extent: float
    hollow: float


@value
class Circle(CircleFields):
    """All that is within `rounding` of the circle of radius `extent` around `point`.

    axis: a unit vector; hollow: 1 if what is inside the ring stays inside, else 0.
    """

    __slots__ = ()

    def away(self, point: TVector) -> TVector:
        """The way from the nearest point of the circle; from its axis, that along the axis."""
        d = point - self.point
        height = d.dot(self.axis)
        across = d - self.axis * height
        if across.mag_sqr() == 0.0:
            return self.axis * height
        return d - across.unit() * self.extent

    def distance_to(self, point: TVector) -> float:
        """The distance from the circle, without the rounding."""
        d = point - self.point
        return math.hypot(d.cross(self.axis).mag() - self.extent, d.dot(self.axis))

    def holds(self, point: TVector) -> bool:
        """Whether a point is inside, where the ring is hollow."""
        return self.hollow != 0.0 and self.distance_to(point) < self.rounding

    def toi(self, ray: TRay, radius: float) -> float:
        """When a ball in straight flight is stopped."""
        if self.rounding + radius == 0.0:
            return self.edge_on_toi(ray)
        none = ZERO
        return self.path_toi(ray.origin, ray.direction, none, radius, math.inf)

    def edge_on_toi(self, ray: TRay) -> float:
        """When a ray in the plane of the circle meets it; no other ray is sure to, by rounding."""
        d = ray.origin - self.point
        across, along = d.cross(self.axis), ray.direction.cross(self.axis)
        sides = contact_quadratic(across, along, self.extent)
        t = sides.first_root() if across.mag() > self.extent else sides.last_root()
        if t == math.inf:
            return math.inf
        height = abs((d + ray.direction * t).dot(self.axis))
        hidden = _BESIDE * (manhattan_norm(self.point) + manhattan_norm(d) + self.extent)
        return t if height <= hidden else math.inf

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a falling ball is stopped."""
        if g.mag_sqr() == 0.0 and v.mag_sqr() == 0.0:
            return math.inf
        return self.path_toi(x, v, g, radius, until)

    def path_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a ball on a path, straight or falling, is stopped.

        It is sought only while the ball is in the sphere around the ring, where nothing far away
        takes digits from the polynomial. A falling ball may come into that twice.
        """
        inside = self.holds(x)
        if inside and radius >= self.rounding and v.mag_sqr() + g.mag_sqr() > 0.0:
            return 0.0  # there is no room in which to move
        s = max(0.0, self.rounding - radius) if inside else self.rounding + radius
        reach = (self.extent + s) * (1.0 + 1e-9)
        begin, is_outside = 0.0, (x - self.point).mag() > reach
        for _ in range(2):
            if is_outside:
                entry = first_contact_root(self.from_sphere(x, v, g, reach, begin), until - begin)
                if entry == math.inf:
                    return math.inf
                begin = begin + entry
            stay = first_contact_root(-self.from_sphere(x, v, g, reach, begin), math.inf)
            stay = min(stay, until - begin)
            d, speed = x + (v + g * (0.5 * begin)) * begin - self.point, v + g * begin
            t = self.toi_within(BallPath(d, speed, g), s, inside, stay)
            if t < math.inf:
                return begin + t
            begin, is_outside = begin + stay, True
            if begin >= until:
                return math.inf
        return math.inf

    def from_sphere(
        self, x: TVector, v: TVector, g: TVector, reach: float, begin: float
    ) -> Polynomial:
        """The square of the distance from the middle, less reach², on a path from a time on."""
        d = x + (v + g * (0.5 * begin)) * begin - self.point
        distance = d.mag()
        return contact_quartic(d, v + g * begin, g, (distance - reach) * (distance + reach))

    def toi_within(self, path: BallPath, s: float, inside: bool, until: float) -> float:
        """When a path that begins near the circle meets the torus of tube radius s; seen from the
        middle.

        A root at which a ball goes away from the side of a ring's mouth where it is, and from the
        opposite one, is none: it touches, by rounding, what it has just hit.
        """
        begin = 0.0
        for _ in range(_ROOTS):
            t = self.root_within(path, s, inside, until - begin)
            if t == math.inf or not self.meets_itself(s, inside):
                return begin + t
            t, approach = self.refined(path, s, t)
            d, v, g = path
            aside = self.time_aside(v + g * t, g, s, approach)
            if approach > 0.0 or aside == 0.0:
                return begin + t
            t = t + aside
            begin, path = begin + t, BallPath(d + (v + g * (0.5 * t)) * t, v + g * t, g)
            if begin >= until:
                return math.inf
        return begin

    def meets_itself(self, s: float, inside: bool) -> bool:
        """Whether the torus of tube radius s has no hole, seen from outside."""
        return s >= self.extent and not inside

    def time_aside(self, v: TVector, g: TVector, s: float, approach: float) -> float:
        """How long a ball that goes away is sure to do so, up to where rounding hides no touch."""
        speed, pull = v.mag(), g.mag()
        if speed == 0.0:
            return 0.0
        time = _HALF_THE_DIGITS * s / speed
        return min(time, 0.5 * abs(approach) / pull) if pull > 0.0 else time

    def root_within(self, path: BallPath, s: float, inside: bool, until: float) -> float:
        """The first root of the polynomial of the torus on a path, seen from the middle."""
        d, v, g = path
        far = d.mag_sqr() + self.extent * self.extent - s * s
        meets_itself = self.meets_itself(s, inside)
        if meets_itself:
            # Below where it meets itself, as a ball is by rounding only, the polynomial turns.
            far = max(far, 0.0)
        ball = contact_quartic(d, v, g, far)
        across = d.cross(self.axis)
        seen = contact_quartic(across, v.cross(self.axis), g.cross(self.axis), across.mag_sqr())
        torus = plus_multiple(squared(ball), -4.0 * self.extent * self.extent, seen)
        if s < _THIN * self.extent:
            torus = self.with_thin_start(torus, d, v, s)
        if inside:
            torus = -torus
        if g.mag_sqr() == 0.0:
            quartic = Polynomial(torus.k0, torus.k1, torus.k2, torus.k3, torus.k4)
            t = first_contact_root(quartic, until)
        else:
            t = first_octic_contact_root(torus, until)
        # Where the torus meets itself, on the axis of a ring whose hole is too narrow, the
        # polynomial touches 0 without a change of sign; there |d|² + R² = s².
        if meets_itself:
            t = min(t, first_contact_root(ball, until))
        return t

    def refined(self, path: BallPath, s: float, t: float) -> tuple[float, float]:
        """A time of impact by Newton's method on the distance, of which it is a single root; and
        how fast the ball comes nearer then.

        Near the axis it is nearly a double one of the polynomial, and known to half the digits.
        """
        d, v, g = path
        there, speed = d + (v + g * (0.5 * t)) * t, v + g * t
        off, approach = self.way_left(there, speed, s)
        if approach <= 0.0 and there.cross(self.axis).mag() < _HALF_THE_DIGITS * s:
            # It does not come nearer to the side where it is: it hits the opposite one.
            t = t + max(0.0, self.time_to_pass_axis(there, speed, s))
            off, approach = self.way_left(d + (v + g * (0.5 * t)) * t, v + g * t, s)
            if off <= 0.0:
                return t, approach
        rate = approach
        for _ in range(2):
            if rate <= 0.0:
                return t, approach
            later = max(0.0, t + off / rate)
            left, rate = self.way_left(d + (v + g * (0.5 * later)) * later, v + g * later, s)
            if abs(left) >= abs(off):
                return t, approach
            t, off = later, left
        return t, approach

    def way_left(self, d: TVector, v: TVector, s: float) -> tuple[float, float]:
        """How far from the torus of tube radius s a ball is at d, and how fast it comes nearer."""
        wide, widening, z, rise = self.seen_aside(d, v)
        distance = math.hypot(wide - self.extent, z)
        return distance - s, -((wide - self.extent) * widening + z * rise) / distance

    def seen_aside(self, d: TVector, v: TVector) -> tuple[float, float, float, float]:
        """How far d is from the axis, and how fast that grows; the same of the place along it."""
        z, rise = d.dot(self.axis), v.dot(self.axis)
        across = d - self.axis * z
        wide = across.mag()
        return wide, across.dot(v) / wide if wide > 0.0 else 0.0, z, rise

    def with_thin_start(self, torus: Octic, d: TVector, v: TVector, s: float) -> Octic:
        """The torus's polynomial with its value and slope at the start as products.

        (|D| ∓ R)² + z² − s² are its two factors, of which the first is far below the rounding of
        |d|² + R² where s is small.
        """
        wide, widening, z, rise = self.seen_aside(d, v)
        distance, far = math.hypot(wide - self.extent, z), wide + self.extent
        near_value = (distance - s) * (distance + s)
        far_value = far * far + z * z - s * s
        near_slope = 2.0 * ((wide - self.extent) * widening + z * rise)
        far_slope = 2.0 * (far * widening + z * rise)
        slope = near_value * far_slope + near_slope * far_value
        return torus.with_start(near_value * far_value, slope)

    def opposite_toi(self, ray: TRay, radius: float) -> float:
        """When a ball that goes down along one side of a ring's mouth is stopped by the other."""
        s, v = self.rounding + radius, ray.direction
        t = self.time_to_pass_axis(ray.origin - self.point, v, s)
        if self.holds(ray.origin) or t < 0.0:
            return math.inf
        there = ray.at_parameter(t)
        left, approach = self.way_left(there - self.point, v, s)
        if left > ROUNDING * (manhattan_norm(self.point) + s):
            return t + self.toi(TRay(there, v), radius)
        return t if approach > 0.0 else math.inf

    def time_to_pass_axis(self, d: TVector, v: TVector, s: float) -> float:
        """When a ball at d is past its nearest place to the axis, on which neither side of the
        mouth is nearer, by so much that rounding does not hide it; -1 if it goes away from it."""
        outwards = v.cross(self.axis)
        if outwards.mag_sqr() == 0.0:
            return -1.0
        t = -d.cross(self.axis).dot(outwards) / outwards.mag_sqr()
        return t + _BESIDE * (manhattan_norm(self.point) + s) / outwards.mag() if t >= 0.0 else -1.0

    def gap(self, point: TVector) -> float:
        """The distance of a point from the surface."""
        return abs(self.distance_to(point) - self.rounding)

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """Away from the circle if seen from outside, towards it from inside; at a point of the
        circle itself away from its middle."""
        away = self.away(point)
        if away.mag() <= _BESIDE * (manhattan_norm(self.point) + self.extent):
            d = point - self.point
            away = d - self.axis * d.dot(self.axis)
        if away.mag_sqr() == 0.0:
            return self.axis
        n = away.unit()
        return n * -1.0 if self.holds(seen_from) else n

    def normal_of_nearest(self, point: TVector) -> TVector:
        """The unit vector towards a point from the nearest point of the surface.

        On the axis, to which all are equally near, from one of them (`normal_at` is along it).
        """
        d = point - self.point
        across = d - self.axis * d.dot(self.axis)
        if across.mag() > _BESIDE * (manhattan_norm(self.point) + manhattan_norm(d)):
            return self.normal_at(point, point)
        n = (d - self.axis.perpendicular() * self.extent).unit()
        return n * -1.0 if self.holds(point) else n

    def bend(self, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the distance f from the circle.

        With D across the axis and z along it, f² = (D − R)² + z² and D″ = u²/D for a speed u
        around the axis.
        """
        d = point - self.point
        height, up = d.dot(self.axis), velocity.dot(self.axis)
        across = (d - self.axis * height).mag()
        f = math.hypot(across - self.extent, height)
        if across == 0.0 or f == 0.0:
            return 0.0
        outwards = (d - self.axis * height) / across
        out = velocity.dot(outwards)
        # Of the way around what the rounding of a place near the axis cannot have made.
        unsure = ROUNDING * (manhattan_norm(self.point) + manhattan_norm(d)) / across
        around = abs(velocity.dot(self.axis.cross(outwards)))
        around = max(0.0, around - unsure * abs(out))
        turning = (across - self.extent) * around * around / across
        rate = ((across - self.extent) * out + height * up) / f
        bend = (out * out + up * up + turning - rate * rate) / f
        return -bend if self.holds(point) else bend

    def curvature_radius(self, point: TVector) -> float:
        """The smaller radius of the two ways along the ring and around it.

        Around the tube it is the distance s from the circle, and around the axis s·D/|D − R|,
        which is less in the mouth; of that at least a part, so that slide steps end.
        """
        distance, wide = self.distance_to(point), (point - self.point).cross(self.axis).mag()
        aside = max(abs(wide - self.extent), 1e-300)
        return distance * min(1.0, max(_LEAST_BEND, wide / aside))
