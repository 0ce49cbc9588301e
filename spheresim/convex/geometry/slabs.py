"""The slabs between parallel planes whose intersection is a core, its edges, and neighbours.

T. L. Kay and J. T. Kajiya, Ray tracing complex scenes, 1986. Each slab has the plane of a face
on one side; the plane on the other may touch no more than a corner. A flat core has slabs for
its sides too. A segment in space and a single point have no slabs.

They are the last part of a geometry (see `layout`). Heights are measured from the centre of the
core's balls, and multiplied by the normal's length, so that nothing is rounded by making it a
unit vector:

    row 0       number of slabs, of edges; of points in the largest face
    then        of every slab three rows: its normal; lowest and highest point, normal's
                length; how many points lie lowest, and how many highest
    then        of every edge one row: the numbers of its two points
    then        of every point one row, in space and from `MANY_POINTS` on: the first row of its
                neighbours, counted from row 0, and how many rows these are
    then        the neighbours: the points at the other ends of its edges, three in a row, filled up
                with the point itself
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.compiler.support_index import LANES
from spheresim.convex.geometry.layout import HEADER
from spheresim.convex.geometry.posed_body import PosedBody
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


class Slab(NamedTuple):
    """All points x with low ≤ normal · x ≤ high; `length`: of the normal.

    `lowest`, `highest`: how many of the core's points lie in either plane.
    """

    normal: TVector
    low: float
    high: float
    length: float
    lowest: int
    highest: int


MANY_POINTS = 256
"""With at least this many points, climbing from neighbour to neighbour is faster than a scan."""

COPLANAR = 1e-9
"""Relative to the core's outer ball: points nearer than this to a slab's plane lie in it."""


def with_surface(geometry: np.ndarray, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """A geometry with its slabs and edges appended; `edges`: pairs of points."""
    dimension = int(geometry[1, 2])
    if geometry[0, 0] == 1.0:
        return np.concatenate([geometry, [[0.0, 0.0, 1.0]]])
    if geometry[2, 0] > 0.0:
        return np.concatenate([geometry, _box_surface(geometry[2], dimension, tuple(edges))])
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    points, normals = int(geometry[0, 0]), int(geometry[0, 1])
    away = geometry[HEADER : HEADER + points] - geometry[3]
    across = geometry[HEADER + points : HEADER + points + normals]
    if geometry[1, 1] == 0.0 and normals > 0:  # flat: its sides bound it too
        along = away[pairs[:, 1]] - away[pairs[:, 0]]
        across = np.vstack([across, along if dimension == 2 else np.cross(along, across[0])])
    slabs = np.zeros((len(across), 3, 3))
    for first in range(0, len(across), _BLOCK):
        lay_slabs(
            across[first : first + _BLOCK], away, geometry[4, 0], slabs[first : first + _BLOCK]
        )
    rows = _rows(slabs, pairs if dimension == 3 else pairs[:0])
    if dimension == 3 and points >= MANY_POINTS:
        return np.concatenate([geometry, rows, _neighbours(points, pairs, len(rows))])
    return np.concatenate([geometry, rows])


_BLOCK = 256
"""Normals at a time: the products of all of them with all points would fill the memory."""


def lay_slabs(
    across: np.ndarray, away: np.ndarray, outer: float | np.ndarray, slabs: np.ndarray
) -> None:
    """Write the rows of slabs, (…, k, 3, 3), across which the normals are, (…, k, 3), of cores.

    away: their points from the centres of their balls, (…, n, 3); outer: the radii of these, (…).
    """
    heights, lengths = across @ away.swapaxes(-2, -1), np.sqrt(np.sum(across**2, axis=-1))
    low, high = heights.min(axis=-1), heights.max(axis=-1)
    slack = COPLANAR * outer * lengths
    slabs[..., 0, :], slabs[..., 1, :] = across, np.stack([low, high, lengths], axis=-1)
    slabs[..., 2, 0] = np.sum(heights <= (low + slack)[..., np.newaxis], axis=-1)
    slabs[..., 2, 1] = np.sum(heights >= (high - slack)[..., np.newaxis], axis=-1)


def _rows(slabs: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rows of slabs and edges. In the plane there are no `ends`: the edges are the faces."""
    rows = np.zeros((1 + 3 * len(slabs) + len(ends), 3))
    rows[0] = len(slabs), len(ends), slabs[:, 2].max(initial=2.0)
    rows[1 : 1 + 3 * len(slabs)] = slabs.reshape(-1, 3)
    rows[1 + 3 * len(slabs) :, :2] = ends
    return rows


def _neighbours(points: int, ends: np.ndarray, before: int) -> np.ndarray:
    """The rows of every point and of its neighbours, which stand behind `before` other rows."""
    both = np.vstack([ends, ends[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    counts = np.bincount(both[:, 0], minlength=points)
    lengths = (counts + 2) // 3
    first = points + np.cumsum(lengths) - lengths
    rows = np.zeros((points + int(lengths.sum()), 3))
    rows[:points, 0], rows[:points, 1] = before + first, lengths
    rows[points:] = np.repeat(np.arange(points), lengths)[:, np.newaxis]
    place = np.arange(len(both)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows[first[both[:, 0]] + place // 3, place % 3] = both[:, 1]
    return rows


def _box_surface(
    half: np.ndarray, dimension: int, edges: tuple[tuple[int, int], ...]
) -> np.ndarray:
    rows = _unit_box_surface(dimension, edges).copy()
    rows[2 : 1 + 3 * dimension : 3, 0] = -half[:dimension]
    rows[2 : 1 + 3 * dimension : 3, 1] = half[:dimension]
    return rows


@lru_cache
def _unit_box_surface(dimension: int, edges: tuple[tuple[int, int], ...]) -> np.ndarray:
    slabs = np.zeros((dimension, 3, 3))
    slabs[:, 0] = np.eye(3)[:dimension]
    slabs[:, 1], slabs[:, 2, :2] = (-1.0, 1.0, 1.0), 2.0 ** (dimension - 1)
    return _rows(slabs, np.array(edges[: len(edges) if dimension == 3 else 0]).reshape(-1, 2))


def points_of_largest_face(geometry: np.ndarray, start: int) -> int:
    """How many points the largest face has, of the geometry that begins in row `start`."""
    points, normals, edges = (int(count) for count in geometry[start])
    behind = HEADER + points + normals + edges - (-points // LANES) * LANES
    return int(geometry[start + behind, 2])


@inlined
def surface_of(body: PosedBody) -> int:
    """The row in which a body's slabs and edges begin."""
    points = body.normals - body.points
    return body.end + (points + LANES - 1) // LANES * LANES


@inlined
def slab_at(body: PosedBody, surface: int, i: int) -> Slab:
    """Slab i, in the body's own frame, from the centre of its balls."""
    rows, at = body.rows, surface + 1 + 3 * i
    return Slab(
        vector_at(rows, at),
        rows[at + 1, 0],
        rows[at + 1, 1],
        rows[at + 1, 2],
        int(rows[at + 2, 0]),
        int(rows[at + 2, 1]),
    )


@inlined
def edge_at(body: PosedBody, surface: int, i: int) -> tuple[int, int]:
    """The two points of edge i."""
    at = surface + 1 + 3 * int(body.rows[surface, 0]) + i
    return int(body.rows[at, 0]), int(body.rows[at, 1])
