"""The lamp: where it stands, and the view from it into its shadow map."""

import math

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim_viewer.camera.pose import Array, Pose, Turntable

_ASIDE, _HEIGHT = math.radians(-22.0), math.radians(49.0)
"""The lamp stands over the left shoulder of whoever looks from where the scene is first seen, so
that what is seen then is lit."""
_EXTENT = 1.05  # the stage is a sphere of radius 1


def lamp_direction(up: Array, yaw: float) -> Array:
    """The direction to the lamp, unit, (3,), for the yaw of the first view."""
    turntable = Turntable(np.asarray(up, dtype=np.float64))
    pose = Pose(yaw + _ASIDE, _HEIGHT, 1.0, np.zeros(3), np.zeros(2))
    return turntable.axes(pose)[2]


def lamp_view(up: Floats, light: Array) -> Array:
    """The matrix (4, 4) from stage units into the shadow map."""
    across = np.cross(up, light)
    across /= np.linalg.norm(across)
    matrix = np.eye(4)
    matrix[0, :3] = across / _EXTENT
    matrix[1, :3] = np.cross(light, across) / _EXTENT
    matrix[2, :3] = -0.5 * light / _EXTENT
    matrix[2, 3] = 0.5
    return matrix
