"""What a ray can meet of a core: slabs between parallel planes, and edges.

A core that has an inside, or is flat, is all that lies in its slabs. Their planes are those
of its faces (the other plane of a pair may touch no more than a corner) and, of what is flat,
of its sides too. A segment in space and a single point have no slabs.

The surface is the last part of a form (see `form`). Heights are from the centre of the core's
balls, and times the normal's length, so that making it a unit rounds nothing:

    row 0       number of slabs, of edges; of points in the largest face
    then        of every slab three rows: its normal; lowest and highest point, normal's
                length; how many points lie lowest, and how many highest
    then        of every edge one row: the numbers of its two points
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import inlined
from spheresim.convex.form import HEADER, Placed, row
from spheresim.furthest import LANES
from spheresim.vector import TVector


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


COPLANAR = 1e-9
"""Of the core's outer ball: points nearer than this to a slab's plane are in it."""


def with_surface(form: np.ndarray, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """A form with its surface behind it; `edges`: pairs of points."""
    points, normals = int(form[0, 0]), int(form[0, 1])
    solid, dimension = form[1, 1] > 0.0, int(form[1, 2])
    away = form[HEADER : HEADER + points] - form[3]
    across = form[HEADER + points : HEADER + points + normals]
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    if not solid and normals > 0:
        along = away[pairs[:, 1]] - away[pairs[:, 0]]
        across = np.vstack([across, along if dimension == 2 else np.cross(along, across[0])])
    heights, lengths = across @ away.T, np.sqrt(np.sum(across**2, axis=1))
    low, high = heights.min(axis=1, keepdims=True), heights.max(axis=1, keepdims=True)
    slack = COPLANAR * form[4, 0] * lengths[:, np.newaxis]
    slabs = np.zeros((len(across), 3, 3))
    slabs[:, 0], slabs[:, 1, 0], slabs[:, 1, 1] = across, low[:, 0], high[:, 0]
    slabs[:, 1, 2] = lengths
    slabs[:, 2, 0] = np.sum(heights <= low + slack, axis=1)
    slabs[:, 2, 1] = np.sum(heights >= high - slack, axis=1)
    # In the plane an edge is a face, and what is met beside faces is a corner.
    ends = pairs[:0] if dimension == 2 else pairs
    counts = [[len(slabs), len(ends), min(points, slabs[:, 2].max(initial=2.0))]]
    rows = [form, counts, slabs.reshape(-1, 3), np.column_stack([ends, np.zeros(len(ends))])]
    return np.ascontiguousarray(np.vstack(rows))


@inlined
def surface_of(body: Placed) -> int:
    """The row in which a body's surface begins."""
    points = body.normals - body.points
    return body.end + (points + LANES - 1) // LANES * LANES


@inlined
def slab_at(body: Placed, surface: int, i: int) -> Slab:
    """Slab i, in the body's own frame, from the centre of its balls."""
    rows, at = body.rows, surface + 1 + 3 * i
    return Slab(
        row(rows, at),
        rows[at + 1, 0],
        rows[at + 1, 1],
        rows[at + 1, 2],
        int(rows[at + 2, 0]),
        int(rows[at + 2, 1]),
    )


@inlined
def edge_at(body: Placed, surface: int, i: int) -> tuple[int, int]:
    """The two points of edge i."""
    at = surface + 1 + 3 * int(body.rows[surface, 0]) + i
    return int(body.rows[at, 0]), int(body.rows[at, 1])
