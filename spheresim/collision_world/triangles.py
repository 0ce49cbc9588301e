"""The triangles of a mesh as convex bodies, made when they are first asked about, and a tree."""

from functools import cached_property
from typing import Any

import numpy as np

from spheresim.collision_world.box_tree import BoxTree
from spheresim.convex.body import Body
from spheresim.convex.shapes import hull
from spheresim.obstacles.mesh import Mesh


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
