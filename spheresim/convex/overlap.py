"""Whether two bodies overlap; most pairs are decided without a search.

Bodies whose bounding balls are apart do not overlap; bodies whose inscribed balls overlap do. For
two boxes the 15 axes decide, for others GJK, which ends at the first axis that separates the two
(G. van den Bergen, A fast and robust GJK implementation for collision detection of convex
objects, 1999). Bodies that touch overlap.
"""

import numpy as np

from spheresim.compiler.decorators import routine
from spheresim.convex.body import Body
from spheresim.convex.geometry.posed_body import MinkowskiDifference, balls_of
from spheresim.convex.gjk.search import LIMIT, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import ManyBodies, pair, pairs
from spheresim.convex.separating_axes.axes import boxes_apart
from spheresim.numerics.arrays import Booleans, Floats


@routine
def overlap_in(difference: MinkowskiDifference, simplex: Floats) -> bool:
    """Whether two bodies have a point in common. `simplex`: scratch, one simplex."""
    a, b, offset = difference
    ball_a, ball_b = balls_of(a), balls_of(b)
    radii = a.radius + b.radius
    distance_sqr = (ball_b.centre - ball_a.centre + offset).mag_sqr()
    if distance_sqr > (ball_a.outer + ball_b.outer + radii) ** 2:
        return False
    within = ball_a.inner + ball_b.inner + radii
    if within > 0.0 and distance_sqr < within**2:
        return True
    if (a.half.z > 0.0) & (b.half.z > 0.0) & (radii == 0.0):
        return not boxes_apart(difference)
    simplex[0, 0, INDEX_A] = -1.0
    found = closest(difference, simplex, 0, LIMIT, radii)
    return found.overlapping or found.point.mag() <= radii


@routine
def _overlap(
    difference: MinkowskiDifference,
    k: int,
    scratch: Scratch,
    _given: object,
    records: Booleans,
) -> None:
    """Answer `bodies_overlap` of pair k."""
    records[k] = overlap_in(difference, scratch.simplices)


_overlaps = pair_kernel(_overlap)

_ANSWER = np.dtype(np.bool_)


def bodies_overlap(a: Body, b: Body) -> bool:
    """Whether two bodies have a point in common; touching to rounding counts.

    >>> from spheresim.convex import box, sphere
    >>> bodies_overlap(box((1, 1, 1)), sphere(1, (1.5, 0, 0)))
    True
    >>> bodies_overlap(box((1, 1, 1)), sphere(1, (1.75, 1.75, 0)))
    False
    """
    return bool(ask(_overlaps, *pair(a, b), _ANSWER)[0])


def bodies_overlap_batch(a: ManyBodies, b: ManyBodies) -> np.ndarray:
    """Whether bodies a[k] and b[k] have a point in common, for all k, (n,) bool."""
    return ask(_overlaps, *pairs(a, b), _ANSWER)
