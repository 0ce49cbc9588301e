"""The one quadratic of the package: when is a moving point at a given distance from another?

|d + v·t| = s  is  a·t² + 2b·t + c = 0  with  a = v·v,  b = d·v,  c = d·d − s².
The discriminant b² − a·c loses all its digits when d is large beside s, or when the point
just grazes; by Lagrange's identity it is a·s² − |d×v|², which does not. The roots are
taken in the form in which nothing cancels.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine, value


class _Coefficients(NamedTuple):
    a: float
    b: float
    c: float
    discriminant: float


@value
class Quadratic(_Coefficients):
    """a·t² + 2b·t + c, with b² − a·c as its discriminant."""

    __slots__ = ()

    def value_at(self, t: Any) -> Any:
        """The quadratic's value at t."""
        return (self.a * t + self.b + self.b) * t + self.c

    def first_root(self) -> float:
        """When an approaching point comes within reach; 0 if it is; inf if it does not."""
        if self.b >= 0.0 or self.discriminant < 0.0:
            return math.inf
        if self.c <= 0.0:
            return 0.0
        return self.c / (-self.b + math.sqrt(self.discriminant))

    def last_root(self) -> float:
        """When a point that is within reach leaves it; inf if it does not move.

        A point that is already out of reach leaves at once if it moves away. If it moves
        inwards, it leaves where it would after crossing, or, where it never gets within
        reach, when it starts to move away.
        """
        if self.a == 0.0:
            return math.inf
        if self.c >= 0.0:
            if self.b >= 0.0:
                return 0.0
            return (-self.b + math.sqrt(max(0.0, self.discriminant))) / self.a
        # Within reach nothing cancels in b² - a·c, and it cannot be negative by rounding.
        root = math.sqrt(self.b * self.b - self.a * self.c)
        return -self.c / (self.b + root) if self.b >= 0.0 else (root - self.b) / self.a

    def first_crossing(self) -> float:
        """When the point's whole line, past and future, first comes within reach; inf if never.

        −inf for a point within reach that does not move.
        """
        if self.a == 0.0:
            return math.inf if self.c > 0.0 else -math.inf
        if self.discriminant < 0.0:
            return math.inf
        root = math.sqrt(self.discriminant)
        if self.b < 0.0:
            return self.c / (root - self.b)
        return (-self.b - root) / self.a


@inlined
def contact_quadratic(d: Any, v: Any, s: Any) -> Quadratic:
    """The quadratic of |d + v·t| = s, for vectors of floats or of double-doubles."""
    a = v.mag_sqr()
    s_sqr = s * s
    return Quadratic(a, d.dot(v), d.mag_sqr() - s_sqr, a * s_sqr - d.cross(v).mag_sqr())


# --- Polynomials to the fourth degree ---------------------------------------------------
# A falling ball and a cylinder meet where a quartic vanishes. Between two neighbouring
# roots of its derivative a polynomial is monotone and has at most one root, which
# bisection cannot miss; the derivative's roots are found in the same way. No closed form
# (Ferrari's) is as sure in floating point.


class _FiveCoefficients(NamedTuple):
    c0: float
    c1: float
    c2: float
    c3: float
    c4: float


@value
class Polynomial(_FiveCoefficients):
    """c0 + c1·t + c2·t² + c3·t³ + c4·t⁴."""

    __slots__ = ()

    def value_at(self, t: float) -> float:
        """Its value at t."""
        return self.c0 + t * (self.c1 + t * (self.c2 + t * (self.c3 + t * self.c4)))

    def derivative(self) -> "Polynomial":
        """Its slope, as a polynomial."""
        return Polynomial(self.c1, 2.0 * self.c2, 3.0 * self.c3, 4.0 * self.c4, 0.0)


@routine
def first_contact_root(
    c0: float, c1: float, c2: float, c3: float, c4: float, horizon: float
) -> float:
    """The first t from 0 to the horizon at which a quartic is at most 0 and falls; inf if none."""
    quartic = Polynomial(c0, c1, c2, c3, c4)
    slope = quartic.derivative()
    end = min(horizon, _beyond_roots(quartic))
    first, second, third = _cubic_roots(slope, end)
    low = 0.0
    for part in range(4):
        high = first if part == 0 else second if part == 1 else third if part == 2 else end
        if high > low and slope.value_at(0.5 * (low + high)) < 0.0:
            if quartic.value_at(low) <= 0.0:
                return low
            if quartic.value_at(high) <= 0.0:
                return _bracketed(quartic, slope, low, high)
        low = max(low, high)
    return math.inf


@inlined
def _beyond_roots(p: Polynomial) -> float:
    """A time after the last root of a quartic and of its derivatives (Fujiwara's bound)."""
    lead, rest = abs(p.c4), 0.0
    degree = 4
    if lead == 0.0:
        lead, degree = abs(p.c3), 3
    if lead == 0.0:
        lead, degree = abs(p.c2), 2
    if lead == 0.0:
        lead, degree = abs(p.c1), 1
    if lead == 0.0:
        return 0.0
    for k in range(degree):
        c = p.c0 if k == 0 else p.c1 if k == 1 else p.c2 if k == 2 else p.c3
        rest = max(rest, (abs(c) / lead) ** (1.0 / (degree - k)))
    return 4.0 * rest


@routine
def _cubic_roots(cubic: Polynomial, end: float) -> tuple[float, float, float]:
    """The roots of a cubic from 0 to the end in rising order; 0 or the end for those it has not."""
    slope = cubic.derivative()
    first, second = _quadratic_roots(slope.c0, slope.c1, slope.c2, end)
    return (
        _bracketed(cubic, slope, 0.0, first),
        _bracketed(cubic, slope, first, second),
        _bracketed(cubic, slope, second, end),
    )


@inlined
def _quadratic_roots(c0: float, c1: float, c2: float, end: float) -> tuple[float, float]:
    """The roots of c0 + c1·t + c2·t² clipped to the range from 0 to the end, in rising order."""
    discriminant = c1 * c1 - 4.0 * c2 * c0
    if discriminant < 0.0:
        return 0.0, end
    q = -0.5 * (c1 + math.copysign(math.sqrt(discriminant), c1))
    one = q / c2 if c2 != 0.0 else end
    other = c0 / q if q != 0.0 else 0.0
    one, other = min(max(one, 0.0), end), min(max(other, 0.0), end)
    return min(one, other), max(one, other)


@routine
def _bracketed(p: Polynomial, slope: Polynomial, low: float, high: float) -> float:
    """The root of a polynomial that is monotone from low to high; the end nearer to it if none.

    Newton's steps, and bisection where they leave the bracket or do not halve it.
    """
    at_low, at_high = p.value_at(low), p.value_at(high)
    if (at_low > 0.0) == (at_high > 0.0):
        return low if abs(at_low) < abs(at_high) else high
    t, step = 0.5 * (low + high), high - low
    for _ in range(200):
        value_at = p.value_at(t)
        if (value_at > 0.0) == (at_low > 0.0):
            low = t
        else:
            high = t
        newton = t - value_at / slope.value_at(t)
        inside = (low < newton) & (newton < high)
        halves = abs(newton - t) < 0.5 * step
        next_t = newton if inside and halves else 0.5 * (low + high)
        step = abs(next_t - t)
        if step <= 2.0**-53 * abs(t) or not low < next_t < high:
            return next_t
        t = next_t
    return t
