"""Rows of an array that have been marked since they were last taken, each once."""

import numpy as np

from spheresim.collision_world.handles import grown
from spheresim.numerics.arrays import Integers

_MANY = 16
"""If more than one row in this many is marked, all marks are scanned instead of sorted."""

_NONE = np.zeros(0, np.int64)


class MarkedRows:
    """A set of rows; marking takes time and memory only for rows that are not marked yet."""

    def __init__(self) -> None:
        self._is_marked = np.zeros(16, dtype=bool)
        self._rows: list[Integers] = []

    def mark(self, rows: Integers, count: int) -> None:
        """Mark rows, (k,), of an array that has `count` rows."""
        self._is_marked = grown(self._is_marked, count)
        new = rows[~self._is_marked[rows]]
        if len(new):
            self._is_marked[new] = True
            self._rows.append(new)

    def take(self) -> Integers:
        """The marked rows, (k,), in order; afterwards none is marked."""
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
