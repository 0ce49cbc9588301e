"""Perspective projection: the matrix, and where a pixel lies in the picture."""

from typing import Any

import numpy as np

from spheresim_viewer.pose import HALF, Array


def perspective(aspect: float, near: float, far: float) -> Array:
    """The projection matrix of OpenGL, shape (4, 4), for columns (x, y, z, 1) of view space.

    The eye looks along −z. Depth goes from −1 at the distance `near` to 1 at `far`.
    """
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = 1.0 / (HALF * aspect), 1.0 / HALF
    matrix[2, 2] = -(far + near) / (far - near)
    matrix[2, 3] = -2.0 * far * near / (far - near)
    matrix[3, 2] = -1.0
    return matrix


def framing_distance(points: Array, aspect: float, filled: float) -> float:
    """How far from the origin the eye must be to see all points, shape (3, m).

    The points are given along the picture's axes right, up and towards the eye. The outermost
    one then lies at the part `filled` of the way from the middle of the picture to its edge.
    """
    x, y, z = points
    across = np.maximum(np.abs(x) / aspect, np.abs(y)) / (HALF * filled)
    return float(np.max(across + z))


def ndc_of(x: Any, y: Any, width: float, height: float) -> tuple[Any, Any]:
    """Normalised device coordinates, from −1 to 1, of a pixel counted from the lower left."""
    return 2.0 * x / width - 1.0, 2.0 * y / height - 1.0
