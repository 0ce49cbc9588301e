"""The questions that every obstacle answers, and the types of the answers.

Signs, the same for all shapes:

gap         signed distance of a point from the surface: positive in front of a plane and
            outside a cylinder, negative behind the plane and inside the cylinder
clearance   distance of a point from the surface, on whichever side it is; never negative
normal      unit vector from the surface to the side on which the point is

A cylinder is solid to what is outside and a tube to what is inside: a ball in a tube has a
negative gap, and the clearance is what it can move before it touches the wall.
"""

from typing import ClassVar, NamedTuple, Protocol, Self

import numpy.typing as npt

from spheresim.numerics.arrays import Floats
from spheresim.numerics.ray import TRay, checked_ray
from spheresim.numerics.vector import TVector

ALIGNED = 1e-12
"""A unit vector of which a component is no larger than this is at right angles to that axis."""


class Hit(NamedTuple):
    """Where a ray meets a surface.

    distance: from the start of the ray [length]; point: on the surface [length]; normal: of the
    surface, a unit vector to the side on which the ray starts.
    """

    distance: float
    point: TVector
    normal: TVector


class Hits(NamedTuple):
    """Where n rays meet a surface, as arrays.

    distance: (n,), from the start of each ray, inf for a ray that misses [length]; point: (n, 3),
    on the surface; normal: (n, 3), unit, to the side on which the ray starts. Points and normals
    are zeros for a ray that misses.
    """

    distance: Floats
    point: Floats
    normal: Floats


class Bounds(NamedTuple):
    """An axis-aligned box around a shape.

    low, high: the corners with the smallest and the largest coordinates [length]; ±inf on a side
    that is not bounded.
    """

    low: TVector
    high: TVector


class Shape(Protocol):
    """A surface that stops balls. Its fields are the keys of its table in a scene file."""

    kind: ClassVar[str]
    """The name of its table in a scene file, as in `[[plane]]`."""

    def offset(self, radius: float) -> Self:
        """The shape grown by a radius: the centre of a ball outside stops at its surface."""

    def toi(self, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball with its centre on the ray is stopped; inf if never.

        With the velocity as the ray's direction it is the time of impact.
        """

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """The time of impact of a ball at x with velocity v and acceleration g; inf if never.

        For an impact later than `until` the result may be inf.
        """

    def is_receding(self, position: TVector, velocity: TVector, acceleration: TVector) -> bool:
        """Whether a point moves away from the surface, and its acceleration never turns it back."""

    def gap(self, point: TVector) -> float:
        """The signed distance of a point from the surface, negative behind or inside it."""

    def gaps(self, points: Floats) -> Floats:
        """The gap of many points (n, 3) at once, shape (n,)."""

    def normals(self, points: Floats) -> Floats:
        """The normal towards each of many points (n, 3) at once, shape (n, 3)."""

    def clearance(self, point: TVector) -> float:
        """The distance of a point from the surface, on whichever side it is."""

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The normal of the surface at a point on or near it, towards where it is seen from."""

    def bend(self, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the clearance of a point with constant velocity.

        Negative where the surface curves towards the point, as in a tube; positive where it curves
        away.
        """

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the surface, or None."""

    def hit_batch(self, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Hits:
        """`hit` of many rays, to the bit: starts and directions (n, 3), or one for all."""

    def toi_batch(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
    ) -> Floats:
        """`toi` of many balls, to the bit, shape (n,): vectors (n, 3), radii (n,), or one for all.

        inf for a ball that does not move.
        """

    def bounds(self) -> Bounds:
        """The axis-aligned box around the solid part."""


def first_hit(shape: Shape, ray: TRay) -> Hit | None:
    """A ray's first hit on a shape: that of a ball of radius 0."""
    parameter = shape.toi(checked_ray(ray), 0.0)
    if parameter == float("inf"):
        return None
    point = ray.at_parameter(parameter)
    normal = shape.normal_at(point, seen_from=ray.origin)
    return Hit(parameter * ray.direction.mag(), point, normal)
