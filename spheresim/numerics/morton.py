"""Morton's curve, through cells of which three coordinates have up to 21 bits each.

G. M. Morton, A computer oriented geodetic data base, IBM, 1966.
"""

from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined

_DILATION = [
    (32, 0x001F00000000FFFF),
    (16, 0x001F0000FF0000FF),
    (8, 0x100F00F00F00F00F),
    (4, 0x10C30C30C30C30C3),
    (2, 0x1249249249249249),
]
"""(shift, mask) pairs that put two zero bits between neighbouring bits."""


def morton_codes(cells: Any) -> np.ndarray:
    """The places of cells, (n, 3) whole numbers of up to 21 bits, along the curve, as uint64."""
    numbers = np.asarray(cells).astype(np.uint64)
    for shift, mask in _DILATION:
        numbers = (numbers | numbers << np.uint64(shift)) & np.uint64(mask)
    code: np.ndarray = numbers[:, 0] | numbers[:, 1] << np.uint64(1) | numbers[:, 2] << np.uint64(2)
    return code


@inlined
def dilated(number: int, bits: int) -> int:
    """A number with two zeros between every two of its lowest bits."""
    apart = 0
    for bit in range(bits):
        apart |= ((number >> bit) & 1) << (3 * bit)
    return apart
