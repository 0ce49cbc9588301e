"""Boxes on the screen, in points from the lower left corner."""

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle by its lower left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of the right side."""
        return self.x + self.width

    @property
    def top(self) -> float:
        """The y of the upper side."""
        return self.y + self.height

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is inside."""
        return self.x <= x <= self.right and self.y <= y <= self.top

    def meets(self, other: "Box") -> bool:
        """Whether two boxes have more than a side in common."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.top
            and other.y < self.top
        )

    def inside(self, other: "Box") -> bool:
        """Whether no part sticks out of another box."""
        return (
            other.x <= self.x
            and self.right <= other.right
            and other.y <= self.y
            and self.top <= other.top
        )

    def grown(self, by: float) -> "Box":
        """The box whose sides lie so much further outside."""
        return Box(self.x - by, self.y - by, self.width + 2.0 * by, self.height + 2.0 * by)

    def cut(
        self, left: float = 0.0, low: float = 0.0, right: float = 0.0, high: float = 0.0
    ) -> "Box":
        """The box without strips of these widths at its sides."""
        width = max(self.width - left - right, 1.0)
        height = max(self.height - low - high, 1.0)
        return Box(self.x + left, self.y + low, width, height)
