"""How a corner beyond a polytope's faces becomes part of it.

The faces that the corner lies beyond are found from neighbour to neighbour and removed; new
ones connect the rim of the hole to the corner (the silhouette of G. van den Bergen, Collision
Detection in Interactive 3D Environments, 2004, section 4.3.8).
"""

from typing import NamedTuple

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
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector


class _Edge(NamedTuple):
    """An edge of a face: from corner i of the polytope to corner j."""

    i: int
    j: int


@inlined
def _edge_of(polytope: Floats, at: int, edge: int) -> _Edge:
    """Edge number 0, 1 or 2 of the face in a row."""
    return _Edge(int(polytope[at, edge]), int(polytope[at, (edge + 1) % 3]))


@inlined
def _is_removed(polytope: Floats, face: int, edge: _Edge, point: TVector, slack: float) -> bool:
    """Whether a face is removed for a point beyond its neighbour across an edge.

    It is if the point lies beyond it, or in its plane where edge and point make no proper
    triangle.
    """
    normal = normal_of(polytope, face)
    height = normal.dot(point) - distance_of(polytope, face)
    if height > slack:
        return True
    start = corner_at(polytope, edge.i)
    side = corner_at(polytope, edge.j) - start
    return height > -slack and normal.dot(side.cross(point - start)) <= slack * side.mag()


@routine
def _find_hole(polytope: Floats, first: int, corner: int, slack: float) -> None:
    """Link all faces that are removed for a corner into a list, from the first of them."""
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
            shared = _edge_of(polytope, at, edge)
            if _is_removed(polytope, neighbour, shared, point, slack):
                polytope[beyond, HOLE], polytope[beyond, NEXT] = corner, -1.0
                polytope[face_row(polytope, last), NEXT] = neighbour
                last = neighbour
        face = int(polytope[at, NEXT])


@routine
def _add_rim_face(polytope: Floats, beyond: int, old: int, rim: _Edge, corner: int) -> int:
    """Make the face from an edge of the rim to the corner, which replaces `old`; -1 if it fails."""
    i, j = rim
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
def _close_rim(polytope: Floats, first: int, corner: int) -> int:
    """Make faces from the rim of the hole to the corner; the first of their list, or -1."""
    face, newest = first, -1
    while face >= 0:
        at = face_row(polytope, face)
        for edge in range(3):
            beyond = int(polytope[at, NEIGHBOUR + edge])
            if polytope[face_row(polytope, beyond), HOLE] == corner:
                continue
            fresh = _add_rim_face(polytope, beyond, face, _edge_of(polytope, at, edge), corner)
            if fresh < 0:
                return -1
            polytope[face_row(polytope, fresh), NEXT], newest = newest, fresh
        face = int(polytope[at, NEXT])
    return newest


@routine
def push_out(polytope: Floats, first: int, corner: int, slack: float) -> bool:
    """Make a corner beyond a face part of the polytope; False if rounding leaves no proper rim."""
    _find_hole(polytope, first, corner, slack)
    # New faces from the rim to the corner.
    newest = _close_rim(polytope, first, corner)
    if newest < 0:
        return False
    # Each new face's neighbour is the one that begins where it ends.
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
    # The old faces leave the heap, the new ones enter it.
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
