"""The arrays of a body as kernels read them: a geometry, which never changes, and a pose.

A geometry is a stack of rows of three numbers, so that those of many bodies are one array:

    row 0       number of points, of normals, of edges
    row 1       radius; 1 if the core has an inside (in its own dimension), else 0; dimension
    row 2       half extents of a box, or zeros
    rows 3, 4   two balls about one centre, one around the core and one inside it: the
                centre; the outer radius, the inner: minus the outer one if the centre may
                lie outside the core
    then        the core's points; its faces' normals; its edges' directions
    then        the points once more, in the order in which the support function reads them:
                four points in four rows (`compiler.support_index`)
    then        the core's slabs and edges, see `slabs`

Normals and directions have any length, as the swept-SAT article allows: with whole numbers
in, nothing is rounded. Of parallel ones only the first is kept. In 2D, z is 0 and what
counts as a face is an edge of the polygon.

A pose is a row of 13 numbers: the row in which the geometry starts, the position, and the
rotation matrix row by row.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spheresim.compiler.support_index import LANES

HEADER = 5
POSE_SIZE = 13

_ROUNDING = 1e-14
"""Relative to a core's size: safety margin of both balls; exceeds the error of their radii."""


class Core(NamedTuple):
    """What the core of a body is given by, (n, 3) each: its points, the normals of its faces and
    the directions of its edges, of which no two may be parallel."""

    points: np.ndarray
    normals: np.ndarray
    edges: np.ndarray


def geometry_rows(
    core: Core,
    radius: float,
    solid: bool,
    dimension: int,
    half: Sequence[float] = (0.0, 0.0, 0.0),
) -> np.ndarray:
    """Lay out a geometry, see the module."""
    points, normals, edges = core
    starts = np.cumsum([HEADER, len(points), len(normals), len(edges)]).tolist()
    stack = np.zeros((starts[3] + len(points) + -len(points) % LANES, 3))
    stack[0] = len(points), len(normals), len(edges)
    stack[1] = radius, solid, dimension
    stack[2] = half
    stack[3:HEADER] = _balls(points, normals, solid, half)
    stack[starts[0] : starts[1]] = points
    stack[starts[1] : starts[2]] = normals
    stack[starts[2] : starts[3]] = edges
    stack[starts[3] :] = by_fours(points)
    return stack


def _balls(
    points: np.ndarray, normals: np.ndarray, solid: bool, half: Sequence[float]
) -> tuple[Sequence[float], Sequence[float]]:
    """Rows 3 and 4: the balls around and inside a core."""
    if any(half):
        return (0.0, 0.0, 0.0), box_balls(half, len(normals))
    centre, radius, margin = ball_around(points)
    outer, slack, inner = float(radius), float(margin), 0.0
    if len(normals) > 0:  # one of two opposite normals may have been left out: both ways count
        away = points - centre
        least = min(_least_reach(away, own) for own in _blocks(normals)) - slack
        inner = least if solid and least >= 0.0 else -(outer + slack)
    return centre.tolist(), (outer + slack, inner, 0.0)


def ball_around(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A ball around points, (…, n, 3): centre (…, 3), radius and margin for rounding (…,)."""
    low, high = points.min(axis=-2), points.max(axis=-2)
    centre = low + 0.5 * (high - low)
    away = points - centre[..., np.newaxis, :]
    # A power of two rounds nothing, and keeps squares of the largest numbers finite.
    exponent = np.frexp(np.abs(away).max(axis=(-2, -1)))[1]
    small = np.ldexp(away, -exponent[..., np.newaxis, np.newaxis])
    radius = np.ldexp(np.sqrt(np.sum(small**2, axis=-1).max(axis=-1)), exponent)
    return centre, radius, _ROUNDING * (radius + np.abs(points).max(axis=(-2, -1)))


def box_balls(half: Sequence[float], dimension: int) -> tuple[float, float, float]:
    """Row 4 of a box with these half extents: the radii of both balls."""
    least, outer = min(half[:dimension]), math.hypot(*half)
    slack = _ROUNDING * (outer + max(half))
    return outer + slack, max(0.0, least - slack), 0.0


def pose_row(position: tuple[float, float, float], matrix: np.ndarray) -> np.ndarray:
    """A pose as kernels read it, see the module, shape (1, 13)."""
    return np.array([[0.0, *position, *matrix.ravel().tolist()]])


_BLOCK = 256


def _blocks(rows: np.ndarray) -> list[np.ndarray]:
    """Rows in blocks: the products of all points and all normals at once would fill the memory."""
    return [rows[i : i + _BLOCK] for i in range(0, len(rows), _BLOCK)]


def _least_reach(away: np.ndarray, normals: np.ndarray) -> float:
    """The least support of points along any normal or its opposite."""
    along = away @ (normals / np.linalg.norm(normals, axis=1)[:, np.newaxis]).T
    return float(min(along.max(axis=0).min(), -along.min(axis=0).max()))


def by_fours(points: np.ndarray) -> np.ndarray:
    """Points, (…, n, 3), in blocks of four; the first is repeated until n is a multiple of four."""
    missing = -points.shape[-2] % LANES
    if missing:
        points = np.concatenate([points, points[..., :1, :].repeat(missing, axis=-2)], axis=-2)
    blocks = points.reshape(*points.shape[:-2], -1, LANES, 3).swapaxes(-2, -1)
    return blocks.reshape(points.shape)
