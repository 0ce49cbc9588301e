"""The convex hull of points in space or in a plane, flat and single ones included.

Gift wrapping (D. R. Chand and S. S. Kapur, An algorithm for convex polytopes, J. ACM 17,
1970): a plane that touches the hull is turned about an edge until it meets the next point.
All points of a face are taken at once, so that faces of more than three corners stay whole.
"""

from typing import NamedTuple

import numpy as np

_FLAT = 1e-12
"""Of the extent: nearer than this to a point, line or plane is on it."""

Loop = tuple[int, ...]


class Hull(NamedTuple):
    """Which points are corners, and the faces as loops of them, seen from outside anticlockwise.

    A flat hull has one face, its outline; a segment or a point has none. `rank` is 0 for a
    point, 1 for a segment, 2 for a flat hull, 3 for a solid.
    """

    corners: Loop
    faces: tuple[Loop, ...]
    rank: int


def convex_hull(points: np.ndarray) -> Hull:
    """The hull of points [length], shape (n, 3), n ≥ 1; those in the plane z = 0 go as flat."""
    distinct = _distinct(points)
    found = _hull_of(points[distinct])
    faces = tuple(tuple(distinct[i] for i in face) for face in found.faces)
    return Hull(tuple(distinct[i] for i in found.corners), faces, found.rank)


def _hull_of(points: np.ndarray) -> Hull:
    basis = _spread(points)
    rank = len(basis) - 1
    if rank <= 1:
        return Hull(tuple(basis), (), rank)
    if rank == 2:
        flat = np.ptp(points[:, 2]) == 0.0
        normal = np.array([0.0, 0.0, 1.0]) if flat else _unit(newell_normal(points[basis]))
        loop = _outline(points, np.arange(len(points)), normal)
        return Hull(loop, (loop,), 2)
    faces = _wrap(points)
    return Hull(tuple(sorted({i for face in faces for i in face})), faces, 3)


def newell_normal(corners: np.ndarray) -> np.ndarray:
    """The normal of a loop of corners, twice its area long (Newell's method)."""
    from_first = corners - corners[0]
    following = np.roll(from_first, -1, axis=0)
    return np.asarray(np.cross(from_first, following).sum(axis=0))


def _spread(points: np.ndarray) -> list[int]:
    """Up to four points that span the hull, each as far as can be from those before."""
    extent = float(np.abs(points - points[0]).max())
    chosen = [int(np.lexsort(points.T[::-1])[0])]
    away = points - points[chosen[0]]
    while len(chosen) <= 3:
        furthest = int(np.argmax(np.sum(away**2, axis=1)))
        length = float(np.linalg.norm(away[furthest]))
        if length <= _FLAT * extent:
            break
        chosen.append(furthest)
        along = away[furthest] / length
        away = away - np.outer(away @ along, along)
    return chosen


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))


def _distinct(points: np.ndarray) -> list[int]:
    """The first of each group of points that coincide."""
    tolerance = _FLAT * float(np.ptp(points, axis=0).max())
    kept = [0]
    for i in range(1, len(points)):
        if np.abs(points[kept] - points[i]).max(axis=1).min() > tolerance:
            kept.append(i)
    return kept


def _outline(points: np.ndarray, chosen: np.ndarray, normal: np.ndarray) -> Loop:
    """The corners of points in a plane, anticlockwise about its normal (R. A. Jarvis, 1973)."""
    across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    across /= np.linalg.norm(across)
    flat = points[chosen] @ np.column_stack([np.cross(across, normal), across])
    tolerance = _FLAT * float(np.ptp(flat, axis=0).max())
    loop = [int(np.argmax(np.sum((flat - flat[0]) ** 2, axis=1)))]
    while len(loop) <= len(flat):
        following = _next_corner(flat, loop[-1], tolerance)
        if following == loop[0]:
            break
        loop.append(following)
    return tuple(int(chosen[i]) for i in loop)


def _next_corner(flat: np.ndarray, corner: int, tolerance: float) -> int:
    """The furthest of the points that have all others on their left, seen from a corner."""
    away = flat - flat[corner]
    best = int(np.argmax(np.sum(away**2, axis=1)))
    while True:
        along = away[best] / np.hypot(*away[best])
        left = along[0] * away[:, 1] - along[1] * away[:, 0]
        if left.min() >= -tolerance:
            break
        best = int(np.argmin(left))
    return int(np.argmax(np.where(left <= tolerance, away @ along, -np.inf)))


def _wrap(points: np.ndarray) -> tuple[Loop, ...]:
    """The faces of a solid hull."""
    tolerance = _FLAT * float(np.ptp(points, axis=0).max())
    faces = [_first_face(points, tolerance)]
    waiting = {(b, a): faces[0] for a, b in _sides(faces[0])}
    while waiting:
        (a, b), known = next(iter(waiting.items()))
        face = _across(points, a, b, known, tolerance)
        faces.append(face)
        sides = _sides(face)
        if len(faces) > 4 * len(points) or (a, b) not in sides:
            raise ValueError("the points' hull has faces too narrow to tell apart")
        for side in sides:
            if waiting.pop(side, None) is None:
                waiting[side[::-1]] = face
    return tuple(faces)


def _first_face(points: np.ndarray, tolerance: float) -> Loop:
    """Turn the plane through the leftmost point about it, then about the edge it meets."""
    corner = int(np.lexsort(points.T[::-1])[0])
    away = points - points[corner]
    normal = _turned(away, np.array([0.0, 1.0, 0.0]), np.array([-1.0, 0.0, 0.0]), tolerance)
    touched = np.flatnonzero(np.abs(away @ normal) <= tolerance)
    if len(_spread(points[touched])) < 3:
        furthest = int(touched[np.argmax(np.sum(away[touched] ** 2, axis=1))])
        normal = _turned(away, _unit(away[furthest]), normal, tolerance)
        touched = np.flatnonzero(np.abs(away @ normal) <= tolerance)
    return _outline(points, touched, normal)


def _across(points: np.ndarray, a: int, b: int, known: Loop, tolerance: float) -> Loop:
    """The other face that has the side from a to b."""
    away = points - points[a]
    normal = _turned(away, _unit(away[b]), _unit(newell_normal(points[list(known)])), tolerance)
    return _outline(points, np.flatnonzero(np.abs(away @ normal) <= tolerance), normal)


def _turned(
    away: np.ndarray, along: np.ndarray, normal: np.ndarray, tolerance: float
) -> np.ndarray:
    """The normal of a touching plane, turned about an axis in it until it meets a point."""
    onwards = np.cross(normal, along)
    ahead, below = away @ onwards, np.maximum(0.0, -(away @ normal)) + 0.0  # never -0.0
    meets = np.hypot(ahead, below) > tolerance
    angle = float(np.arctan2(below[meets], ahead[meets]).min())
    return np.asarray(normal * np.cos(angle) + onwards * np.sin(angle))


def _sides(loop: Loop) -> list[tuple[int, int]]:
    return list(zip(loop, loop[1:] + loop[:1], strict=True))
