"""What kernels see of a body: a form, which never changes, and its place in the world.

A form is a stack of rows of three numbers, so that the forms of many bodies are one array:

    row 0       number of points, of normals, of edges
    row 1       radius; 1 if the core has an inside (in its own dimension), else 0; dimension
    row 2       half extents of a box, or zeros
    rows 3, 4   two balls about one centre, one around the core and one inside it: the
                centre; the outer radius, the inner: minus the outer one if the centre may
                lie outside the core
    then        the core's points; its faces' normals; its edges' directions
    then        the points once more, as `support_index` reads them: four points in four rows
    then        the core's `surface`

Normals and directions have any length, as the swept-SAT article allows: with whole numbers
in, nothing is rounded. Of parallel ones only the first is kept. In 2D, z is 0 and what
counts as a face is an edge of the polygon.

A place is a row of 13 numbers: the row in which the form starts, the position, and the
rotation matrix row by row.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.support_index import LANES, support_index
from spheresim.numerics.vector import TVector

HEADER = 5
PLACE = 13

_ROUNDING = 1e-14
"""Of a core's size: the outer ball is larger by it and the inner smaller, to be sure."""


class Placed(NamedTuple):
    """A form in a place; `points`, `normals` and `edges` are the rows in which each starts."""

    rows: Any
    points: int
    normals: int
    edges: int
    end: int
    radius: float
    solid: bool
    dimension: int
    half: TVector
    position: TVector
    row_x: TVector
    row_y: TVector
    row_z: TVector


def form_rows(
    points: np.ndarray,
    normals: np.ndarray,
    edges: np.ndarray,
    radius: float,
    solid: bool,
    dimension: int,
    half: Sequence[float] = (0.0, 0.0, 0.0),
) -> np.ndarray:
    """Lay out a form, see the module; no two normals and no two edges may be parallel."""
    starts = np.cumsum([HEADER, len(points), len(normals), len(edges)]).tolist()
    stack = np.zeros((starts[3] + len(points) + -len(points) % LANES, 3))
    stack[0] = len(points), len(normals), len(edges)
    stack[1] = radius, solid, dimension
    stack[2] = half
    stack[3:HEADER] = _balls(points, normals, solid, half)
    stack[starts[0] : starts[1]] = points
    stack[starts[1] : starts[2]] = normals
    stack[starts[2] : starts[3]] = edges
    stack[starts[3] :] = _by_fours(points)
    return stack


def _balls(
    points: np.ndarray, normals: np.ndarray, solid: bool, half: Sequence[float]
) -> tuple[Sequence[float], Sequence[float]]:
    """The two rows of the balls around and inside a core."""
    if any(half):
        least, outer = min(half[: len(normals)]), math.hypot(*half)
        slack = _ROUNDING * (outer + max(half))
        return (0.0, 0.0, 0.0), (outer + slack, max(0.0, least - slack), 0.0)
    low, high = points.min(axis=0), points.max(axis=0)
    centre = low + 0.5 * (high - low)
    away = points - centre
    # A power of two rounds nothing, and keeps squares of the largest numbers finite.
    exponent = int(np.frexp(np.abs(away).max())[1])
    outer = float(np.ldexp(np.sqrt(np.sum(np.ldexp(away, -exponent) ** 2, axis=1).max()), exponent))
    slack, inner = _ROUNDING * (outer + float(np.abs(points).max())), 0.0
    if len(normals) > 0:  # they lead both ways where parallel ones have been left out
        least = min(_least_reach(away, own) for own in _blocks(normals)) - slack
        inner = least if solid and least >= 0.0 else -(outer + slack)
    return centre.tolist(), (outer + slack, inner, 0.0)


_BLOCK = 256


def _blocks(rows: np.ndarray) -> list[np.ndarray]:
    """Rows, some at a time: all points against all normals at once would fill the memory."""
    return [rows[i : i + _BLOCK] for i in range(0, len(rows), _BLOCK)]


def _least_reach(away: np.ndarray, normals: np.ndarray) -> float:
    """How far points reach at least, in the directions of normals and against them."""
    along = away @ (normals / np.linalg.norm(normals, axis=1)[:, np.newaxis]).T
    return float(min(along.max(axis=0).min(), -along.min(axis=0).max()))


def _by_fours(points: np.ndarray) -> np.ndarray:
    """Points as `support_index` reads them; the first is repeated to make their number whole."""
    missing = -len(points) % LANES
    if missing:
        points = np.concatenate([points, points[:1].repeat(missing, axis=0)])
    return points.reshape(-1, LANES, 3).transpose(0, 2, 1).reshape(-1, 3)


@inlined
def row(rows: Any, i: int) -> TVector:
    """Row i as a vector."""
    return TVector(rows[i, 0], rows[i, 1], rows[i, 2])


@inlined
def placed(forms: Any, places: Any, k: int) -> Placed:
    """Body k of many."""
    start = int(places[k, 0])
    points = start + HEADER
    normals = points + int(forms[start, 0])
    edges = normals + int(forms[start, 1])
    return Placed(
        forms,
        points,
        normals,
        edges,
        edges + int(forms[start, 2]),
        forms[start + 1, 0],
        forms[start + 1, 1] > 0.0,
        int(forms[start + 1, 2]),
        row(forms, start + 2),
        TVector(places[k, 1], places[k, 2], places[k, 3]),
        TVector(places[k, 4], places[k, 5], places[k, 6]),
        TVector(places[k, 7], places[k, 8], places[k, 9]),
        TVector(places[k, 10], places[k, 11], places[k, 12]),
    )


@inlined
def to_world(body: Placed, direction: TVector) -> TVector:
    """A direction of the body's own frame, seen from the world."""
    return TVector(body.row_x.dot(direction), body.row_y.dot(direction), body.row_z.dot(direction))


@inlined
def to_body(body: Placed, direction: TVector) -> TVector:
    """A direction of the world, seen from the body's own frame."""
    return body.row_x * direction.x + body.row_y * direction.y + body.row_z * direction.z


@inlined
def point_at(body: Placed, i: int) -> TVector:
    """Point i of the core, from the body's position, along the world's axes."""
    return to_world(body, row(body.rows, body.points + i))


@inlined
def support(body: Placed, direction: TVector) -> int:
    """Which point of the core lies furthest in a direction; the first of several."""
    own = to_body(body, direction)
    if body.half.x > 0.0:  # a box: corner i has x, y, z positive by its bits 1, 2, 4
        return (own.x > 0.0) + 2 * (own.y > 0.0) + 4 * (own.z > 0.0)
    return support_index(
        body.rows, body.end, (body.normals - body.points + LANES - 1) // LANES, own
    )


class Balls(NamedTuple):
    """Two balls about one centre: the core lies in the outer, the inner in the core.

    Where the centre may lie outside the core, `inner` is minus `outer`: so far away at most is
    a point of it.
    """

    centre: TVector
    outer: float
    inner: float


@inlined
def balls_of(body: Placed) -> Balls:
    """The balls around and inside a core, from the body's position, along the world's axes."""
    header = body.points - HEADER
    centre = to_world(body, row(body.rows, header + 3))
    return Balls(centre, body.rows[header + 4, 0], body.rows[header + 4, 1])


@inlined
def sole_support(body: Placed, direction: TVector, clear: float) -> int:
    """A box's corner furthest in a direction if it is so by more than `clear`; else -1."""
    own = to_body(body, direction)
    lead = min(abs(own.x) * body.half.x, abs(own.y) * body.half.y, abs(own.z) * body.half.z)
    return support(body, direction) if lead > clear else -1


@routine
def project(body: Placed, axis: TVector) -> tuple[float, float]:
    """The core's interval (low, high) on an axis, from the body's position, times |axis|."""
    own = to_body(body, axis)
    if body.half.x > 0.0:
        reach = abs(own.x) * body.half.x + abs(own.y) * body.half.y + abs(own.z) * body.half.z
        return -reach, reach
    low = high = own.dot(row(body.rows, body.points))
    for i in range(1, body.normals - body.points):
        along = own.dot(row(body.rows, body.points + i))
        low, high = min(low, along), max(high, along)
    return low, high
