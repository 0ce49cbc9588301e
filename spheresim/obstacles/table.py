"""The table of the shapes that there are, and all obstacles of a world as arrays.

`SHAPES` lists the shapes; the place of a shape in it is its number in `Obstacles.kind`. Each
function below asks obstacle k one of the questions of `shape`: a kernel can choose between
classes only by a branch for each kind, and those branches stand in this file alone.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane

AnyShape: TypeAlias = Plane | Cylinder

SHAPES: tuple[type[AnyShape], ...] = (Plane, Cylinder)
SHAPE_OF: dict[str, type[AnyShape]] = {shape.kind: shape for shape in SHAPES}
"""The shape of each kind, in the order of a world's obstacles."""

_PLANE, _CYLINDER = 0, 1
_COLUMNS = 7


class Obstacles(NamedTuple):
    """kind: index into SHAPES, shape (k,); numbers: the shape's fields one after another, filled
    up with zeros, shape (k, 7); restitution: (k,)."""

    kind: Any
    numbers: Any
    restitution: Any


def pack(shapes: Sequence[AnyShape], restitution: Sequence[float]) -> Obstacles:
    """Lay shapes out as arrays, in the order given; TypeError for what is no shape."""
    kind = np.zeros(len(shapes), dtype=np.int64)
    numbers = np.zeros((len(shapes), _COLUMNS))
    for k, shape in enumerate(shapes):
        if not isinstance(shape, SHAPES):
            raise TypeError(f"an obstacle must be one of {', '.join(SHAPE_OF)}, not {shape!r}")
        kind[k] = SHAPES.index(SHAPE_OF[shape.kind])
        fields = np.hstack(shape)
        numbers[k, : len(fields)] = fields
    return Obstacles(kind, numbers, np.array(restitution, dtype=np.float64))


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
def toi(obstacles: Obstacles, k: int, ray: TRay, radius: float) -> float:
    """The ray parameter at which a ball on the ray is stopped by obstacle k; inf if never."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).toi(ray, radius)
    return cylinder_at(obstacles, k).toi(ray, radius)


@routine
def falling_toi(
    obstacles: Obstacles, k: int, x: TVector, v: TVector, g: TVector, radius: float, until: float
) -> float:
    """The time of impact of a ball with acceleration g and obstacle k; inf if not until then."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).falling_toi(x, v, g, radius, until)
    return cylinder_at(obstacles, k).falling_toi(x, v, g, radius, until)


@inlined
def is_receding(
    obstacles: Obstacles, k: int, position: TVector, velocity: TVector, acceleration: TVector
) -> bool:
    """Whether a point moves away from obstacle k and is not pulled back to it."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).is_receding(position, velocity, acceleration)
    return cylinder_at(obstacles, k).is_receding(position, velocity, acceleration)


@inlined
def gap(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The signed distance of a point from obstacle k, negative behind or inside its surface."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).gap(point)
    return cylinder_at(obstacles, k).gap(point)


@inlined
def clearance(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The distance of a point from the surface of obstacle k, on whichever side it is."""
    return abs(gap(obstacles, k, point))


@routine
def normal_at(obstacles: Obstacles, k: int, point: TVector) -> TVector:
    """The normal of obstacle k nearest to a point, towards that point."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).normal_at(point, point)
    return cylinder_at(obstacles, k).normal_at(point, point)


@routine
def bend(obstacles: Obstacles, k: int, point: TVector, velocity: TVector) -> float:
    """The second time derivative of a point's clearance from obstacle k, if it goes straight on."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).bend(point, velocity)
    return cylinder_at(obstacles, k).bend(point, velocity)


@inlined
def curvature_radius(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The radius of the path of a point that goes around obstacle k; inf where that is flat."""
    if obstacles.kind[k] == _PLANE:
        return math.inf
    cylinder = cylinder_at(obstacles, k)
    return cylinder.radius + cylinder.gap(point)


@inlined
def is_tube(obstacles: Obstacles, k: int, point: TVector) -> bool:
    """Whether obstacle k is a tube to a point: a cylinder that has it inside."""
    return obstacles.kind[k] == _CYLINDER and cylinder_at(obstacles, k).is_tube(point)


@inlined
def is_behind(obstacles: Obstacles, k: int, point: TVector) -> bool:
    """Whether obstacle k lets through a ball with its centre there: it is behind a plane."""
    return obstacles.kind[k] == _PLANE and plane_at(obstacles, k).gap(point) <= 0.0


@inlined
def is_flat(obstacles: Obstacles, k: int) -> bool:
    """Whether obstacle k is a plane: a ball can lie on it, and its normal is everywhere the same.

    A cylinder bends away from a ball, or towards it.
    """
    return bool(obstacles.kind[k] == _PLANE)


@inlined
def has_images(obstacles: Obstacles, k: int) -> bool:
    """Whether a periodic box holds images of obstacle k besides itself.

    A plane goes along all periodic axes, and is its own image.
    """
    return bool(obstacles.kind[k] != _PLANE)


@inlined
def point_of(obstacles: Obstacles, k: int) -> TVector:
    """The point by which obstacle k was given."""
    return vector_at(obstacles.numbers, k)
