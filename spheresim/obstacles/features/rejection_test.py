"""Which features a path passes at a distance: quickly seen, before any root is sought."""

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import SweptBounds
from spheresim.obstacles.features.rows import FACE, LINE, POINT, Rows
from spheresim.obstacles.features.shapes import axis_at

_CLEARLY = 1e-9
"""A relative difference that exceeds all rounding."""

_PARALLEL = 1e-6
"""The square of a sine: below it rounding could tell in which points two lines are nearest."""


@routine
def is_clear_of(rows: Rows, k: int, bounds: SweptBounds) -> bool:
    """Whether row k is a feature, and surely further from a segment than its reach."""
    kind, row = rows.kind[k], rows.numbers
    d = bounds.middle - vector_at(row, k)
    far = (row[k, 6] + bounds.reach) * (1.0 + _CLEARLY)
    if kind == POINT:
        return bool(_segment_to_point(d, bounds.half) > far * far)
    axis = axis_at(rows, k)
    if kind == FACE:
        # Seen along its normal alone: the box of its outline is in the index.
        return bool(abs(d.dot(axis)) - abs(bounds.half.dot(axis)) > far)
    return bool(kind == LINE and _segment_to_line(d, bounds.half, axis, row[k, 7]) > far * far)


@inlined
def _segment_to_point(d: TVector, half: TVector) -> float:
    """The square of the distance of a point from the segment d ± half seen from it."""
    size = half.mag_sqr()
    t = min(1.0, max(-1.0, -d.dot(half) / size)) if size > 0.0 else 0.0
    return (d + half * t).mag_sqr()


@inlined
def _segment_to_line(d: TVector, half: TVector, axis: TVector, length: float) -> float:
    """The square of the distance of the segment d ± half from that from 0 along a unit vector.

    C. Ericson, Real-Time Collision Detection, section 5.1.9. 0 where they are nearly parallel.
    """
    size, slope, off, along = half.mag_sqr(), axis.dot(half), d.dot(half), d.dot(axis)
    across = size - slope * slope
    if size > 0.0 and not across > _PARALLEL * size:
        return 0.0
    t = min(1.0, max(-1.0, (slope * along - off) / across)) if size > 0.0 else 0.0
    s = min(length, max(0.0, along + slope * t))
    if size > 0.0:
        t = min(1.0, max(-1.0, (slope * s - off) / size))
    return (d + half * t - axis * s).mag_sqr()
