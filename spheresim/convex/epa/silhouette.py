"""The hole that a new corner tears in a polytope, and its closing.

The faces that the corner lies beyond are found from neighbour to neighbour and taken away, and
new ones lead from the rim of the hole to it (the silhouette of G. van den Bergen, Collision
Detection in Interactive 3D Environments, 2004, section 4.3.8).
"""

from typing import Any

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.epa.polytope import (
    BEGINS,
    HOLE,
    NEIGHBOUR,
    NEXT,
    RIM,
    corner_at,
    distance_of,
    face_row,
    insert,
    new_triangle,
    normal_of,
    remove,
)
from spheresim.numerics.vector import TVector


@inlined
def _goes(polytope: Any, face: int, i: int, j: int, point: TVector, slack: float) -> bool:
    """Whether a face goes for a point beyond its neighbour, which it meets in edge i, j.

    It does if the point is beyond it; and if the point is in its plane, unless there is a
    proper triangle between the edge and the point.
    """
    normal = normal_of(polytope, face)
    height = normal.dot(point) - distance_of(polytope, face)
    if height > slack:
        return True
    start = corner_at(polytope, i)
    side = corner_at(polytope, j) - start
    return height > -slack and normal.dot(side.cross(point - start)) <= slack * side.mag()


@routine
def _find_hole(polytope: Any, first: int, corner: int, slack: float) -> None:
    """Chain the faces that go for a corner, from the first of them on."""
    point, face, last = corner_at(polytope, corner), first, first
    at = face_row(polytope, first)
    polytope[at, HOLE], polytope[at, NEXT] = corner, -1.0
    while face >= 0:
        at = face_row(polytope, face)
        for edge in range(3):
            neighbour = int(polytope[at, NEIGHBOUR + edge])
            beyond = face_row(polytope, neighbour)
            if polytope[beyond, HOLE] == corner:
                continue
            i, j = int(polytope[at, edge]), int(polytope[at, (edge + 1) % 3])
            if _goes(polytope, neighbour, i, j, point, slack):
                polytope[beyond, HOLE], polytope[beyond, NEXT] = corner, -1.0
                polytope[face_row(polytope, last), NEXT] = neighbour
                last = neighbour
        face = int(polytope[at, NEXT])


@routine
def _add_rim_face(polytope: Any, beyond: int, old: int, i: int, j: int, corner: int) -> int:
    """The face from an edge of the rim to the corner, in place of `old`; -1 if there is none."""
    face = new_triangle(polytope, i, j, corner)
    if face < 0 or polytope[1 + i, RIM] == corner:
        return -1
    polytope[1 + i, RIM], polytope[1 + i, BEGINS] = corner, face
    polytope[face_row(polytope, face), NEIGHBOUR] = beyond
    at = face_row(polytope, beyond)
    for edge in range(3):
        if int(polytope[at, NEIGHBOUR + edge]) == old and int(polytope[at, edge]) == j:
            polytope[at, NEIGHBOUR + edge] = face
    return face


@routine
def _close_rim(polytope: Any, first: int, corner: int) -> int:
    """New faces from the rim of the hole to the corner, chained; the first of them, or -1."""
    face, newest = first, -1
    while face >= 0:
        at = face_row(polytope, face)
        for edge in range(3):
            beyond = int(polytope[at, NEIGHBOUR + edge])
            if polytope[face_row(polytope, beyond), HOLE] == corner:
                continue
            i, j = int(polytope[at, edge]), int(polytope[at, (edge + 1) % 3])
            fresh = _add_rim_face(polytope, beyond, face, i, j, corner)
            if fresh < 0:
                return -1
            polytope[face_row(polytope, fresh), NEXT], newest = newest, fresh
        face = int(polytope[at, NEXT])
    return newest


@routine
def push_out(polytope: Any, first: int, corner: int, slack: float) -> bool:
    """Let a corner that is beyond a face be one; False if rounding leaves no proper rim."""
    _find_hole(polytope, first, corner, slack)
    newest = _close_rim(polytope, first, corner)
    if newest < 0:
        return False
    face = newest
    while face >= 0:
        at = face_row(polytope, face)
        end = 1 + int(polytope[at, 1])
        if polytope[end, RIM] != corner:
            return False
        following = int(polytope[end, BEGINS])
        polytope[at, NEIGHBOUR + 1] = following
        polytope[face_row(polytope, following), NEIGHBOUR + 2] = face
        face = int(polytope[at, NEXT])
    face = first
    while face >= 0:
        following = int(polytope[face_row(polytope, face), NEXT])
        remove(polytope, face)
        face = following
    face = newest
    while face >= 0:
        following = int(polytope[face_row(polytope, face), NEXT])
        insert(polytope, face)
        face = following
    return True
