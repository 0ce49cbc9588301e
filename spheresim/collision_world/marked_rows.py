"""Rows of an array that have been marked since they were last asked for, each once."""

from typing import Any

import numpy as np

from spheresim.collision_world.handles import grown

_MANY = 16
"""One in so many rows, and all marks are looked through rather than sorted."""

_NONE = np.zeros(0, np.int64)


class MarkedRows:
    """Marking costs, and keeps, no more than the rows that were not marked yet."""

    def __init__(self) -> None:
        self._is_marked = np.zeros(16, dtype=bool)
        self._rows: list[Any] = []

    def mark(self, rows: Any, count: int) -> None:
        """Mark rows, (k,), of `count` that there are."""
        self._is_marked = grown(self._is_marked, count)
        new = rows[~self._is_marked[rows]]
        if len(new):
            self._is_marked[new] = True
            self._rows.append(new)

    def take(self) -> Any:
        """The marked rows, (k,), in order; none is marked any more."""
        if not self._rows:
            return _NONE
        if len(self._rows) == 1 and len(self._rows[0]) == 1:
            rows = self._rows[0]
        elif _MANY * sum(map(len, self._rows)) > len(self._is_marked):
            rows = np.flatnonzero(self._is_marked)
        else:
            rows = np.unique(np.concatenate(self._rows))
        self._is_marked[rows] = False
        self._rows.clear()
        return rows
