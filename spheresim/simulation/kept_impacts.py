"""The impacts that a simulation keeps: all, the last ones, or none."""

from collections import deque
from collections.abc import Sequence
from typing import cast

import numpy as np

from spheresim.collision.impacts import ImpactLog, Impacts, impact_table
from spheresim.numerics.arguments import whole_number
from spheresim.numerics.arrays import Records


class KeptImpacts:
    """All impacts as one table, to which each look adds only what came since the last one.

    count: how many there are.
    """

    __slots__ = ("_has_spin", "_names", "_rows", "_table", "_waiting", "count")

    def __init__(self, names: Sequence[str], has_spin: bool) -> None:
        self._names, self._has_spin = names, has_spin
        self._waiting = ImpactLog()
        self._table = impact_table([], names, 0, has_spin)
        self._rows = self.count = 0

    def add(self, batch: Impacts) -> None:
        """Take over some more."""
        self._waiting.add([batch])
        self.count += len(batch.names)

    @property
    def table(self) -> Records:
        """The table so far, read-only; it stays as it is when more come."""
        if batches := self._waiting.batches:
            self._waiting = ImpactLog()
            new = impact_table(batches, self._names, self._rows, self._has_spin)
            rows = self._rows + len(new)
            if rows > len(self._table):  # capacity for as many again, so that each is moved rarely
                larger = np.recarray(max(rows, 2 * self._rows), dtype=new.dtype)
                larger[: self._rows] = self._table[: self._rows]
                self._table = larger
            self._table[self._rows : rows] = new
            self._rows = rows
        view = cast(Records, self._table[: self._rows])
        view.flags.writeable = False
        return view


class LastImpacts:
    """The last impacts, and no more of them than a number.

    count: how many there were in all.
    """

    __slots__ = ("_batches", "_before", "_has_spin", "_kept", "_names", "_requested")

    def __init__(self, names: Sequence[str], has_spin: bool, requested: int) -> None:
        self._names, self._has_spin = names, has_spin
        self._requested = requested
        self._batches: deque[Impacts] = deque()
        self._kept = self._before = 0  # rows in the batches, and rows that were dropped

    def add(self, batch: Impacts) -> None:
        """Add some more, and drop those that are too old."""
        self._batches.append(batch)
        self._kept += len(batch.names)
        while self._batches and self._kept - len(self._batches[0].names) >= self._requested:
            gone = len(self._batches.popleft().names)
            self._kept, self._before = self._kept - gone, self._before + gone

    @property
    def count(self) -> int:
        return self._before + self._kept

    @property
    def table(self) -> Records:
        """The last impacts; `event` counts from the first impact of all."""
        batches = list(self._batches)
        table = impact_table(batches, self._names, self._before, self._has_spin)
        return cast(Records, table[max(len(table) - self._requested, 0) :])


Kept = KeptImpacts | LastImpacts


def kept_impacts(what: bool | int, names: Sequence[str], has_spin: bool) -> Kept:
    """What keeps all impacts (True), none (False), or the last `what`.

    names: of the obstacles; has_spin: whether there are tangential impulses.
    """
    if what is True:
        return KeptImpacts(names, has_spin)
    if what is False:
        return LastImpacts(names, has_spin, 0)
    requested = whole_number(what, "the number of impacts that are kept", low=1)
    return LastImpacts(names, has_spin, requested)
