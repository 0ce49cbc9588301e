"""The geometries of all bodies of a world in one array, each once, as kernels read them.

So are the triangles of its meshes, as flat bodies: they are made when they are first asked about,
once for each mesh, however many shapes it is part of.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from spheresim.collision_world.handles import grown
from spheresim.collision_world.triangles import Triangles
from spheresim.numerics.arrays import Floats, Integers


class GeometryTable:
    """Rows of geometries (see `convex.geometry.layout`), each dropped when no part uses it."""

    def __init__(self) -> None:
        self._rows = np.zeros((0, 3))
        self._used = 0
        self._wasted = 0
        self._entries: dict[int, _Entry] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy or what was pickled: there the geometries have other ids."""
        vars(self).update(state)
        self._entries = {id(entry.geometry): entry for entry in self._entries.values()}

    @property
    def rows(self) -> Floats:
        """All of them, shape (n, 3)."""
        return self._rows[: self._used]

    def start_of(self, geometry: Floats, times: int = 1) -> int:
        """The row in which a geometry begins; it is added if it is not there, and counted."""
        entry = self._entries.get(id(geometry))
        if entry is None:
            start, self._used = self._used, self._used + len(geometry)
            self._rows = grown(self._rows, self._used)
            self._rows[start : self._used] = geometry
            entry = self._entries[id(geometry)] = _Entry(geometry, start)
        entry.count += times
        return entry.start

    def drop(self, geometry: Floats) -> None:
        """Release a geometry once; with the last release its rows become unused."""
        entry = self._entries[id(geometry)]
        entry.count -= 1
        if entry.count == 0:
            del self._entries[id(geometry)]
            self._wasted += len(geometry)

    def is_mostly_waste(self) -> bool:
        """Whether more than half of the rows are unused."""
        return self._wasted > 1024 and 2 * self._wasted > self._used

    def compact(self) -> Callable[[Any], Any]:
        """Close the gaps; returns a function from old rows, (k,), to where these are now."""
        entries = sorted(self._entries.values(), key=lambda entry: entry.start)
        old = np.array([entry.start for entry in entries], dtype=np.int64)
        lengths = np.array([len(entry.geometry) for entry in entries], dtype=np.int64)
        new = np.cumsum(lengths) - lengths
        for entry, start in zip(entries, new.tolist(), strict=True):
            entry.start = start
        self._rows = np.concatenate([np.zeros((0, 3)), *(entry.geometry for entry in entries)])
        self._used, self._wasted = len(self._rows), 0

        def moved(starts: Integers) -> Integers:
            of = np.searchsorted(old, starts, side="right") - 1
            return starts + (new - old)[of]

        return moved


class _Entry:
    """A geometry, held so that no other has its id; where it begins; how many use it."""

    __slots__ = ("count", "geometry", "start")

    def __init__(self, geometry: Floats, start: int) -> None:
        self.geometry = geometry
        self.start = start
        self.count = 0


_RUN = 256
"""Triangles that are made together, in the order of the mesh: a single one takes nearly as long."""


class TriangleTable:
    """Where the geometries of triangles begin in a world's table of geometries."""

    def __init__(self, table: GeometryTable) -> None:
        self._table = table
        self._held: dict[int, _Held] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy or what was pickled: there the meshes have other ids."""
        vars(self).update(state)
        self._held = {id(held.mesh): held for held in self._held.values()}

    def hold(self, mesh: Triangles, times: int) -> None:
        """Count `times` more shapes with this mesh."""
        if id(mesh) not in self._held:
            self._held[id(mesh)] = _Held(mesh)
        self._held[id(mesh)].count += times

    def drop(self, mesh: Triangles) -> None:
        """Count one shape less with this mesh; with the last one its geometries are dropped."""
        held = self._held[id(mesh)]
        held.count -= 1
        if held.count == 0:
            del self._held[id(mesh)]
            for block in held.blocks:
                self._table.drop(block)

    def starts_of(self, mesh: Triangles, pieces: Integers) -> Integers:
        """The rows in which the geometries of some triangles begin, (k,); new ones are made."""
        held = self._held[id(mesh)]
        starts = held.starts[pieces]
        if len(starts) == 0 or starts.min() >= 0:
            return starts
        runs = np.unique(pieces[starts < 0] // _RUN)
        near = (runs[:, None] * _RUN + np.arange(_RUN)).ravel()
        near = near[near < len(held.starts)]
        for which, block in mesh.geometries(near[held.starts[near] < 0]):
            start = self._table.start_of(block)
            held.starts[which] = start + np.arange(len(which)) * (len(block) // len(which))
            held.blocks.append(block)
        return held.starts[pieces]

    def follow(self, moved: Any) -> None:
        """Take note that geometries have been moved: `moved` gives the new starts of old ones."""
        for held in self._held.values():
            made = held.starts >= 0
            held.starts[made] = moved(held.starts[made])


class _Held:
    """A mesh; where its triangles' geometries begin, −1 if they are not made; in which blocks of
    rows; how many shapes have it."""

    __slots__ = ("blocks", "count", "mesh", "starts")

    def __init__(self, mesh: Triangles) -> None:
        self.mesh = mesh
        self.starts = np.full(len(mesh.corners), -1)
        self.blocks: list[Any] = []
        self.count = 0
