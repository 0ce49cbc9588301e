"""Rounding: the relative tolerance of positions, velocities and times, and a cheap norm for it."""

from spheresim.compiler.decorators import inlined
from spheresim.numerics.vector import TVector

ROUNDING = 4.0 * 2.0**-52
"""Four units in the last place: a relative difference below it may be rounding alone."""


@inlined
def manhattan_norm(vector: TVector) -> float:
    """|x| + |y| + |z|: an upper bound of the length, cheaper than the length itself."""
    return abs(vector.x) + abs(vector.y) + abs(vector.z)
