"""Checks of what users pass in: the right type, finite, in range; else an error of one sentence."""

import math
import operator
import reprlib

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector, VectorLike

LARGEST_INPUT = 1e75
"""Fourth powers of numbers up to this do not overflow, so no formula makes a NaN."""


def finite_vector(components: VectorLike, what: str) -> TVector:
    """A `TVector` of finite floats; ValueError or TypeError names `what` otherwise."""
    try:
        vector = components if isinstance(components, TVector) else TVector(components)
    except (TypeError, ValueError) as fault:
        raise type(fault)(f"{what}: {fault}") from None
    x, y, z = vector
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise ValueError(f"{what} must be finite, not {tuple(vector)}")
    return vector


def direction_of(components: VectorLike, what: str) -> TVector:
    """A unit vector in the given direction; one that is already a unit, to rounding, is kept."""
    vector = finite_vector(components, what)
    if vector == (0.0, 0.0, 0.0):
        raise ValueError(f"{what} must have a direction: the zero vector has none")
    if abs(vector.mag_sqr() - 1.0) <= 4.0 * 2.0**-52:
        return vector
    return vector.unit()


def finite_rows(array: npt.ArrayLike, shape: tuple[int, int], what: str) -> Floats:
    """A copy as floats, for it may be a view of the very array that it is to replace."""
    rows = np.array(array, dtype=np.float64)
    if rows.shape != shape:
        raise ValueError(f"{what} must have the shape {shape}, not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError(f"{what} must be finite")
    return rows


def number(value: object, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite float in [low, high]; ValueError or TypeError names `what` otherwise."""
    if type(value) is float and low <= value <= high and math.isfinite(value):
        return value
    is_many = getattr(value, "ndim", 0) > 0
    if isinstance(value, str | bool) or is_many or not hasattr(value, "__float__"):
        raise TypeError(f"{what} must be a number, not {value!r}")
    result = float(value)
    if not math.isfinite(result):
        raise ValueError(f"{what} must be finite, not {result}")
    if not low <= result <= high:
        bounds = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise ValueError(f"{what} must be {bounds}, not {result}")
    return result


def positive(value: object, what: str) -> float:
    """A finite float greater than zero."""
    if type(value) is float and 0.0 < value < math.inf:
        return value
    result = number(value, what)
    if result <= 0.0:
        raise ValueError(f"{what} must be greater than 0, not {result}")
    return result


def whole_number(value: object, what: str, low: int) -> int:
    """An int of at least `low`, from any kind of integer but a bool."""
    expected = f"{what} must be a whole number of at least {low}, not {value!r}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(expected)
    if operator.index(value) < low:
        raise ValueError(expected)
    return operator.index(value)


def index_among(index: object, count: int, what: str) -> int:
    """An index from 0 to count − 1, from one that may count from the end, such as −1.

    TypeError for what is no whole number, IndexError for one that is out of range; `what`: the
    plural of the things.
    """
    if not hasattr(index, "__index__"):
        raise TypeError(f"an index of {what} must be a whole number, not {index!r}")
    k = operator.index(index)
    if not -count <= k < count:
        raise IndexError(f"there are {count} {what}, so none has the index {k}")
    return k % count


def shown(value: object) -> str:
    """A value as it was given, shortened to one line, for an error message."""
    return " ".join(reprlib.repr(value).split())
