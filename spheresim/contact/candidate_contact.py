"""A ball that may come into contact with another ball or an obstacle."""

from typing import NamedTuple

from spheresim.numerics.vector import TVector


class CandidateContact(NamedTuple):
    """Ball i near ball j, or near obstacle k = −1 − j.

    normal: unit, towards i; gap: between the surfaces, negative in overlap; vn: relative normal
    velocity, negative if they approach; radius: of ball i, or the smaller one of the two.
    """

    i: int
    j: int
    normal: TVector
    gap: float
    vn: float
    radius: float
