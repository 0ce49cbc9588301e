"""Double-double numbers: a float and its rounding error, together about 32 digits.

Built on error-free transformations: Knuth's two-sum and Dekker's two-product (T. J.
Dekker, A floating-point technique for extending the available precision, Numerische
Mathematik 18, 1971). They are used for the few differences in which a time of impact can
lose all its digits. The formulas for a `TVector` of floats work for a `TVector` of them.
"""

from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, value
from spheresim.numerics.vector import TVector

_SPLITTER = 134217729.0  # 2²⁷ + 1: splits a float into two halves of 26 bits


@inlined
def two_sum(a: float, b: float) -> "DoubleDouble":
    """a + b without any error (Knuth)."""
    total = a + b
    b_part = total - a
    return DoubleDouble(total, (a - (total - b_part)) + (b - b_part))


@inlined
def two_product(a: float, b: float) -> "DoubleDouble":
    """a · b without any error (Dekker, with Veltkamp's splitting), below about 1e150."""
    product = a * b
    a_scaled, b_scaled = a * _SPLITTER, b * _SPLITTER
    a_high, b_high = a_scaled - (a_scaled - a), b_scaled - (b_scaled - b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return DoubleDouble(product, error)


class _Parts(NamedTuple):
    high: float
    low: float


@value
class DoubleDouble(_Parts):
    """The unevaluated sum high + low; its sign is the sign of `high`.

    >>> third = DoubleDouble(1.0, 1e-20)
    >>> (third - DoubleDouble(1.0, 0.0)).high
    1e-20
    """

    __slots__ = ()

    def __add__(self, other: "DoubleDouble") -> "DoubleDouble":  # type: ignore[override]
        total = two_sum(self.high, other.high)
        return two_sum(total.high, total.low + (self.low + other.low))

    def __sub__(self, other: "DoubleDouble") -> "DoubleDouble":
        return self + DoubleDouble(-other.high, -other.low)

    def __mul__(self, scalar: "DoubleDouble") -> "DoubleDouble":  # type: ignore[override]
        product = two_product(self.high, scalar.high)
        return two_sum(
            product.high, product.low + (self.high * scalar.low + self.low * scalar.high)
        )


@inlined
def exact_difference(a: TVector, b: TVector) -> Any:
    """a − b without any error, as a vector of double-doubles."""
    return TVector(two_sum(a.x, -b.x), two_sum(a.y, -b.y), two_sum(a.z, -b.z))
