"""Where a straight line enters and leaves the Minkowski difference, without testing every face.

Swept SAT clips the line along which a body moves by every axis (M. Cyrus and J. Beck,
Generalized two- and three-dimensional clipping, 1978). Of many axes only two matter: those of
the faces through which the line goes in and out. They solve a linear program: of all convex
combinations of the difference's corners that lie on the line, find the first and the last along
it. The simplex method solves it (G. B. Dantzig, 1951). Its basis is a triangle of corners that
the line goes through; the corner that enters the basis is the support point along the
triangle's normal. Where no corner lies beyond it, the triangle is on the face sought.

Such a triangle exists if the line goes through the difference: seen along the line, the origin
must lie in the difference's shadow. In the plane the triangle becomes an edge.

The corners are rows 0 to 2 of a simplex (see `gjk.simplex`); row 3 holds the next candidate.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import MinkowskiDifference
from spheresim.convex.gjk.search import set_corner, support_vertex
from spheresim.convex.gjk.simplex import COLUMNS, INDEX_A, INDEX_B
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector

_MOST_STEPS = 1000

_ENOUGH = 1e-14
"""Relative to the size: a corner that is further out by less is not further out."""


class View(NamedTuple):
    """The line's unit direction and two unit vectors perpendicular to it, right-handed.

    In the plane, `right` lies in the plane and `up` is z.
    """

    ahead: TVector
    right: TVector
    up: TVector


_HITS, _MISSES, _UNKNOWN = 1, 0, -1
"""Whether the line goes through the difference; rounding may leave it undecided."""


class ClippedLine(NamedTuple):
    """The axes, of any length, on which the line enters and leaves, or one on which it misses.

    `hits`: one of the three above; `tested`: how many axes were tried.
    """

    hits: int
    entering: TVector
    leaving: TVector
    tested: int


@inlined
def _view(velocity: TVector, dimension: int) -> View:
    ahead = velocity.unit()
    if dimension == 2:
        return View(ahead, TVector(ahead.y, -ahead.x, 0.0), TVector(0.0, 0.0, 1.0))
    right = ahead.perpendicular()
    return View(ahead, right, ahead.cross(right))


@inlined
def _turn(p: TVector, q: TVector, view: View) -> float:
    """Positive if q lies anticlockwise of p, seen along the line."""
    p_x, p_y, q_x, q_y = p.dot(view.right), p.dot(view.up), q.dot(view.right), q.dot(view.up)
    return p_x * q_y - p_y * q_x


@inlined
def _corner(difference: MinkowskiDifference, simplex: Floats, i: int, way: TVector) -> TVector:
    """Make row i the difference's support point in direction `way`."""
    return set_corner(difference, simplex, 0, i, support_vertex(difference, way))


@inlined
def _copy(simplex: Floats, to: int, i: int) -> None:
    for column in range(COLUMNS):
        simplex[0, to, column] = simplex[0, i, column]


@inlined
def _repeats(simplex: Floats, i: int) -> bool:
    """Whether row i is one of rows 0 to 2."""
    found = False
    for j in range(3):
        found |= (simplex[0, i, INDEX_A] == simplex[0, j, INDEX_A]) & (
            simplex[0, i, INDEX_B] == simplex[0, j, INDEX_B]
        )
    return found


@inlined
def _is_no_further(simplex: Floats, p: TVector, way: TVector) -> bool:
    """Whether row 3 lies no further along `way` than p: then the triangle or edge is a face."""
    fresh = vector_at(simplex[0], 3)
    no_further = (fresh - p).dot(way) <= _ENOUGH * way.mag() * (fresh.mag() + p.mag())
    return no_further or _repeats(simplex, 3)


# --- In space --------------------------------------------------------------------------


@routine
def _find_triangle(difference: MinkowskiDifference, view: View, simplex: Floats) -> ClippedLine:
    """Rows 0 to 2 become a triangle that the line goes through, anticlockwise seen along it.

    GJK in the shadow: the origin stays on the left of the edge from row 0 to row 1.
    """
    # Two corners on opposite sides of the line, as seen along it.
    p = _corner(difference, simplex, 0, view.right)
    way = -view.right * p.dot(view.right) - view.up * p.dot(view.up)
    q = _corner(difference, simplex, 1, way)
    if q.dot(way) < 0.0:
        return ClippedLine(_MISSES, way, ZERO, 2)
    if _turn(p, q, view) < 0.0:
        p, q = _exchange(simplex)
    for step in range(3, _MOST_STEPS):
        # The support point on the edge's other side: the line misses, grazes or may be enclosed.
        side = q - p
        way = view.up * side.dot(view.right) - view.right * side.dot(view.up)
        r = _corner(difference, simplex, 2, way)
        if r.dot(way) < 0.0:
            return ClippedLine(_MISSES, way, ZERO, step)
        if (r - p).dot(way) <= _ENOUGH * way.mag() * (r.mag() + p.mag()):
            return _graze(difference, view, simplex, step)
        # Keep the edge that the line is beyond; if there is none, the triangle encloses it.
        if _turn(q, r, view) < 0.0:
            _copy(simplex, 0, 2)
            p = r
        elif _turn(r, p, view) < 0.0:
            _copy(simplex, 1, 2)
            q = r
        else:
            return ClippedLine(_HITS, ZERO, ZERO, step)
    return ClippedLine(_UNKNOWN, ZERO, ZERO, _MOST_STEPS)


@inlined
def _exchange(simplex: Floats) -> tuple[TVector, TVector]:
    _copy(simplex, 3, 0)
    _copy(simplex, 0, 1)
    _copy(simplex, 1, 3)
    return vector_at(simplex[0], 0), vector_at(simplex[0], 1)


@routine
def _graze(difference: MinkowskiDifference, view: View, simplex: Floats, step: int) -> ClippedLine:
    """The line goes through the outermost edge: take the triangle on the edge's other side."""
    p, q = _exchange(simplex)
    along = p.dot(view.right) * q.dot(view.right) + p.dot(view.up) * q.dot(view.up)
    side = q - p
    way = view.up * side.dot(view.right) - view.right * side.dot(view.up)
    r = _corner(difference, simplex, 2, way)
    proper = (r - p).dot(way) > _ENOUGH * way.mag() * (r.mag() + p.mag())
    return ClippedLine(_HITS if proper and along <= 0.0 else _UNKNOWN, ZERO, ZERO, step + 1)


@inlined
def _leaving_corner(simplex: Floats, view: View) -> int:
    """Which of rows 0 to 2 row 3 must replace so that the line stays inside; -1 if none."""
    fresh, best, largest = vector_at(simplex[0], 3), -1, 0.0
    for i in range(3):
        p, q = vector_at(simplex[0], i), vector_at(simplex[0], (i + 1) % 3)
        before, after = _turn(fresh, p, view), _turn(q, fresh, view)
        area = before + _turn(p, q, view) + after
        if before >= 0.0 and after >= 0.0 and area > largest:
            best, largest = (i + 2) % 3, area
    return best


@routine
def _climb(
    difference: MinkowskiDifference, view: View, sense: float, simplex: Floats
) -> ClippedLine:
    """Move the triangle along the line, ahead (1) or back (-1), until it is a face."""
    for step in range(1, _MOST_STEPS):
        p, q, r = vector_at(simplex[0], 0), vector_at(simplex[0], 1), vector_at(simplex[0], 2)
        way = (q - p).cross(r - p) * sense
        _corner(difference, simplex, 3, way)
        if _is_no_further(simplex, p, way):
            return ClippedLine(_HITS if way.mag_sqr() > 0.0 else _UNKNOWN, way, way, step)
        leaving = _leaving_corner(simplex, view)
        if leaving < 0:
            return ClippedLine(_UNKNOWN, ZERO, ZERO, step)
        _copy(simplex, leaving, 3)
    return ClippedLine(_UNKNOWN, ZERO, ZERO, _MOST_STEPS)


# --- In the plane ----------------------------------------------------------------------


@routine
def _find_edge(difference: MinkowskiDifference, view: View, simplex: Floats) -> ClippedLine:
    """Rows 0 and 1 become an edge that the line crosses, from its left to its right."""
    _copy(simplex, 2, 0)
    if _corner(difference, simplex, 0, -view.right).dot(view.right) > 0.0:
        return ClippedLine(_MISSES, view.right, ZERO, 1)
    if _corner(difference, simplex, 1, view.right).dot(view.right) < 0.0:
        return ClippedLine(_MISSES, view.right, ZERO, 1)
    _copy(simplex, 2, 0)
    return ClippedLine(_HITS, ZERO, ZERO, 1)


@routine
def _slide(
    difference: MinkowskiDifference, view: View, sense: float, simplex: Floats
) -> ClippedLine:
    """Move the edge along the line, ahead (1) or back (-1), until it is a face."""
    for step in range(1, _MOST_STEPS):
        p, side = vector_at(simplex[0], 0), vector_at(simplex[0], 1) - vector_at(simplex[0], 0)
        way = (view.ahead * side.dot(view.right) - view.right * side.dot(view.ahead)) * sense
        fresh = _corner(difference, simplex, 3, way)
        if _is_no_further(simplex, p, way):
            return ClippedLine(_HITS if way.mag_sqr() > 0.0 else _UNKNOWN, way, way, step)
        _copy(simplex, 0 if fresh.dot(view.right) < 0.0 else 1, 3)
        _copy(simplex, 2, 0)
    return ClippedLine(_UNKNOWN, ZERO, ZERO, _MOST_STEPS)


@routine
def clip_line(difference: MinkowskiDifference, velocity: TVector, simplex: Floats) -> ClippedLine:
    """The axes on which two cores meet last and part first; `velocity`: of a relative to b."""
    a = difference.a
    view = _view(-velocity, a.dimension)
    if a.dimension == 2:
        found = _find_edge(difference, view, simplex)
    else:
        found = _find_triangle(difference, view, simplex)
    if found.hits != _HITS:
        return found
    # The corners are of a − b, through which the origin moves along −velocity.
    if a.dimension == 2:
        first = _slide(difference, view, -1.0, simplex)
        last = _slide(difference, view, 1.0, simplex)
    else:
        first = _climb(difference, view, -1.0, simplex)
        last = _climb(difference, view, 1.0, simplex)
    tested = found.tested + first.tested + last.tested
    if first.hits != _HITS or last.hits != _HITS:
        return ClippedLine(_UNKNOWN, ZERO, ZERO, tested)
    return ClippedLine(_HITS, first.entering, last.leaving, tested)
