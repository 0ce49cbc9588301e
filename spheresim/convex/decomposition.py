"""Convex decomposition of a concave mesh, by CoACD (an extra: `pip install coacd`).

X. Wei et al., Approximate convex decomposition for 3D meshes with collision-aware
concavity and tree search, 2022: the mesh is cut by planes until each part differs from its own
hull by less than a threshold, in few parts.
"""

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.convex.body import Body
from spheresim.convex.shapes import hull
from spheresim.numerics.arguments import number
from spheresim.obstacles.mesh import Mesh


class Decomposition(NamedTuple):
    """`parts`: convex bodies that together make the mesh.

    `concavity`: the volume of all parts over the mesh's, less 1; `concavity_before`: the same of
    the mesh's hull. `cost`: corners of all parts.
    """

    parts: list[Body]
    concavity: float
    concavity_before: float
    cost: int


def decompose(
    points: npt.ArrayLike, triangles: npt.ArrayLike, threshold: float = 0.05, seed: int = 0
) -> Decomposition:
    """Cut a closed mesh into convex bodies; returns a `Decomposition`.

    points: (n, 3) [length]; triangles: (m, 3), indices of points; threshold, from 0.01 to 1: how
    concave a part may be, by the measure of CoACD, which does the work; seed: of its random
    numbers. ValueError for a mesh with a hole, or with a triangle that is turned or given twice.
    """
    # What is given: a closed mesh, seen from outside.
    mesh = Mesh(points, triangles)
    mesh_volume = volume(mesh.vertices, mesh.triangles)
    if not (mesh.is_closed and mesh_volume > 0.0):
        raise ValueError("the mesh must be closed, its triangles anticlockwise from outside")
    limit = number(threshold, "a threshold", 0.01, 1.0)
    # Cut it.
    try:
        import coacd
    except ImportError:
        raise ImportError(
            f"convex decomposition needs CoACD: {sys.executable} -m pip install coacd"
        ) from None
    coacd.set_log_level("error")
    pieces = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles), threshold=limit, seed=seed)
    # Each piece is a body of its own.
    parts = [hull(piece) for piece, _ in pieces]
    return Decomposition(
        parts,
        sum(body_volume(part) for part in parts) / mesh_volume - 1.0,
        body_volume(hull(mesh.vertices)) / mesh_volume - 1.0,
        sum(len(part.points) for part in parts),
    )


def volume(points: np.ndarray, triangles: np.ndarray) -> float:
    """The volume of a closed mesh whose triangles run anticlockwise, seen from outside."""
    p, q, r = (points[triangles[:, i]] - points[0] for i in range(3))
    return float(np.sum(p * np.cross(q, r)) / 6.0)


def body_volume(body: Body) -> float:
    """The volume of a polyhedron's core."""
    fans = [(loop[0], loop[i], loop[i + 1]) for loop in body.faces for i in range(1, len(loop) - 1)]
    return volume(body.points, np.array(fans).reshape(-1, 3))
