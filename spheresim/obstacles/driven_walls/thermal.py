"""The velocity with which a ball leaves a warm wall."""

import math

from spheresim.compiler.decorators import routine
from spheresim.numerics.philox import fraction, normal_pair, philox
from spheresim.numerics.vector import TVector


@routine
def drawn_velocity(
    v: TVector,
    normal: TVector,
    variance: float,
    is_normal_only: bool,
    hit: int,
    key: int,
    seed: int,
) -> TVector:
    """A velocity away from a wall, relative to it.

    v: before; variance: kT/m; hit: how many impacts the wall had before; key: the wall's number.

    Along the normal v = √(−2·kT/m·ln u), which has the density of the flux; across it two normal
    deviates.
    """
    words = philox(hit, seed, key)
    out = normal * math.sqrt(-2.0 * variance * math.log(fraction(words.a, words.b)))
    if is_normal_only:
        return v - normal * v.dot(normal) + out
    pair, first = normal_pair(words.c, words.d, variance), normal.perpendicular()
    across = first * math.cos(pair.angle) + normal.cross(first) * math.sin(pair.angle)
    return out + across * pair.radius
