"""Times of impact of many balls and one obstacle."""

import numpy.typing as npt

from spheresim.model.convex_obstacles import as_shape
from spheresim.numerics.arrays import Floats


def obstacle_toi_batch(
    shape: object, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
) -> Floats:
    """Times at which many balls in straight flight touch an obstacle, (n,); inf for never.

    `shape`: a shape, a body of `spheresim.convex`, or an `Obstacle` whose shape is used. Positions
    and velocities have the shape (n, 3), radii (n,); a single vector or number is used for all
    rows. Row k has the same bits as `obstacle_toi` of ball k. TypeError if `shape` is no obstacle;
    ValueError for arrays of other shapes, numbers that are not finite, and negative radii.

    >>> from spheresim.obstacles.plane import Plane
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> obstacle_toi_batch(floor, [(0, 3, 0), (0, 5, 0)], (0, -2, 0), 1).tolist()
    [1.0, 2.0]
    """
    return as_shape(getattr(shape, "shape", shape)).toi_batch(position, velocity, radius)
