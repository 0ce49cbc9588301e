"""The features of obstacles as rows of numbers, made by whole arrays at once.

Columns of `numbers`: 0–2 the point, 3–5 the normal or axis, 6 the rounding, 7 the extent or
length, 8–9 the rows of a face's outline, from and up to, 10 whether it is hollow.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import leaf_order

FACE, LINE, POINT, CIRCLE, RING_PLUG = 2, 3, 4, 5, 6
"""Numbers in `Obstacles.kind`; 0 and 1 are those of planes and cylinders."""

COLUMNS = 11

_MANY = 1000
"""Features of one shape that fill more memory than is quickly at hand."""


class Rows(Protocol):
    """Rows of features: of one shape, or of all obstacles of a world."""

    @property
    def kind(self) -> Integers:
        """Of each row, (m,)."""

    @property
    def numbers(self) -> Floats:
        """Of each row, (m, COLUMNS)."""


@by_reference
class FeatureRows(NamedTuple):
    """kind: (m,); numbers: (m, COLUMNS); outline: (e, 8); low, high: the features' boxes,
    shape (m, 3)."""

    kind: Integers
    numbers: Floats
    outline: Floats
    low: Floats
    high: Floats


def point_rows(points: npt.ArrayLike, rounding: float, hollow: bool = False) -> FeatureRows:
    """Points, shape (m, 3)."""
    points = np.atleast_2d(np.asarray(points, dtype=np.float64))
    numbers = np.zeros((len(points), COLUMNS))
    numbers[:, :3], numbers[:, 6], numbers[:, 10] = points, rounding, float(hollow)
    return _rows(POINT, numbers, points - rounding, points + rounding)


def line_rows(
    starts: npt.ArrayLike, ends: npt.ArrayLike, rounding: float, hollow: bool = False
) -> FeatureRows:
    """Lines between points, shape (m, 3) each."""
    starts, ends = (np.atleast_2d(np.asarray(p, dtype=np.float64)) for p in (starts, ends))
    numbers = np.zeros((len(starts), COLUMNS))
    length = np.linalg.norm(ends - starts, axis=1)
    numbers[:, :3], numbers[:, 3:6] = starts, (ends - starts) / length[:, None]
    numbers[:, 6], numbers[:, 7], numbers[:, 10] = rounding, length, float(hollow)
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    return _rows(LINE, numbers, low - rounding, high + rounding)


def disc_rows(centre: TVector, normal: TVector, radius: float) -> FeatureRows:
    """The flat of one disc."""
    middle, wide = np.array(centre), _circle_reach(np.array(normal), radius)
    numbers = np.zeros((1, COLUMNS))
    numbers[0, :3], numbers[0, 3:6], numbers[0, 7] = centre, normal, radius
    return _rows(FACE, numbers, (middle - wide)[None], (middle + wide)[None])


def circle_rows(
    centre: TVector, axis: TVector, radius: float, rounding: float = 0.0, hollow: bool = False
) -> FeatureRows:
    """One circle."""
    numbers = np.zeros((1, COLUMNS))
    numbers[0, :3], numbers[0, 3:6], numbers[0, 6:8] = centre, axis, (rounding, radius)
    numbers[0, 10] = float(hollow)
    middle, wide = np.array(centre), _circle_reach(np.array(axis), radius) + rounding
    return _rows(CIRCLE, numbers, (middle - wide)[None], (middle + wide)[None])


def ring_plug_rows(ring: FeatureRows) -> FeatureRows:
    """The plug of a ring that is made of one circle."""
    return ring._replace(kind=np.full(1, RING_PLUG, dtype=np.int64))


def face_rows(
    points: Floats,
    normals: Floats,
    outline: Floats,
    counts: Integers,
    rounding: float,
    low: Floats,
    high: Floats,
) -> FeatureRows:
    """Polygons: a point (m, 3) and unit normal (m, 3) of each, the rows of its outline, of
    which there are `counts` (m,), and the corners of its box."""
    numbers = np.zeros((len(points), COLUMNS))
    stop = np.cumsum(counts)
    numbers[:, :3], numbers[:, 3:6], numbers[:, 6], numbers[:, 7] = (
        points,
        normals,
        rounding,
        np.inf,
    )
    numbers[:, 8], numbers[:, 9] = stop - counts, stop
    rows = _rows(FACE, numbers, low - rounding, high + rounding)
    return rows._replace(outline=outline)


def joined_rows(parts: Sequence[FeatureRows]) -> FeatureRows:
    """The features of several parts, in order."""
    shifted, edges = [], 0
    for part in parts:
        numbers = part.numbers.copy()
        numbers[part.kind == FACE, 8:10] += edges
        edges += len(part.outline)
        shifted.append(part._replace(numbers=numbers))
    return FeatureRows(*(np.concatenate(columns) for columns in zip(*shifted, strict=True)))


def leaf_by_leaf(rows: FeatureRows) -> FeatureRows:
    """The features of one shape in the order of an index's leaves, if they are many: what is near
    in space is then near in memory."""
    if len(rows.kind) < _MANY:
        return rows
    leaves = leaf_order(rows.low, rows.high)
    order = leaves[leaves < len(rows.kind)]
    kind, numbers = rows.kind[order], rows.numbers[order]
    low, high = rows.low[order], rows.high[order]
    faces = kind == FACE
    start, stop = numbers[faces, 8:10].T.astype(np.int64)
    last = np.cumsum(stop - start)
    sides = np.arange(len(rows.outline)) - np.repeat(last - stop, stop - start)
    numbers[faces, 8], numbers[faces, 9] = last - (stop - start), last
    return FeatureRows(kind, numbers, rows.outline[sides], low, high)


def _circle_reach(axis: Floats, radius: float) -> Floats:
    """Half the sides of the box around a circle."""
    return radius * np.sqrt(np.maximum(0.0, 1.0 - axis * axis))


def _rows(kind: int, numbers: Floats, low: Floats, high: Floats) -> FeatureRows:
    kinds = np.full(len(numbers), kind, dtype=np.int64)
    return FeatureRows(kinds, numbers, np.zeros((0, 8)), low, high)
