"""Times of impact of many balls and one obstacle."""

from typing import Any

from spheresim.model.convex_obstacles import as_shape


def obstacle_toi_batch(shape: Any, position: Any, velocity: Any, radius: Any) -> Any:
    """`obstacle_toi` of many balls, to the bit: times (n,), inf for never.

    `shape`: any obstacle's shape, a body of `spheresim.convex`, or an `Obstacle`, which stands for
    its shape. Positions and velocities have the shape (n, 3), radii (n,); one vector or number is
    for all. TypeError for what is no obstacle; ValueError for other shapes of arrays, what is not
    finite, and negative radii.

    >>> from spheresim.obstacles.plane import Plane
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> obstacle_toi_batch(floor, [(0, 3, 0), (0, 5, 0)], (0, -2, 0), 1).tolist()
    [1.0, 2.0]
    """
    return as_shape(getattr(shape, "shape", shape)).toi_batch(position, velocity, radius)
