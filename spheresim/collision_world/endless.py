"""Whether a part's box reaches a plane or an infinite cylinder: these have no boxes themselves."""

from typing import Any

import numpy as np

from spheresim.collision_world.parts import CYLINDER, PLANE
from spheresim.collision_world.shapes import Shapes


def reach_endless(shapes: Shapes, rows_a: Any, rows_b: Any, dt: float) -> Any:
    """Which pairs of parts are still possible, (m,) bool: all where neither is endless."""
    possible = np.ones(len(rows_a), dtype=bool)
    for endless, others in ((rows_a, rows_b), (rows_b, rows_a)):
        kinds = shapes.kind[endless]
        for row in np.unique(endless[(kinds == PLANE) | (kinds == CYLINDER)]):
            velocity, spin = shapes.motions[row, 0]
            if dt > 0.0 and spin.any():
                continue
            pairs = np.flatnonzero(endless == row)
            low, high = shapes.low[others[pairs]], shapes.high[others[pairs]]
            low, high = (
                low + np.minimum(-velocity * dt, 0.0),
                high + np.maximum(-velocity * dt, 0.0),
            )
            possible[pairs] &= _reached(shapes, int(row), 0.5 * (low + high), 0.5 * (high - low))
    return possible


def _reached(shapes: Shapes, row: int, middle: Any, half: Any) -> Any:
    """Which boxes are not wholly in front of a plane, or reach the surface of a cylinder."""
    shape, turn = shapes.solids[row], shapes.poses[row, 4:].reshape(3, 3)
    origin = shapes.poses[row, 1:4] + turn @ np.array(shape.point)
    slack = 2.0**-40 * (np.abs(middle).max(axis=1) + half.max(axis=1) + np.abs(origin).max())
    away = middle - origin
    if shapes.kind[row] == PLANE:
        normal = turn @ np.array(shape.normal)
        return away @ normal <= half @ np.abs(normal) + slack
    across = np.linalg.norm(np.cross(away, turn @ np.array(shape.axis)), axis=1)
    return np.abs(across - shape.radius) <= np.linalg.norm(half, axis=1) + slack
