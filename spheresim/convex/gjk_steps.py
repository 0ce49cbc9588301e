"""The steps of GJK one by one, for display: simplices that close in on the origin."""

from typing import NamedTuple

import numpy as np

from spheresim.convex.body import Body
from spheresim.convex.geometry.posed_body import difference_of, posed_body
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, search, start_simplex
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A, WEIGHT
from spheresim.convex.query_arguments import pair, pair_count
from spheresim.numerics.vector import TVector


class Step(NamedTuple):
    """One step: the simplex's corners, shape (1 to 4, 3), and its point nearest to the origin.

    `pairs`: for each of k corners the points of a and of b whose difference it is, (k, 2);
    `finished`: no corner lies further towards the origin, or the origin is reached.
    """

    corners: np.ndarray
    pairs: np.ndarray
    nearest: TVector
    finished: bool


def gjk_steps(a: Body, b: Body) -> list[Step]:
    """The steps of `gjk`, for teaching: its simplices in the Minkowski difference.

    Returns a list of `Step`; each simplex is nearer to the origin than the one before.

    >>> from spheresim.convex import box
    >>> for step in gjk_steps(box((1, 1)), box((1, 1), position=(4, 0.5))):
    ...     print(step.corners[:, :2].tolist(), step.nearest[:2])
    [[-2.0, 1.5]] (-2.0, 1.5)
    [[-2.0, 1.5], [-2.0, -2.5]] (-2.0, 0.0)
    """
    pair_count(*pair(a, b))
    first, second = posed_body(a.geometry, a.poses, 0), posed_body(b.geometry, b.poses, 0)
    difference = difference_of(first, second)
    simplex = np.full((1, CORNERS, COLUMNS), -1.0)
    steps: list[Step] = []
    while len(steps) < LIMIT and not (steps and steps[-1].finished):
        count = start_simplex(difference, simplex, 0)
        corners, pairs = simplex[0, :count, :INDEX_A].copy(), simplex[0, :count, INDEX_A:WEIGHT]
        indices = pairs.astype(np.int64)
        found = search(difference, simplex, 0, 1, NEVER_ENOUGH)
        steps.append(Step(corners, indices, found.point, found.finished))
    return steps
