"""An obstacle grown by a radius: what it is to the centre of a ball that is outside of it."""

from typing import Any, ClassVar, NamedTuple

from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing
from spheresim.obstacles.features.rows import FeatureRows
from spheresim.obstacles.fields import ShapeField


class _ShapeAndRadius(NamedTuple):
    shape: Bounded
    radius: float


class Grown(Bounded, _ShapeAndRadius):
    """All within `radius` of a shape; solid. `Bounded.offset` makes it.

    Each feature is grown by itself: the offset of the whole is the union of theirs. It has no
    table in scene files.
    """

    __slots__ = ()

    kind: ClassVar[str] = "grown shape"
    title: ClassVar[str] = "Shapes grown by a radius"
    fields: ClassVar[dict[str, ShapeField]] = {}

    @property
    def is_solid(self) -> bool:
        """No ball can be inside it."""
        return True

    def features(self) -> FeatureRows:
        """Those of the shape, with larger radii."""
        rows = self.shape.features()
        numbers = rows.numbers.copy()
        numbers[:, 6] += self.radius
        numbers[:, 10] = 0.0
        return rows._replace(
            numbers=numbers, low=rows.low - self.radius, high=rows.high + self.radius
        )

    def encloses(self, points: Any) -> Any:
        """Which of the points (n, 3) are in it, (n,) bool."""
        near = [self.shape.clearance(point) < self.radius for point in points]
        return self.shape.encloses(points) | near

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """The shape's own, further out."""
        return self.shape.drawing(self.radius + offset)
