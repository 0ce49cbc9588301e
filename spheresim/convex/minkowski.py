"""The Minkowski difference of two bodies: every a − b, in one convex body.

It contains the origin exactly if the two overlap; the origin's distance from it is theirs
(lecture slides, "Minkowski difference"; the notes call the way out of it the minimum
translational distance).
"""

from typing import NamedTuple

import numpy as np

from spheresim.convex.body import Body
from spheresim.convex.query_arguments import pair, pair_count
from spheresim.convex.shapes import hull_of, pose_of


class MinkowskiDifference(NamedTuple):
    """The answer of `minkowski_difference`.

    body: the difference, with points, faces and radius; pairs: (n, 2), for each of its n points the
    indices of the points of a and of b whose difference it is."""

    body: Body
    pairs: np.ndarray


def minkowski_difference(a: Body, b: Body) -> MinkowskiDifference:
    """The Minkowski difference a − b: all differences of a point of a and a point of b.

    Returns a `MinkowskiDifference`; its radius is the sum of the radii of a and b. Faces that are
    coplanar to rounding are joined.

    >>> from spheresim.convex import box
    >>> box_and_box = minkowski_difference(box((1, 1)), box((2, 1), position=(4, 0)))
    >>> sorted(box_and_box.body.points[:, :2].tolist())
    [[-7.0, -2.0], [-7.0, 2.0], [-1.0, -2.0], [-1.0, 2.0]]
    """
    pair(a, b)
    pair_count(a, b)
    offset = a.position - b.position
    own, others = a.points @ a.rotation.T, b.points @ b.rotation.T
    # Not from world coordinates, which are rounded far from the world's origin.
    differences = (own[:, np.newaxis] - others + offset).reshape(-1, 3)
    magnitude = np.abs(own).max(axis=0) + np.abs(others).max(axis=0) + np.abs(offset)
    home, radius = pose_of(None, None, a.dimension), a.radius + b.radius
    body, which = hull_of(differences, home, a.dimension, radius, magnitude)
    return MinkowskiDifference(body, np.column_stack(np.divmod(which, len(b.points))))
