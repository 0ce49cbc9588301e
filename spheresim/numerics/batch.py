"""The arrays of questions asked in bulk: one row for each question, or a single one for all."""

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arguments import LARGEST_INPUT, SMALLEST_INPUT, shown
from spheresim.numerics.arrays import Floats, Integers


def vector_rows(vectors: npt.ArrayLike, what: str) -> Floats:
    """Vectors as floats, (n, 3), from (n, 3), or (1, 3) from one, (3,); ValueError names `what`."""
    rows = _floats(vectors, what)
    if rows.shape == (3,):
        return rows.reshape(1, 3)
    if rows.shape == (0,):  # an empty list does not say how long its vectors are
        return rows.reshape(0, 3)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"{what} must have the shape (n, 3) or (3,), not {rows.shape}")
    return rows


def number_rows(numbers: npt.ArrayLike, what: str) -> Floats:
    """Numbers as floats, (n,), from (n,), or (1,) from one; ValueError names `what`."""
    rows = _floats(numbers, what)
    if rows.ndim > 1:
        raise ValueError(f"{what} must be a number or have the shape (n,), not {rows.shape}")
    return rows.reshape(-1)


def _floats(array: npt.ArrayLike, what: str) -> Floats:
    try:
        given = np.asarray(array)
    except ValueError:  # lists in a list that are not equally long
        given = np.asarray("")
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{what} must be numbers, not {shown(array)}")
    return np.ascontiguousarray(given, dtype=np.float64).reshape(given.shape)


def question_count(**rows: Floats) -> int:
    """How many questions arrays ask together: each has as many rows, or one for all."""
    lengths = {len(array) for array in rows.values()} - {1}
    if len(lengths) > 1:
        each = ", ".join(f"{what} {len(array)}" for what, array in rows.items())
        raise ValueError(f"equally many rows of each are needed, or one for all, not: {each}")
    return lengths.pop() if lengths else 1


def steps_of(*rows: Floats) -> Integers:
    """By how much each array goes on from question to question: 1, or 0 with one row for all."""
    return np.array([0 if len(array) == 1 else 1 for array in rows])


def refuse_extreme_row(**rows: Floats) -> None:
    """ValueError for the first place or radius of a size at which formulas under- or overflow."""
    for what, array in rows.items():
        size = np.abs(array)
        fine = size <= LARGEST_INPUT
        low = -LARGEST_INPUT
        if array.ndim == 1:
            fine &= (size >= SMALLEST_INPUT) | (size == 0.0)
            low = SMALLEST_INPUT
        if not fine.all():
            k = int(np.flatnonzero(~fine.reshape(len(array), -1).all(axis=1))[0])
            expected = f"from {low:g} to {LARGEST_INPUT:g}"
            raise ValueError(f"{what}: row {k} must be {expected}, not {array[k].tolist()}")


def refuse_bad_row(**rows: Floats) -> None:
    """ValueError for the first number that is not finite; a radius must not be negative either."""
    for what, array in rows.items():
        fine = np.isfinite(array)
        if array.ndim == 1:
            fine &= array >= 0.0
        if not fine.all():
            k = int(np.flatnonzero(~fine.reshape(len(array), -1).all(axis=1))[0])
            expected = "finite" if array.ndim == 2 else "finite and not negative"
            raise ValueError(f"{what}: row {k} must be {expected}, not {array[k].tolist()}")
