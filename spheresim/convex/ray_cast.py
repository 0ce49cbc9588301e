"""Rays against convex bodies, as users ask: `ray_hit` has the rules and the signs."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.coordinates import vector_row
from spheresim.convex.query_arguments import ManyBodies, several, single
from spheresim.convex.ray_hit import RayHit, cast_rays


def ray_cast(body: Body, origin: Sequence[float], direction: Sequence[float]) -> RayHit:
    """Where a ray from `origin` along `direction`, of any length but zero, first meets a body.

    Returns a `RayHit`. `body.hit(ray)` returns the same as a `Hit`, like all shapes.

    >>> from spheresim.convex import box
    >>> answer = ray_cast(box((1, 1, 1)), (-5, 0.5, 0), (2, 0, 0))
    >>> float(answer.distance), answer.point.tolist(), answer.normal.tolist()
    (4.0, [-1.0, 0.5, 0.0], [-1.0, 0.0, 0.0])
    >>> float(ray_cast(box((1, 1, 1)), (0, 0, 0), (0, 0, 1)).distance)  # from inside
    1.0
    """
    bodies = single(body)
    start = vector_row(origin, bodies.dimension, "a ray's start", math.inf)
    along = vector_row(direction, bodies.dimension, "a ray's direction", math.inf)
    return RayHit(_cast(bodies, start, along).reshape(()))


def ray_cast_batch(bodies: ManyBodies, origins: npt.ArrayLike, directions: npt.ArrayLike) -> RayHit:
    """First hits of many rays: row k is `ray_cast` of ray k on body k.

    `origins`, `directions`: (n, dimension); `bodies`: n bodies. Each of the three may also be a
    single one for all rows.
    """
    return RayHit(_cast(several(bodies), origins, directions))


def _cast(bodies: BodyArrays, origins: npt.ArrayLike, directions: npt.ArrayLike) -> np.ndarray:
    return cast_rays(bodies.geometry, bodies.poses, bodies.dimension, origins, directions)
