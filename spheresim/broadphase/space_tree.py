"""Quadtree and octree: space is halved along two or three axes, again where it is crowded.

An object is in every leaf that its box touches (H. Samet, The Design and Analysis of Spatial Data
Structures, 1990). An area is divided only if fewer pairs are left in its parts than were in it: so
objects that all overlap are not divided for ever.
"""

from typing import Any, ClassVar

import numpy as np

from spheresim.broadphase.boxes import crowd_hull
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.cell_lists import ALL_AXES, CellLists, empty_lists, search_lists
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arguments import whole_number

_LONGEST = 0.4
"""An axis is halved if areas are no shorter along it than this part of their longest side."""

_MOST_ENTRIES = 24
"""For each object: areas are no more divided when their parts would have more entries."""

_CHILDREN = 8
"""Places for children: a quadtree uses four of them."""


class SpaceTree(BroadPhase):
    """Proposes the pairs that are in a leaf together.

    `capacity`: a leaf with more objects is divided; `depth`: how often, at the most.
    `leaves`: (k, 6), the areas of the last update, as boxes.
    """

    halved: ClassVar[int]
    """Along how many axes an area is halved: those along which the objects extend most."""

    def __init__(self, capacity: int = 8, depth: int = 20) -> None:
        super().__init__()
        self.capacity = whole_number(capacity, "capacity", low=1)
        self.depth = whole_number(depth, "depth", low=0)
        self.lists = empty_lists()
        self.leaves: Any = np.zeros((0, 6))

    def _arrange(self) -> None:
        n = len(self.boxes)
        low, high = crowd_hull(self.boxes)
        side = 0.5 * high - 0.5 * low  # halves, which do not overflow
        side[np.argsort(-side, kind="stable")[self.halved :]] = 0.0

        # Level by level: an area's objects stand one after the other.
        areas = np.concatenate([low, high])[None]
        start, object_ = np.array([0, n]), np.arange(n)
        bits = np.full(n, ALL_AXES, dtype=np.uint8)
        leaves = []
        for level in range(self.depth + 1):
            axes = side > _LONGEST * side.max()
            side[axes] *= 0.5
            middle = 0.5 * areas[:, :3] + 0.5 * areas[:, 3:]
            counts = np.zeros((len(areas), _CHILDREN), dtype=np.int64)
            _count(self.boxes, start, object_, middle, axes, counts)
            is_divided = self._worth_it(np.diff(start), counts) & (level < self.depth)
            is_divided &= counts[is_divided].sum() <= _MOST_ENTRIES * n
            leaves.append(_kept(areas, start, object_, bits, ~is_divided))
            if not is_divided.any():
                break
            places = np.zeros(1 + counts.size, dtype=np.int64)
            np.cumsum(np.where(is_divided[:, None], counts, 0).ravel(), out=places[1:])
            below = np.empty(places[-1], dtype=np.int64), np.empty(places[-1], dtype=np.uint8)
            next_place = places[:-1].reshape(counts.shape).copy()
            _divide(self.boxes, start, object_, bits, middle, axes, is_divided, next_place, *below)
            taken = (counts > 0) & is_divided[:, None]
            areas = _parts(areas, middle, axes)[taken]
            start = np.append(places[:-1][taken.ravel()], places[-1])
            object_, bits = below
        self._join(leaves)

    def _worth_it(self, sizes: Any, counts: Any) -> Any:
        """Which areas to divide: fewer pairs are left, or all objects are in one part of it."""
        many = counts.astype(np.float64)
        left = (many * (many - 1.0)).sum(axis=1)
        is_smaller = left < sizes.astype(np.float64) * (sizes - 1.0)
        shrinks = np.count_nonzero(counts, axis=1) == 1
        return (sizes > self.capacity) & (is_smaller | shrinks)

    def _join(self, leaves: list[Any]) -> None:
        """The leaves of all levels as one."""
        areas, sizes, objects, bits = zip(*leaves, strict=True)
        size = np.concatenate(sizes)
        self.leaves = np.concatenate(areas)
        self.lists = CellLists(
            np.concatenate([[0], np.cumsum(size)]),
            np.concatenate(objects),
            np.repeat(np.arange(len(size)), size),
            np.concatenate(bits),
        )

    def _search(self, every: bool, found: Any) -> tuple[int, int]:
        return search_lists(self.lists, self.boxes, every, found)


class Quadtree(SpaceTree):
    """Areas are quartered, across the two axes along which the objects extend most."""

    name: ClassVar[str] = "quadtree"
    title: ClassVar[str] = "Areas divided in four where they are crowded"
    halved: ClassVar[int] = 2


class Octree(SpaceTree):
    """Cells are divided in eight."""

    name: ClassVar[str] = "octree"
    title: ClassVar[str] = "Cells divided in eight where they are crowded"
    halved: ClassVar[int] = 3


def _kept(areas: Any, start: Any, object_: Any, bits: Any, is_leaf: Any) -> tuple[Any, ...]:
    """The areas that are leaves, their sizes, and their objects with their bits."""
    sizes = np.diff(start)
    entries = np.repeat(is_leaf, sizes)
    return areas[is_leaf], sizes[is_leaf], object_[entries], bits[entries]


def _parts(areas: Any, middle: Any, axes: Any) -> Any:
    """The eight parts of areas, shape (k, 8, 6): bit a of a part's place says the upper half."""
    parts = np.repeat(areas[:, None], _CHILDREN, axis=1)
    for part in range(_CHILDREN):
        for axis in np.flatnonzero(axes):
            is_upper = (part >> axis) & 1
            parts[:, part, axis if is_upper else 3 + axis] = middle[:, axis]
    return parts


@inlined
def _is_in(boxes: Any, i: int, middle: Any, k: int, axes: Any, part: int) -> bool:
    """Whether a box touches a part of area k. What only touches the middle is in the upper half."""
    inside = True
    for axis in range(3):
        is_upper = (part >> axis) & 1
        if axes[axis]:
            if is_upper:
                inside &= boxes[i, 3 + axis] >= middle[k, axis]
            else:
                inside &= boxes[i, axis] < middle[k, axis]
        else:
            inside &= is_upper == 0
    return inside


@kernel
def _count(boxes: Any, start: Any, object_: Any, middle: Any, axes: Any, counts: Any) -> None:
    """How many objects each part of each area would hold."""
    for k in range(len(start) - 1):
        for entry in range(start[k], start[k + 1]):
            for part in range(_CHILDREN):
                counts[k, part] += _is_in(boxes, object_[entry], middle, k, axes, part)


@kernel
def _divide(
    boxes: Any,
    start: Any,
    object_: Any,
    bits: Any,
    middle: Any,
    axes: Any,
    is_divided: Any,
    next_place: Any,
    below: Any,
    bits_below: Any,
) -> None:
    """Write the objects of divided areas into their parts, from each part's next place on."""
    for k in range(len(start) - 1):
        if is_divided[k]:
            for entry in range(start[k], start[k + 1]):
                i = object_[entry]
                for part in range(_CHILDREN):
                    if _is_in(boxes, i, middle, k, axes, part):
                        own = int(bits[entry])
                        for axis in range(3):
                            # In an upper half, the lower corner may be left behind.
                            if (part >> axis) & 1 and boxes[i, axis] < middle[k, axis]:
                                own &= ALL_AXES - (1 << axis)
                        place = next_place[k, part]
                        next_place[k, part] = place + 1
                        below[place], bits_below[place] = i, own
