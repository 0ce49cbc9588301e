"""EPA: the way out of an overlap of bodies with many faces, by an expanding polytope.

G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects,
2001. From GJK's last tetrahedron, which holds the origin, the face nearest to the origin is
pushed out to the Minkowski difference's supporting point, until it can go no further: then
it lies on the difference's surface, and is its nearest face. The walk over all axes gives
the same, but grows with the product of the edges.

The answer carries its own proof: the supporting point is no further out than the face. What
is not proven (a tetrahedron without volume, slivers, too many faces) goes to the walk.

The polytope is rows of an array:

    rows 0 to 255      corners: x, y, z; indices of a's point 3 and b's 4, as in a simplex
    rows 256 to 767    faces: corners i, j, k; unit normal 3:6; distance 6
    rows 768 to 1023   edges of the hole that a new corner tears: corners i, j
"""

from typing import Any

from spheresim.compiled import inlined, routine
from spheresim.convex.form import Placed, point_at, row, support
from spheresim.convex.simplex import CORNERS, INDEX_A, INDEX_B, WEIGHT, Nearest, nearest_on_triangle
from spheresim.convex.walk import Walk
from spheresim.vector import TVector

ROWS, COLUMNS = 1024, 8

_FACES, _EDGES = 256, 768
_MOST_CORNERS, _MOST_FACES, _MOST_EDGES = 256, 512, 256
_DISTANCE = 6

_ENOUGH = 1e-13
"""Of the size: less than this further out is rounding."""


@routine
def _add_face(polytope: Any, count: int, i: int, j: int, k: int) -> int:
    """Put a face behind the others; how many there are, or -1 if it cannot be."""
    p, q, r = row(polytope, i), row(polytope, j), row(polytope, k)
    normal = (q - p).cross(r - p)
    length = normal.mag()
    if count == _MOST_FACES or length == 0.0:
        return -1
    normal = normal / length
    face = _FACES + count
    polytope[face, 0], polytope[face, 1], polytope[face, 2] = float(i), float(j), float(k)
    polytope[face, 3], polytope[face, 4], polytope[face, 5] = normal.x, normal.y, normal.z
    polytope[face, _DISTANCE] = normal.dot(p)
    return count + 1


@routine
def _begin(polytope: Any, simplex: Any, k: int) -> int:
    """GJK's tetrahedron with its faces outwards; the number of faces, or -1."""
    for i in range(CORNERS):
        if simplex[k, i, INDEX_A] < 0.0:
            return -1
        for column in range(WEIGHT):
            polytope[i, column] = simplex[k, i, column]
    p, q, r, s = row(polytope, 0), row(polytope, 1), row(polytope, 2), row(polytope, 3)
    # Exchanging two corners turns all faces over.
    a, b = (0, 1) if (q - p).cross(r - p).dot(s - p) < 0.0 else (1, 0)
    count = _add_face(polytope, 0, a, b, 2)
    if count > 0:
        count = _add_face(polytope, count, b, a, 3)
    if count > 0:
        count = _add_face(polytope, count, a, 2, 3)
    if count > 0:
        count = _add_face(polytope, count, 2, b, 3)
    return count


@inlined
def _normal(polytope: Any, face: int) -> TVector:
    return TVector(polytope[face, 3], polytope[face, 4], polytope[face, 5])


@inlined
def _nearest_face(polytope: Any, count: int) -> int:
    best, distance = _FACES, float("inf")
    for face in range(_FACES, _FACES + count):
        if polytope[face, _DISTANCE] < distance:
            best, distance = face, polytope[face, _DISTANCE]
    return best


@routine
def _toggle_edge(polytope: Any, count: int, i: int, j: int) -> int:
    """Note an edge of the hole; one that is there the other way round is no edge of it."""
    for edge in range(_EDGES, _EDGES + count):
        if polytope[edge, 0] == j and polytope[edge, 1] == i:
            last = _EDGES + count - 1
            polytope[edge, 0], polytope[edge, 1] = polytope[last, 0], polytope[last, 1]
            return count - 1
    if count < _MOST_EDGES:
        polytope[_EDGES + count, 0], polytope[_EDGES + count, 1] = float(i), float(j)
    return count + 1


@routine
def _push_out(polytope: Any, faces: int, corner: int, slack: float) -> int:
    """Replace the faces that a new corner is beyond; how many there are, or -1."""
    point, edges, face = row(polytope, corner), 0, _FACES
    while face < _FACES + faces:
        if _normal(polytope, face).dot(point) - polytope[face, _DISTANCE] <= slack:
            face += 1
            continue
        i, j, k = int(polytope[face, 0]), int(polytope[face, 1]), int(polytope[face, 2])
        edges = _toggle_edge(polytope, edges, i, j)
        edges = _toggle_edge(polytope, edges, j, k)
        edges = _toggle_edge(polytope, edges, k, i)
        if edges > _MOST_EDGES:
            return -1
        faces -= 1  # and the last takes its row
        for column in range(_DISTANCE + 1):
            polytope[face, column] = polytope[_FACES + faces, column]
    for edge in range(_EDGES, _EDGES + edges):
        faces = _add_face(polytope, faces, int(polytope[edge, 0]), int(polytope[edge, 1]), corner)
        if faces < 0:
            break
    return faces


@inlined
def _nearest_on(polytope: Any, face: int) -> Nearest:
    i, j, k = int(polytope[face, 0]), int(polytope[face, 1]), int(polytope[face, 2])
    return nearest_on_triangle(row(polytope, i), row(polytope, j), row(polytope, k))


@routine
def _put_foot(polytope: Any, faces: int, distance: float, simplex: Any, k: int) -> None:
    """Make simplex k the face that the way out leads through, with the weights of its foot.

    Of several in one plane (edges across each other make a parallelogram) it is the one that
    the foot is in.
    """
    best, least = _FACES, float("inf")
    for face in range(_FACES, _FACES + faces):
        if polytope[face, _DISTANCE] <= distance:
            length = _nearest_on(polytope, face).point.mag_sqr()
            if length < least:
                best, least = face, length
    foot = _nearest_on(polytope, best)
    for i in range(3):
        corner = int(polytope[best, i])
        for column in range(WEIGHT):
            simplex[k, i, column] = polytope[corner, column]
    simplex[k, 0, WEIGHT], simplex[k, 1, WEIGHT], simplex[k, 2, WEIGHT] = foot.a, foot.b, foot.c
    simplex[k, 3, INDEX_A] = -1.0


@routine
def expand(
    a: Placed, b: Placed, offset: TVector, simplex: Any, k: int, foot: int, polytope: Any
) -> Walk:
    """The way out by EPA from GJK's tetrahedron k; `tested` is 0 if it could not be proven.

    Simplex `foot` becomes the face that the way leads through.
    """
    unproven = Walk(0.0, TVector(0.0, 0.0, 0.0), 0)
    faces = _begin(polytope, simplex, k)
    size = 0.0
    for i in range(CORNERS):
        size = max(size, row(polytope, i).mag())
    for corner in range(CORNERS, _MOST_CORNERS):
        if faces < 0:
            break
        face = _nearest_face(polytope, faces)
        normal, distance = _normal(polytope, face), polytope[face, _DISTANCE]
        if distance < 0.0:
            break
        at_a, at_b = support(a, normal), support(b, -normal)
        outermost = point_at(a, at_a) - point_at(b, at_b) - offset
        reach = normal.dot(outermost)
        if reach - distance <= _ENOUGH * size:
            _put_foot(polytope, faces, reach + _ENOUGH * size, simplex, foot)
            return Walk(reach, -normal, corner - CORNERS + 1)
        polytope[corner, 0], polytope[corner, 1] = outermost.x, outermost.y
        polytope[corner, 2] = outermost.z
        polytope[corner, INDEX_A], polytope[corner, INDEX_B] = float(at_a), float(at_b)
        faces = _push_out(polytope, faces, corner, 0.1 * _ENOUGH * size)
    return unproven
