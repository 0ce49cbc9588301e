"""Lists of the objects in each cell, of a grid or of a tree, and the pairs within them.

An object is in every cell that its box touches, so two may meet in several cells. They are
proposed in one of them only: in the cell of the lower corner of what two overlapping boxes have
in common, max(low_i, low_j). Along each axis that corner is one of the two's own, so three bits
for each object in a cell decide: whether its own lowest coordinate is in the cell, along x, y, z.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.boxes import overlap, pair_number
from spheresim.compiler.decorators import kernel
from spheresim.numerics.arrays import Booleans, Floats, Integers

ALL_AXES = 7
"""The three bits of an object whose lower corner is in the cell."""


class CellLists(NamedTuple):
    """start: (lists + 1,), where each list begins; object: (entries,), the object of each entry;
    cell: (entries,), its cell, for a list may hold several cells; bits: (entries,)."""

    start: Integers
    object: Integers
    cell: Integers
    bits: npt.NDArray[np.uint8]


def empty_lists() -> CellLists:
    """Lists of nothing."""
    none = np.zeros(0, dtype=np.int64)
    return CellLists(np.zeros(1, dtype=np.int64), none, none, np.zeros(0, dtype=np.uint8))


@kernel
def search_lists(lists: CellLists, boxes: Floats, every: bool, found: Integers) -> tuple[int, int]:
    """The pairs of objects that are in a cell together, see `BroadPhase._search`."""
    last, count, proposed = len(found) - 1, 0, 0
    for k in range(len(lists.start) - 1):
        end = lists.start[k + 1]
        for a in range(lists.start[k], end):
            i, cell, bits = lists.object[a], lists.cell[a], lists.bits[a]
            for b in range(a + 1, end):
                if (bits | lists.bits[b]) == ALL_AXES and lists.cell[b] == cell:
                    j = lists.object[b]
                    found[min(count, last)] = pair_number(i, j)
                    count += every | overlap(boxes, i, boxes, j)
                    proposed += 1
    return count, proposed


@kernel
def search_large(
    large: Booleans, boxes: Floats, every: bool, found: Integers, done: tuple[int, int]
) -> tuple[int, int]:
    """Go on with the pairs of objects that are in no cells, because they are too large.

    large: (n,), whether an object is one of these; done: what `search_lists` returned.
    """
    (count, proposed), n, last = done, len(boxes), len(found) - 1
    for i in range(n):
        if large[i]:
            for j in range(n):
                if j > i or not large[j]:
                    found[min(count, last)] = pair_number(i, j)
                    count += every | overlap(boxes, i, boxes, j)
                    proposed += 1
    return count, proposed
