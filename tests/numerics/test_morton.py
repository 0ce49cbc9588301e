"""Morton's curve: the places of cells, of many at once and in kernels."""

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.numerics.morton import dilated, morton_codes


@kernel
def code_in_kernel(x, y, z):
    return dilated(x) | dilated(y) << 1 | dilated(z) << 2


def test_codes_have_the_bits_of_the_three_coordinates_in_turn():
    assert morton_codes([(0b11, 0, 0), (0, 0b10, 0), (0, 0, 0b101)]).tolist() == [
        *(0b001001, 0b010000, 0b100000100),
    ]
    assert morton_codes(np.zeros((0, 3))).tolist() == []


def test_kernels_and_arrays_have_the_same_codes_up_to_21_bits():
    cells = np.random.default_rng(3).integers(0, 2**21, (200, 3))
    codes = [code_in_kernel(*cell) for cell in cells.tolist()]
    assert morton_codes(cells).tolist() == codes
    digits = [
        "".join(map(str, bits)) for bits in zip(*(f"{c:021b}" for c in cells[0]), strict=True)
    ]
    assert codes[0] == int("".join(d[::-1] for d in digits), 2)
