"""Sweep and prune: objects sorted along one axis; only neighbours in that order can overlap.

The axis is the one along which the fewest pairs overlap, by a sample. The order is kept from
one update to the next: where objects have moved a little, few change places, and an insertion sort
takes hardly longer than to look at them (D. Baraff, Dynamic Simulation of Non-Penetrating Rigid
Bodies, 1992; J. D. Cohen et al., I-COLLIDE, 1995).
"""

from typing import ClassVar

import numpy as np

from spheresim.broadphase.boxes import overlap, pair_number
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.sampling import estimated_overlaps
from spheresim.compiler.decorators import kernel
from spheresim.numerics.arrays import Floats, Integers

_MOVES = 8
"""Places that objects may move on average before sorting anew is faster."""

_FEWER = 0.7
"""What another axis must leave of the pairs before the order along the present one is given up."""


class SweepAndPrune(BroadPhase):
    """Proposes the pairs that overlap along the axis.

    `order`: the objects by their lowest coordinate along `axis`; `is_kept`: whether the last
    update only mended the order that there was.
    """

    name: ClassVar[str] = "sweep_and_prune"
    title: ClassVar[str] = "Sorted along one axis; the order is kept between updates"

    def __init__(self) -> None:
        super().__init__()
        self.axis = 0
        self.order: Integers = np.zeros(0, dtype=np.int64)
        self._sorted = self.boxes
        self.is_kept = False

    def _arrange(self) -> None:
        n = len(self.boxes)
        axis = self._best_axis()
        self.is_kept = n > 0 and len(self.order) == n and axis == self.axis
        self.axis = axis
        if self.is_kept:
            keys = self.boxes[self.order, axis]
            self.is_kept = _insertion_sort(keys, self.order, _MOVES * n)
        if not self.is_kept:
            self.order = np.argsort(self.boxes[:, axis], kind="stable")
        self._sorted = self.boxes[self.order]

    def _best_axis(self) -> int:
        """The axis along which the fewest pairs overlap; the present one, if it is hardly worse."""
        along = estimated_overlaps(self.boxes).along
        best = int(np.argmin(along))
        return best if along[best] < _FEWER * along[self.axis] else self.axis

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
        return _sweep(self._sorted, self.order, self.axis, every, found)


@kernel
def _insertion_sort(keys: Floats, order: Integers, most: int) -> bool:
    """Sort both by the keys; False, with the order half done, if it takes too many moves."""
    moves = 0
    for k in range(1, len(keys)):
        key, one = keys[k], order[k]
        place = k
        while place > 0 and keys[place - 1] > key:
            keys[place], order[place] = keys[place - 1], order[place - 1]
            place -= 1
        keys[place], order[place] = key, one
        moves += k - place
        if moves > most:
            return False
    return True


@kernel
def _sweep(
    boxes: Floats, order: Integers, axis: int, every: bool, found: Integers
) -> tuple[int, int]:
    """Compare each box with those behind it in the order that begin before it ends."""
    n, last, count, proposed = len(boxes), len(found) - 1, 0, 0
    for a in range(n):
        end = boxes[a, 3 + axis]
        b = a + 1
        while b < n and boxes[b, axis] <= end:
            found[min(count, last)] = pair_number(order[a], order[b])
            count += every | overlap(boxes, a, boxes, b)
            b += 1
        proposed += b - a - 1
    return count, proposed
