"""The turn of an obstacle, as a matrix, from an axis and an angle in degrees."""

import math
from typing import Any

import numpy as np

from spheresim.numerics.arguments import direction_of, number
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.fields import Rotation

_QUARTERS = {0: (1.0, 0.0), 1: (0.0, 1.0), 2: (-1.0, 0.0), 3: (0.0, -1.0)}
"""The cosine and sine of whole quarter turns, which rounding must not tilt."""


def checked_rotation(given: Any, what: str) -> Rotation:
    """A rotation from itself, from (axis, degrees), or from a table with these keys.

    ValueError or TypeError if it is none.
    """
    if isinstance(given, dict):
        given = given.get("axis"), given.get("degrees")
    try:
        axis, degrees = given
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be (axis, degrees), not {given!r}") from None
    turn = number(degrees, f"{what}'s degrees")
    return Rotation(direction_of(axis, f"{what}'s axis"), turn)


def matrix_of(rotation: Rotation) -> Floats:
    """The rotation as a matrix (3, 3) for columns, by Rodrigues' formula."""
    x, y, z = rotation.axis
    quarters = rotation.degrees / 90.0
    if quarters == round(quarters):
        c, s = _QUARTERS[int(quarters) % 4]
    else:
        c, s = math.cos(math.radians(rotation.degrees)), math.sin(math.radians(rotation.degrees))
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    axis = np.array([x, y, z])
    return c * np.eye(3) + s * across + (1.0 - c) * np.outer(axis, axis)
