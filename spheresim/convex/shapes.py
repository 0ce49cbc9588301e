"""Making bodies, with every fault of what is given told in one sentence."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from spheresim.convex.body import (
    LARGEST,
    Body,
    Loop,
    coordinates,
    place,
    place_row,
    rounding,
    sides,
)
from spheresim.convex.geometry.posed_body import form_rows
from spheresim.convex.geometry.rotation import rotation_matrix
from spheresim.convex.geometry.slabs import with_surface
from spheresim.convex.hull.convex_hull import Frame, convex_hull, frame_of
from spheresim.convex.hull.directions import normals_of, scaled, without_parallels
from spheresim.convex.hull.outline import newell_normal
from spheresim.numerics.arguments import positive, shown

_ROUNDING = 1e-12
"""The angle by which points of a polygon may be out of line."""


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
    extents = [positive(extent, "a box's half extent") for extent in _listed(half, "half extents")]
    dimension = len(extents)
    if dimension not in _BOXES:
        raise ValueError(f"a box has two or three half extents, not {dimension}")
    signs, faces, edges, normals, along = _BOXES[dimension]
    whole = (*extents, 0.0)[:3]
    form = form_rows(signs * whole, normals, along, rounding(radius), True, dimension, whole)
    return _placed(signs * whole, faces, edges, with_surface(form, edges), position, rotation)


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
    loops = [_loop(name, face, len(corners)) for name, face in enumerate(_listed(faces, "faces"))]
    frame = frame_of(corners, np.abs(corners).max(axis=0))
    if frame.points.shape[1] < 2:
        raise ValueError("face 0 has no area: all points lie on one line")
    if frame.points.shape[1] < 3:
        raise ValueError("the polyhedron has no volume: all points lie in one plane")
    outwards = [_outwards(frame, name, loop) for name, loop in enumerate(loops)]
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

    What rounding leaves of a plane is one face, and of a line one edge: the tolerance is said
    in `convex.hull`. Points given as float32 count as rounded to that. What is thinner than
    1e-12 of its length, or than the rounding, is flat: a face, a segment or a point, which has
    no inside. Raises ValueError or TypeError for what is no points, and beyond 1e152.

    >>> hull([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2), (0, 2)])
    <body of 4 points, radius 0, at (0.0, 0.0)>
    """
    listed = points if isinstance(points, np.ndarray) else _listed(points, "points")
    dimension = 2 if len(listed) > 0 and np.shape(listed[0]) == (2,) else 3
    given = coordinates(listed, dimension, "a hull's points")
    if len(given) == 0:
        raise ValueError("a hull needs at least one point")
    return hull_of(given, dimension, position, rotation, radius, _magnitude(points, given))[0]


def _magnitude(points: Any, given: np.ndarray) -> np.ndarray:
    """Of what size a double would be that is rounded as much as the points have been."""
    kind = getattr(points, "dtype", given.dtype)
    coarser = float(np.finfo(kind).eps / np.finfo(given.dtype).eps) if kind.kind == "f" else 1.0
    return np.asarray(max(1.0, coarser) * np.abs(given).max(axis=0))


def hull_of(
    points: np.ndarray,
    dimension: int,
    position: Any = None,
    rotation: Any = None,
    radius: float = 0.0,
    magnitude: np.ndarray | None = None,
) -> tuple[Body, Loop]:
    """A hull, and which of the points, shape (n, 3), are its corners, see `convex_hull`."""
    found = convex_hull(points, magnitude)
    renamed = {old: new for new, old in enumerate(found.corners)}
    faces = tuple(tuple(renamed[i] for i in face) for face in found.faces)
    corners = points[list(found.corners)]
    body = _body(corners, faces, dimension, found.rank, position, rotation, radius)
    return body, found.corners


def sphere(radius: float, position: Sequence[float] = (0, 0, 0)) -> Body:
    """A ball about its position; with a position of two numbers, a disc; of radius 0, a point."""
    where = position if hasattr(position, "__len__") else _listed(position, "coordinates")
    dimension = 2 if len(where) == 2 else 3
    form = _point_form(dimension).copy()
    form[1, 0] = rounding(radius)
    return _placed(np.zeros((1, 3)), (), (), form, where, None)


@lru_cache
def _point_form(dimension: int) -> np.ndarray:
    return _body(np.zeros((1, 3)), (), dimension, 0, None, None, 0.0).forms


def capsule(
    start: Sequence[float],
    end: Sequence[float],
    radius: float,
    position: Sequence[float] | None = None,
    rotation: Any = None,
) -> Body:
    """Everything within `radius` of the segment from `start` to `end`, in the body's frame."""
    segment = [_listed(end_, "coordinates") for end_ in (start, end)]
    dimension = 2 if len(segment[0]) == 2 else 3
    ends = coordinates(segment, dimension, "a capsule's ends")
    rank = int((ends[0] != ends[1]).any())
    return _body(ends[: rank + 1], (), dimension, rank, position, rotation, radius)


def _check_convex(corners: np.ndarray) -> None:
    """Whether a polygon's corners, in order, turn one way and once around."""
    named = [tuple(corner[:2].tolist()) for corner in corners]
    ends = scaled(corners)
    before, after = ends - np.roll(ends, 1, axis=0), np.roll(ends, -1, axis=0) - ends
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


def _listed(things: Any, what: str) -> Sequence[Any]:
    """Several things as a sequence, whatever they were given in."""
    if not isinstance(things, Iterable):
        raise TypeError(f"expected {what}, not {shown(things)}")
    return things if isinstance(things, Sequence) else list(things)


def _loop(name: int, face: Any, count: int) -> Loop:
    """A polyhedron's face as it was given, checked by its numbers."""
    given = _listed(face, f"the corners of face {name}")
    if not all(hasattr(i, "__index__") for i in given):
        raise TypeError(f"face {name} is made of the numbers of points, not {shown(face)}")
    loop = tuple(int(i) for i in given)
    if len(set(loop)) < 3 or len(set(loop)) < len(loop):
        raise ValueError(f"face {name} needs at least three different points, not {loop}")
    if not all(0 <= i < count for i in loop):
        raise ValueError(f"face {name} names a point that is not there: {loop}")
    return loop


def _outwards(frame: Frame, name: int, loop: Loop) -> Loop:
    """A polyhedron's face, checked, anticlockwise from outside."""
    points = frame.points
    corners = points[list(loop)]
    normal = newell_normal(corners)
    area = float(np.linalg.norm(normal))
    length = float(np.linalg.norm(corners - corners[0], axis=1).max())
    slack = float(frame.tolerance(normal[np.newaxis] / max(area, 1e-300))[0])
    if area <= slack * length:
        raise ValueError(f"face {name} has no area")
    normal /= area
    if normal @ (corners[0] - points.mean(axis=0)) < 0.0:
        loop, normal = loop[::-1], -normal
    heights = (points - corners.mean(axis=0)) @ normal
    if np.abs(heights[list(loop)]).max() > 2.0 * slack:
        raise ValueError(f"face {name} is not flat")
    # Of a narrow face rounding tilts the plane, and the more so the further from it.
    if heights.max() > min(slack * (2.0 + 4.0 * length / area), 1.0 / 16.0):
        outside = int(heights.argmax())
        raise ValueError(f"the polyhedron is not convex: point {outside} is beyond face {name}")
    return loop


def _body(
    corners: np.ndarray,
    faces: tuple[Loop, ...],
    dimension: int,
    rank: int,
    position: Any,
    rotation: Any,
    radius: Any,
) -> Body:
    """A body of any form; `rank`: 0 for a point, 1 for a segment, 2 if flat, 3 for a solid."""
    pairs = {tuple(sorted(side)) for loop in faces for side in sides(loop)}
    edges = tuple(sorted((int(a), int(b)) for a, b in pairs)) or ((0, 1),) * (rank == 1)
    ends = scaled(corners)
    if dimension == 2:
        loop = faces[0] if faces else (0, 1)
        going = [ends[b] - ends[a] for a, b in sides(loop)] if rank else []
        normals = np.array([(y, -x, 0.0) for x, y, _ in going]).reshape(-1, 3)
        along = np.empty((0, 3))
    else:
        normals = normals_of(corners, faces) if faces else np.empty((0, 3))
        which = np.array(edges, dtype=np.int64).reshape(-1, 2)
        along = ends[which[:, 1]] - ends[which[:, 0]]
    normals, along = without_parallels(normals), without_parallels(along)
    form = form_rows(corners, normals, along, rounding(radius), rank == dimension, dimension)
    return _placed(corners, faces, edges, with_surface(form, edges), position, rotation)


def _placed(
    points: np.ndarray,
    faces: tuple[Loop, ...],
    edges: tuple[tuple[int, int], ...],
    form: np.ndarray,
    position: Any,
    rotation: Any,
) -> Body:
    dimension, size = int(form[1, 2]), form[1, 0] + form[4, 0]
    if not size <= LARGEST:
        raise ValueError(f"a body must be no larger than {LARGEST:g}, not {size:g}")
    home = (0.0, 0.0, 0.0) if position is None else place(position, dimension)
    where = place_row(home, rotation_matrix(rotation, dimension))
    return Body(points, faces, edges, form, where)


def _box_of(dimension: int, faces: tuple[Loop, ...]) -> tuple[Any, ...]:
    """What all boxes have in common: corners' signs, faces, edges, normals and directions."""
    corners = np.arange(2**dimension)
    signs = np.zeros((len(corners), 3))
    signs[:, :dimension] = 2.0 * (corners[:, np.newaxis] >> np.arange(dimension) & 1) - 1.0
    edges = tuple(sorted({(min(side), max(side)) for loop in faces for side in sides(loop)}))
    axes = np.eye(3)[:dimension]
    return (
        (signs, faces, edges, axes, axes[:0])
        if dimension == 2
        else (signs, faces, edges, -axes, axes)
    )


_BOXES = {
    2: _box_of(2, ((1, 3, 2, 0),)),
    3: _box_of(
        3, ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
    ),
}
