"""A box along the axes."""

from typing import NamedTuple

from spheresim.numerics.vector import TVector


class Bounds(NamedTuple):
    """An axis-aligned box, such as one around a shape.

    low, high: the corners with the smallest and the largest coordinates [length]; ±inf on a side
    that is not bounded.
    """

    low: TVector
    high: TVector
