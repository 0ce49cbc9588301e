"""Perspective projection: the matrix, and where a pixel lies in the picture."""

import numpy as np

from spheresim_viewer.camera.pose import HALF, Array


def perspective(aspect: float, near: float, far: float, shift: Array) -> Array:
    """The projection matrix of OpenGL, shape (4, 4), for columns (x, y, z, 1) of view space.

    The eye looks along −z, which is seen at the place `shift`, shape (2,), of the picture. Depth
    goes from −1 at the distance `near` to 1 at `far`.
    """
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = 1.0 / (HALF * aspect), 1.0 / HALF
    matrix[:2, 2] = -shift
    matrix[2, 2] = -(far + near) / (far - near)
    matrix[2, 3] = -2.0 * far * near / (far - near)
    matrix[3, 2] = -1.0
    return matrix


def ndc_of(x: float, y: float, width: float, height: float) -> tuple[float, float]:
    """Normalised device coordinates, from −1 to 1, of a pixel counted from the lower left."""
    return 2.0 * x / width - 1.0, 2.0 * y / height - 1.0
