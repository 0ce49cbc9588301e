"""The plane Xn·X = d: a one-sided wall, open on the side to which its normal points."""

import math
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.compiler.decorators import checked_in_python, python_only, value
from spheresim.numerics.arguments import (
    LARGEST_INPUT,
    direction_of,
    finite_vector,
    number,
    place,
    takes_points,
)
from spheresim.numerics.arrays import Floats
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.shape import ALIGNED, Shape


def _check_offset(_plane: object, radius: object) -> None:
    """It must be a number, which may be negative."""
    number(radius, "an offset", -LARGEST_INPUT, LARGEST_INPUT)


class _PointAndNormal(NamedTuple):
    point: TVector
    normal: TVector


@value
class Plane(Shape, _PointAndNormal):
    """A plane, solid behind: it stops balls that come from the front.

    point: any point on the plane, (3,) [length]; normal: points to the front, of any length but 0;
    it is stored as a unit vector.

    >>> floor = Plane((0, -1, 0), (0, 2, 0))
    >>> floor.normal
    TVector(x=0.0, y=1.0, z=0.0)
    >>> floor.gap((7, 2, 7))
    3.0
    >>> floor.hit(TRay((0, 3, 0), (3, -4, 0)))
    Hit(distance=5.0, point=TVector(x=3.0, y=-1.0, z=0.0), normal=TVector(x=0.0, y=1.0, z=0.0))
    >>> floor.offset(0.5).point
    TVector(x=0.0, y=-0.5, z=0.0)

    A ray that is parallel to the plane, leads away from it, or starts behind it has no hit.

    >>> [floor.hit(TRay((0, y, 0), (1, slope, 0))) for y, slope in ((3, 0), (3, 1), (-3, 1))]
    [None, None, None]
    """

    __slots__ = ()

    kind: ClassVar[str] = "plane"
    title: ClassVar[str] = "Infinite walls: solid behind, they stop balls from the front"
    fields: ClassVar[dict[str, ShapeField]] = {
        "point": ShapeField("vector", "A point on the surface [length]"),
        "normal": ShapeField(
            "direction",
            "Points to the open side; of any length but 0; in a periodic box at right angles to "
            "all periodic axes",
        ),
    }

    def __new__(cls, point: VectorLike, normal: VectorLike) -> "Plane":
        return super().__new__(
            cls, place(point, "a plane's point"), direction_of(normal, "a plane's normal")
        )

    @classmethod
    def from_normal_form(cls, normal: VectorLike, d: float) -> "Plane":
        """The plane of the points x with normal·x = d; its front is where normal·x > d.

        >>> Plane.from_normal_form((0, 2, 0), 6).point
        TVector(x=0.0, y=3.0, z=0.0)
        """
        xn = finite_vector(normal, "a plane's normal")
        unit = direction_of(xn, "a plane's normal")
        largest = max(map(abs, xn))  # taken out first, or the length could over- or underflow
        distance = number(d, "a plane's d") / largest / (xn / largest).mag()
        return cls(unit * distance, unit)

    @classmethod
    def from_equation(cls, a: float, b: float, c: float, d: float) -> "Plane":
        """The plane ax + by + cz + d = 0; its front is where ax + by + cz + d > 0.

        >>> Plane.from_equation(0, 1, 0, -3).gap(TVector(0, 5, 0))
        2.0
        """
        return cls.from_normal_form((a, b, c), -number(d, "a plane's d"))

    @checked_in_python(_check_offset)
    def offset(self, radius: float) -> "Plane":
        """The plane moved along its normal: where the centre of a ball is stopped."""
        return Plane(self.point + self.normal * radius, self.normal)

    @takes_points
    def gap(self, point: TVector) -> float:
        """The signed distance of a point, negative behind the plane."""
        return self.normal.dot(point - self.point)

    @takes_points
    def clearance(self, point: TVector) -> float:
        """The distance of a point, in front of the plane and behind it alike."""
        return abs(self.gap(point))

    @python_only
    def gaps(self, points: Floats) -> Floats:
        """The gap of many points (n, 3) at once, shape (n,)."""
        return (points - np.array(self.point)) @ np.array(self.normal)

    @python_only
    def normals(self, points: Floats) -> Floats:
        """The normal towards each of many points (n, 3), shape (n, 3)."""
        return np.tile(np.array(self.normal), (len(points), 1))

    def toi(self, ray: TRay, radius: float) -> float:
        """t = Xn·(X − Raystart) / Xn·Raydirection on the plane offset by the radius.

        A ball whose centre is behind the plane is never stopped and may come in; one
        that overlaps is stopped at once if it approaches (t = 0).
        """
        gap = self.gap(ray.origin)
        approach = self.normal.dot(ray.direction)
        behind = gap <= 0.0 if radius > 0.0 else gap < 0.0
        if behind or approach >= 0.0:
            return math.inf
        return max(0.0, self.offset(radius).gap(ray.origin)) / -approach

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """When gap + vn·t + gn·t²/2 is from 0 to the radius and falls, for the first time.

        A ball that comes in from behind is stopped where gravity turns it back, if it has
        not got clear of the plane before. `until` is not needed: a quadratic is cheap.
        """
        gap, vn, gn = self.gap(x), v.dot(self.normal), g.dot(self.normal)

        # From `turn` on the ball goes down.
        if gn < 0.0:
            turn = max(0.0, -vn / gn)
        elif vn < 0.0:
            turn = 0.0
        else:
            return math.inf
        height = gap + (vn + 0.5 * gn * turn) * turn
        if height <= 0.0:
            return math.inf
        if height <= radius:
            return turn

        # It is `above` the height of the impact, with the speed `down` (0 or negative): the
        # first root, in the form in which nothing cancels.
        down = vn if turn == 0.0 else 0.0
        above = height - radius
        discriminant = down * down - 2.0 * gn * above
        if discriminant < 0.0:
            return math.inf
        return turn + 2.0 * above / (-down + math.sqrt(discriminant))

    def growing_toi(self, x: TVector, v: TVector, radius: float, speed: float) -> float:
        """When gap + vn·t = radius + speed·t, for a ball in front whose radius grows."""
        gap, approach = self.gap(x), speed - v.dot(self.normal)
        if gap <= 0.0 or approach <= 0.0:
            return math.inf
        return max(0.0, gap - radius) / approach

    def is_receding(self, position: TVector, velocity: TVector, acceleration: TVector) -> bool:
        """Whether a point moves away from the plane, on either side, and is not pulled back."""
        outwards = self.normal * (1.0 if self.gap(position) > 0.0 else -1.0)
        return velocity.dot(outwards) >= 0.0 and acceleration.dot(outwards) >= 0.0

    @takes_points
    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The plane's normal, which is the same everywhere."""
        return self.normal

    def bend(self, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the clearance: none, for a plane is straight."""
        return 0.0

    @python_only
    def bounds(self) -> Bounds:
        """The box around the solid half-space: bounded only along an axis that it faces.

        >>> Plane((0, 3, 0), (0, 1, 0)).bounds().high
        TVector(x=inf, y=3.0, z=inf)
        """
        front = walled_room([self])
        low = [-math.inf if x == math.inf else x for x in front.high]
        high = [math.inf if x == -math.inf else x for x in front.low]
        return Bounds(TVector(low), TVector(high))


def walled_room(planes: Iterable[Plane]) -> Bounds:
    """The box in front of all the planes that face along an axis, others left out.

    A plane faces along an axis if its normal is at right angles to the other two, but for
    rounding (`ALIGNED`). The box is empty, low ≥ high, where planes turn their backs on
    each other.

    >>> walled_room([Plane((1, 0, 0), (1, 0, 0)), Plane((5, 2, 0), (-1, 0, 0))])
    Bounds(low=TVector(x=1.0, y=-inf, z=-inf), high=TVector(x=5.0, y=inf, z=inf))
    """
    low, high = [-math.inf] * 3, [math.inf] * 3
    for plane in planes:
        facing = [axis for axis in range(3) if abs(plane.normal[axis]) > ALIGNED]
        if len(facing) > 1:
            continue
        axis = facing[0]
        if plane.normal[axis] > 0.0:
            low[axis] = max(low[axis], plane.point[axis])
        else:
            high[axis] = min(high[axis], plane.point[axis])
    return Bounds(TVector(low), TVector(high))
