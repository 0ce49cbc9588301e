"""Single records of numbers, such as an engine's counters: each number has a name.

The fields stand once, in a class with annotations. The compiler takes such a record by its address:
kernels and Python read and write the same memory.

>>> class Odometer:
...     turns: int
...     distance: float
>>> odometer = zero_record(Odometer)
>>> odometer.turns += 2
>>> print(odometer.turns, odometer.distance)
2 0.0
"""

from collections.abc import Iterable
from typing import Any, TypeVar, cast, get_type_hints

import numpy as np
import numpy.typing as npt

from spheresim.compiler.intrinsics import cache_aligned_zeros

R = TypeVar("R")

_IN_MEMORY = {int: np.int64, float: np.float64}


class Record(np.record):  # type: ignore[misc]  # not final where numpy runs
    """A record in an array, also where it was pickled: numpy's own would then be a constant."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.dtype, self.tolist())


def _record_type(fields: type) -> np.dtype[Any]:
    """The numpy type of a record with the annotated fields of a class, those of its bases first."""
    numbers = get_type_hints(fields)
    of_numbers = [(name, _IN_MEMORY[kind]) for name, kind in numbers.items()]
    return np.dtype((Record, np.dtype(of_numbers, align=True)))


def zero_record(fields: type[R]) -> R:
    """A record with the annotated fields of a class, all 0."""
    return cast(R, cache_aligned_zeros(1, _record_type(fields))[0])


def record_of(fields: type[R], values: Iterable[Any]) -> R:
    """A record with the annotated fields of a class, of these values."""
    record: Any = zero_record(fields)
    set_values(record, values)
    return cast(R, record)


def values_of(record: Any) -> npt.NDArray[Any]:
    """All numbers of a record, which are of one type, as an array of their own."""
    return np.array(record.tolist())


def set_values(record: Any, values: Iterable[Any]) -> None:
    """Set all numbers of a record."""
    for name, value in zip(record.dtype.names, values, strict=True):
        record[name] = value


def _unpickled(kind: np.dtype[Any], values: tuple[Any, ...]) -> Any:
    record = cache_aligned_zeros(1, kind)[0]
    set_values(record, values)
    return record
