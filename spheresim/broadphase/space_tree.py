"""Quadtree and octree: space is halved along two or three axes, again where it is crowded.

An object is in every leaf that its box touches (H. Samet, The Design and Analysis of Spatial Data
Structures, 1990). An area is divided only if fewer pairs are left in its parts than were in it: so
objects that all overlap are not divided for ever.
"""

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.boxes import crowd_hull
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.cell_occupancy import ALL_AXES, CellLists, empty_lists, search_lists
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arguments import whole_number
from spheresim.numerics.arrays import Booleans, Floats, Integers

_LONGEST = 0.4
"""An axis is halved if areas are no shorter along it than this part of their longest side."""

_MOST_ENTRIES = 24
"""For each object: areas are no more divided when their parts would have more entries."""

_CHILDREN = 8
"""Places for children: a quadtree uses four of them."""


class _Entries(NamedTuple):
    """object, bits: of each entry, see `CellLists`."""

    object: Integers
    bits: npt.NDArray[np.uint8]


class _Areas(NamedTuple):
    """Areas of one level, one after the other, and their objects.

    box: (k, 6); middle: (k, 3); axes: (3,) bool, along which all of them are halved; start:
    (k + 1,), where each one's entries begin.
    """

    box: Floats
    middle: Floats
    axes: Booleans
    start: Integers
    entries: _Entries


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
        self.leaves: Floats = np.zeros((0, 6))

    def _arrange(self) -> None:
        n = len(self.boxes)
        low, high = crowd_hull(self.boxes)
        side = 0.5 * high - 0.5 * low  # halves, which do not overflow
        side[np.argsort(-side, kind="stable")[self.halved :]] = 0.0

        # Level by level.
        box, start = np.concatenate([low, high])[None], np.array([0, n])
        entries = _Entries(np.arange(n), np.full(n, ALL_AXES, dtype=np.uint8))
        leaves = []
        for level in range(self.depth + 1):
            axes = side > _LONGEST * side.max()
            side[axes] *= 0.5
            areas = _Areas(box, 0.5 * box[:, :3] + 0.5 * box[:, 3:], axes, start, entries)
            counts = np.zeros((len(box), _CHILDREN), dtype=np.int64)
            _count(self.boxes, areas, counts)
            is_divided = self._worth_it(np.diff(start), counts) & (level < self.depth)
            is_divided &= counts[is_divided].sum() <= _MOST_ENTRIES * n
            leaves.append(_kept(areas, ~is_divided))
            if not is_divided.any():
                break
            places = np.zeros(1 + counts.size, dtype=np.int64)
            np.cumsum(np.where(is_divided[:, None], counts, 0).ravel(), out=places[1:])
            entries = _Entries(np.empty(places[-1], np.int64), np.empty(places[-1], np.uint8))
            next_place = places[:-1].reshape(counts.shape).copy()
            _divide(self.boxes, areas, is_divided, next_place, entries)
            taken = (counts > 0) & is_divided[:, None]
            box = _parts(areas)[taken]
            start = np.append(places[:-1][taken.ravel()], places[-1])
        self._join(leaves)

    def _worth_it(self, sizes: Integers, counts: Integers) -> Booleans:
        """Which areas to divide: fewer pairs are left, or all objects are in one part of it."""
        many = counts.astype(np.float64)
        left = (many * (many - 1.0)).sum(axis=1)
        is_smaller: Booleans = left < sizes.astype(np.float64) * (sizes - 1.0)
        shrinks: Booleans = np.count_nonzero(counts, axis=1) == 1
        return (sizes > self.capacity) & (is_smaller | shrinks)

    def _join(self, leaves: list[tuple[Floats, Integers, Integers, npt.NDArray[np.uint8]]]) -> None:
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

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
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


def _kept(
    areas: _Areas, is_leaf: Booleans
) -> tuple[Floats, Integers, Integers, npt.NDArray[np.uint8]]:
    """The areas that are leaves, their sizes, and their objects with their bits."""
    sizes = np.diff(areas.start)
    entries = np.repeat(is_leaf, sizes)
    objects, bits = areas.entries
    return areas.box[is_leaf], sizes[is_leaf], objects[entries], bits[entries]


def _parts(areas: _Areas) -> Floats:
    """The eight parts of areas, shape (k, 8, 6): bit a of a part's place says the upper half."""
    parts = np.repeat(areas.box[:, None], _CHILDREN, axis=1)
    for part in range(_CHILDREN):
        for axis in np.flatnonzero(areas.axes):
            is_upper = (part >> axis) & 1
            parts[:, part, axis if is_upper else 3 + axis] = areas.middle[:, axis]
    return parts


@inlined
def _is_in(boxes: Floats, i: int, areas: _Areas, k: int, part: int) -> bool:
    """Whether a box touches a part of area k. What only touches the middle is in the upper half."""
    inside = True
    for axis in range(3):
        is_upper = (part >> axis) & 1
        if areas.axes[axis]:
            if is_upper:
                inside &= boxes[i, 3 + axis] >= areas.middle[k, axis]
            else:
                inside &= boxes[i, axis] < areas.middle[k, axis]
        else:
            inside &= is_upper == 0
    return inside


@kernel
def _count(boxes: Floats, areas: _Areas, counts: Integers) -> None:
    """How many objects each part of each area would hold."""
    for k in range(len(areas.start) - 1):
        for entry in range(areas.start[k], areas.start[k + 1]):
            for part in range(_CHILDREN):
                counts[k, part] += _is_in(boxes, areas.entries.object[entry], areas, k, part)


@kernel
def _divide(
    boxes: Floats,
    areas: _Areas,
    is_divided: Booleans,
    next_place: Integers,
    below: _Entries,
) -> None:
    """Write the objects of divided areas into their parts, from each part's next place on."""
    for k in range(len(areas.start) - 1):
        if is_divided[k]:
            for entry in range(areas.start[k], areas.start[k + 1]):
                i = areas.entries.object[entry]
                for part in range(_CHILDREN):
                    if _is_in(boxes, i, areas, k, part):
                        own = int(areas.entries.bits[entry])
                        for axis in range(3):
                            # In an upper half, the lower corner may be left behind.
                            if (part >> axis) & 1 and boxes[i, axis] < areas.middle[k, axis]:
                                own &= ALL_AXES - (1 << axis)
                        place = next_place[k, part]
                        next_place[k, part] = place + 1
                        below.object[place], below.bits[place] = i, own
