"""Checks of what users pass in: the right type, finite, in range; else an error of one sentence."""

import math
import operator
import reprlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector, VectorLike, takes

SMALLEST_INPUT, LARGEST_INPUT = 1e-75, 1e75
"""Fourth powers of numbers from the one to the other neither underflow nor overflow, so no formula
divides by 0 or makes a NaN."""


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


takes_points = takes(lambda point: finite_vector(point, "a point"))
"""Let Python call a method of a `@value` class with any finite vectors for points."""


def place(components: VectorLike, what: str) -> TVector:
    """A vector of coordinates of ordinary size: up to `LARGEST_INPUT`, to either side."""
    point = finite_vector(components, what)
    if not max(map(abs, point)) <= LARGEST_INPUT:
        expected = f"must be from {-LARGEST_INPUT:g} to {LARGEST_INPUT:g}"
        raise ValueError(f"{what} {expected}, not {tuple(point)}")
    return point


def places(points: Iterable[VectorLike], what: str) -> tuple[TVector, ...]:
    """Places, which may be all the same, but not nearer to each other than `SMALLEST_INPUT`."""
    found = tuple(place(point, what) for point in points)
    extent = max((max(along) - min(along) for along in zip(*found, strict=True)), default=0.0)
    if 0.0 < extent < SMALLEST_INPUT:
        raise ValueError(f"{what}s must be at least {SMALLEST_INPUT:g} apart, not {extent}")
    return found


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


def length(value: object, what: str, *, may_be_0: bool = False) -> float:
    """A length of ordinary size: from `SMALLEST_INPUT` to `LARGEST_INPUT`, or 0 where it may be."""
    result = number(value, what, low=0.0) if may_be_0 else positive(value, what)
    if not SMALLEST_INPUT <= result <= LARGEST_INPUT and not (may_be_0 and result == 0.0):
        expected = f"must be from {SMALLEST_INPUT:g} to {LARGEST_INPUT:g}"
        raise ValueError(f"{what} {expected}, not {result}")
    return result


def truth(value: object, what: str) -> bool:
    """A bool, from Python's or numpy's; TypeError names `what` otherwise."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{what} must be True or False, not {value!r}")
    return bool(value)


def whole_number(value: object, what: str, low: int, high: int | None = None) -> int:
    """An int in [low, high], from any kind of integer but a bool."""
    bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
    expected = f"{what} must be a whole number {bounds}, not {value!r}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(expected)
    whole = operator.index(value)
    if whole < low or (high is not None and whole > high):
        raise ValueError(expected)
    return whole


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
