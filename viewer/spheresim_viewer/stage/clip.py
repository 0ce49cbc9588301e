"""Clipping polygons and lines to a convex region, in stage units (the region's size is about 1).

A region is an intersection of half-spaces n·x ≥ d. Points outside by at most `TOUCHING`
count as inside, so that a surface that lies in a side of the region is kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOUCHING = 1e-9
PARALLEL = 2e-10  # sine of an angle below which lines count as parallel; errs by < TOUCHING
SHALLOW = 1e-3  # sine of an angle below which rounding moves an end far along the line


class Region(NamedTuple):
    """Half-spaces normal·x ≥ d: unit vectors into the region, shape (k, 3), and d, shape (k,)."""

    normal: Array
    d: Array

    def depth(self, points: Array) -> Array:
        """Distances of points (m, 3) from each side, positive inside: shape (m, k)."""
        return points @ self.normal.T - self.d


def clip_polygon(polygon: Array, region: Region) -> Array:
    """The part of a convex polygon (m, 3) in a region: shape (p, 3), p = 0 if it is empty.

    One half-space after the other (I. Sutherland and G. Hodgman, Reentrant polygon clipping,
    1974).
    """
    for normal, d in zip(region.normal, region.d, strict=True):
        depth = polygon @ normal - d
        kept: list[Array] = []
        for here, there, a, b in zip(
            polygon, np.roll(polygon, -1, axis=0), depth, np.roll(depth, -1), strict=True
        ):
            if a >= -TOUCHING:
                kept.append(here)
            if (a >= -TOUCHING) != (b >= -TOUCHING) and abs(a) > TOUCHING and abs(b) > TOUCHING:
                kept.append(here + (there - here) * (a / (a - b)))
        if len(kept) < 3:
            return np.empty((0, 3))
        polygon = np.array(kept)
    return polygon


def clip_lines(points: Array, direction: Array, region: Region) -> tuple[Array, Array]:
    """The parameters where lines through points (m, 3) enter and leave a region, shape (m,) each.

    For a line that misses the region, the first is larger. Where the region is not bounded
    along the lines, it is ∓inf.
    """
    slope = region.normal @ direction
    depth = region.depth(points) + np.where(np.abs(slope) < SHALLOW, 0.5 * TOUCHING, 0.0)
    enters, leaves = slope > PARALLEL, slope < -PARALLEL
    along = ~(enters | leaves)
    first = np.max(-depth[:, enters] / slope[enters], axis=1, initial=-np.inf)
    last = np.min(-depth[:, leaves] / slope[leaves], axis=1, initial=np.inf)
    missed = np.any(depth[:, along] < -TOUCHING, axis=1)
    return first, np.where(missed, -np.inf, last)
