"""The Minkowski difference of two bodies: every a − b, in one convex body.

It contains the origin exactly if the two overlap; the origin's distance from it is theirs
(lecture slides, "Minkowski difference"; the notes call the way out of it the minimum
translational distance).
"""

from typing import NamedTuple

import numpy as np

from spheresim.convex.body import Body, asked
from spheresim.convex.make import hull


class MinkowskiDifference(NamedTuple):
    """`body`: the difference, to draw by its points, faces and radius, about the origin.

    `pairs`: for each of its points those of a and of b of which it is the difference, (n, 2).
    """

    body: Body
    pairs: np.ndarray


def minkowski_difference(a: Body, b: Body) -> MinkowskiDifference:
    """The hull of all differences of the cores' points, rounded by both radii.

    >>> from spheresim.convex import box
    >>> box_and_box = minkowski_difference(box((1, 1)), box((2, 1), position=(4, 0)))
    >>> sorted(box_and_box.body.points[:, :2].tolist())
    [[-7.0, -2.0], [-7.0, 2.0], [-1.0, -2.0], [-1.0, 2.0]]
    """
    asked(a, b)
    differences = (a.world_points[:, np.newaxis] - b.world_points).reshape(-1, 3)
    body = hull(differences[:, : a.dimension], radius=a.radius + b.radius)
    away = np.sum((body.points[:, np.newaxis] - differences) ** 2, axis=2)
    which = np.argmin(away, axis=1)
    return MinkowskiDifference(body, np.column_stack(np.divmod(which, len(b.points))))
