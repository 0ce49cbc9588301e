"""What obstacles that are round about an axis have in common: discs, capsules, drums, rings."""

import numpy as np

from spheresim.numerics.arguments import place, places
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector, VectorLike


def seen_along(points: Floats, origin: VectorLike, axis: VectorLike) -> tuple[Floats, Floats]:
    """Of points (n, 3): how far from the axis, and how far along it, (n,) each."""
    d, direction = points - np.array(origin), np.array(axis)
    along = d @ direction
    return np.linalg.norm(d - along[:, None] * direction, axis=1), along


def two_ends(a: VectorLike, b: VectorLike, what: str) -> tuple[TVector, TVector]:
    """Two different points; ValueError if they are none."""
    ends = place(a, f"{what}'s a"), place(b, f"{what}'s b")
    first, last = places(ends, f"{what}'s end")
    if first == last:
        raise ValueError(f"{what}'s a and b must not be the same point, {tuple(first)}")
    return first, last
