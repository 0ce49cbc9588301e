"""A convex polytope about the origin that grows corner by corner; its nearest face is known.

In space its faces are triangles, in the plane edges. `silhouette` adds a corner to it.

The polytope is rows of an array:

    row 0               numbers of corners and of rows of faces in use, the first free one (or
                        −1), number of faces
    rows 1 to n         corners: x, y, z; indices of a's point and b's, as in a simplex; of
                        a corner on the rim of a hole: the corner for which the hole was
                        opened, and the new face that begins at this one
    rows n + 1 to 3n    faces, see the columns below; and a binary heap of faces, the nearest
                        first
"""

from functools import lru_cache

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.gjk.simplex import WEIGHT
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

NORMAL, DISTANCE = 3, 6
"""Columns of a face, after its corners (anticlockwise from outside): unit normal, distance."""

NEIGHBOUR, _PLACE, _HEAP, HOLE, NEXT, _COLUMNS = 7, 10, 11, 12, 13, 14
"""Columns of a face: the neighbours across its three edges; its place in the heap; column 11
belongs to the heap and holds the face at the place with this row's number; the corner for which
the face is removed; the next face of a linked list."""

RIM, BEGINS = 5, 6
_MOST_CORNERS = 10_000
_CORNERS, _ROWS, _FREE, _FACES = 0, 1, 2, 3


@lru_cache(maxsize=4)
def empty_polytope(rows: int) -> np.ndarray:
    """An array for a polytope of bodies whose geometries have this many rows together.

    It is kept for the next question: no two kernels run at once, as each holds the
    interpreter's lock.
    """
    return np.empty((3 * min(rows, _MOST_CORNERS) + 100, _COLUMNS))


@inlined
def capacity_of(polytope: Floats) -> int:
    """The largest number of corners that fit."""
    return (len(polytope) - 1) // 3


@inlined
def corner_at(polytope: Floats, i: int) -> TVector:
    """Corner i, from 0 on."""
    return vector_at(polytope, 1 + i)


@inlined
def face_row(polytope: Floats, face: int) -> int:
    """The row of a face."""
    return 1 + capacity_of(polytope) + face


@inlined
def normal_of(polytope: Floats, face: int) -> TVector:
    """A face's unit normal, outwards."""
    at = face_row(polytope, face)
    return TVector(polytope[at, NORMAL], polytope[at, NORMAL + 1], polytope[at, NORMAL + 2])


@inlined
def distance_of(polytope: Floats, face: int) -> float:
    """The distance of a face's plane from the origin."""
    return polytope[face_row(polytope, face), DISTANCE]


@inlined
def corner_of(polytope: Floats, face: int, i: int) -> int:
    """The number of a face's corner i."""
    return int(polytope[face_row(polytope, face), i])


@inlined
def count_faces(polytope: Floats) -> int:
    """How many faces there are."""
    return int(polytope[0, _FACES])


@inlined
def face_at(polytope: Floats, place: int) -> int:
    """The face at a place of the heap; at place 0 it is the nearest."""
    return int(polytope[face_row(polytope, place), _HEAP])


# --- The heap --------------------------------------------------------------------------


@inlined
def _set_heap_place(polytope: Floats, place: int, face: int) -> None:
    polytope[face_row(polytope, place), _HEAP] = face
    polytope[face_row(polytope, face), _PLACE] = place


@routine
def _sift(polytope: Floats, place: int, face: int) -> None:
    """Put a face into the heap at a place, and sift it up or down by its distance."""
    distance, count = distance_of(polytope, face), count_faces(polytope)
    while place > 0:
        above = face_at(polytope, (place - 1) // 2)
        if distance_of(polytope, above) <= distance:
            break
        _set_heap_place(polytope, place, above)
        place = (place - 1) // 2
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and distance_of(polytope, face_at(polytope, child + 1)) < distance_of(
            polytope, face_at(polytope, child)
        ):
            child += 1
        below = face_at(polytope, child)
        if distance <= distance_of(polytope, below):
            break
        _set_heap_place(polytope, place, below)
        place = child
    _set_heap_place(polytope, place, face)


@inlined
def set_distance(polytope: Floats, face: int, distance: float) -> None:
    """Change a face's distance, and its place in the heap with it."""
    at = face_row(polytope, face)
    polytope[at, DISTANCE] = distance
    _sift(polytope, int(polytope[at, _PLACE]), face)


@inlined
def insert(polytope: Floats, face: int) -> None:
    """Put a face into the heap."""
    place = count_faces(polytope)
    polytope[0, _FACES] = place + 1
    _sift(polytope, place, face)


@routine
def remove(polytope: Floats, face: int) -> None:
    """Remove a face from the heap, and free its row."""
    count = count_faces(polytope) - 1
    polytope[0, _FACES] = count
    last, at = face_at(polytope, count), face_row(polytope, face)
    if last != face:
        _sift(polytope, int(polytope[at, _PLACE]), last)
    polytope[at, NEXT], polytope[0, _FREE] = polytope[0, _FREE], face


# --- Corners and faces -----------------------------------------------------------------


@inlined
def clear(polytope: Floats) -> None:
    """Remove all corners and faces."""
    polytope[0, _CORNERS] = polytope[0, _ROWS] = polytope[0, _FACES] = 0.0
    polytope[0, _FREE] = -1.0


@inlined
def add_corner(polytope: Floats, corner: TVector, at_a: int, at_b: int) -> int:
    """Add a corner; return its number, or -1 if the polytope is full."""
    count = int(polytope[0, _CORNERS])
    if count == capacity_of(polytope):
        return -1
    at = 1 + count
    polytope[at, 0], polytope[at, 1], polytope[at, 2] = corner.x, corner.y, corner.z
    polytope[at, WEIGHT - 2], polytope[at, WEIGHT - 1], polytope[at, RIM] = at_a, at_b, -1.0
    polytope[0, _CORNERS] = count + 1
    return count


@routine
def _new_face(polytope: Floats, i: int, j: int, k: int, normal: TVector) -> int:
    """Make a face with a normal of any length, not yet in the heap; its number, or -1."""
    length, face = normal.mag(), int(polytope[0, _FREE])
    if length == 0.0:
        return -1
    if face >= 0:
        polytope[0, _FREE] = polytope[face_row(polytope, face), NEXT]
    else:
        face = int(polytope[0, _ROWS])
        if face_row(polytope, face) == len(polytope):
            return -1
        polytope[0, _ROWS] = face + 1
    normal, at = normal / length, face_row(polytope, face)
    polytope[at, 0], polytope[at, 1], polytope[at, 2] = i, j, k
    polytope[at, 3], polytope[at, 4], polytope[at, 5] = normal.x, normal.y, normal.z
    polytope[at, DISTANCE], polytope[at, HOLE] = normal.dot(corner_at(polytope, i)), -1.0
    return face


@routine
def add_edge(polytope: Floats, i: int, j: int) -> bool:
    """In the plane: add the side from corner i to j, with the outside on its right."""
    side = corner_at(polytope, j) - corner_at(polytope, i)
    face = _new_face(polytope, i, j, j, TVector(side.y, -side.x, 0.0))
    if face >= 0:
        insert(polytope, face)
    return face >= 0


@routine
def new_triangle(polytope: Floats, i: int, j: int, k: int) -> int:
    """Make a face, anticlockwise from outside, not yet in the heap; its number, or -1."""
    p, q, r = corner_at(polytope, i), corner_at(polytope, j), corner_at(polytope, k)
    u, v, w = q - p, r - q, p - r
    # From the two shorter sides, which give the most exact normal of a sliver.
    u_sqr, v_sqr, w_sqr = u.mag_sqr(), v.mag_sqr(), w.mag_sqr()
    if u_sqr >= v_sqr and u_sqr >= w_sqr:
        normal = v.cross(w)
    elif v_sqr >= w_sqr:
        normal = w.cross(u)
    else:
        normal = u.cross(v)
    return _new_face(polytope, i, j, k, normal)


@routine
def add_tetrahedron(polytope: Floats) -> bool:
    """Add the faces of the first four corners; False if one has no area."""
    p, q = corner_at(polytope, 0), corner_at(polytope, 1)
    r, s = corner_at(polytope, 2), corner_at(polytope, 3)
    # Exchanging two corners turns all faces inside out.
    a, b = (0, 1) if (q - p).cross(r - p).dot(s - p) < 0.0 else (1, 0)
    first = new_triangle(polytope, a, b, 2)
    second, third = new_triangle(polytope, b, a, 3), new_triangle(polytope, a, 2, 3)
    fourth = new_triangle(polytope, 2, b, 3)
    if min(first, second, third, fourth) < 0:
        return False
    _link(polytope, first, second, fourth, third)
    _link(polytope, second, first, third, fourth)
    _link(polytope, third, first, fourth, second)
    _link(polytope, fourth, first, second, third)
    for face in range(4):
        insert(polytope, face)
    return True


@inlined
def _link(polytope: Floats, face: int, across_first: int, across_second: int, third: int) -> None:
    at = face_row(polytope, face)
    polytope[at, NEIGHBOUR], polytope[at, NEIGHBOUR + 1] = across_first, across_second
    polytope[at, NEIGHBOUR + 2] = third
