"""Double-double numbers against fractions, which do not round."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.numerics.double_double import DoubleDouble, exact_difference, two_product, two_sum
from spheresim.numerics.vector import TVector

wide = st.floats(-1e60, 1e60).filter(lambda x: x == 0.0 or abs(x) > 1e-60)


def value(number):
    return Fraction(number.high) + Fraction(number.low)


def assert_normal(number):
    """The low part is the rounding error of the high one: together they round to it."""
    assert number.high + number.low == number.high


double_doubles = st.builds(
    lambda high, part: two_sum(high, high * part * 2.0**-53), wide, st.floats(-0.5, 0.5)
)


@given(wide, wide)
def test_a_sum_and_a_product_lose_nothing(a, b):
    assert value(two_sum(a, b)) == Fraction(a) + Fraction(b)
    assert value(two_product(a, b)) == Fraction(a) * Fraction(b)
    assert_normal(two_sum(a, b))
    assert_normal(two_product(a, b))


def test_the_splitting_keeps_the_last_bit_of_the_hardest_products():
    # All 53 bits set: the low half of the product needs every bit of both halves.
    a = 2.0**53 - 1.0
    assert value(two_product(a, a)) == (2**53 - 1) ** 2
    assert value(two_product(1.0 + 2.0**-52, 1.0 - 2.0**-53)) == (1 + Fraction(1, 2**52)) * (
        1 - Fraction(1, 2**53)
    )


@given(double_doubles, double_doubles)
def test_arithmetic_carries_a_hundred_bits(a, b):
    exact_a, exact_b = value(a), value(b)
    allowed = Fraction(1, 2**100)
    assert abs(value(a + b) - (exact_a + exact_b)) <= allowed * (abs(exact_a) + abs(exact_b))
    assert abs(value(a - b) - (exact_a - exact_b)) <= allowed * (abs(exact_a) + abs(exact_b))
    assert abs(value(a * b) - exact_a * exact_b) <= allowed * abs(exact_a * exact_b)
    for result in (a + b, a - b, a * b):
        assert_normal(result)


@given(st.tuples(wide, wide, wide), st.tuples(wide, wide, wide))
def test_the_difference_of_two_points_is_exact(a, b):
    parts = exact_difference(TVector(*a), TVector(*b))
    assert [value(part) for part in parts] == [
        Fraction(x) - Fraction(y) for x, y in zip(a, b, strict=True)
    ]


def test_a_vector_of_double_doubles_sees_a_cancellation_that_floats_do_not():
    # (1 + 2⁻³⁰)(1 − 2⁻³⁰) − 1 = −2⁻⁶⁰, which a float rounds away.
    a, b = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    exact = exact_difference(TVector(a, 1.0, 0.0), TVector(0.0, 0.0, 0.0)).dot(
        exact_difference(TVector(b, -1.0, 0.0), TVector(0.0, 0.0, 0.0))
    )
    assert a * b - 1.0 == 0.0
    assert exact == DoubleDouble(-(2.0**-60), 0.0)


@pytest.mark.parametrize(("high", "low"), [(1.0, 1e-20), (-3.0, 2e-17)])
def test_a_number_minus_itself_is_nothing(high, low):
    number = DoubleDouble(high, low)
    assert number - number == DoubleDouble(0.0, 0.0)
