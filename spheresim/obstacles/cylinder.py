"""The infinite cylinder: a pillar from outside, a tube from inside.

Looked at along its axis it is a circle and the ball a moving point, so its ray
intersection is the quadratic of two balls (Graphics Gems IV, "Intersecting a ray with a
cylinder", which the tutorial points to, solves the same equation). The view along the
axis is D = d × axis, V = v × axis: turned by 90°, with all lengths and products kept.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import python_only, value
from spheresim.numerics.arguments import direction_of, finite_vector, number
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.vector import TVector, VectorLike, takes_vectors
from spheresim.obstacles.shape import Bounds, Hit, first_hit


class _AxisAndRadius(NamedTuple):
    point: TVector
    axis: TVector
    radius: float


@value
class Cylinder(_AxisAndRadius):
    """An infinite cylinder around the line through `point` along `axis`.

    >>> pillar = Cylinder((0, 0, 0), (0, 0, 3), 2)
    >>> pillar.hit(TRay((-5, 0, 0), (1, 0, 0)))
    Hit(distance=3.0, point=TVector(x=-2.0, y=0.0, z=0.0), normal=TVector(x=-1.0, y=0.0, z=0.0))
    >>> pillar.hit(TRay((1, 0, 0), (1, 0, 0)))  # from inside, as a tube
    Hit(distance=1.0, point=TVector(x=2.0, y=0.0, z=0.0), normal=TVector(x=-1.0, y=0.0, z=0.0))
    >>> pillar.offset(0.5).radius, pillar.gap((0, 5, 9)), pillar.gap((0, 1.5, 9))
    (2.5, 3.0, 0.5)

    Rays that run along the axis, leave or pass by meet nothing; one that touches meets it.

    >>> misses = (0, (0, 0, 1)), (0, (-1, 0, 0)), (3, (1, 0, 0))
    >>> [pillar.hit(TRay((-5, y, 0), direction)) for y, direction in misses]
    [None, None, None]
    >>> pillar.hit(TRay((-5, 2, 0), (1, 0, 0))).distance
    5.0
    """

    __slots__ = ()

    def __new__(cls, point: VectorLike, axis: VectorLike, radius: float) -> "Cylinder":
        return super().__new__(
            cls,
            finite_vector(point, "a cylinder's point"),
            direction_of(axis, "a cylinder's axis"),
            number(radius, "a cylinder's radius", low=0.0),
        )

    def offset(self, radius: float) -> "Cylinder":
        """The cylinder grown by a radius, or shrunk by a negative one (at most to its axis)."""
        return Cylinder(self.point, self.axis, max(self.radius + radius, 0.0))

    @takes_vectors
    def is_outside(self, point: TVector) -> bool:
        """Whether the cylinder is a pillar, and not a tube, to a point."""
        return (point - self.point).cross(self.axis).mag() >= self.radius

    @takes_vectors
    def gap(self, point: TVector) -> float:
        """The distance of a point from the surface, outside and inside alike."""
        return abs((point - self.point).cross(self.axis).mag() - self.radius)

    def contact(self, ray: TRay, radius: float) -> float:
        """The ray's first meeting with the cylinder grown (pillar) or shrunk (tube) by the radius.

        A ball that overlaps the surface is stopped at once if it approaches (t = 0).
        """
        d = (ray.origin - self.point).cross(self.axis)
        v = ray.direction.cross(self.axis)
        if self.is_outside(ray.origin):
            return contact_quadratic(d, v, self.offset(radius).radius).first_root()
        return contact_quadratic(d, v, self.offset(-radius).radius).last_root()

    @takes_vectors
    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """Away from the axis if seen from outside, towards it from inside."""
        d = point - self.point
        radial = d - self.axis * d.dot(self.axis)
        if radial.mag_sqr() == 0.0:
            return self.axis.perpendicular()
        outwards = radial.unit()
        return outwards if self.is_outside(seen_from) else TVector(0.0, 0.0, 0.0) - outwards

    @python_only
    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray meets the cylinder, from outside or from inside, or None."""
        return first_hit(self, ray)

    @python_only
    def bounds(self) -> Bounds:
        """The box around it: bounded only at right angles to an axis of coordinates."""
        low, high = [-math.inf] * 3, [math.inf] * 3
        for axis, component in enumerate(self.axis):
            if component == 0.0:
                low[axis] = self.point[axis] - self.radius
                high[axis] = self.point[axis] + self.radius
        return Bounds(TVector(low), TVector(high))
