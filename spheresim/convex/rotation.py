"""Rotations as 3 × 3 matrices whose columns are the body's own axes, seen from the world."""

import math
from typing import Any

import numpy as np

from spheresim.arguments import direction_of, number
from spheresim.vector import VectorLike


def rotation_about(axis: VectorLike, angle: float) -> np.ndarray:
    """The right-handed turn by `angle` [rad] about an axis (Rodrigues' formula).

    >>> rotation_about((0, 0, 1), math.pi / 2).round(15) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    x, y, z = direction_of(axis, "a rotation's axis")
    angle = number(angle, "a rotation's angle")
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # 1 − cos loses its digits at small angles; 2 sin² of the half does not.
    versine = 2.0 * math.sin(0.5 * angle) ** 2
    return np.asarray(np.eye(3) + math.sin(angle) * across + versine * (across @ across))


def rotation_matrix(rotation: Any, dimension: int) -> np.ndarray:
    """What a user gives as a rotation, checked: nothing, in 2D an angle [rad], in 3D a matrix."""
    if rotation is None:
        return np.eye(3)
    if dimension == 2:
        return rotation_about((0.0, 0.0, 1.0), number(rotation, "a rotation in the plane"))
    matrix = np.array(rotation, dtype=np.float64)
    if matrix.shape != (3, 3):
        raise ValueError(f"a rotation in space is a 3 × 3 matrix, not of shape {matrix.shape}")
    if not np.abs(matrix @ matrix.T - np.eye(3)).max() <= 1e-9 or np.linalg.det(matrix) < 0.0:
        raise ValueError("a rotation's rows must be orthonormal and right-handed")
    return matrix
