"""The questions that every obstacle answers, and the types of the answers.

Signs, the same for all shapes:

gap         signed distance of a point from the surface: positive in front of a plane and
            outside a cylinder, negative behind the plane and inside the cylinder
clearance   distance of a point from the surface, on whichever side it is; never negative
normal      unit vector from the surface to the side on which the point is

A cylinder is solid to what is outside and a tube to what is inside: a ball in a tube has a
negative gap, and the clearance is what it can move before it touches the wall.
"""

from typing import Any, ClassVar, NamedTuple, Protocol, Self

from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector

ALIGNED = 1e-12
"""A unit vector of which a component is no larger than this is at right angles to that axis."""


class Hit(NamedTuple):
    """Where a ray meets a surface: distance from the start, point, unit normal towards it."""

    distance: float
    point: TVector
    normal: TVector


class Hits(NamedTuple):
    """Where many rays meet a surface: distance (n,), inf for a ray that misses; point and normal,
    (n, 3) each, zeros for one that misses."""

    distance: Any
    point: Any
    normal: Any


class Bounds(NamedTuple):
    """An axis-aligned box; ±inf on a side that is not bounded."""

    low: TVector
    high: TVector


class Shape(Protocol):
    """A surface that stops balls. Its fields are the keys of its table in a scene file."""

    kind: ClassVar[str]
    """The name of its table in a scene file, as in `[[plane]]`."""

    def offset(self, radius: float) -> Self:
        """The shape grown by a radius: what it is to the centre of a ball outside it."""

    def toi(self, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball with its centre on the ray is stopped; inf if never.

        With the velocity as the ray's direction it is the time of impact.
        """

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """The time of impact of a ball at x with velocity v and acceleration g; inf if never.

        An impact later than `until` may be given as inf.
        """

    def is_receding(self, position: TVector, velocity: TVector, acceleration: TVector) -> bool:
        """Whether a point moves away from the surface, and never comes back by its acceleration."""

    def gap(self, point: TVector) -> float:
        """The signed distance of a point from the surface, negative behind or inside it."""

    def gaps(self, points: Any) -> Any:
        """The gap of many points (n, 3) at once, shape (n,)."""

    def normals(self, points: Any) -> Any:
        """The normal towards each of many points (n, 3) at once, shape (n, 3)."""

    def clearance(self, point: TVector) -> float:
        """The distance of a point from the surface, on whichever side it is."""

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The normal of the surface at a point on or near it, towards where it is seen from."""

    def bend(self, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the clearance of a point that goes straight on.

        Negative where the surface rises to meet it, as in a tube, positive where it falls away.
        """

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the surface, or None."""

    def hit_batch(self, origin: Any, direction: Any) -> Hits:
        """`hit` of many rays, to the bit: starts and directions (n, 3), or one for all."""

    def toi_batch(self, position: Any, velocity: Any, radius: Any) -> Any:
        """`toi` of many balls, to the bit, shape (n,): vectors (n, 3), radii (n,), or one for all.

        inf for a ball that does not move.
        """

    def bounds(self) -> Bounds:
        """The axis-aligned box around the solid part."""


def first_hit(shape: Shape, ray: TRay) -> Hit | None:
    """A ray's first hit on a shape: that of a ball of radius 0."""
    parameter = shape.toi(ray, 0.0)
    if parameter == float("inf"):
        return None
    point = ray.at_parameter(parameter)
    normal = shape.normal_at(point, seen_from=ray.origin)
    return Hit(parameter * ray.direction.mag(), point, normal)
