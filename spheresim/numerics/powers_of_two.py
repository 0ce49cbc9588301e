"""Units that are powers of two: to scale by them is exact."""

import math
from collections.abc import Iterable

from spheresim.numerics.vector import TVector


def times_power_of_two(time: float, exponent: int) -> float:
    """A time multiplied by 2^exponent; inf if it is later than any float."""
    try:
        return math.ldexp(time, exponent)
    except OverflowError:
        return math.inf


def exponent_above(numbers: Iterable[float]) -> int:
    """The exponent of the power of two just above the largest number."""
    return math.frexp(max(map(abs, numbers)))[1]


def divided_by_power_of_two(components: Iterable[float], exponent: int) -> TVector:
    """A vector divided by a power of two."""
    return TVector(*(math.ldexp(component, -exponent) for component in components))
