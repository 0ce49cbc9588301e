"""The broad phase that chooses among the others, by the number of objects and how they lie.

A sample tells how many pairs overlap along each axis, and in space, and the grid how much work its
cells would be; from these follows about how long each would take. No clock is asked: the same
boxes, the same choice.
"""

from typing import Any, ClassVar, NamedTuple

from spheresim.broadphase.all_pairs import AllPairs
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.bvh import BoundingVolumeHierarchy
from spheresim.broadphase.sampling import Overlaps, estimated_overlaps
from spheresim.broadphase.sweep_and_prune import SweepAndPrune
from spheresim.broadphase.uniform_grid import UniformGrid

_FEW, _SOME = 90, 250
"""Up to so many objects, to compare all is fastest, and up to so many the tree is, or almost: to
look at a sample would take longer than what it saves."""

_WON = 0.8
"""What another must take of the present one's time to be changed to, for what that knows is lost;
and the grid of its rival's, to be measured."""

_GRID_RESTS = 16
"""Updates for which the grid is not tried again after it has turned out to be slow."""

# Nanoseconds on a usual processor; only their ratios count.
_COMPARE = 3.3  # two objects


class _Price(NamedTuple):
    """What a broad phase takes for any set; for an object; and that times log₂ n."""

    once: float
    each: float
    each_level: float

    def of(self, n: int) -> float:
        return self.once + n * (self.each + self.each_level * n.bit_length())


_GRID = _Price(35_000.0, 10.0, 5.0)
_SWEEP, _SWEEP_AGAIN = _Price(12_000.0, 20.0, 6.0), _Price(12_000.0, 33.0, 0.0)
_TREE, _TREE_AGAIN = _Price(10_000.0, 30.0, 20.0), _Price(10_000.0, -20.0, 17.0)
# "Again": where objects have moved a little, and the order or the tree is kept.
_LOOK = 4.0  # at an entry or a pair in a list of the grid
_VISIT = 25.0  # what the tree takes longer for each pair that is found
_SORT = 30.0  # to put a pair that was found in order


class Automatic(BroadPhase):
    """`chosen`: the broad phase that does the work since the last update."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "The one that suits the objects"

    def __init__(self) -> None:
        super().__init__()
        self._all, self._sweep = AllPairs(), SweepAndPrune()
        self._tree, self._grid = BoundingVolumeHierarchy(), UniformGrid()
        self._grid_rests = 0
        self._is_kept = False
        self.chosen: BroadPhase = self._all
        self._before: BroadPhase = self._all

    def _arrange(self) -> None:
        self._before, self.chosen = self.chosen, self._choose()
        if self.chosen is self._grid:
            self._grid.fill()  # it has been measured
        else:
            self.chosen.update_rows(self.boxes)
        self.finds_in_order = self.chosen.finds_in_order
        self._is_kept = self._will_be_kept()

    def _will_be_kept(self) -> bool:
        """Whether the next update may find an order or a tree that it can keep.

        It is expected until one has been given up. What was chosen just now has kept nothing yet.
        """
        is_new = self.chosen is not self._before
        if self.chosen.name == self._sweep.name:
            return is_new or self._sweep.is_kept
        if self.chosen.name == self._tree.name:
            return is_new or self._tree.is_refit
        return is_new or self._is_kept

    def _choose(self) -> BroadPhase:
        n = len(self.boxes)
        if n <= _FEW:
            return self._all
        if n <= _SOME:
            return self._tree
        overlaps = estimated_overlaps(self.boxes)
        sort = _SORT * overlaps.in_space
        sweep, tree = (_SWEEP_AGAIN, _TREE_AGAIN) if self._is_kept else (_SWEEP, _TREE)
        costs: dict[BroadPhase, float] = {
            self._all: 0.5 * _COMPARE * n * n,
            self._sweep: sweep.of(n) + _COMPARE * min(overlaps.along) + sort,
            self._tree: tree.of(n) + _VISIT * overlaps.in_space + sort,
        }
        best = min(costs, key=lambda phase: costs[phase])
        if self._is_grid_worth_it(costs[best], overlaps):
            return self._grid
        if self.chosen in costs and costs[best] > _WON * costs[self.chosen]:
            return self.chosen
        return best

    def _is_grid_worth_it(self, rival: float, overlaps: Overlaps) -> bool:
        """Measure the grid, if it may be faster than its best rival."""
        n = len(self.boxes)
        least = _GRID.of(n) + (_LOOK + _SORT) * overlaps.in_space
        self._grid_rests -= 1
        if least > _WON * rival or self._grid_rests > 0:
            return False
        self._grid.measure(self.boxes)
        is_worth_it = least + _LOOK * self._grid.work <= rival
        if not is_worth_it:
            self._grid_rests = _GRID_RESTS
        return is_worth_it

    def _search(self, every: bool, found: Any) -> tuple[int, int]:
        return self.chosen._search(every, found)
