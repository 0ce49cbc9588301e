"""Clipping a polygon against the sides of another (I. E. Sutherland, G. W. Hodgman, 1974)."""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector


class Side(NamedTuple):
    """A plane: a point in it, and its unit normal towards the inner side."""

    point: TVector
    inwards: TVector


@routine
def clip_by_plane(polygon: Floats, count: int, side: Side, slack: float, clipped: Floats) -> int:
    """Write the part of a polygon on the inner side of a plane; return its number of corners.

    A corner that is outside by no more than `slack` stays where it is.
    """
    point, inwards = side
    kept = 0
    for i in range(count):
        here, there = vector_at(polygon, i), vector_at(polygon, (i + 1) % count)
        depth, next_depth = inwards.dot(here - point), inwards.dot(there - point)
        is_in, next_is_in = depth >= -slack, next_depth >= -slack
        if is_in:
            set_vector(clipped, kept, here)
            kept += 1
        if is_in != next_is_in:
            inner, outer = (depth, next_depth) if is_in else (next_depth, depth)
            part = max(0.0, inner / (inner - outer))
            start, end = (here, there) if is_in else (there, here)
            set_vector(clipped, kept, start + (end - start) * part)
            kept += 1
    return kept


@routine
def without_repeats(polygon: Floats, count: int, slack: float) -> int:
    """Drop corners within `slack` of an earlier one; return the number left."""
    kept = 0
    for i in range(count):
        corner = vector_at(polygon, i)
        if not _is_among(polygon, kept, corner, slack):
            set_vector(polygon, kept, corner)
            kept += 1
    return kept


@inlined
def _is_among(polygon: Floats, count: int, corner: TVector, slack: float) -> bool:
    found = False
    for i in range(count):
        found |= corner.dist_sqr(vector_at(polygon, i)) <= slack * slack
    return found
