"""Roots of the polynomials of time that decide when a moving point is at a given distance.

In straight flight |d + v·t| = s is the quadratic a·t² + 2b·t + c = 0 with a = v·v, b = d·v and
c = d·d − s². Its discriminant b² − a·c loses all its digits when d is large beside s, or when
the point just grazes; by Lagrange's identity it is a·s² − |d×v|², which does not. The roots
are taken in the form in which nothing cancels. Under gravity it is a quartic: see below.
"""

import math
from typing import Any, NamedTuple, Protocol

from spheresim.compiler.decorators import inlined, routine, value


class _Coefficients(NamedTuple):
    a: float
    b: float
    c: float
    discriminant: float


@value
class Quadratic(_Coefficients):
    """a·t² + 2b·t + c, with b² − a·c as its discriminant; a must not be negative, but for
    `first_fall`.

    A point is within reach where the quadratic is 0 or less.
    """

    __slots__ = ()

    def value_at(self, t: Any) -> Any:
        """The quadratic's value at t."""
        return (self.a * t + self.b + self.b) * t + self.c

    def first_root(self) -> float:
        """The time t ≥ 0 at which an approaching point comes within reach.

        0 if it is within reach already; inf if it never comes, or moves away.
        """
        if self.b >= 0.0 or self.discriminant < 0.0:
            return math.inf
        if self.c <= 0.0:
            return 0.0
        return self.c / (-self.b + math.sqrt(self.discriminant))

    def first_fall(self) -> float:
        """The same where a may be negative: what grows faster than it moves reaches everything."""
        if self.b < 0.0 or self.a >= 0.0:
            return self.first_root()
        return (self.b + math.sqrt(max(0.0, self.discriminant))) / -self.a

    def last_root(self) -> float:
        """The time t ≥ 0 at which a point that is within reach leaves it; inf if it never does.

        A point that is already out of reach leaves at once if it moves away. If it moves
        inwards, it leaves where it would after crossing, or, where it never gets within
        reach, when it starts to move away.
        """
        if self.a == 0.0 and self.b <= 0.0:
            return math.inf
        if self.c >= 0.0:
            if self.b >= 0.0:
                return 0.0
            return (-self.b + math.sqrt(max(0.0, self.discriminant))) / self.a
        # Within reach nothing cancels in b² - a·c, and it cannot be negative by rounding.
        root = math.sqrt(self.b * self.b - self.a * self.c)
        return -self.c / (self.b + root) if self.b >= 0.0 else (root - self.b) / self.a

    def crossings(self) -> tuple[float, float]:
        """From when to when the point is within reach on its whole line, past and future.

        (inf, −inf) if it never is; (−inf, inf) if it does not move and is.
        """
        if self.discriminant < 0.0 or (self.a == 0.0 and self.c > 0.0):
            return math.inf, -math.inf
        if self.a == 0.0:
            return -math.inf, math.inf
        # The root of larger size first: the other is c over it, in which nothing cancels.
        larger = abs(self.b) + math.sqrt(self.discriminant)
        other = self.c / larger if larger > 0.0 else 0.0
        if self.b < 0.0:
            return other, larger / self.a
        return -larger / self.a, -other

    def first_crossing(self) -> float:
        """The first of the two crossings."""
        first, _ = self.crossings()
        return first


@inlined
def contact_quadratic(d: Any, v: Any, s: Any) -> Quadratic:
    """The quadratic of |d + v·t| = s, for vectors of floats or of double-doubles."""
    a = v.mag_sqr()
    s_sqr = s * s
    return Quadratic(a, d.dot(v), d.mag_sqr() - s_sqr, a * s_sqr - d.cross(v).mag_sqr())


@inlined
def growing_contact_quadratic(d: Any, v: Any, s: Any, speed: Any) -> Quadratic:
    """The quadratic of |d + v·t| = s + speed·t, for floats or double-doubles.

    By the same identity the discriminant is |s·v − speed·d|² − |d×v|².
    """
    return Quadratic(
        v.mag_sqr() - speed * speed,
        d.dot(v) - s * speed,
        d.mag_sqr() - s * s,
        (v * s - d * speed).mag_sqr() - d.cross(v).mag_sqr(),
    )


# --- Polynomials to the fourth degree ---------------------------------------------------
# A falling ball and a cylinder touch where a quartic vanishes. Between two neighbouring
# roots of its derivative a polynomial is monotone and has at most one root, which
# bisection cannot miss; the derivative's roots are found in the same way. No closed form
# (Ferrari's) is as reliable in floating point.


_CLEARLY = 1e-13
"""Of the sum of a polynomial's terms; exceeds the rounding of its value."""

LONG = 1e50
"""A time of which the fourth power is far from overflow."""


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
        """The polynomial's value at t."""
        return self.c0 + t * (self.c1 + t * (self.c2 + t * (self.c3 + t * self.c4)))

    def derivative(self) -> "Polynomial":
        """The slope, as a polynomial."""
        return Polynomial(self.c1, 2.0 * self.c2, 3.0 * self.c3, 4.0 * self.c4, 0.0)

    def __neg__(self) -> "Polynomial":
        return Polynomial(-self.c0, -self.c1, -self.c2, -self.c3, -self.c4)


@inlined
def contact_quartic(d: Any, v: Any, acceleration: Any, c0: float) -> Polynomial:
    """|d + v·t + g·t²/2|² − s² for a constant acceleration g: positive out of reach.

    `c0` is its value at t = 0, |d|² − s². (|d| − s)·(|d| + s) is the form in which nothing
    cancels; it costs a square root.
    """
    half = acceleration * 0.5
    return Polynomial(
        c0,
        2.0 * d.dot(v),
        v.mag_sqr() + 2.0 * d.dot(half),
        2.0 * v.dot(half),
        half.mag_sqr(),
    )


@routine
def first_contact_root(quartic: Polynomial, horizon: float, beyond: float = -1.0) -> float:
    """The first t from 0 to the horizon at which a quartic is at most 0 and falls; inf if none.

    With `beyond`, what was found before, the first one where it has risen in between.
    """
    if horizon < LONG and _is_surely_positive(quartic, horizon):
        return math.inf
    slope = quartic.derivative()
    if horizon < LONG and _surely_rises(slope, horizon):
        return math.inf
    end = horizon
    if not (horizon < LONG and _is_within_root_bound(quartic, horizon)):
        end = min(horizon, _root_bound(quartic))

    # The time is cut into four parts in which the quartic is monotone, at the roots of its slope;
    # those are where the slope of that changes its sign. The first part that falls and ends at 0
    # or below holds the root, or begins below 0; what comes after it is not looked at.
    bend = slope.derivative()
    one, other = _quadratic_roots(bend.c0, bend.c1, bend.c2, end)
    low = 0.0
    for part in range(4):
        high = end
        if part < 3:
            before = 0.0 if part == 0 else one if part == 1 else other
            after = one if part == 0 else other if part == 1 else end
            high = bracketed_root(slope, bend, before, after)
        if high > low > beyond and slope.value_at(0.5 * (low + high)) < 0.0:
            if quartic.value_at(low) <= 0.0:
                return low
            if quartic.value_at(high) <= 0.0:
                return bracketed_root(quartic, slope, low, high)
        low = max(low, high)
    return math.inf


@inlined
def _is_surely_positive(p: Polynomial, end: float) -> bool:
    """Whether a quartic is clearly above 0 from 0 to `end`, since its Bernstein coefficients are.

    It is nowhere less than the least of them (G. Farin, Curves and Surfaces for CAGD, chapter 6).
    Where that decides nothing, the time is halved, down to a sixteenth. Most features near a path
    are passed at a distance, which is found in this way before any root is sought.
    """
    t2 = end * end
    size = abs(p.c0) + abs(p.c1) * end + abs(p.c2) * t2 + (abs(p.c3) + abs(p.c4) * end) * t2 * end
    clearly, low, width = _CLEARLY * size, 0.0, end
    while True:
        # The Bernstein coefficients from `low` on.
        w2 = width * width
        k0 = p.value_at(low)
        k1 = (p.c1 + low * (2.0 * p.c2 + low * (3.0 * p.c3 + low * (4.0 * p.c4)))) * width
        k2 = (p.c2 + low * (3.0 * p.c3 + low * (6.0 * p.c4))) * w2
        k3, k4 = (p.c3 + low * (4.0 * p.c4)) * w2 * width, p.c4 * w2 * w2
        last = k0 + k1 + k2 + k3 + k4
        inner = min(k0 + 0.25 * k1, k0 + 0.5 * k1 + k2 / 6.0)
        inner = min(inner, k0 + 0.75 * k1 + 0.5 * k2 + 0.25 * k3)
        if not min(k0, last) > clearly:
            return False
        if inner > clearly:
            low += width
            width = min(2.0 * width, end - low)
            if low >= end:
                return True
        elif width > 0.07 * end:
            width *= 0.5
        else:
            return False


@inlined
def _surely_rises(slope: Polynomial, end: float) -> bool:
    """Whether a slope, a cubic, is clearly above 0 from 0 to `end`, as its Bernstein coefficients
    are: so of a feature that a ball has just left."""
    k1, k2, k3 = slope.c1 * end, slope.c2 * end * end, slope.c3 * end * end * end
    clearly = _CLEARLY * (abs(slope.c0) + abs(k1) + abs(k2) + abs(k3))
    inner = min(slope.c0 + k1 / 3.0, slope.c0 + (2.0 * k1 + k2) / 3.0)
    return min(slope.c0, inner, slope.c0 + k1 + k2 + k3) > clearly


@inlined
def _is_within_root_bound(p: Polynomial, t: float) -> bool:
    """Whether a time is surely less than `_root_bound`, which takes four powers to know."""
    lead = abs(p.c4) * (1.0 + 1e-9)
    cubic, square = 4.0 * abs(p.c3), 16.0 * abs(p.c2)
    rest = max(256.0 * abs(p.c0), 64.0 * abs(p.c1) * t, square * t * t, cubic * t * t * t)
    return lead > 0.0 and rest > lead * t * t * t * t


@inlined
def _root_bound(p: Polynomial) -> float:
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


@inlined
def _quadratic_roots(c0: float, c1: float, c2: float, end: float) -> tuple[float, float]:
    """The roots of c0 + c1·t + c2·t² in rising order, each moved into the range from 0 to `end`."""
    discriminant = c1 * c1 - 4.0 * c2 * c0
    if discriminant < 0.0:
        return 0.0, end
    q = -0.5 * (c1 + math.copysign(math.sqrt(discriminant), c1))
    one = q / c2 if c2 != 0.0 else end
    other = c0 / q if q != 0.0 else 0.0
    one, other = min(max(one, 0.0), end), min(max(other, 0.0), end)
    return min(one, other), max(one, other)


class HasValues(Protocol):
    """What has a value at each time, such as a polynomial."""

    def value_at(self, t: float) -> float:
        """The value at t."""


@routine
def bracketed_root(p: HasValues, slope: HasValues, low: float, high: float) -> float:
    """The root of a polynomial that is monotone from low to high.

    Without a sign change it is the end at which the polynomial is nearer to 0. Newton's method,
    and bisection where a Newton step leaves the bracket or does not halve it (W. H. Press et
    al., Numerical Recipes, section 9.4).
    """
    at_low, at_high = p.value_at(low), p.value_at(high)
    if (at_low > 0.0) == (at_high > 0.0):
        return low if abs(at_low) < abs(at_high) else high
    t, step = 0.5 * (low + high), high - low
    for _ in range(200):
        # Keep the half of the bracket in which the sign changes.
        value_at = p.value_at(t)
        if (value_at > 0.0) == (at_low > 0.0):
            low = t
        else:
            high = t

        # Step by Newton's method where that converges, else to the middle.
        newton = t - value_at / slope.value_at(t)
        inside = (low < newton) & (newton < high)
        halves = abs(newton - t) < 0.5 * step
        next_t = newton if inside and halves else 0.5 * (low + high)

        # Stop where the step is below the last digit.
        step = abs(next_t - t)
        if step <= 2.0**-53 * abs(t) or not low < next_t < high:
            return next_t
        t = next_t
    return t
