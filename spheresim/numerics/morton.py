"""Morton's curve, through cells of which three coordinates have up to 21 bits each.

G. M. Morton, A computer oriented geodetic data base, IBM, 1966.
"""

from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Floats

_DILATION = (
    (32, 0x001F00000000FFFF),
    (16, 0x001F0000FF0000FF),
    (8, 0x100F00F00F00F00F),
    (4, 0x10C30C30C30C30C3),
    (2, 0x1249249249249249),
)
"""(shift, mask) pairs that put two zero bits between neighbouring bits."""


@inlined
def dilated(number: Any) -> Any:
    """A whole number of up to 21 bits with two zeros between every two of them; or an array of
    such, as uint64."""
    for shift, mask in _DILATION:
        number = (number | number << shift) & mask
    return number


def morton_codes(cells: Floats) -> np.ndarray:
    """The places of cells, (n, 3) whole numbers of up to 21 bits, along the curve, as uint64."""
    x, y, z = np.asarray(cells).astype(np.uint64).T
    return dilated(x) | dilated(y) << 1 | dilated(z) << 2
