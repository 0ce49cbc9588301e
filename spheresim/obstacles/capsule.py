"""The capsule: a rounded rod, all within a radius of a line between two points.

When a ball hits it, `features.line` and `features.point` tell.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import length
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing, arc, revolved
from spheresim.obstacles.features.rows import FeatureRows, joined_rows, line_rows, point_rows
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.round import seen_along, two_ends


class _CapsuleFields(NamedTuple):
    a: TVector
    b: TVector
    radius: float


class Capsule(Bounded, _CapsuleFields):
    """A solid rod with round ends: all points within `radius` of the segment from a to b.

    a, b: (3,) [length]; radius > 0 [length].

    >>> rod = Capsule((0, 0, 0), (4, 0, 0), 1)
    >>> rod.gap((2, 3, 0)), rod.gap((7, 0, 0))
    (2.0, 2.0)
    """

    __slots__ = ()

    kind: ClassVar[str] = "capsule"
    title: ClassVar[str] = "Rods with round ends, solid"
    fields: ClassVar[dict[str, ShapeField]] = {
        "a": ShapeField("vector", "One end of its middle line [length]"),
        "b": ShapeField("vector", "The other end [length]"),
        "radius": ShapeField("positive", "Greater than 0 [length]"),
    }

    def __new__(cls, a: VectorLike, b: VectorLike, radius: float) -> "Capsule":
        return super().__new__(
            cls, *two_ends(a, b, "a capsule"), length(radius, "a capsule's radius")
        )

    @property
    def is_solid(self) -> bool:
        """No ball can be inside it."""
        return True

    def offset(self, radius: float) -> "Capsule":
        """A wider capsule."""
        return Capsule(self.a, self.b, self.radius + length(radius, "an offset", may_be_0=True))

    def features(self) -> FeatureRows:
        """A line and its two ends."""
        ends = point_rows([self.a, self.b], self.radius)
        return joined_rows([line_rows(self.a, self.b, self.radius), ends])

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool."""
        length = (self.b - self.a).mag()
        wide, along = seen_along(points, self.a, (self.b - self.a).unit())
        return np.hypot(wide, along - np.clip(along, 0.0, length)) < self.radius

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """Two half spheres and what is between them."""
        radius, length = self.radius + offset, (self.b - self.a).mag()
        half = 0.5 * np.pi
        profile = np.vstack(
            [arc((0.0, 0.0), radius, -half, 0.0, 16), arc((0.0, length), radius, 0.0, half, 16)]
        )
        return revolved(self.a, (self.b - self.a).unit(), profile)
