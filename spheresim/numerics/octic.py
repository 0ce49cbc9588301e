"""Roots of polynomials of any degree up to the eighth: a falling ball meets a torus at one.

Between two neighbouring roots of its derivative a polynomial is monotone and has at most one
root, which bisection cannot miss; and so on down to the derivative that is a straight line. It
is the method by which `roots` solves quartics, and answers the same question.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine, value
from spheresim.numerics.roots import Polynomial, bracketed_root

DEGREE = 8


class _NineCoefficients(NamedTuple):
    k0: float
    k1: float
    k2: float
    k3: float
    k4: float
    k5: float
    k6: float
    k7: float
    k8: float


@value
class Octic(_NineCoefficients):
    """k0 + k1·t + … + k8·t⁸; of a lower degree if the last coefficients are 0."""

    __slots__ = ()

    def value_at(self, t: float) -> float:
        """The polynomial's value at t."""
        upper = self.k4 + t * (self.k5 + t * (self.k6 + t * (self.k7 + t * self.k8)))
        return self.k0 + t * (self.k1 + t * (self.k2 + t * (self.k3 + t * upper)))

    def derivative(self) -> "Octic":
        """The slope, as a polynomial."""
        return Octic(
            self.k1,
            2.0 * self.k2,
            3.0 * self.k3,
            4.0 * self.k4,
            5.0 * self.k5,
            6.0 * self.k6,
            7.0 * self.k7,
            8.0 * self.k8,
            0.0,
        )

    def with_start(self, k0: float, k1: float) -> "Octic":
        """The same with another value and slope at 0."""
        return Octic(k0, k1, self.k2, self.k3, self.k4, self.k5, self.k6, self.k7, self.k8)

    def __neg__(self) -> "Octic":
        return Octic(
            -self.k0,
            -self.k1,
            -self.k2,
            -self.k3,
            -self.k4,
            -self.k5,
            -self.k6,
            -self.k7,
            -self.k8,
        )


class _EightTimes(NamedTuple):
    t1: float
    t2: float
    t3: float
    t4: float
    t5: float
    t6: float
    t7: float
    t8: float


@value
class _Times(_EightTimes):
    """Up to eight times, numbered from 0, in rising order."""

    __slots__ = ()

    def time_number(self, j: int) -> float:
        """Time number j."""
        if j < 4:
            return (self.t1 if j == 0 else self.t2) if j < 2 else (self.t3 if j == 2 else self.t4)
        return (self.t5 if j == 4 else self.t6) if j < 6 else (self.t7 if j == 6 else self.t8)

    def with_time(self, j: int, t: float) -> "_Times":
        """The same times, but for number j."""
        return _Times(
            t if j == 0 else self.t1,
            t if j == 1 else self.t2,
            t if j == 2 else self.t3,
            t if j == 3 else self.t4,
            t if j == 4 else self.t5,
            t if j == 5 else self.t6,
            t if j == 6 else self.t7,
            t if j == 7 else self.t8,
        )


@inlined
def squared(p: Polynomial) -> Octic:
    """The square of a polynomial of the fourth degree."""
    return Octic(
        p.c0 * p.c0,
        2.0 * p.c0 * p.c1,
        2.0 * p.c0 * p.c2 + p.c1 * p.c1,
        2.0 * (p.c0 * p.c3 + p.c1 * p.c2),
        2.0 * (p.c0 * p.c4 + p.c1 * p.c3) + p.c2 * p.c2,
        2.0 * (p.c1 * p.c4 + p.c2 * p.c3),
        2.0 * p.c2 * p.c4 + p.c3 * p.c3,
        2.0 * p.c3 * p.c4,
        p.c4 * p.c4,
    )


@inlined
def plus_multiple(p: Octic, factor: float, q: Polynomial) -> Octic:
    """p + factor·q."""
    return Octic(
        p.k0 + factor * q.c0,
        p.k1 + factor * q.c1,
        p.k2 + factor * q.c2,
        p.k3 + factor * q.c3,
        p.k4 + factor * q.c4,
        p.k5,
        p.k6,
        p.k7,
        p.k8,
    )


@routine
def first_octic_contact_root(p: Octic, horizon: float) -> float:
    """The first t from 0 to the horizon at which p is at most 0 and falls; inf if there is none."""
    slope = p.derivative()
    turns = _turning_times(p, horizon)
    low = 0.0
    for part in range(DEGREE):
        high = turns.time_number(part) if part < DEGREE - 1 else horizon
        if high > low and slope.value_at(0.5 * (low + high)) < 0.0:
            if p.value_at(low) <= 0.0:
                return low
            if p.value_at(high) <= 0.0:
                return bracketed_root(p, slope, low, high)
        low = max(low, high)
    return float("inf")


@routine
def _turning_times(p: Octic, end: float) -> _Times:
    """Seven times from 0 to `end`, in rising order, between which p is monotone."""
    turns = _Times(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    # The derivative of degree 1, then that of degree 2, whose turning times are then known, …
    for degree in range(1, DEGREE):
        q = p
        for _ in range(DEGREE - degree):
            q = q.derivative()
        slope, low = q.derivative(), 0.0
        found = turns
        for part in range(degree):
            high = turns.time_number(part) if part < degree - 1 else end
            found = found.with_time(part, bracketed_root(q, slope, low, high))
            low = high
        turns = found
    return turns
