"""The broad phase that chooses among the others, by the number of objects and how they lie.

No clock is read: the same boxes lead to the same choice.
"""

from typing import ClassVar

from spheresim.broadphase.all_pairs import AllPairs
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.bvh import BoundingVolumeHierarchy
from spheresim.broadphase.sampling import estimated_overlaps
from spheresim.broadphase.sweep_and_prune import SweepAndPrune
from spheresim.broadphase.uniform_grid import UniformGrid
from spheresim.numerics.arrays import Integers

_FEW, _SOME = 90, 1_000
"""Up to this number of objects, comparing all is fastest, and up to the second the sweep is, or
nearly: a look at how they lie would take longer than it saves."""

_SWEPT_EACH, _SWEPT_FOUND = 15.0, 8.0
"""Pairs that overlap along one axis, for each object and for each pair that overlaps in space, up
to which a sweep along that axis is fastest."""

_WORK_EACH, _WORK_FOUND = 50.0, 20.0
"""Work of the grid, likewise, up to which it is faster than the tree."""

_GRID_RESTS = 16
"""Updates for which the grid is not measured again after it was too much work."""


class Automatic(BroadPhase):
    """`chosen`: the broad phase that does the work since the last update."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "The one that suits the objects"

    def __init__(self) -> None:
        super().__init__()
        self._all, self._sweep = AllPairs(), SweepAndPrune()
        self._tree, self._grid = BoundingVolumeHierarchy(), UniformGrid()
        self._grid_rests = 0
        self.chosen: BroadPhase = self._all

    def _arrange(self) -> None:
        self.chosen = self._choose()
        if self.chosen is self._grid:
            self._grid.fill()  # it has been measured
        else:
            self.chosen.update_rows(self.boxes)
        self.finds_in_order = self.chosen.finds_in_order

    def _choose(self) -> BroadPhase:
        n = len(self.boxes)
        if n <= _FEW:
            return self._all
        if n <= _SOME:
            return self._sweep
        overlaps = estimated_overlaps(self.boxes)
        found = overlaps.in_space
        if min(overlaps.along) <= _SWEPT_EACH * n + _SWEPT_FOUND * found:
            return self._sweep
        self._grid_rests -= 1
        if self._grid_rests <= 0:
            self._grid.measure(self.boxes)
            if self._grid.work <= _WORK_EACH * n + _WORK_FOUND * found:
                return self._grid
            self._grid_rests = _GRID_RESTS
        return self._tree

    def _search(self, every: bool, found: Integers) -> tuple[int, int]:
        return self.chosen._search(every, found)
