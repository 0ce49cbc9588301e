"""Vectors in the rows of an (n, 3) array, and arrays that nobody can write into."""

from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.vector import TVector


@inlined
def vector_at(array: Any, i: int) -> TVector:
    """Row i as a vector."""
    return TVector(array[i, 0], array[i, 1], array[i, 2])


@inlined
def set_vector(array: Any, i: int, vector: TVector) -> None:
    """Write a vector into row i."""
    array[i, 0] = vector.x
    array[i, 1] = vector.y
    array[i, 2] = vector.z


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to, nor be made writable through its flags."""
    return np.asarray(array.data.toreadonly())
