"""Where a straight line enters and leaves the Minkowski difference, without asking every face.

Swept SAT clips the line along which a body moves by every axis (M. Cyrus and J. Beck,
Generalized two- and three-dimensional clipping, 1978). Of many axes only the two count
through which the line goes in and out, and these are the answer of a linear program: of all
mixtures of the difference's corners that lie on the line, the first and the last along it.
The simplex method finds it (G. B. Dantzig, 1951). Its basis is a triangle of corners that the
line goes through; the corner to exchange is the supporting point of the triangle's own plane;
where there is none beyond it, the plane is a face of the difference, and the way in or out.

So that there is such a triangle, the line must go through the difference: seen along the
line, the origin must lie in its shadow. In the plane, the triangle is an edge.

The corners are rows 0 to 2 of a simplex (see `simplex`), row 3 is one more.
"""

from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import Placed, support
from spheresim.convex.gjk.search import put_corner
from spheresim.convex.gjk.simplex import COLUMNS, INDEX_A, INDEX_B
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_MOST_STEPS = 1000

_ENOUGH = 1e-14
"""Of the size: less than this further out is rounding."""


class View(NamedTuple):
    """The line's unit direction, and two across it, right-handed: what is seen along it.

    In the plane, `right` is the one across it in the plane, and `up` is z.
    """

    ahead: TVector
    right: TVector
    up: TVector


_HITS, _MISSES, _UNKNOWN = 1, 0, -1
"""Whether the line goes through the difference; rounding may leave it open."""


class Clipped(NamedTuple):
    """The axes on which the line enters and leaves, of any length, or on which it passes by.

    `hits`: see above; `tested`: how many axes were looked at.
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
def _corner(a: Placed, b: Placed, offset: TVector, simplex: Any, i: int, way: TVector) -> TVector:
    """Make row i the difference's supporting point."""
    return put_corner(a, b, offset, simplex, 0, i, support(a, way), support(b, -way))


@inlined
def _copy(simplex: Any, to: int, i: int) -> None:
    for column in range(COLUMNS):
        simplex[0, to, column] = simplex[0, i, column]


@inlined
def _repeats(simplex: Any, i: int) -> bool:
    """Whether row i is one of rows 0 to 2."""
    found = False
    for j in range(3):
        found |= (simplex[0, i, INDEX_A] == simplex[0, j, INDEX_A]) & (
            simplex[0, i, INDEX_B] == simplex[0, j, INDEX_B]
        )
    return found


# --- In space --------------------------------------------------------------------------


@routine
def _find_triangle(a: Placed, b: Placed, offset: TVector, view: View, simplex: Any) -> Clipped:
    """Rows 0 to 2 become a triangle that the line goes through, anticlockwise seen along it.

    GJK in the shadow: the origin stays on the left of the edge from row 0 to row 1.
    """
    none = TVector(0.0, 0.0, 0.0)
    p = _corner(a, b, offset, simplex, 0, view.right)
    way = -view.right * p.dot(view.right) - view.up * p.dot(view.up)
    q = _corner(a, b, offset, simplex, 1, way)
    if q.dot(way) < 0.0:
        return Clipped(_MISSES, way, none, 2)
    if _turn(p, q, view) < 0.0:
        p, q = _exchange(simplex)
    for step in range(3, _MOST_STEPS):
        side = q - p
        way = view.up * side.dot(view.right) - view.right * side.dot(view.up)
        r = _corner(a, b, offset, simplex, 2, way)
        if r.dot(way) < 0.0:
            return Clipped(_MISSES, way, none, step)
        if (r - p).dot(way) <= _ENOUGH * way.mag() * (r.mag() + p.mag()):
            return _graze(a, b, offset, view, simplex, step)
        if _turn(q, r, view) < 0.0:
            _copy(simplex, 0, 2)
            p = r
        elif _turn(r, p, view) < 0.0:
            _copy(simplex, 1, 2)
            q = r
        else:
            return Clipped(_HITS, none, none, step)
    return Clipped(_UNKNOWN, none, none, _MOST_STEPS)


@inlined
def _exchange(simplex: Any) -> tuple[TVector, TVector]:
    _copy(simplex, 3, 0)
    _copy(simplex, 0, 1)
    _copy(simplex, 1, 3)
    return vector_at(simplex[0], 0), vector_at(simplex[0], 1)


@routine
def _graze(a: Placed, b: Placed, offset: TVector, view: View, simplex: Any, step: int) -> Clipped:
    """The line goes through the outermost edge: the triangle is on the edge's other side."""
    none = TVector(0.0, 0.0, 0.0)
    p, q = _exchange(simplex)
    along = p.dot(view.right) * q.dot(view.right) + p.dot(view.up) * q.dot(view.up)
    side = q - p
    way = view.up * side.dot(view.right) - view.right * side.dot(view.up)
    r = _corner(a, b, offset, simplex, 2, way)
    proper = (r - p).dot(way) > _ENOUGH * way.mag() * (r.mag() + p.mag())
    return Clipped(_HITS if proper and along <= 0.0 else _UNKNOWN, none, none, step + 1)


@inlined
def _leaving_corner(simplex: Any, view: View) -> int:
    """Which of rows 0 to 2 row 3 takes the place of, so that the line stays inside; or -1."""
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
    a: Placed, b: Placed, offset: TVector, view: View, sense: float, simplex: Any
) -> Clipped:
    """Move the triangle along the line, ahead (1) or back (-1), until it is a face."""
    none = TVector(0.0, 0.0, 0.0)
    for step in range(1, _MOST_STEPS):
        p, q, r = vector_at(simplex[0], 0), vector_at(simplex[0], 1), vector_at(simplex[0], 2)
        way = (q - p).cross(r - p) * sense
        fresh = _corner(a, b, offset, simplex, 3, way)
        if (fresh - p).dot(way) <= _ENOUGH * way.mag() * (fresh.mag() + p.mag()) or _repeats(
            simplex, 3
        ):
            return Clipped(_HITS if way.mag_sqr() > 0.0 else _UNKNOWN, way, way, step)
        leaving = _leaving_corner(simplex, view)
        if leaving < 0:
            return Clipped(_UNKNOWN, none, none, step)
        _copy(simplex, leaving, 3)
    return Clipped(_UNKNOWN, none, none, _MOST_STEPS)


# --- In the plane ----------------------------------------------------------------------


@routine
def _find_edge(a: Placed, b: Placed, offset: TVector, view: View, simplex: Any) -> Clipped:
    """Rows 0 and 1 become an edge that the line crosses, from its left to its right."""
    none = TVector(0.0, 0.0, 0.0)
    _copy(simplex, 2, 0)
    if _corner(a, b, offset, simplex, 0, -view.right).dot(view.right) > 0.0:
        return Clipped(_MISSES, view.right, none, 1)
    if _corner(a, b, offset, simplex, 1, view.right).dot(view.right) < 0.0:
        return Clipped(_MISSES, view.right, none, 1)
    _copy(simplex, 2, 0)
    return Clipped(_HITS, none, none, 1)


@routine
def _slide(
    a: Placed, b: Placed, offset: TVector, view: View, sense: float, simplex: Any
) -> Clipped:
    """Move the edge along the line, ahead (1) or back (-1), until it is a face."""
    none = TVector(0.0, 0.0, 0.0)
    for step in range(1, _MOST_STEPS):
        p, side = vector_at(simplex[0], 0), vector_at(simplex[0], 1) - vector_at(simplex[0], 0)
        way = (view.ahead * side.dot(view.right) - view.right * side.dot(view.ahead)) * sense
        fresh = _corner(a, b, offset, simplex, 3, way)
        if (fresh - p).dot(way) <= _ENOUGH * way.mag() * (fresh.mag() + p.mag()) or _repeats(
            simplex, 3
        ):
            return Clipped(_HITS if way.mag_sqr() > 0.0 else _UNKNOWN, way, way, step)
        _copy(simplex, 0 if fresh.dot(view.right) < 0.0 else 1, 3)
        _copy(simplex, 2, 0)
    return Clipped(_UNKNOWN, none, none, _MOST_STEPS)


@routine
def clip(a: Placed, b: Placed, offset: TVector, velocity: TVector, simplex: Any) -> Clipped:
    """The axes on which two cores meet last and part first; `velocity`: of a, seen from b."""
    view = _view(-velocity, a.dimension)
    none = TVector(0.0, 0.0, 0.0)
    if a.dimension == 2:
        found = _find_edge(a, b, offset, view, simplex)
    else:
        found = _find_triangle(a, b, offset, view, simplex)
    if found.hits != _HITS:
        return found
    # The corners are of a − b, through which the origin moves along −velocity.
    if a.dimension == 2:
        first = _slide(a, b, offset, view, -1.0, simplex)
        last = _slide(a, b, offset, view, 1.0, simplex)
    else:
        first = _climb(a, b, offset, view, -1.0, simplex)
        last = _climb(a, b, offset, view, 1.0, simplex)
    tested = found.tested + first.tested + last.tested
    if first.hits != _HITS or last.hits != _HITS:
        return Clipped(_UNKNOWN, none, none, tested)
    return Clipped(_HITS, first.entering, last.leaving, tested)
