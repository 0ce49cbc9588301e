"""All pairs: each object is compared with all others. The measure of all broad phases, and the
best of them for a few objects."""

from typing import ClassVar

from spheresim.broadphase.boxes import overlap, pair_number
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.compiler.decorators import kernel
from spheresim.numerics.arrays import Floats, Integers


class AllPairs(BroadPhase):
    """Proposes all n(n−1)/2 pairs."""

    name: ClassVar[str] = "all_pairs"
    title: ClassVar[str] = "Every object with every other"

    finds_in_order = True

    def _arrange(self) -> None:
        pass

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
        return _search(self.boxes, every, found)


@kernel
def _search(boxes: Floats, every: bool, found: Integers) -> tuple[int, int]:
    n, last, count = len(boxes), len(found) - 1, 0
    for i in range(n):
        for j in range(i + 1, n):
            found[min(count, last)] = pair_number(i, j)
            count += every | overlap(boxes, i, boxes, j)
    return count, n * (n - 1) // 2
