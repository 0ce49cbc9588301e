"""The parts of a shape in a world, each of one kind: questions are about pairs of parts.

Spheres, capsules, cuboids, hulls and polygons are convex bodies, so each question about two of
them is one of `spheresim.convex`. A mesh is one part whose triangles are convex bodies too. Planes
and infinite cylinders have no ends; discs, rings and capped cylinders are surfaces, each with its
own questions.

A part lies in its shape's own frame. The shape's position is the place of that frame's origin: the
centre of spheres, cuboids, discs and rings, the middle of capsules and capped cylinders, the point
of planes and cylinders, a body's own position, and (0, 0, 0) for what is made of points.
"""

from collections.abc import Sequence
from functools import lru_cache
from numbers import Number
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spheresim.collision_world.triangles import triangles_of
from spheresim.convex.body import Body
from spheresim.convex.geometry.rotation import no_rotation
from spheresim.convex.shapes import box, capsule, hull, sphere
from spheresim.numerics.arguments import shown
from spheresim.numerics.arrays import Floats, Integers
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.capped_cylinder import CappedCylinder
from spheresim.obstacles.capsule import Capsule
from spheresim.obstacles.compound import Compound
from spheresim.obstacles.cuboid import Cuboid
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.disc import Disc
from spheresim.obstacles.hull import Hull
from spheresim.obstacles.mesh import Mesh
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.polygon import Polygon
from spheresim.obstacles.ring import Ring
from spheresim.obstacles.rotation import matrix_of
from spheresim.obstacles.sphere import Sphere
from spheresim.obstacles.table import AnyShape

SPHERE, CONVEX, MESH, PLANE, CYLINDER, ROUND, RING = range(7)
"""Kinds of parts; the first two are bodies of `spheresim.convex`."""

KIND_NAMES = (
    "sphere",
    "convex body",
    "mesh",
    "plane",
    "infinite cylinder",
    "disc, capped cylinder",
    "ring",
)

ORIGIN = (0.0, 0.0, 0.0)


Given: TypeAlias = AnyShape | Body | Sequence[AnyShape | Body]
"""What can be put into a world: an obstacle, a body in space, or several as one shape."""


class Part(NamedTuple):
    """kind: see above; solid: a convex body at the frame's origin, or any other shape."""

    kind: int
    solid: Any


class PartArrays(NamedTuple):
    """The parts of a world as kernels read them.

    kind, owner, poses, motions, own, low, high: of parts, see `Shapes`; group: of slots; geometry:
    of all bodies.
    """

    kind: Integers
    owner: Integers
    group: Integers
    geometry: Floats
    poses: Floats
    motions: Floats
    own: Floats
    low: Floats
    high: Floats


class Model(NamedTuple):
    """A shape as a world keeps it: its parts in its own frame, and where that frame was given."""

    parts: tuple[Part, ...]
    position: Floats
    rotation: Floats


def model_of(shape: object) -> Model:
    """The parts of a shape: any obstacle or body in space, or several of them in a list.

    TypeError for what is no such shape, ValueError for a body in the plane.
    """
    if isinstance(shape, Body):
        if shape.dimension != 3:
            raise ValueError("a collision world needs bodies in space, not a body in the plane")
        return Model((_part_of(shape.at(ORIGIN, no_rotation())),), shape.position, shape.rotation)
    if isinstance(shape, Cuboid):
        half = tuple(0.5 * length for length in shape.size)
        body = _box(half, shape.rounding)
        return Model((_part_of(body),), np.array(shape.center), matrix_of(shape.rotation))
    if isinstance(shape, Sphere):
        return Model((_part_of(_ball(shape.radius)),), np.array(shape.center), no_rotation())
    position, at_origin = _centred(shape)
    return Model(_parts_in_place(at_origin), np.array(position), no_rotation())


def _centred(shape: Any) -> tuple[Any, Any]:
    """A shape's own origin, and the shape moved to have it at (0, 0, 0)."""
    if isinstance(shape, Disc | Ring | Plane | Cylinder):  # its place is the first field
        return shape[0], type(shape)(ORIGIN, *shape[1:])
    if isinstance(shape, Capsule | CappedCylinder):
        middle = (shape.a + shape.b) * 0.5
        return middle, type(shape)(shape.a - middle, shape.b - middle, shape.radius)
    return ORIGIN, shape


def is_obstacle(shape: object) -> bool:
    """Whether something is an obstacle: many are tuples, but none is a tuple of shapes."""
    return isinstance(shape, AnyShape)


def _parts_in_place(shape: object) -> tuple[Part, ...]:
    """The parts of a shape as it lies in its frame."""
    if isinstance(shape, Compound):
        return _parts_of_many(shape.parts)
    if isinstance(shape, list | tuple) and not is_obstacle(shape):
        if not shape:
            raise ValueError("a shape of several parts needs at least one")
        if any(isinstance(each, Number) for each in shape):
            raise _no_shape(shape)
        return _parts_of_many(shape)
    if isinstance(shape, Sphere):
        return (_part_of(hull([shape.center], radius=shape.radius)),)
    if isinstance(shape, Capsule):
        return (_part_of(capsule(shape.a, shape.b, shape.radius)),)
    if isinstance(shape, Hull | Polygon):
        return (_part_of(hull(shape.points, radius=shape.rounding)),)
    for kind, classes in _OTHERS.items():
        if isinstance(shape, classes):
            return (Part(kind, triangles_of(shape) if kind == MESH else shape),)
    raise _no_shape(shape)


def _no_shape(given: object) -> TypeError:
    return TypeError(
        f"a world's shapes are obstacles, bodies of spheresim.convex, or lists of these, "
        f"not {shown(given)}"
    )


_OTHERS: dict[int, Any] = {
    MESH: Mesh,
    PLANE: Plane,
    CYLINDER: Cylinder,
    ROUND: Disc | CappedCylinder,
    RING: Bounded,
}


def _parts_of_many(shapes: Any) -> tuple[Part, ...]:
    """The parts of several shapes in one frame; bodies are made anew from their points there."""
    parts: list[Part] = []
    for shape in shapes:
        if isinstance(shape, Body | Cuboid):
            (one,), position, rotation = model_of(shape)
            placed = one.solid.at(position, rotation)
            parts.append(_part_of(hull(placed.world_points, radius=placed.radius)))
        else:
            parts += _parts_in_place(shape)
    return tuple(parts)


def _part_of(body: Body) -> Part:
    return Part(SPHERE if len(body.points) == 1 else CONVEX, body)


# Equal shapes share a geometry, which a world then holds once.


@lru_cache(4096)
def _ball(radius: float) -> Body:
    return sphere(radius)


@lru_cache(4096)
def _box(half: tuple[float, ...], rounding: float) -> Body:
    return box(half, radius=rounding)
