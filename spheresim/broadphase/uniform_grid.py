"""The uniform grid: space in equal cells, and each object in every cell that its box touches.

Cells are found by a hash, so empty space costs nothing (M. Teschner et al., Optimized spatial
hashing for collision detection of deformable objects, 2003). The size of a cell decides: with
small cells an object is in many of them, with large cells many objects share one.
"""

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.boxes import crowd_hull
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.cell_occupancy import (
    CellLists,
    empty_lists,
    search_large,
    search_lists,
)
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arguments import positive
from spheresim.numerics.arrays import Booleans, Floats, Integers

_MOST_CELLS = 2**20
"""Along an axis; beyond them all is in the last one: slower, never wrong."""

_LEAST_SIDE = 1e-305
"""Of a cell: one over it must be a number."""

_ALWAYS = 64
"""Cells that an object may cover, however few the objects are."""

_MOST_ENTRIES = 2**26
"""In all lists; they take 1 GB."""


class UniformGrid(BroadPhase):
    """Proposes the pairs that are in a cell together.

    `cell_size`: the side of a cell; without one it is chosen at each update. An object that
    covers more cells than there are objects, and more than 64, is compared with all others instead;
    one that covers fewer, if the lists would not fit in memory.
    `update` raises ValueError for a `cell_size` so small that the lists would not fit in memory.
    `origin`, `side`: where the grid of the last update begins, and the side of its cells;
    `work`: the entries of its lists, and the pairs to be looked at in them.
    """

    name: ClassVar[str] = "uniform_grid"
    title: ClassVar[str] = "Equal cells, each object in all that its box touches"

    def __init__(self, cell_size: float | None = None) -> None:
        super().__init__()
        self.cell_size = None if cell_size is None else positive(cell_size, "cell_size")
        self.origin, self.side = np.zeros(3), 1.0
        self.lists = empty_lists()
        self.work = 0.0
        self._large: Booleans = np.zeros(0, dtype=np.bool_)
        self._spans: npt.NDArray[np.int32] = np.zeros((0, 6), dtype=np.int32)
        self._many: Integers = np.ones(3, dtype=np.int64)

    def _arrange(self) -> None:
        self.measure(self.boxes)
        self.fill()

    def measure(self, rows: Floats) -> None:
        """Choose the cells for boxes, and find out what `work` they make."""
        self.boxes = rows
        n = len(self.boxes)
        self.origin, top = crowd_hull(self.boxes)
        self.side = max(_LEAST_SIDE, self.cell_size or usual_cell_size(self.boxes))
        with np.errstate(over="ignore"):
            many = np.floor((top - self.origin) / self.side) + 1.0
        self._many = np.clip(many, 1.0, _MOST_CELLS).astype(np.int64)

        # How many cells each object covers, and how many entries there will be.
        self._spans, covered = np.empty((n, 6), dtype=np.int32), np.empty(n)
        grid = _Grid(self.origin, 1.0 / self.side, self._many)
        _cover(self.boxes, grid, self._spans, covered)
        self._large = covered > max(_ALWAYS, n)
        entries = float(covered[~self._large].sum())
        if self.cell_size and entries > _MOST_ENTRIES:
            raise ValueError(
                f"cells of {self.side:g} are too small: the objects would be in {entries:.0f} cells"
            )
        if entries > _MOST_ENTRIES:
            self._large = covered > max(_ALWAYS, _MOST_ENTRIES // n)
            entries = float(covered[~self._large].sum())

        # How long each list becomes.
        lists = 1 << max(4, int(entries).bit_length())
        start = np.zeros(lists + 1, dtype=np.int64)
        looks = _count(self._spans, self._large, self._many, start)
        np.cumsum(start, out=start)
        self.work = entries + looks + float(np.count_nonzero(self._large)) * n
        self.lists = empty_lists()._replace(start=start)

    def fill(self) -> None:
        """Write the objects into the lists that were measured."""
        start = self.lists.start
        filled = int(start[-1])
        self.lists = CellLists(
            start,
            np.empty(filled, dtype=np.int64),
            np.empty(filled, dtype=np.int64),
            np.empty(filled, dtype=np.uint8),
        )
        _fill(self._spans, self._large, self._many, self.lists)

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
        done = search_lists(self.lists, self.boxes, every, found)
        if self._large.any():
            return search_large(self._large, self.boxes, every, found, done)
        return done


def usual_cell_size(boxes: Floats) -> float:
    """The distance of neighbours, but from 2 to 4 times the mean of the objects' widths.

    With smaller cells objects are in too many of them. Larger ones are crowded where objects
    stand together, and empty cells cost nothing, as long as their numbers are not too large.
    """
    if len(boxes) == 0:
        return 1.0
    low, high = crowd_hull(boxes)
    mean = _mean_width(boxes, low, high)
    with np.errstate(over="ignore"):
        wide = np.maximum(high - low, mean)
    spacing = float(np.prod((wide / len(boxes)) ** (1.0 / 3.0)) * len(boxes) ** (2.0 / 3.0))
    side = min(max(spacing, 2.0 * mean), 4.0 * mean) if mean > 0.0 else spacing
    side = max(side, float((0.5 * high - 0.5 * low).max()) / (_MOST_CELLS // 4))
    return side if 0.0 < side < np.inf else 1.0


@kernel
def _mean_width(boxes: Floats, low: Floats, high: Floats) -> float:
    """The mean of the objects' largest widths, each cut off at the hull."""
    total = 0.0
    for k in range(len(boxes)):
        wide = 0.0
        for axis in range(3):
            bottom, top = max(boxes[k, axis], low[axis]), min(boxes[k, 3 + axis], high[axis])
            wide = max(wide, top - bottom)
        total += wide
    return total / len(boxes)


class _Grid(NamedTuple):
    """The cells: their corner, (3,), cells per length, and how many there are along each axis,
    (3,)."""

    origin: Floats
    inverse: float
    many: Integers


@inlined
def _cell_along(x: float, origin: float, inverse: float, many: int) -> int:
    return int(min(max((x - origin) * inverse, 0.0), many - 1.0))


@kernel
def _cover(boxes: Floats, grid: _Grid, spans: npt.NDArray[np.int32], covered: Floats) -> None:
    """The first and the last cell of each box along each axis, and how many it covers."""
    origin, inverse, many = grid
    for i in range(len(boxes)):
        product = 1.0
        for axis in range(3):
            first = _cell_along(boxes[i, axis], origin[axis], inverse, many[axis])
            last = _cell_along(boxes[i, 3 + axis], origin[axis], inverse, many[axis])
            spans[i, axis], spans[i, 3 + axis] = first, last
            product *= last - first + 1.0
        covered[i] = product


@inlined
def _list_of(cell: int, start: Integers) -> int:
    """The list of a cell: neighbours along x follow each other, as they do in memory."""
    return cell & (len(start) - 2)


@kernel
def _count(spans: npt.NDArray[np.int32], large: Booleans, many: Integers, start: Integers) -> float:
    """Count the entries of each list, one place further on, for sums to become starts.

    Returns how many pairs of entries there are in the lists.
    """
    pairs = 0.0
    for i in range(len(spans)):
        if not large[i]:
            for z in range(spans[i, 2], spans[i, 5] + 1):
                for y in range(spans[i, 1], spans[i, 4] + 1):
                    row = many[0] * (y + many[1] * z)
                    for x in range(spans[i, 0], spans[i, 3] + 1):
                        place = _list_of(row + x, start) + 1
                        pairs += start[place]
                        start[place] += 1
    return pairs


@kernel
def _fill(spans: npt.NDArray[np.int32], large: Booleans, many: Integers, lists: CellLists) -> None:
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
