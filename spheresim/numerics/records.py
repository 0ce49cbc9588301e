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

from typing import Any, TypeVar, cast, get_type_hints

import numpy as np

from spheresim.compiler.intrinsics import cache_aligned_zeros

R = TypeVar("R")

_IN_MEMORY = {int: np.int64, float: np.float64}


class Record(np.record):  # type: ignore[misc]  # not final where numpy runs
    """A record in an array, also where it was pickled: numpy's own would then be a constant."""

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (self.dtype, self.tolist())


def _record_type(fields: type) -> np.dtype[Any]:
    """The numpy type of a record with the annotated fields of a class, those of its bases first."""
    numbers = get_type_hints(fields)
    of_numbers = [(name, _IN_MEMORY[kind]) for name, kind in numbers.items()]
    return np.dtype((Record, np.dtype(of_numbers, align=True)))


def zero_record(fields: type[R]) -> R:
    """A record with the annotated fields of a class, all 0."""
    return cast(R, cache_aligned_zeros(1, _record_type(fields))[0])


def array_of(record: object) -> np.ndarray:
    """A record as an array of one, in the same memory."""
    return np.asarray(record).reshape(1)


def _unpickled(kind: np.dtype[Any], values: tuple[object, ...]) -> np.record:
    array = cache_aligned_zeros(1, kind)
    array[0] = values
    return array[0]
