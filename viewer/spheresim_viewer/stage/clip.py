"""Cutting polygons and lines to a convex region, all in stage units (the region is about 1 large).

A region is a set of half-spaces n·x ≥ d. What is outside by no more than `TOUCHING` counts
as inside, so that a surface which lies in a side of the region is kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOUCHING = 1e-9
PARALLEL = 2e-10  # the sine of an angle, at which the region is no more than TOUCHING wrong
SHALLOW = 1e-3  # below, rounding moves an end along the line by much


class Region(NamedTuple):
    """normal: unit vectors into the region, shape (k, 3); d: shape (k,)."""

    normal: Array
    d: Array

    def depth(self, points: Array) -> Array:
        """How far points (m, 3) are inside each half-space, shape (m, k)."""
        depth: Array = points @ self.normal.T - self.d
        return depth


def clip_polygon(polygon: Array, region: Region) -> Array:
    """The part of a convex polygon (m, 3) in a region: shape (p, 3), p = 0 if there is none.

    Sutherland and Hodgman, Reentrant polygon clipping, 1974, a half-space at a time.
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
    """Where lines through points (m, 3) enter and leave a region: two parameters, shape (m,) each.

    Lines that miss it, by however little, enter after they leave. A region that does not end
    along the lines gives ±inf.
    """
    slope = region.normal @ direction
    depth = region.depth(points) + np.where(np.abs(slope) < SHALLOW, 0.5 * TOUCHING, 0.0)
    enters, leaves = slope > PARALLEL, slope < -PARALLEL
    along = ~(enters | leaves)
    first = np.max(-depth[:, enters] / slope[enters], axis=1, initial=-np.inf)
    last = np.min(-depth[:, leaves] / slope[leaves], axis=1, initial=np.inf)
    missed = np.any(depth[:, along] < -TOUCHING, axis=1)
    return first, np.where(missed, -np.inf, last)
