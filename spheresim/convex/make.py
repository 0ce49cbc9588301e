"""Making bodies, with every fault of what is given told in one sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.arguments import positive
from spheresim.convex.body import Body, Loop, coordinates, place, place_row, rounding, sides
from spheresim.convex.form import form_rows
from spheresim.convex.hull import convex_hull, newell_normal
from spheresim.convex.rotation import rotation_matrix
from spheresim.convex.surface import with_surface

_ROUNDING = 1e-12
"""What points may be out of line: of a body's extent, or as an angle."""


def polygon(
    points: Any, position: Sequence[float] = (0, 0), rotation: Any = None, radius: float = 0.0
) -> Body:
    """A convex polygon in the plane; `points`, shape (n, 2), in order, either way round.

    Raises ValueError for fewer than three points, repeated ones, and what is not convex.

    >>> polygon([(0, 0), (2, 0), (0, 2), (0.5, 0.5)])
    Traceback (most recent call last):
        ...
    ValueError: the polygon is not convex at point 3, (0.5, 0.5)
    """
    corners = coordinates(points, 2, "a polygon's points")
    if len(corners) < 3:
        raise ValueError(f"a polygon needs at least three points, not {len(corners)}")
    _check_convex(corners)
    area = newell_normal(corners)[2]
    loop = tuple(range(len(corners))) if area > 0.0 else tuple(range(len(corners)))[::-1]
    return _body(corners, (loop,), 2, 2, position, rotation, radius)


def box(
    half: Sequence[float],
    position: Sequence[float] | None = None,
    rotation: Any = None,
    radius: float = 0.0,
) -> Body:
    """A rectangle of two half extents, or a box of three, about its position.

    >>> box((1, 2)).world_points[:, :2].tolist()
    [[-1.0, -2.0], [1.0, -2.0], [-1.0, 2.0], [1.0, 2.0]]
    """
    extents = [positive(extent, "a box's half extent") for extent in half]
    if len(extents) not in {2, 3}:
        raise ValueError(f"a box has two or three half extents, not {len(extents)}")
    bits = np.arange(2 ** len(extents))[:, np.newaxis] >> np.arange(len(extents)) & 1
    corners = coordinates((2.0 * bits - 1.0) * extents, len(extents), "a box's half extents")
    faces: tuple[Loop, ...] = ((1, 3, 2, 0),)
    if len(extents) == 3:
        faces = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
    whole = (*extents, 0.0)[:3]
    rank = len(extents)
    return _body(corners, faces, rank, rank, position, rotation, radius, whole)


def polyhedron(
    points: Any,
    faces: Sequence[Sequence[int]],
    position: Sequence[float] = (0, 0, 0),
    rotation: Any = None,
    radius: float = 0.0,
) -> Body:
    """A convex polyhedron of `points`, shape (n, 3), and faces as loops of their indices.

    Loops may go either way round. Raises ValueError for fewer than four points, faces that
    are not flat or leave the surface open, and what is not convex.
    """
    corners = coordinates(points, 3, "a polyhedron's points")
    if len(corners) < 4:
        raise ValueError(f"a polyhedron needs at least four points, not {len(corners)}")
    outwards = [_outwards(corners, name, face) for name, face in enumerate(faces)]
    directed = [side for loop in outwards for side in sides(loop)]
    if not outwards or sorted(directed) != sorted((b, a) for a, b in directed):
        raise ValueError("the polyhedron's faces do not close: every edge needs exactly two")
    return _body(corners, tuple(outwards), 3, 3, position, rotation, radius)


def hull(
    points: Any,
    position: Sequence[float] | None = None,
    rotation: Any = None,
    radius: float = 0.0,
) -> Body:
    """The convex hull of any points, shape (n, 2) or (n, 3); flat and repeated ones may be.

    >>> hull([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2), (0, 2)])
    <body of 4 points, radius 0, at (0.0, 0.0)>
    """
    shape = np.shape(points)
    dimension = shape[1] if len(shape) == 2 and shape[1] == 2 else 3
    given = coordinates(points, dimension, "a hull's points")
    if len(given) == 0:
        raise ValueError("a hull needs at least one point")
    found = convex_hull(given)
    renamed = {old: new for new, old in enumerate(found.corners)}
    faces = tuple(tuple(renamed[i] for i in face) for face in found.faces)
    corners = given[list(found.corners)]
    return _body(corners, faces, dimension, found.rank, position, rotation, radius)


def sphere(radius: float, position: Sequence[float] = (0, 0, 0)) -> Body:
    """A ball about its position; with a position of two numbers, a disc."""
    return _body(
        np.zeros((1, 3)), (), len(position), 0, position, None, positive(radius, "a radius")
    )


def capsule(
    start: Sequence[float],
    end: Sequence[float],
    radius: float,
    position: Sequence[float] | None = None,
    rotation: Any = None,
) -> Body:
    """Everything within `radius` of the segment from `start` to `end`, in the body's frame."""
    dimension = len(start)
    ends = coordinates([start, end], dimension, "a capsule's ends")
    rank = int((ends[0] != ends[1]).any())
    return _body(ends[: rank + 1], (), dimension, rank, position, rotation, radius)


def _check_convex(corners: np.ndarray) -> None:
    """Whether a polygon's corners, in order, turn one way and once around."""
    named = [tuple(corner[:2].tolist()) for corner in corners]
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    for i in np.flatnonzero(~after.any(axis=1)):
        raise ValueError(f"the polygon repeats point {i}, {named[i]}")
    turns = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    onwards = np.sum(before * after, axis=1)
    winding = np.sign(turns.sum())
    straight = np.abs(turns) <= _ROUNDING * np.abs(onwards)
    for i in np.flatnonzero(np.where(straight, onwards < 0.0, turns * winding < 0.0)):
        raise ValueError(f"the polygon is not convex at point {i}, {named[i]}")
    if winding == 0.0 or abs(np.arctan2(turns, onwards).sum()) > 3.0 * np.pi:
        raise ValueError("the polygon is not convex: it does not go around once")


def _outwards(corners: np.ndarray, name: int, face: Sequence[int]) -> Loop:
    """A polyhedron's face, checked, anticlockwise from outside."""
    loop = tuple(int(i) for i in face)
    if len(set(loop)) < 3 or len(set(loop)) < len(loop):
        raise ValueError(f"face {name} needs at least three different points, not {loop}")
    if not all(0 <= i < len(corners) for i in loop):
        raise ValueError(f"face {name} names a point that is not there: {loop}")
    normal = newell_normal(corners[list(loop)])
    if not normal.any():
        raise ValueError(f"face {name} has no area")
    normal /= np.linalg.norm(normal)
    if normal @ (corners[loop[0]] - corners.mean(axis=0)) < 0.0:
        loop, normal = loop[::-1], -normal
    heights = (corners - corners[loop[0]]) @ normal
    slack = _ROUNDING * float(np.ptp(corners, axis=0).max())
    if np.abs(heights[list(loop)]).max() > slack:
        raise ValueError(f"face {name} is not flat")
    if heights.max() > slack:
        outside = int(heights.argmax())
        raise ValueError(f"the polyhedron is not convex: point {outside} is beyond face {name}")
    return loop


def _body(
    corners: np.ndarray,
    faces: tuple[Loop, ...],
    dimension: int,
    rank: int,
    position: Sequence[float] | None,
    rotation: Any,
    radius: Any,
    half: Sequence[float] = (0.0, 0.0, 0.0),
) -> Body:
    pairs = {tuple(sorted(side)) for loop in faces for side in sides(loop)}
    edges = tuple(sorted((int(a), int(b)) for a, b in pairs)) or ((0, 1),) * (rank == 1)
    along = np.array([corners[b] - corners[a] for a, b in edges]).reshape(-1, 3)
    if dimension == 2:
        loop = faces[0] if faces else (0, 1)
        going = [corners[b] - corners[a] for a, b in sides(loop)] if rank else []
        normals = np.array([(y, -x, 0.0) for x, y, _ in going]).reshape(-1, 3)
        along = along[:0]
    else:
        normals = np.array([newell_normal(corners[list(loop)]) for loop in faces]).reshape(-1, 3)
    forms = form_rows(corners, normals, along, rounding(radius), rank == dimension, dimension, half)
    forms = with_surface(forms, edges)
    home = place((0.0,) * dimension if position is None else position, dimension)
    places = place_row(home, rotation_matrix(rotation, dimension))
    return Body(corners, faces, edges, forms, places)
