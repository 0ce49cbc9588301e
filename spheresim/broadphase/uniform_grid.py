"""The uniform grid: space in equal cells, and each object in every cell that its box touches.

Cells are found by a hash, so empty space costs nothing (M. Teschner et al., Optimized spatial
hashing for collision detection of deformable objects, 2003). The size of a cell decides: with
small cells an object is in many of them, with large cells many objects share one.
"""

from typing import Any, ClassVar

import numpy as np

from spheresim.broadphase.boxes import finite_hull
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.cell_lists import (
    CellLists,
    empty_lists,
    search_large,
    search_lists,
)
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arguments import positive

_MOST_CELLS = 2**20
"""Along an axis; beyond them all is in the last one: slower, never wrong."""

_MOST_ENTRIES = 2**27
"""In all lists; they take 2 GB."""


class UniformGrid(BroadPhase):
    """Proposes the pairs that are in a cell together.

    `cell_size`: the side of a cell; without one it is chosen at each update. An object that
    covers more cells than there are objects is compared with all others instead.
    `origin`, `side`: where the grid of the last update begins, and the side of its cells.
    """

    name: ClassVar[str] = "uniform_grid"
    title: ClassVar[str] = "Equal cells, each object in all that its box touches"

    def __init__(self, cell_size: float | None = None) -> None:
        super().__init__()
        self.cell_size = None if cell_size is None else positive(cell_size, "cell_size")
        self.origin, self.side = np.zeros(3), 1.0
        self.lists = empty_lists()
        self._large: Any = np.zeros(0, dtype=np.bool_)

    def _arrange(self) -> None:
        n = len(self.boxes)
        self.origin, top = finite_hull(self.boxes)
        self.side = self.cell_size or usual_cell_size(self.boxes)
        many = np.clip(np.floor((top - self.origin) / self.side) + 1.0, 1.0, _MOST_CELLS)
        many = many.astype(np.int64)

        # How many cells each object covers, and how many entries there will be.
        spans, covered = np.empty((n, 6), dtype=np.int32), np.empty(n)
        _cover(self.boxes, self.origin, 1.0 / self.side, many, spans, covered)
        self._large = covered > max(8, n)
        entries = float(covered[~self._large].sum())
        if entries > _MOST_ENTRIES:
            raise ValueError(
                f"cells of {self.side:g} are too small: the objects would be in {entries:.0f} cells"
            )

        # The lists, by counting how long each becomes.
        lists = 1 << max(4, int(entries).bit_length())
        start = np.zeros(lists + 1, dtype=np.int64)
        _count(spans, self._large, many, start)
        np.cumsum(start, out=start)
        filled = int(start[-1])
        self.lists = CellLists(
            start,
            np.empty(filled, dtype=np.int64),
            np.empty(filled, dtype=np.int64),
            np.empty(filled, dtype=np.uint8),
        )
        _fill(spans, self._large, many, self.lists)

    def _search(self, every: bool, found: Any) -> tuple[int, int]:
        done = search_lists(self.lists, self.boxes, every, found)
        if self._large.any():
            return search_large(self._large, self.boxes, every, found, *done)
        return done


def usual_cell_size(boxes: Any) -> float:
    """Twice the mean of the objects' widths, but not so small that most cells are empty."""
    if len(boxes) == 0:
        return 1.0
    low, high = finite_hull(boxes)
    with np.errstate(invalid="ignore", over="ignore"):
        width = (boxes[:, 3:] - boxes[:, :3]).max(axis=1)
    widths = width[np.isfinite(width)]
    mean = float(np.minimum(widths, (high - low).max()).mean()) if len(widths) else 0.0
    wide = np.maximum(high - low, mean)
    spacing = float(np.prod(wide / len(boxes) ** (1.0 / 3.0)) ** (1.0 / 3.0))
    side = max(2.0 * mean, spacing)
    return side if 0.0 < side < np.inf else 1.0


@inlined
def _cell_along(x: float, origin: float, inverse: float, many: int) -> int:
    return int(min(max((x - origin) * inverse, 0.0), many - 1.0))


@kernel
def _cover(boxes: Any, origin: Any, inverse: float, many: Any, spans: Any, covered: Any) -> None:
    """The first and the last cell of each box along each axis, and how many it covers."""
    for i in range(len(boxes)):
        product = 1.0
        for axis in range(3):
            first = _cell_along(boxes[i, axis], origin[axis], inverse, many[axis])
            last = _cell_along(boxes[i, 3 + axis], origin[axis], inverse, many[axis])
            spans[i, axis], spans[i, 3 + axis] = first, last
            product *= last - first + 1.0
        covered[i] = product


@inlined
def _list_of(cell: int, start: Any) -> int:
    """The list of a cell: neighbours along x follow each other, as they do in memory."""
    return cell & (len(start) - 2)


@kernel
def _count(spans: Any, large: Any, many: Any, start: Any) -> None:
    """Count the entries of each list, one place further on, for sums to become starts."""
    for i in range(len(spans)):
        if not large[i]:
            for z in range(spans[i, 2], spans[i, 5] + 1):
                for y in range(spans[i, 1], spans[i, 4] + 1):
                    row = many[0] * (y + many[1] * z)
                    for x in range(spans[i, 0], spans[i, 3] + 1):
                        start[_list_of(row + x, start) + 1] += 1


@kernel
def _fill(spans: Any, large: Any, many: Any, lists: CellLists) -> None:
    """Write the entries, from each list's end to its start: the ends become starts again."""
    start = lists.start
    for k in range(len(start) - 1):
        start[k] = start[k + 1]
    for i in range(len(spans) - 1, -1, -1):
        if not large[i]:
            for z in range(spans[i, 2], spans[i, 5] + 1):
                for y in range(spans[i, 1], spans[i, 4] + 1):
                    row = many[0] * (y + many[1] * z)
                    for x in range(spans[i, 0], spans[i, 3] + 1):
                        k = _list_of(row + x, start)
                        start[k] -= 1
                        place = start[k]
                        lists.object[place] = i
                        lists.cell[place] = row + x
                        lists.bits[place] = (
                            (x == spans[i, 0])
                            | ((y == spans[i, 1]) << 1)
                            | ((z == spans[i, 2]) << 2)
                        )
