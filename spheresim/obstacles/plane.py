"""The plane Xn·X = d: a one-sided wall, open on the side to which its normal points."""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import python_only, value
from spheresim.numerics.arguments import direction_of, finite_vector, number
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector, VectorLike, takes_vectors
from spheresim.obstacles.shape import Bounds, Hit, first_hit


class _PointAndNormal(NamedTuple):
    point: TVector
    normal: TVector


@value
class Plane(_PointAndNormal):
    """A plane through `point`, solid behind, stopping what comes from the front.

    The normal may be given with any length; it is kept as a unit vector.

    >>> floor = Plane((0, -1, 0), (0, 2, 0))
    >>> floor.normal
    TVector(x=0.0, y=1.0, z=0.0)
    >>> floor.gap((7, 2, 7))
    3.0
    >>> floor.hit(TRay((0, 3, 0), (3, -4, 0)))
    Hit(distance=5.0, point=TVector(x=3.0, y=-1.0, z=0.0), normal=TVector(x=0.0, y=1.0, z=0.0))
    >>> floor.offset(0.5).point
    TVector(x=0.0, y=-0.5, z=0.0)

    Rays that run parallel, leave, or start behind it meet nothing.

    >>> [floor.hit(TRay((0, y, 0), (1, slope, 0))) for y, slope in ((3, 0), (3, 1), (-3, 1))]
    [None, None, None]
    """

    __slots__ = ()

    def __new__(cls, point: VectorLike, normal: VectorLike) -> "Plane":
        return super().__new__(
            cls, finite_vector(point, "a plane's point"), direction_of(normal, "a plane's normal")
        )

    @classmethod
    def from_normal_form(cls, normal: VectorLike, d: float) -> "Plane":
        """The plane Xn·X = d; a normal that is no unit vector scales d as well.

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
        """The plane ax + by + cz + d = 0, open where ax + by + cz + d > 0 (so D = −d).

        >>> Plane.from_equation(0, 1, 0, -3).gap(TVector(0, 5, 0))
        2.0
        """
        return cls.from_normal_form((a, b, c), -number(d, "a plane's d"))

    def offset(self, radius: float) -> "Plane":
        """The plane moved along its normal: where the centre of a ball is stopped."""
        return Plane(self.point + self.normal * radius, self.normal)

    @takes_vectors
    def gap(self, point: TVector) -> float:
        """The signed distance of a point, negative behind the plane."""
        return self.normal.dot(point - self.point)

    def contact(self, ray: TRay, radius: float) -> float:
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

    @takes_vectors
    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The plane's normal, which is the same everywhere."""
        return self.normal

    @python_only
    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray that comes from the front meets the plane, or None."""
        return first_hit(self, ray)

    @python_only
    def bounds(self) -> Bounds:
        """The box around the solid half-space: bounded only along an axis that it faces.

        >>> Plane((0, 3, 0), (0, 1, 0)).bounds().high
        TVector(x=inf, y=3.0, z=inf)
        """
        low, high = [-math.inf] * 3, [math.inf] * 3
        for axis, component in enumerate(self.normal):
            if component == 1.0:
                high[axis] = self.point[axis]
            if component == -1.0:
                low[axis] = self.point[axis]
        return Bounds(TVector(low), TVector(high))
