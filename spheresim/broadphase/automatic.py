"""The broad phase that chooses among the others, by the number of objects and how they lie."""

from typing import Any, ClassVar

from spheresim.broadphase.all_pairs import AllPairs
from spheresim.broadphase.broad_phase import BroadPhase
from spheresim.broadphase.bvh import BoundingVolumeHierarchy

_FEW = 48
"""Up to so many objects, to compare all is fastest."""


class Automatic(BroadPhase):
    """`chosen`: the broad phase that does the work since the last update."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "The one that suits the objects"

    def __init__(self) -> None:
        super().__init__()
        self._few, self._many = AllPairs(), BoundingVolumeHierarchy()
        self.chosen: BroadPhase = self._few

    def _arrange(self) -> None:
        self.chosen = self._few if len(self.boxes) <= _FEW else self._many
        self.chosen.update_rows(self.boxes)

    def _search(self, every: bool, found: Any) -> tuple[int, int]:
        return self.chosen._search(every, found)
