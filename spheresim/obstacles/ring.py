"""The ring: a torus, solid to what is outside, a tube in a circle to what is inside.

When a ball hits it, `features.circle` tells.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import direction_of, length, place
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing, arc, revolved, together
from spheresim.obstacles.features.rows import FeatureRows, circle_rows, joined_rows, ring_plug_rows
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.round import circle_distances


class _RingFields(NamedTuple):
    center: TVector
    axis: TVector
    radius: float
    thickness: float


class Ring(Bounded, _RingFields):
    """A torus: all points within `thickness` of a circle. It stops balls outside and inside.

    center: of the circle, (3,) [length]; axis: at right angles to the circle, of any length but 0;
    radius: of the circle [length]; thickness: the radius of the tube [length].

    >>> ring = Ring((0, 0, 0), (0, 0, 1), 3, 1)
    >>> ring.gap((6, 0, 0)), ring.gap((0, 0, 0)), ring.gap((3, 0, 0.5))
    (2.0, 2.0, -0.5)
    """

    __slots__ = ()

    kind: ClassVar[str] = "ring"
    title: ClassVar[str] = "Rings (tori): solid to balls outside, round tubes to balls inside"
    fields: ClassVar[dict[str, ShapeField]] = {
        "center": ShapeField("vector", "The middle of the hole [length]"),
        "axis": ShapeField("direction", "Through the hole; of any length but 0"),
        "radius": ShapeField("positive", "Radius of the circle in the middle of the tube [length]"),
        "thickness": ShapeField("positive", "Radius of the tube, less than radius [length]"),
    }

    def __new__(
        cls, center: VectorLike, axis: VectorLike, radius: float, thickness: float
    ) -> "Ring":
        wide, thick = length(radius, "a ring's radius"), length(thickness, "a ring's thickness")
        if thick >= wide:
            raise ValueError(
                f"a ring's thickness must be less than its radius, {wide!r}, not {thick!r}: it "
                "has a hole"
            )
        where, along = place(center, "a ring's center"), direction_of(axis, "a ring's axis")
        return super().__new__(cls, where, along, wide, thick)

    def offset(self, radius: float) -> Bounded:
        """A thicker ring, or the whole space inside it where that closes the hole."""
        thick = self.thickness + length(radius, "an offset", may_be_0=True)
        if thick >= self.radius:
            return super().offset(radius)
        return Ring(self.center, self.axis, self.radius, thick)

    def features(self) -> FeatureRows:
        """A circle, which is hollow, and its ring plug."""
        ring = circle_rows(self.center, self.axis, self.radius, self.thickness, hollow=True)
        return joined_rows([ring, ring_plug_rows(ring)])

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool."""
        return circle_distances(points, *self[:3]) < self.thickness

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """A circle that turns about the axis."""
        thick = self.thickness - offset if inside else self.thickness + offset
        if thick <= 0.0:
            return together([])
        profile = arc((self.radius, 0.0), thick, -np.pi, np.pi, 32)
        drawing = revolved(self.center, self.axis, profile)
        return drawing.turned() if inside else drawing
