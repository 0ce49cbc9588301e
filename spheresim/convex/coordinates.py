"""The lengths that users give, checked: points, positions and radii of convex bodies."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spheresim.numerics.arguments import number, shown
from spheresim.numerics.arrays import RowsLike

LARGEST = 1e152
"""The largest length: its square, and sums of some such squares, do not overflow."""


def checked_vector(
    components: Any, dimension: int, what: str = "a position", one: str = ""
) -> tuple[float, float, float]:
    """A vector as three finite numbers; in 2D two are given. `one`: as for `vector_row`.

    The usual input is checked in a tenth of the time of the rest.
    """
    given = components.tolist() if type(components) is np.ndarray else components
    try:
        if dimension == 3:
            x, y, z = given
        else:
            (x, y), z = given, 0.0
        if -LARGEST <= x <= LARGEST and -LARGEST <= y <= LARGEST and -LARGEST <= z <= LARGEST:
            return x, y, z
    except (TypeError, ValueError, OverflowError):
        pass
    x, y, z = vector_row(components, dimension, what, one=one)[0].tolist()
    return x, y, z


def vector_row(
    components: Any, dimension: int, what: str, largest: float = LARGEST, one: str = ""
) -> np.ndarray:
    """One vector as `coordinates` of one row, (1, 3).

    `one`: what it is called where it is no vector, in place of `what`.
    """
    given = list(components) if _is_to_be_listed(components) else components
    try:
        array = np.asarray(given)
        is_one = array.dtype.kind in "iufO" and array.ndim == 1
        is_one &= len(array.astype(np.float64)) in {dimension, 3} if is_one else False
    except (TypeError, ValueError, OverflowError):
        is_one = False
    if not is_one:
        raise ValueError(f"{one or what} needs {dimension} numbers, not {shown(given)}")
    return coordinates([given], dimension, what, largest)


def coordinates(points: Any, dimension: int, what: str, largest: float = LARGEST) -> np.ndarray:
    """Points as finite floats, shape (n, 3), with z = 0 in the plane; an empty list has no rows."""
    expected = f"{what}: expected {dimension} numbers each"
    try:
        array = np.asarray(list(points) if _is_to_be_listed(points) else points)
        numbers = array.astype(np.float64) if array.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None:
        raise ValueError(f"{expected}, not {shown(points)}")
    if numbers.shape == (0,):  # an empty list does not say how long its points are
        numbers = numbers.reshape(0, dimension)
    if numbers.ndim != 2 or numbers.shape[1] not in {dimension, 3}:
        raise ValueError(f"{expected}, not shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
        raise ValueError(f"{what} must be finite, not {numbers[row].tolist()}")
    if np.abs(numbers).max(initial=0.0) > largest:
        raise ValueError(f"{what} must be no larger than {largest:g}: their squares would overflow")
    if dimension == 2 and numbers.shape[1] == 3 and numbers[:, 2].any():
        raise ValueError(f"{what}: z must be 0 in the plane")
    full = np.zeros((len(numbers), 3))
    full[:, : numbers.shape[1]] = numbers
    return full


def _is_to_be_listed(points: RowsLike) -> bool:
    """Whether something is iterable, but numpy would take it for a single object."""
    return isinstance(points, Iterable) and not isinstance(points, np.ndarray | Sequence)


def checked_radius(radius: float) -> float:
    """A radius, checked: a finite number of at least 0."""
    return number(radius, "a radius", 0.0)
