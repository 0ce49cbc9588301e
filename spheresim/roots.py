"""The one quadratic of the package: when is a moving point at a given distance from another?

|d + v·t| = s  is  a·t² + 2b·t + c = 0  with  a = v·v,  b = d·v,  c = d·d − s².
The discriminant b² − a·c loses all its digits when d is large beside s, or when the point
just grazes; by Lagrange's identity it is a·s² − |d×v|², which does not. The roots are
taken in the form in which nothing cancels.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiled import inlined, value


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


@inlined
def reaching(d: Any, v: Any, s: Any) -> Quadratic:
    """The quadratic of |d + v·t| = s, for vectors of floats or of double-doubles."""
    a = v.mag_sqr()
    s_sqr = s * s
    return Quadratic(a, d.dot(v), d.mag_sqr() - s_sqr, a * s_sqr - d.cross(v).mag_sqr())
