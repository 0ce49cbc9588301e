"""What every obstacle is asked, and the answers' types.

Signs: a gap is positive in the open and negative inside the solid; a normal is a unit
vector that points from the surface to the side on which the point is.
"""

from typing import NamedTuple, Protocol, Self

from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector


class Hit(NamedTuple):
    """Where a ray meets a surface: distance from its start, point, normal towards the start."""

    distance: float
    point: TVector
    normal: TVector


class Bounds(NamedTuple):
    """An axis-aligned box; a side that is not bounded lies at ±inf."""

    low: TVector
    high: TVector


class Shape(Protocol):
    """The questions that all shapes answer alike."""

    def offset(self, radius: float) -> Self:
        """The shape grown by a radius: what it is to the centre of a ball."""

    def contact(self, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball going along the ray is stopped; inf if never."""

    def gap(self, point: TVector) -> float:
        """How far a point is from the surface."""

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The normal of the surface at a point on or near it, towards where it is seen from."""

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the surface, or None."""

    def bounds(self) -> Bounds:
        """The axis-aligned box around the solid part."""


def first_hit(shape: Shape, ray: TRay) -> Hit | None:
    """A ray's first hit on a shape: that of a ball of radius 0."""
    parameter = shape.contact(ray, 0.0)
    if parameter == float("inf"):
        return None
    point = ray.at_parameter(parameter)
    normal = shape.normal_at(point, seen_from=ray.origin)
    return Hit(parameter * ray.direction.mag(), point, normal)
