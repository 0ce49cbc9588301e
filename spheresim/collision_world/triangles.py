"""The triangles of a mesh as convex bodies, made when they are first asked about, and a tree."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spheresim.box_tree.ray_nodes import RayNodes, ray_nodes
from spheresim.box_tree.tree import BoxTree
from spheresim.convex.body import Body
from spheresim.convex.shapes import hull
from spheresim.obstacles.features.index import NO_INDEX
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.mesh import Mesh
from spheresim.obstacles.table import Obstacles


class Faces(NamedTuple):
    """nodes: a tree for rays; table: the triangles as features, in the order of its leaves."""

    nodes: RayNodes
    table: Obstacles


class Triangles:
    """A mesh in its own frame."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self._bodies: dict[int, Body] = {}

    @cached_property
    def corners(self) -> Any:
        """The corners of all triangles, shape (m, 3, 3)."""
        return np.ascontiguousarray(self.mesh.vertices[self.mesh.triangles])

    @cached_property
    def tree(self) -> BoxTree:
        """Over the boxes of the triangles."""
        return BoxTree(self.corners.min(axis=1), self.corners.max(axis=1))

    @cached_property
    def normals(self) -> Any:
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

    def bounds(self) -> Any:
        """The axis-aligned box around it."""
        return self.mesh.bounds()

    def body(self, k: int) -> Body:
        """Triangle k as a flat body about the mesh's origin."""
        if k not in self._bodies:
            self._bodies[k] = hull(self.corners[k])
        return self._bodies[k]

    @property
    def bodies(self) -> list[Body]:
        """All that have been made."""
        return list(self._bodies.values())
