"""All obstacles of a world as arrays: the one place that knows which shapes there are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane

PLANE, CYLINDER = 0, 1


class Obstacles(NamedTuple):
    """kind: shape (k,); numbers: shape (k, 7), point, normal or axis, radius; restitution: (k,)."""

    kind: Any
    numbers: Any
    restitution: Any


def pack(shapes: Sequence[Plane | Cylinder], restitution: Sequence[float]) -> Obstacles:
    """Lay shapes out as arrays, in the order given."""
    kind = [PLANE if isinstance(shape, Plane) else CYLINDER for shape in shapes]
    numbers = [
        [*shape[0], *shape[1], shape.radius if isinstance(shape, Cylinder) else 0.0]
        for shape in shapes
    ]
    return Obstacles(
        np.array(kind, dtype=np.int64),
        np.array(numbers, dtype=np.float64).reshape(-1, 7),
        np.array(restitution, dtype=np.float64),
    )


@inlined
def plane_at(obstacles: Obstacles, k: int) -> Plane:
    """Obstacle k, known to be a plane."""
    row = obstacles.numbers
    return Plane(TVector(row[k, 0], row[k, 1], row[k, 2]), TVector(row[k, 3], row[k, 4], row[k, 5]))


@inlined
def cylinder_at(obstacles: Obstacles, k: int) -> Cylinder:
    """Obstacle k, known to be a cylinder."""
    row = obstacles.numbers
    return Cylinder(
        TVector(row[k, 0], row[k, 1], row[k, 2]),
        TVector(row[k, 3], row[k, 4], row[k, 5]),
        row[k, 6],
    )


@routine
def contact(obstacles: Obstacles, k: int, ray: TRay, radius: float) -> float:
    """The ray parameter at which a ball on the ray is stopped by obstacle k; inf if never."""
    if obstacles.kind[k] == PLANE:
        return plane_at(obstacles, k).contact(ray, radius)
    return cylinder_at(obstacles, k).contact(ray, radius)


@inlined
def gap(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The distance of a point from the surface of obstacle k, negative behind a plane."""
    if obstacles.kind[k] == PLANE:
        return plane_at(obstacles, k).gap(point)
    return cylinder_at(obstacles, k).gap(point)


@routine
def normal_at(obstacles: Obstacles, k: int, point: TVector) -> TVector:
    """The normal of obstacle k nearest to a point, towards that point."""
    if obstacles.kind[k] == PLANE:
        return plane_at(obstacles, k).normal_at(point, point)
    return cylinder_at(obstacles, k).normal_at(point, point)


@inlined
def is_tube(obstacles: Obstacles, k: int, point: TVector) -> bool:
    """Whether obstacle k surrounds a point."""
    return obstacles.kind[k] == CYLINDER and not cylinder_at(obstacles, k).is_outside(point)
