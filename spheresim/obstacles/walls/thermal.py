"""The velocity with which a ball leaves a warm wall."""

import math

from spheresim.compiler.decorators import routine
from spheresim.numerics.philox import philox
from spheresim.numerics.vector import TVector

_WORD, _SMALL_WORD = 2.0**-32, 2.0**-53


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
    deviates (G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958).
    """
    words = philox(hit, seed, key)
    # In (0, 1]: 53 bits for the normal component, 32 for each of the others.
    high, low = float(words.a), float(words.b)
    u = (math.floor(high * 2.0**21) + math.floor(low * 2.0**-11) + 1.0) * _SMALL_WORD
    out = normal * math.sqrt(-2.0 * variance * math.log(u))
    if is_normal_only:
        return v - normal * v.dot(normal) + out
    radius = math.sqrt(-2.0 * variance * math.log((float(words.c) + 1.0) * _WORD))
    angle = 2.0 * math.pi * float(words.d) * _WORD
    first = normal.perpendicular()
    across = first * math.cos(angle) + normal.cross(first) * math.sin(angle)
    return out + across * radius
