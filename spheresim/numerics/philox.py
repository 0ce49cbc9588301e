"""Random numbers that are a function of a counter and a key: Philox-4x32 with ten rounds.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3,
SC 2011. Nothing is kept between two numbers: a run that goes on from a checkpoint draws the same.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arguments import whole_number

_FACTOR_0, _FACTOR_2 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_ROUNDS = 10

LARGEST_SEED = 2**32 - 1
_WORD, _SMALL_WORD = 2.0**-32, 2.0**-53


def checked_seed(seed: object, what: str) -> int:
    """The seed, if it fits in the first word of a key; ValueError or TypeError if not."""
    whole: int = whole_number(seed, what, low=0)
    if whole > LARGEST_SEED:
        raise ValueError(f"{what} must be at most {LARGEST_SEED}, not {whole}")
    return whole


class Words(NamedTuple):
    """Four words of 32 bits, each in 64."""

    a: np.uint64
    b: np.uint64
    c: np.uint64
    d: np.uint64


@routine
def philox(counter: int, key_0: int, key_1: int) -> Words:
    """Four random words for a counter of 64 bits and a key of twice 32."""
    whole = np.uint64(counter)
    a, b, c, d = whole & _LOW, whole >> _HALF, np.uint64(0), np.uint64(0)
    k, m = np.uint64(key_0) & _LOW, np.uint64(key_1) & _LOW
    for _ in range(_ROUNDS):
        p, q = _FACTOR_0 * a, _FACTOR_2 * c
        a, b, c, d = (q >> _HALF) ^ b ^ k, q & _LOW, (p >> _HALF) ^ d ^ m, p & _LOW
        k, m = (k + _WEYL_0) & _LOW, (m + _WEYL_1) & _LOW
    return Words(a, b, c, d)


@inlined
def fraction(high: np.uint64, low: np.uint64) -> float:
    """A number above 0 and up to 1, by 53 bits of two words."""
    return (math.floor(float(high) * 2.0**21) + math.floor(float(low) * 2.0**-11) + 1.0) * (
        _SMALL_WORD
    )


class Polar(NamedTuple):
    """A point in the plane."""

    radius: float
    angle: float


@inlined
def normal_pair(a: np.uint64, b: np.uint64, variance: float) -> Polar:
    """Two independent normal deviates of this variance, as a point (G. E. P. Box, M. E. Muller,
    Annals of Mathematical Statistics 29, 1958)."""
    radius = math.sqrt(-2.0 * variance * math.log((float(a) + 1.0) * _WORD))
    return Polar(radius, 2.0 * math.pi * float(b) * _WORD)
