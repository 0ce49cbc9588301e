"""What all broad phases have in common: boxes go in, the pairs of them that overlap come out.

A broad phase proposes pairs, by a sorted list, cells or a tree, and a mid phase keeps those whose
boxes overlap. So all broad phases give the same pairs in the same order, and differ in how many
they propose, and in time.
"""

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.boxes import box_rows, pairs_of
from spheresim.numerics.arrays import Floats, Integers

MOST_CANDIDATES = 2**28
"""Pairs that are listed at the most: they take 6 GB."""

_USUAL_CAPACITY = 32
"""For pairs of each object, at first: memory that is not used costs nothing."""


class Counts(NamedTuple):
    """Numbers of objects (n) and of pairs.

    possible: n(n−1)/2, all pairs; proposed: the pairs that the broad phase proposes; overlapping:
    the pairs whose boxes overlap."""

    objects: int
    possible: int
    proposed: int
    overlapping: int


class BroadPhase:
    """A broad phase for moving objects: `update` takes their boxes, `pairs` returns overlaps.

    Call `update` again when the objects have moved. It reuses the sorted order, the cells or the
    tree, as far as they are still valid.
    """

    name: ClassVar[str]
    """By which it is chosen."""

    title: ClassVar[str]
    """What it is, in a line."""

    finds_in_order: bool = False
    """Whether the search comes to the pairs in order, so that they need not be sorted."""

    def __init__(self) -> None:
        self.boxes: Floats = np.zeros((0, 6))
        self._pairs: Integers | None = None
        self._counts: Counts | None = None
        self._capacity = 0

    def update(self, low: npt.ArrayLike, high: npt.ArrayLike) -> None:
        """Set the boxes by their corners, (n, 3) or (n, 2) each; ±inf means unbounded on that side.

        The number of boxes may change. ValueError for corners that are not those of boxes.
        """
        self.update_rows(box_rows(low, high))

    def update_rows(self, rows: Floats) -> None:
        """`update` with boxes that are already checked rows, see `boxes.box_rows`."""
        self.boxes = rows
        self._pairs = self._counts = None
        self._arrange()

    def pairs(self) -> Integers:
        """The pairs whose boxes overlap or touch, (m, 2), lower index first, in order."""
        if self._pairs is None:
            numbers, proposed = self._collect(every=False)
            self._pairs = pairs_of(numbers, self.finds_in_order)
            self._pairs.flags.writeable = False
            n = len(self.boxes)
            self._counts = Counts(n, n * (n - 1) // 2, proposed, len(numbers))
        return self._pairs

    def candidates(self) -> Integers:
        """The pairs that the broad phase proposes, (m, 2), before their boxes are compared.

        Each pair occurs once, the pairs are sorted. ValueError if there are too many to list.
        """
        if self.counts.proposed > MOST_CANDIDATES:
            raise ValueError(f"{self.counts.proposed} proposed pairs are too many to list")
        return pairs_of(self._collect(every=True)[0], self.finds_in_order)

    @property
    def counts(self) -> Counts:
        """The numbers of possible, proposed and overlapping pairs."""
        self.pairs()
        assert self._counts is not None
        return self._counts

    def _collect(self, every: bool) -> tuple[Integers, int]:
        """The numbers of the pairs found, and how many were proposed.

        Kernels allocate nothing: where the capacity does not suffice, they count on, and are asked
        again.
        """
        count = max(self._capacity, _USUAL_CAPACITY * len(self.boxes))
        while True:
            found = np.empty(count + 1, dtype=np.int64)
            count, proposed = self._search(every, found)
            if count < len(found):
                self._capacity = count + count // 8
                return found[:count], proposed

    def _arrange(self) -> None:
        """Renew what the search needs, for the boxes that are now there."""
        raise NotImplementedError

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
        """Write the numbers of overlapping pairs, or of `every` proposed one, into `found`.

        Returns how many they are, and how many were proposed. The last place of `found` is for
        what exceeds the capacity.
        """
        raise NotImplementedError
