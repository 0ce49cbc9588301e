"""Convex decomposition of a concave mesh, by CoACD (an extra: `pip install coacd`).

X. Wei et al., Approximate convex decomposition for 3D meshes with collision-aware
concavity and tree search, 2022: the mesh is cut by planes until each part differs from its own
hull by less than a threshold, in few parts.
"""

import sys
from typing import NamedTuple

import numpy as np

from spheresim.convex.body import Body
from spheresim.convex.coordinates import coordinates
from spheresim.convex.shapes import hull
from spheresim.numerics.arguments import number, shown
from spheresim.numerics.arrays import RowsLike


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
    points: RowsLike, triangles: RowsLike, threshold: float = 0.05, seed: int = 0
) -> Decomposition:
    """Cut a closed mesh into convex bodies; returns a `Decomposition`.

    points: (n, 3) [length]; triangles: (m, 3), indices of points; threshold, from 0.01 to 1: how
    concave a part may be, by the measure of CoACD, which does the work; seed: of its random
    numbers.
    """
    # What is given: a closed mesh, seen from outside.
    corners = coordinates(points, 3, "a mesh's points")
    faces = _triangles(triangles, len(corners))
    mesh_volume = volume(corners, faces)
    if not mesh_volume > 0.0:
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
    pieces = coacd.run_coacd(coacd.Mesh(corners, faces), threshold=limit, seed=seed)
    # Each piece is a body of its own.
    parts = [hull(piece) for piece, _ in pieces]
    return Decomposition(
        parts,
        sum(body_volume(part) for part in parts) / mesh_volume - 1.0,
        body_volume(hull(corners)) / mesh_volume - 1.0,
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


def _triangles(triangles: RowsLike, count: int) -> np.ndarray:
    try:
        faces = np.asarray(triangles)
    except ValueError:
        faces = np.empty(0)
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
        raise ValueError(f"triangles are three whole numbers each, not {shown(triangles)}")
    if faces.size and not (faces.min() >= 0 and faces.max() < count):
        raise ValueError("a triangle has the index of a point that does not exist")
    return faces.astype(np.int64)
