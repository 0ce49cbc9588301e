"""Operations on tables of impacts: an empty one, several as one, some rows of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.collision.impacts import Impacts, joined


def no_impacts() -> Impacts:
    """A table without rows."""
    return Impacts(np.zeros((0, 3), dtype=np.int64), np.zeros((0, 10)))


def concatenated(batches: Sequence[Impacts]) -> Impacts:
    """Several tables one after another as one."""
    filled = [batch for batch in batches if len(batch.names)]
    if len(filled) < 2:
        return filled[0] if filled else no_impacts()
    return joined(filled)


def selected_rows(impacts: Impacts, rows: Any) -> Impacts:
    """The rows that a mask, slice or list of indices names."""
    return Impacts(impacts.names[rows], impacts.numbers[rows])


def size_in_bytes(impacts: Impacts) -> int:
    """The memory that the rows take."""
    return int(impacts.names.nbytes + impacts.numbers.nbytes)
