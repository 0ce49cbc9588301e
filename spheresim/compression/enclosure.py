"""The closed space in which balls may grow: periodic axes, parallel planes, and a tube."""

import math
from collections.abc import Sequence

import numpy as np

from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane, walled_room


def enclosed_volume(obstacles: Sequence[Obstacle], box: Box | None, position: Floats) -> float:
    """The volume that closes around balls at positions (n, 3), with what stands in it.

    Along each axis space is periodic, or closed by two planes; a tube along one axis around all
    balls takes the place of planes along the other two. ValueError says where it is open, or which
    obstacle is neither a plane nor a cylinder.
    """
    shapes = [obstacle.shape for obstacle in obstacles]
    for obstacle in obstacles:
        if not isinstance(obstacle.shape, Plane | Cylinder):
            raise ValueError(
                f"{obstacle.name or 'an obstacle'} is a {obstacle.shape.kind}: balls grow between "
                "planes and cylinders only"
            )
    low, high = walled_room([shape for shape in shapes if isinstance(shape, Plane)])
    sides = [b - a for a, b in zip(low, high, strict=True)]
    if box is not None:
        three = zip(sides, box.size, box.periodic, strict=True)
        sides = [size if wraps else side for side, size, wraps in three]
    area = 1.0
    for shape in shapes:
        if isinstance(shape, Cylinder) and bool(np.all(shape.gaps(position) < 0.0)):
            across = [k for k in range(3) if math.isfinite(shape.bounds().low[k])]
            if len(across) == 2 and all(sides[k] >= 2.0 * shape.radius for k in across):
                area = math.pi / 4.0
                for k in across:
                    sides[k] = 2.0 * shape.radius
    for letter, side in zip("xyz", sides, strict=True):
        if side == math.inf:
            raise ValueError(
                f"space is open along {letter}: there it must be periodic, or closed by two planes"
            )
        if side <= 0.0:
            raise ValueError(f"the planes leave no room along {letter}")
    return area * math.prod(sides)
