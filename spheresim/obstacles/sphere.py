"""The sphere: a ball that never moves to what is outside, a bowl to what is inside.

It is the smallest example of an obstacle that is made of features: it has one, a point with a
radius of its own. When a ball or a ray meets it: `features/point.py`, by the quadratic of
`numerics.roots`.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import length, place
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing, sphere_drawing
from spheresim.obstacles.features.rows import FeatureRows, point_rows
from spheresim.obstacles.fields import ShapeField


class _CentreAndRadius(NamedTuple):
    center: TVector
    radius: float


class Sphere(Bounded, _CentreAndRadius):
    """A sphere; its surface stops balls outside and inside (a bowl).

    center: (3,) [length]; radius > 0 [length].

    >>> from spheresim.numerics.ray import TRay
    >>> ball = Sphere((0, 0, 0), 2)
    >>> ball.hit(TRay((-5, 0, 0), (1, 0, 0))).distance
    3.0
    >>> ball.gap((0, 5, 0)), ball.gap((0, 1.5, 0)), ball.clearance((0, 1.5, 0))
    (3.0, -0.5, 0.5)
    >>> ball.offset(0.5).radius
    2.5
    """

    __slots__ = ()

    kind: ClassVar[str] = "sphere"
    title: ClassVar[str] = "Spheres: solid to balls outside, bowls to balls inside"
    fields: ClassVar[dict[str, ShapeField]] = {
        "center": ShapeField("vector", "The middle [length]"),
        "radius": ShapeField("positive", "Greater than 0 [length]"),
    }

    def __new__(cls, center: VectorLike, radius: float) -> "Sphere":
        where = place(center, "a sphere's center")
        return super().__new__(cls, where, length(radius, "a sphere's radius"))

    def offset(self, radius: float) -> "Sphere":
        """A larger sphere."""
        return Sphere(self.center, self.radius + length(radius, "an offset", may_be_0=True))

    def features(self) -> FeatureRows:
        """A point, which is hollow."""
        return point_rows(self.center, self.radius, hollow=True)

    @property
    def bore(self) -> float | None:
        """Its radius."""
        return self.radius

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool."""
        distance = np.linalg.norm(points - np.array(self.center), axis=1)
        return distance < self.radius

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """A sphere, grown, or shrunk if it is seen from inside."""
        if inside:
            return sphere_drawing(self.center, max(0.0, self.radius - offset)).turned()
        return sphere_drawing(self.center, self.radius + offset)
