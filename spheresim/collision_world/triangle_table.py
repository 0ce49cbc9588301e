"""The triangles of a world's meshes as convex bodies: made when they are first asked about.

Each mesh is held once, however many shapes it is part of.
"""

from typing import Any

import numpy as np

from spheresim.collision_world.geometry_table import GeometryTable
from spheresim.collision_world.triangles import Triangles

_RUN = 256
"""Triangles that are made together, in the order of the mesh: one alone takes nearly as long."""


class TriangleTable:
    """Where the geometries of triangles begin in a world's table of geometries."""

    def __init__(self, table: GeometryTable) -> None:
        self._table = table
        self._held: dict[int, _Held] = {}

    def hold(self, mesh: Triangles, times: int) -> None:
        """So many more shapes have this mesh."""
        if id(mesh) not in self._held:
            self._held[id(mesh)] = _Held(mesh)
        self._held[id(mesh)].count += times

    def drop(self, mesh: Triangles) -> None:
        """One shape less has it; with the last one its geometries go."""
        held = self._held[id(mesh)]
        held.count -= 1
        if held.count == 0:
            del self._held[id(mesh)]
            for block in held.blocks:
                self._table.drop(block)

    def starts_of(self, mesh: Triangles, pieces: Any) -> Any:
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
        """Geometries lie elsewhere: `moved` gives the new starts of old ones."""
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
