"""Which shapes hold a point: solid bodies, closed surfaces, and planes what is behind them."""

from typing import Any

import numpy as np

from spheresim.collision_world.pairs import bodies
from spheresim.collision_world.parts import CONVEX, MESH, PLANE
from spheresim.collision_world.pieces import PiecePairs
from spheresim.collision_world.shapes import Shapes
from spheresim.numerics.arrays import Booleans, Floats


def contains(points: Floats, pairs: PiecePairs, queried: Shapes, shapes: Shapes) -> Booleans:
    """Which pairs of a point and a part have the point inside, (k,) bool.

    The surface belongs to a solid body and to a plane, and to no other shape.
    """
    inside = np.zeros(len(pairs.pair), dtype=bool)
    kinds = shapes.kind[pairs.row_b]
    solid = np.flatnonzero(kinds <= CONVEX)
    if len(solid):
        some = pairs.taken(solid)
        inside[solid] = bodies.touch(*some.sides(queried, shapes))
    for row in np.unique(pairs.row_b[kinds > CONVEX]):
        here = np.flatnonzero(pairs.row_b == row)
        pose = shapes.poses[row]
        own = (points[here] - pose[1:4]) @ pose[4:].reshape(3, 3)
        inside[here] = _inside(int(shapes.kind[row]), shapes.solids[row], own)
    return inside


def _inside(kind: int, shape: Any, points: Floats) -> Booleans:
    """Which points, in a shape's own frame, are inside it, (k,) bool."""
    if kind == PLANE:
        return shape.gaps(points) <= 0.0
    return (shape.mesh if kind == MESH else shape).encloses(points)
