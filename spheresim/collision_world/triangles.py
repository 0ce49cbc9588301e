"""The triangles of a mesh: their corners, normals and geometries as convex bodies, and trees."""

from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from spheresim.aabb_tree.ray_nodes import RayNodes, ray_nodes
from spheresim.aabb_tree.tree import AabbTree
from spheresim.convex.geometry.triangle_rows import are_thin, triangle_rows
from spheresim.convex.shapes import hull
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.obstacles.features.index import NO_INDEX
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.identity import Itself
from spheresim.obstacles.mesh import Mesh
from spheresim.obstacles.table import Obstacles

_KEPT = 16
"""Meshes whose trees are kept, for meshes that are added again, to this world or another."""


class Faces(NamedTuple):
    """nodes: a tree for rays; table: the triangles as features, in the order of its leaves."""

    nodes: RayNodes
    table: Obstacles


class Triangles:
    """A mesh in its own frame."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh

    @cached_property
    def corners(self) -> Floats:
        """The corners of all triangles, shape (m, 3, 3)."""
        return np.ascontiguousarray(self.mesh.vertices[self.mesh.triangles])

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of all corners, without its sign."""
        return float(np.abs(self.corners).max())

    @cached_property
    def tree(self) -> AabbTree:
        """Over the boxes of the triangles."""
        return AabbTree(self.corners.min(axis=1), self.corners.max(axis=1))

    @cached_property
    def normals(self) -> Floats:
        """Of all triangles, unit, (m, 3)."""
        return self.mesh.features().numbers[: len(self.corners), 3:6]

    @cached_property
    def faces(self) -> "Faces":
        """The triangles as rays meet them: as the faces of the obstacle that the mesh is."""
        nodes, rows, count = ray_nodes(self.tree), self.mesh.features(), len(self.corners)
        # Leaf by leaf, each with its three sides beside it, as they are read.
        numbers = rows.numbers[:count][nodes.order]
        sides = numbers[:, 8, np.newaxis].astype(np.int64) + np.arange(3)
        numbers[:, 8], numbers[:, 9] = 3 * np.arange(count), 3 * np.arange(count) + 3
        outline, index = rows.outline[sides.ravel()], NO_INDEX
        every = np.arange(count)
        table = Obstacles(
            rows.kind[:count], numbers, np.ones(count), every, every, Features(outline, index)
        )
        return Faces(nodes, table)

    def bounds(self) -> Bounds:
        """The axis-aligned box around it."""
        return self.mesh.bounds()

    def geometries(self, pieces: Integers) -> list[tuple[Integers, Floats]]:
        """The geometries of some triangles, (k,), as flat bodies about the mesh's origin.

        In blocks: the triangles of a block, (n,), and its rows, the same number for each triangle.
        All are in one block, except those that are hardly more than a line.
        """
        thin = are_thin(self.corners[pieces])
        most, others = pieces[~thin], pieces[thin]
        blocks = [(most, triangle_rows(self.corners[most]).reshape(-1, 3))] if len(most) else []
        return blocks + [
            (others[[k]], hull(self.corners[others[k]]).geometry) for k in range(len(others))
        ]


@lru_cache(_KEPT)
def _triangles_of(mesh: Itself) -> Triangles:
    return Triangles(mesh.shape)


def triangles_of(mesh: Mesh) -> Triangles:
    """A mesh in its own frame; the same one again for one of the last few meshes."""
    return _triangles_of(Itself(mesh))
