"""Operations on tables of impacts: an empty one, several as one, some rows of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.collision.impacts import Impacts


def no_impacts() -> Impacts:
    """A table without rows."""
    whole = np.zeros(0, dtype=np.int64)
    number, vector = np.zeros(0), np.zeros((0, 3))
    return Impacts(number, whole, whole, whole, vector, vector, number, number, number)


def concatenated(batches: Sequence[Impacts]) -> Impacts:
    """Several tables one after another as one."""
    filled = [batch for batch in batches if len(batch.t)]
    if len(filled) < 2:
        return filled[0] if filled else no_impacts()
    return Impacts(*(np.concatenate(columns) for columns in zip(*filled, strict=True)))


def selected_rows(impacts: Impacts, rows: Any) -> Impacts:
    """The rows that a mask, slice or list of indices names."""
    return Impacts(*(column[rows] for column in impacts))


def size_in_bytes(impacts: Impacts) -> int:
    """Memory of the columns."""
    return sum(int(column.nbytes) for column in impacts)
