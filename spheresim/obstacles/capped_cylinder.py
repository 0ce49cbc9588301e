"""The cylinder with flat ends: a pillar to what is outside, a drum to what is inside."""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import length
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import (
    Drawing,
    arc,
    closed_line,
    level,
    revolved,
    round_about,
    together,
)
from spheresim.obstacles.features.rows import (
    FeatureRows,
    circle_rows,
    disc_rows,
    joined_rows,
    line_rows,
)
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.round import seen_along, two_ends


class _CappedCylinderFields(NamedTuple):
    a: TVector
    b: TVector
    radius: float


class CappedCylinder(Bounded, _CappedCylinderFields):
    """A cylinder with flat ends. It stops balls outside and inside: a pillar and a drum.

    a, b: the centres of the two ends, (3,) [length]; radius > 0 [length].

    >>> drum = CappedCylinder((0, 0, 0), (0, 0, 4), 2)
    >>> drum.gap((0, 0, 7)), drum.gap((1.5, 0, 2)), drum.gap((5, 0, 8))
    (3.0, -0.5, 5.0)
    """

    __slots__ = ()

    kind: ClassVar[str] = "capped_cylinder"
    title: ClassVar[str] = "Cylinders with flat ends: pillars outside, drums inside"
    fields: ClassVar[dict[str, ShapeField]] = {
        "a": ShapeField("vector", "The middle of one end [length]"),
        "b": ShapeField("vector", "The middle of the other end [length]"),
        "radius": ShapeField("positive", "Greater than 0 [length]"),
    }

    def __new__(cls, a: VectorLike, b: VectorLike, radius: float) -> "CappedCylinder":
        ends = two_ends(a, b, "a capped cylinder")
        return super().__new__(cls, *ends, length(radius, "a capped cylinder's radius"))

    @property
    def _axis(self) -> TVector:
        return (self.b - self.a).unit()

    def features(self) -> FeatureRows:
        """The side, which is hollow, two flats and two rims."""
        return joined_rows(
            [
                line_rows(self.a, self.b, self.radius, hollow=True),
                *(disc_rows(end, self._axis, self.radius) for end in (self.a, self.b)),
                *(circle_rows(end, self._axis, self.radius) for end in (self.a, self.b)),
            ]
        )

    @property
    def bore(self) -> float | None:
        """Its radius."""
        return self.radius

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool."""
        wide, along = seen_along(points, self.a, self._axis)
        return (wide < self.radius) & (along > 0.0) & (along < (self.b - self.a).mag())

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """Side and ends, with round rims where it is grown."""
        radius, length, quarter = self.radius, (self.b - self.a).mag(), 0.5 * np.pi
        if inside:
            wide = radius - offset
            if wide <= 0.0 or 2.0 * offset >= length:
                return together([])
            side = np.array([[wide, offset, 1.0, 0.0], [wide, length - offset, 1.0, 0.0]])
            ends = level(0.0, wide, offset, -1.0), level(0.0, wide, length - offset, 1.0)
            drawing = revolved(self.a, self._axis, np.vstack([ends[0], side, ends[1]])).turned()
            rim, inwards = wide * round_about(self._axis), offset * np.array(self._axis)
            starts = np.array(self.a) + inwards, np.array(self.b) - inwards
            return drawing._replace(
                outline=np.concatenate([closed_line(start + rim) for start in starts])
            )
        profile = np.vstack(
            [
                level(0.0, radius, -offset, -1.0),
                arc((radius, 0.0), offset, -quarter, 0.0, 8),
                arc((radius, length), offset, 0.0, quarter, 8),
                level(0.0, radius, length + offset, 1.0),
            ]
        )
        drawing = revolved(self.a, self._axis, profile)
        if offset > 0.0:
            return drawing
        rim = radius * round_about(self._axis)
        rims = [closed_line(np.array(end) + rim) for end in (self.a, self.b)]
        return drawing._replace(outline=np.concatenate(rims))
