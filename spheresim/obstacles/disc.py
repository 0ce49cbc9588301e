"""The disc: a thin round plate."""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import direction_of, length, place
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing, arc, closed_line, level, revolved, round_about
from spheresim.obstacles.features.rows import FeatureRows, circle_rows, disc_rows, joined_rows
from spheresim.obstacles.fields import ShapeField


class _DiscFields(NamedTuple):
    center: TVector
    normal: TVector
    radius: float


class Disc(Bounded, _DiscFields):
    """A thin flat disc; it stops balls on both sides.

    center: (3,) [length]; normal: at right angles to the disc, of any length but 0; radius > 0
    [length].

    >>> from spheresim.numerics.ray import TRay
    >>> plate = Disc((0, 0, 0), (0, 0, 1), 2)
    >>> plate.hit(TRay((1, 1, 5), (0, 0, -1))).distance, plate.hit(TRay((2, 2, 5), (0, 0, -1)))
    (5.0, None)
    """

    __slots__ = ()

    kind: ClassVar[str] = "disc"
    title: ClassVar[str] = "Thin round plates, which stop balls on both sides"
    fields: ClassVar[dict[str, ShapeField]] = {
        "center": ShapeField("vector", "The middle [length]"),
        "normal": ShapeField("direction", "At right angles to it; of any length but 0"),
        "radius": ShapeField("positive", "Greater than 0 [length]"),
    }

    def __new__(cls, center: VectorLike, normal: VectorLike, radius: float) -> "Disc":
        return super().__new__(
            cls,
            place(center, "a disc's center"),
            direction_of(normal, "a disc's normal"),
            length(radius, "a disc's radius"),
        )

    def features(self) -> FeatureRows:
        """The flat, and its rim."""
        return joined_rows([disc_rows(*self), circle_rows(*self)])

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """Two flats, with a round rim where it is grown."""
        profile = np.vstack(
            [
                level(0.0, self.radius, -offset, -1.0),
                arc((self.radius, 0.0), offset, -0.5 * np.pi, 0.5 * np.pi, 16),
                level(0.0, self.radius, offset, 1.0),
            ]
        )
        drawing = revolved(self.center, self.normal, profile)
        rim = np.array(self.center) + self.radius * round_about(self.normal)
        return drawing if offset > 0.0 else drawing._replace(outline=closed_line(rim))
