"""The geometries of all bodies of a world in one array, each once, as kernels read them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spheresim.collision_world.handles import grown


class GeometryTable:
    """Rows of geometries (see `convex.geometry.layout`), which are counted and dropped."""

    def __init__(self) -> None:
        self._rows = np.zeros((0, 3))
        self._used = 0
        self._wasted = 0
        self._entries: dict[int, _Entry] = {}

    @property
    def rows(self) -> Any:
        """All of them, shape (n, 3)."""
        return self._rows[: self._used]

    def start_of(self, geometry: Any, times: int = 1) -> int:
        """The row in which a geometry begins; it is added if it is not there, and counted."""
        entry = self._entries.get(id(geometry))
        if entry is None:
            start, self._used = self._used, self._used + len(geometry)
            self._rows = grown(self._rows, self._used)
            self._rows[start : self._used] = geometry
            entry = self._entries[id(geometry)] = _Entry(geometry, start)
        entry.count += times
        return entry.start

    def drop(self, geometry: Any) -> None:
        """Count a geometry once less."""
        entry = self._entries[id(geometry)]
        entry.count -= 1
        if entry.count == 0:
            del self._entries[id(geometry)]
            self._wasted += len(geometry)

    def is_mostly_waste(self) -> bool:
        """Whether more rows are of no use than are."""
        return self._wasted > 1024 and 2 * self._wasted > self._used

    def compact(self) -> Callable[[Any], Any]:
        """Close the gaps; a function from starts of geometries, or of what is in them, as they
        were, (k,), to where these are now."""
        entries = sorted(self._entries.values(), key=lambda entry: entry.start)
        old = np.array([entry.start for entry in entries], dtype=np.int64)
        lengths = np.array([len(entry.geometry) for entry in entries], dtype=np.int64)
        new = np.cumsum(lengths) - lengths
        for entry, start in zip(entries, new.tolist(), strict=True):
            entry.start = start
        self._rows = np.concatenate([np.zeros((0, 3)), *(entry.geometry for entry in entries)])
        self._used, self._wasted = len(self._rows), 0

        def moved(starts: Any) -> Any:
            of = np.searchsorted(old, starts, side="right") - 1
            return starts + (new - old)[of]

        return moved


class _Entry:
    """A geometry, held so that no other has its id; where it begins; how many use it."""

    __slots__ = ("count", "geometry", "start")

    def __init__(self, geometry: Any, start: int) -> None:
        self.geometry = geometry
        self.start = start
        self.count = 0
