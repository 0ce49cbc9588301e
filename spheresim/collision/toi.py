"""Time of impact: when do two moving things touch?

Two moving spheres are a moving point against a sphere of radius r1 + r2, in relative
motion. Every answer is a time from now, `inf` for never.

The rule for what already touches or overlaps: approaching is an impact now, anything
else is none (M. N. Bannerman et al., Stable algorithm for event detection in
event-driven particle dynamics, arXiv 1211.6718). The sign of the normal velocity
decides, never a distance.
"""

import math
from typing import Any, NamedTuple, Protocol

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.arguments import finite_vector, number, shown
from spheresim.numerics.double_double import DoubleDouble, exact_difference, two_sum
from spheresim.numerics.powers_of_two import (
    divided_by_power_of_two,
    exponent_above,
    times_power_of_two,
)
from spheresim.numerics.roots import Quadratic, contact_quadratic, growing_contact_quadratic
from spheresim.numerics.vector import TVector, VectorLike

_SMALL = 1e-60
"""Lengths and speeds from here to its inverse are moderate: no formula for a pair over- or
underflows, nor do the errors that double-doubles carry."""

_NOT_MODERATE = -1.0
"""In place of a time: the pair must be scaled first."""


class MovingSphere(Protocol):
    """Anything that has a position, a velocity and a radius, such as `Ball`."""

    @property
    def position(self) -> VectorLike: ...
    @property
    def velocity(self) -> VectorLike: ...
    @property
    def radius(self) -> float: ...


class BallFlight(NamedTuple):
    """A ball in straight flight: what kernels read of a `MovingSphere`."""

    position: TVector
    velocity: TVector
    radius: float


def flight_of(given: MovingSphere) -> BallFlight:
    """The straight flight of anything with position (3,), velocity (3,) and radius ≥ 0.

    TypeError for what has none of these; ValueError or TypeError for values that are no finite
    vectors or numbers, or a negative radius.
    """
    try:
        position, velocity, radius = given.position, given.velocity, given.radius
    except AttributeError:
        raise TypeError(
            f"a position, a velocity and a radius are needed, as a Ball has, not {shown(given)}"
        ) from None
    return BallFlight(
        finite_vector(position, "a ball's position"),
        finite_vector(velocity, "a ball's velocity"),
        number(radius, "a ball's radius", low=0.0),
    )


def analytic_toi(a: MovingSphere, b: MovingSphere) -> float:
    """Time of impact of two spheres in straight flight, from a quadratic equation; inf if never.

    a, b: anything with position, velocity and radius, such as a `Ball`. The time is counted from
    now, and 0 if they touch or overlap and approach. It is exact to rounding for any distances,
    radii and angles. Hit or miss is right too, down to a relative discriminant of 1e-13 (a graze);
    below it no wrong answer is known. TypeError or ValueError for what is no moving sphere, or a
    value that is not finite.

    >>> from spheresim.model.balls import Ball
    >>> analytic_toi(Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 1.2, 0), radius=1))
    3.4
    """
    pair = flight_of(a), flight_of(b)
    t: float = _moderate_toi(*pair)
    return t if t != _NOT_MODERATE else _scaled_toi(*pair)


@kernel
def _moderate_toi(a: BallFlight, b: BallFlight) -> float:
    """The time of impact of a pair of moderate size and speed, else _NOT_MODERATE."""
    d, v = a.position - b.position, a.velocity - b.velocity
    if not is_moderate(d, v, a.radius + b.radius):
        return _NOT_MODERATE
    return pair_toi(a.position, a.velocity, a.radius, b.position, b.velocity, b.radius)


@inlined
def is_moderate(d: TVector, v: TVector, s: float) -> bool:
    """Whether the distance, speed and reach of a pair are of moderate size."""
    length, speed = max(s, abs(d.x), abs(d.y), abs(d.z)), max(abs(v.x), abs(v.y), abs(v.z))
    return _SMALL < length < 1.0 / _SMALL and (speed == 0.0 or _SMALL < speed < 1.0 / _SMALL)


def _scaled_toi(a: BallFlight, b: BallFlight) -> float:
    """The time of impact in units of length and time, powers of two, that suit the pair."""
    # Halve all lengths: the difference of the two largest floats would overflow.
    d = exact_difference(a.position * 0.5, b.position * 0.5)
    v = exact_difference(a.velocity * 0.5, b.velocity * 0.5)
    s = two_sum(a.radius * 0.5, b.radius * 0.5)

    # Choose the units: powers of two, so that scaling is exact.
    length = exponent_above([s.high, *(component.high for component in d)])
    speed = exponent_above([component.high for component in v])

    # A pair whose exact differences are again d, v and s, each in two floats.
    t = pair_toi(
        divided_by_power_of_two((x.high for x in d), length),
        divided_by_power_of_two((x.high for x in v), speed),
        math.ldexp(s.high, -length),
        divided_by_power_of_two((-x.low for x in d), length),
        divided_by_power_of_two((-x.low for x in v), speed),
        math.ldexp(s.low, -length),
    )
    return times_power_of_two(t, length - speed)


@kernel
def pair_toi(
    position_a: TVector,
    velocity_a: TVector,
    radius_a: float,
    position_b: TVector,
    velocity_b: TVector,
    radius_b: float,
) -> float:
    """The time of impact of two spheres, in double-doubles unless plain floats show a miss.

    Positions and velocities must be moderate, from 1e-60 to 1e60: `analytic_toi` scales them.
    """
    if surely_miss(position_a - position_b, velocity_a - velocity_b, radius_a + radius_b):
        return math.inf
    return exact_toi(
        exact_difference(position_a, position_b),
        exact_difference(velocity_a, velocity_b),
        two_sum(radius_a, radius_b),
    )


@routine
def exact_toi(d: TVector, v: TVector, s: DoubleDouble) -> float:
    """When a point at d with velocity v comes within s of the origin; all in double-doubles."""
    exact: Any = contact_quadratic(d, v, s)
    rounded = _rounded(exact)
    return _refined(exact, rounded, rounded.first_root())


@routine
def growing_pair_toi(d: TVector, v: TVector, s: float, speed: float) -> float:
    """When a point at d with velocity v comes within s + speed·t of the origin; inf if never."""
    zero = d * 0.0
    exact: Any = growing_contact_quadratic(
        exact_difference(d, zero), exact_difference(v, zero), two_sum(s, 0.0), two_sum(speed, 0.0)
    )
    rounded = _rounded(exact)
    return _refined(exact, rounded, rounded.first_fall())


@inlined
def _rounded(exact: Any) -> Quadratic:
    """A quadratic of double-doubles as one of floats."""
    return Quadratic(exact.a.high, exact.b.high, exact.c.high, exact.discriminant.high)


@inlined
def _refined(exact: Any, rounded: Quadratic, t: float) -> float:
    """The root t of the rounded quadratic, at which it falls, as a root of the exact one."""
    if 0.0 < t < math.inf and rounded.discriminant > 0.0:
        # One step of Newton's method, with slope 2(a·t + b) = -2√discriminant, for the last digit.
        correction = exact.value_at(DoubleDouble(t, 0.0)).high
        correction *= 0.5 / math.sqrt(rounded.discriminant)
        if abs(correction) < 1e-14 * t:  # beyond |d|/s = 1e16 even double-doubles are too short
            t += correction
    return t


@inlined
def surely_miss(d: TVector, v: TVector, s: float) -> bool:
    """Whether plain floats already show, beyond any rounding, that two spheres never touch.

    The nearest they come is |d×v|/|v|. Its square is wrong by less than 1e-14·d²; the
    sign of d·v is sure beyond 1e-14·|d||v|.
    """
    d_sqr, v_sqr, b = d.mag_sqr(), v.mag_sqr(), d.dot(v)
    receding = b > 0.0 and b * b > 1e-28 * d_sqr * v_sqr
    passing = d.cross(v).mag_sqr() > v_sqr * (s * s * (1.0 + 1e-14) + 1e-14 * d_sqr)
    return receding or passing
