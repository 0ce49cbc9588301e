"""Which features a ball that lies on a plane passes over: those that reach no higher than it."""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.rows import FACE, LINE, RING_PLUG, Rows
from spheresim.obstacles.features.shapes import axis_at
from spheresim.obstacles.plane import Plane

SEAM = 64.0 * ROUNDING
"""What is so near, in units of where it is, is at the same place to rounding."""


@routine
def lies_below_plane(rows: Rows, outline: Floats, k: int, plane: Plane) -> bool:
    """Whether all of feature k is below a plane, or in it to rounding; outline: see `Face`."""
    kind, row = rows.kind[k], rows.numbers
    if kind == RING_PLUG:
        return False  # how high it is depends on the ball
    point, axis = vector_at(row, k), axis_at(rows, k)
    rounding, extent = row[k, 6], row[k, 7]
    if kind == LINE:
        start, end = _height(plane, point), _height(plane, point + axis * extent)
        return bool(max(start, end) + rounding <= 0.0)
    if kind == FACE and extent == math.inf:
        highest = -math.inf
        for side in range(int(row[k, 8]), int(row[k, 9])):
            corner = TVector(outline[side, 5], outline[side, 6], outline[side, 7])
            highest = max(highest, _height(plane, point + corner))
        return bool(highest + rounding <= 0.0)
    # A circle, a disc, a point, which has no extent.
    rise = extent * axis.cross(plane.normal).mag()
    return bool(_height(plane, point) + rise + rounding <= SEAM * extent)


@inlined
def _height(plane: Plane, point: TVector) -> float:
    """How far a point is above a plane, by more than rounding."""
    size = manhattan_norm(point) + manhattan_norm(plane.point)
    return plane.gap(point) - SEAM * size
