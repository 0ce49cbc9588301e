"""Whether a part's box reaches a plane or an infinite cylinder: these have no boxes themselves."""

from typing import Any

import numpy as np

from spheresim.collision_world.parts import CYLINDER, PLANE
from spheresim.collision_world.shapes import Shapes


def reach_endless(
    a: Shapes, rows_a: Any, b: Shapes, rows_b: Any, dt: float, reach: Any = 0.0
) -> Any:
    """Which pairs of parts are still possible, (m,) bool: all where that of a has an end.

    reach: how far [length] boxes may be off to count, one or (m,).
    """
    possible = np.ones(len(rows_a), dtype=bool)
    kinds, reach = a.kind[rows_a], np.broadcast_to(reach, len(rows_a))
    for row in np.unique(rows_a[(kinds == PLANE) | (kinds == CYLINDER)]):
        velocity, spin = a.motions[row, 0]
        if dt > 0.0 and spin.any():
            continue
        pairs = np.flatnonzero(rows_a == row)
        low, high = b.low[rows_b[pairs]], b.high[rows_b[pairs]]
        low, high = low + np.minimum(-velocity * dt, 0.0), high + np.maximum(-velocity * dt, 0.0)
        possible[pairs] &= _reached(a, int(row), low, high, reach[pairs])
    return possible


def _reached(shapes: Shapes, row: int, low: Any, high: Any, reach: Any) -> Any:
    """Which boxes are not wholly in front of a plane, or reach the surface of a cylinder."""
    shape, turn = shapes.solids[row], shapes.poses[row, 4:].reshape(3, 3)
    with np.errstate(invalid="ignore"):
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
    origin = shapes.poses[row, 1:4] + turn @ np.array(shape.point)
    slack = 2.0**-40 * (np.abs(middle).max(axis=1) + half.max(axis=1) + np.abs(origin).max())
    away, slack = middle - origin, slack + reach
    if shapes.kind[row] == PLANE:
        normal = turn @ np.array(shape.normal)
        return ~(away @ normal > half @ np.abs(normal) + slack)
    across = np.linalg.norm(np.cross(away, turn @ np.array(shape.axis)), axis=1)
    return ~(np.abs(across - shape.radius) > np.linalg.norm(half, axis=1) + slack)
