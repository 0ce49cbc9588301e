"""Bodies of `spheresim.convex` as shapes of obstacles."""

from typing import Any

import numpy as np

from spheresim.obstacles.capsule import Capsule
from spheresim.obstacles.hull import Hull
from spheresim.obstacles.polygon import Polygon
from spheresim.obstacles.sphere import Sphere
from spheresim.obstacles.table import AnyShape, check_shape


def as_shape(given: Any) -> AnyShape:
    """A shape as it is, a convex body of space as the shape that it is.

    ValueError for a body in the plane, TypeError for what is neither.
    """
    if not hasattr(given, "world_points"):  # cheaper than to import what defines it
        check_shape(given)
        return given
    if given.dimension != 3:
        raise ValueError(f"an obstacle must be a body in space, not a body in the plane: {given}")
    points, radius = np.asarray(given.world_points), float(given.radius)
    if len(points) == 1:
        return Sphere(points[0], radius)
    if len(points) == 2:
        return Capsule(points[0], points[1], radius)
    flat = np.linalg.matrix_rank(points - points[0], tol=1e-9 * np.ptp(points, axis=0).max()) < 3
    if flat:
        return Polygon(points[list(given.faces[0])], radius)
    return Hull(points, radius)
