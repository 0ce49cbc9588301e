"""The geometries of many triangles at once, as arrays: what `layout` says of one body.

A triangle is a flat core: one face, three edges, and four slabs, its plane and its three sides.
"""

import numpy as np

from spheresim.convex.geometry.layout import HEADER, ball_around, by_fours
from spheresim.convex.geometry.slabs import lay_slabs
from spheresim.convex.hull.outline import newell_normal
from spheresim.numerics.arrays import Booleans, Floats

_ENDS = np.array([(0, 1), (0, 2), (1, 2)])
"""The corners of each edge."""

_NORMAL = HEADER + 3
_EDGES = slice(_NORMAL + 1, _NORMAL + 4)
_BLOCK = slice(_EDGES.stop, _EDGES.stop + 4)
_COUNTS = _BLOCK.stop
_SLABS = slice(_COUNTS + 1, _COUNTS + 13)
_PAIRS = slice(_SLABS.stop, _SLABS.stop + 3)

TRIANGLE_ROWS = _PAIRS.stop
"""Rows of one triangle's geometry."""

_THIN = 1e-10
"""Twice a triangle's area over the square of its longest side: thinner ones may be no triangles to
the hull's tolerance."""


def are_thin(corners: Floats) -> Booleans:
    """Which triangles, (m, 3, 3), are too thin for `triangle_rows`, (m,) bool."""
    sides = _unit_power(corners[:, _ENDS[:, 1]] - corners[:, _ENDS[:, 0]], (-2, -1))
    longest = np.sum(sides**2, axis=-1).max(axis=-1)
    twice_area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=-1)
    return ~(twice_area > _THIN * longest)


def triangle_rows(corners: Floats) -> Floats:
    """The geometries of triangles, (m, 3, 3), about one origin: (m, TRIANGLE_ROWS, 3).

    Their corners stay in order; none may be thin (see `are_thin`).
    """
    rows = np.zeros((len(corners), TRIANGLE_ROWS, 3))
    centre, radius, margin = ball_around(corners)
    away = corners - centre[:, np.newaxis]
    rows[:, 0] = 3.0, 1.0, 3.0
    rows[:, 1, 2] = 3.0
    rows[:, 3], rows[:, 4, 0], rows[:, 4, 1] = centre, radius + margin, -(radius + margin)
    rows[:, HEADER:_NORMAL] = corners
    ends = _unit_power(corners, (-2, -1))
    rows[:, _NORMAL] = normal = _unit_power(newell_normal(ends), -1)
    rows[:, _EDGES] = _unit_power(ends[:, _ENDS[:, 1]] - ends[:, _ENDS[:, 0]], -1)
    rows[:, _BLOCK] = by_fours(corners)
    along = away[:, _ENDS[:, 1]] - away[:, _ENDS[:, 0]]
    sides = np.cross(along, normal[:, np.newaxis])
    slabs = np.empty((len(corners), 4, 3, 3))
    slabs[..., 2, 2] = 0.0
    across = np.concatenate([normal[:, np.newaxis], sides], axis=1)
    lay_slabs(across, away, rows[:, 4, 0, np.newaxis], slabs)
    rows[:, _COUNTS, 0], rows[:, _COUNTS, 1] = 4.0, 3.0
    rows[:, _COUNTS, 2] = slabs[:, :, 2].max(axis=(-2, -1))
    rows[:, _SLABS] = slabs.reshape(-1, 12, 3)
    rows[:, _PAIRS, :2] = _ENDS
    return rows


def _unit_power(vectors: Floats, axes: int | tuple[int, int]) -> Floats:
    """Vectors times powers of two, so that the largest component along the axes is about 1."""
    exponent = np.frexp(np.abs(vectors).max(axis=axes, keepdims=True))[1]
    return np.ldexp(vectors, -exponent)
