"""The infinite cylinder: a pillar to what is outside, a tube to what is inside.

Seen along its axis it is a circle and the ball a moving point, so its ray intersection is
the quadratic of two balls (Graphics Gems IV, "Intersecting a ray with a cylinder", which
the tutorial points to, solves the same equation). The view along the axis is D = d × axis,
V = v × axis: turned by 90°, which changes neither lengths nor products.
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.compiler.decorators import python_only, value
from spheresim.numerics.arguments import (
    LARGEST_INPUT,
    direction_of,
    length,
    number,
    place,
    takes_points,
)
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import first_contact_root, growing_contact_quadratic
from spheresim.numerics.vector import ZERO, TVector, VectorLike
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.round import (
    bend_around,
    falling_quartic,
    stop_radius,
    straight_toi,
    units_of,
)
from spheresim.obstacles.shape import ALIGNED, Shape


class _AxisAndRadius(NamedTuple):
    point: TVector
    axis: TVector
    radius: float


@value
class Cylinder(Shape, _AxisAndRadius):
    """An infinite cylinder: a pillar to balls outside, a tube to balls inside.

    point: any point on the axis, (3,) [length]; axis: its direction, of any length but 0; radius >
    0 [length].

    >>> pillar = Cylinder((0, 0, 0), (0, 0, 3), 2)
    >>> pillar.hit(TRay((-5, 0, 0), (1, 0, 0)))
    Hit(distance=3.0, point=TVector(x=-2.0, y=0.0, z=0.0), normal=TVector(x=-1.0, y=0.0, z=0.0))
    >>> pillar.hit(TRay((1, 0, 0), (1, 0, 0)))  # from inside, as a tube
    Hit(distance=1.0, point=TVector(x=2.0, y=0.0, z=0.0), normal=TVector(x=-1.0, y=0.0, z=0.0))
    >>> pillar.offset(0.5).radius, pillar.gap((0, 5, 9)), pillar.gap((0, 1.5, 9))
    (2.5, 3.0, -0.5)
    >>> pillar.clearance((0, 5, 9)), pillar.clearance((0, 1.5, 9))
    (3.0, 0.5)

    A ray along the axis, away from the cylinder or past it has no hit; a ray that grazes has one.

    >>> misses = (0, (0, 0, 1)), (0, (-1, 0, 0)), (3, (1, 0, 0))
    >>> [pillar.hit(TRay((-5, y, 0), direction)) for y, direction in misses]
    [None, None, None]
    >>> pillar.hit(TRay((-5, 2, 0), (1, 0, 0))).distance
    5.0
    """

    __slots__ = ()

    kind: ClassVar[str] = "cylinder"
    title: ClassVar[str] = "Infinite cylinders: pillars to balls outside, tubes to balls inside"
    fields: ClassVar[dict[str, ShapeField]] = {
        "point": ShapeField("vector", "A point on the axis [length]"),
        "axis": ShapeField(
            "direction",
            "The direction of the axis; of any length but 0; in a periodic box along a periodic "
            "axis, or at right angles to all periodic axes",
        ),
        "radius": ShapeField(
            "positive",
            "The radius, greater than 0; in a periodic box at most half a period across the axis "
            "[length]",
        ),
    }

    def __new__(cls, point: VectorLike, axis: VectorLike, radius: float) -> "Cylinder":
        return super().__new__(
            cls,
            place(point, "a cylinder's point"),
            direction_of(axis, "a cylinder's axis"),
            length(radius, "a cylinder's radius"),
        )

    @python_only
    def __reduce__(self) -> tuple[object, ...]:
        """A copy is made without the check of the radius, which `offset` may have made 0."""
        return Cylinder._make, (tuple(self),)

    @property
    def bore(self) -> float | None:
        """Its radius."""
        return self.radius

    @python_only
    def offset(self, radius: float) -> "Cylinder":
        """The cylinder grown by a radius, or shrunk by a negative one (at most to its axis)."""
        # Its radius may be 0, which that of no cylinder that a user makes is.
        by = number(radius, "an offset", -LARGEST_INPUT, LARGEST_INPUT)
        return self._replace(radius=stop_radius(self.radius, by, False))

    @takes_points
    def gap(self, point: TVector) -> float:
        """The signed distance of a point from the surface, negative inside."""
        return self._from_axis(point).mag() - self.radius

    @takes_points
    def clearance(self, point: TVector) -> float:
        """The distance of a point from the surface, outside and inside alike."""
        return abs(self.gap(point))

    @python_only
    def gaps(self, points: Floats) -> Floats:
        """The gap of many points (n, 3) at once, shape (n,)."""
        d = np.cross(points - np.array(self.point), np.array(self.axis))
        return np.linalg.norm(d, axis=1) - self.radius

    @python_only
    def normals(self, points: Floats) -> Floats:
        """The normal towards each of many points (n, 3), shape (n, 3), as `normal_at` for one."""
        d, axis = points - np.array(self.point), np.array(self.axis)
        unit, distance = units_of(d - (d @ axis)[:, None] * axis)
        unit[distance == 0.0] = self.axis.perpendicular()
        return np.where((self.gaps(points) < 0.0) & (distance > 0.0), -1.0, 1.0)[:, None] * unit

    @takes_points
    def is_tube(self, point: TVector) -> bool:
        """Whether the cylinder is a tube to a point, which is inside it, and not a pillar."""
        return self.gap(point) < 0.0

    @python_only
    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool."""
        return self.gaps(points) < 0.0

    def toi(self, ray: TRay, radius: float) -> float:
        """The ray's first contact with the cylinder grown (pillar) or shrunk (tube) by the radius.

        A ball that overlaps the surface is stopped at once if it approaches (t = 0).
        """
        d, v = self._from_axis(ray.origin), ray.direction.cross(self.axis)
        inside = self.is_tube(ray.origin)
        return straight_toi(d, v, stop_radius(self.radius, radius, inside), inside)

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When a ball with acceleration g is stopped, at most `until`; inf if never.

        Seen along the axis, |D|² − s² must fall to 0 from outside, s² − |D|² from inside.
        Without acceleration it is `toi`, which needs no end.
        """
        if g.mag_sqr() == 0.0:
            return math.inf if v.mag_sqr() == 0.0 else self.toi(TRay(x, v), radius)
        inside, d, w = self.is_tube(x), self._from_axis(x), v.cross(self.axis)
        s = stop_radius(self.radius, radius, inside)
        return first_contact_root(falling_quartic(d, w, g.cross(self.axis), s, inside), until)

    def growing_toi(self, x: TVector, v: TVector, radius: float, speed: float) -> float:
        """When a ball whose radius grows at a speed is stopped; inf if never.

        Seen along the axis, |D + V·t| = s + speed·t outside; inside, s shrinks at that speed.
        """
        d, w = self._from_axis(x), v.cross(self.axis)
        if self.is_tube(x):
            return growing_contact_quadratic(d, w, self.radius - radius, -speed).last_root()
        return growing_contact_quadratic(d, w, self.radius + radius, speed).first_fall()

    def is_receding(self, position: TVector, velocity: TVector, acceleration: TVector) -> bool:
        """Whether a point outside moves away from the axis and is not pulled back, or a point
        anywhere moves, and is pulled, along the axis alone."""
        d, v, a = (
            self._from_axis(position),
            velocity.cross(self.axis),
            acceleration.cross(self.axis),
        )
        moves_away = d.dot(v) >= 0.0 and d.dot(a) >= 0.0 and not self.is_tube(position)
        return moves_away or v.mag_sqr() + a.mag_sqr() == 0.0

    @takes_points
    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """Away from the axis if seen from outside, towards it from inside."""
        d = point - self.point
        radial = d - self.axis * d.dot(self.axis)
        if radial.mag_sqr() == 0.0:
            return self.axis.perpendicular()
        outwards = radial.unit()
        return ZERO - outwards if self.is_tube(seen_from) else outwards

    def bend(self, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the clearance of a point with a constant velocity."""
        d, w = self._from_axis(point), velocity.cross(self.axis)
        return bend_around(d, w, self.is_tube(point))

    @python_only
    def bounds(self) -> Bounds:
        """The box around it: bounded only at right angles to an axis of coordinates."""
        low, high = [-math.inf] * 3, [math.inf] * 3
        for axis, component in enumerate(self.axis):
            if abs(component) <= ALIGNED:
                low[axis] = self.point[axis] - self.radius
                high[axis] = self.point[axis] + self.radius
        return Bounds(TVector(low), TVector(high))

    def _from_axis(self, point: TVector) -> TVector:
        """The way from the axis to a point, seen along the axis: d × axis."""
        return (point - self.point).cross(self.axis)
