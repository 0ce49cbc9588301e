"""Random numbers that are a function of a counter and a key: Philox-4x32 with ten rounds.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3,
SC 2011. Nothing is kept between two numbers: a run that goes on from a checkpoint draws the same.
"""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import routine

_FACTOR_0, _FACTOR_2 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_ROUNDS = 10


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
