"""A rectangle in a diagram."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats


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


def clipped_segments(starts: Floats, ends: Floats, box: Box) -> tuple[Floats, Floats]:
    """The parts of segments (m, 2) inside a box (Liang and Barsky); those outside are left out."""
    along = ends - starts
    enter, leave = np.zeros(len(starts)), np.ones(len(starts))
    outside = np.zeros(len(starts), bool)
    for axis, low, high in ((0, box.x, box.right), (1, box.y, box.top)):
        way, place = along[:, axis], starts[:, axis]
        still = way == 0.0
        outside |= still & ((place < low) | (place > high))
        divisor = np.where(still, 1.0, way)
        times = np.sort([(low - place) / divisor, (high - place) / divisor], axis=0)
        enter = np.where(still, enter, np.maximum(enter, times[0]))
        leave = np.where(still, leave, np.minimum(leave, times[1]))
    seen = ~outside & (enter < leave)
    first = (starts + enter[:, None] * along)[seen]
    return first, (starts + leave[:, None] * along)[seen]


def clipped_polygon(corners: Floats, box: Box) -> Floats:
    """The part of a convex polygon (m, 2) inside a box."""
    for axis, limit, sign in ((0, box.x, 1), (0, box.right, -1), (1, box.y, 1), (1, box.top, -1)):
        corners = part_beyond(corners, sign * (corners[:, axis] - limit))
    return corners


def part_beyond(corners: Floats, heights: Floats) -> Floats:
    """The part of a convex polygon (m, 2) where its heights (m,) over a line are not negative.

    This is one step of the method of Sutherland and Hodgman.
    """
    if (heights >= 0.0).all():
        return corners
    kept = []
    for k in range(len(corners)):
        a, b = heights[k - 1], heights[k]
        if (a < 0.0) != (b < 0.0):
            kept.append(corners[k - 1] + a / (a - b) * (corners[k] - corners[k - 1]))
        if b >= 0.0:
            kept.append(corners[k])
    return np.array(kept).reshape(-1, 2)


class Rectangle(NamedTuple):
    """A rectangle with its sides, in the units of the diagram."""

    left: float
    low: float
    right: float
    high: float

    @property
    def middle(self) -> Floats:
        """The middle, shape (2,)."""
        return 0.5 * np.array((self.left + self.right, self.low + self.high))

    def shrunk(self, by: float) -> "Rectangle":
        """The rectangle whose sides lie so much further inside."""
        return Rectangle(self.left + by, self.low + by, self.right - by, self.high - by)

    def nearest(self, place: npt.ArrayLike) -> Floats:
        """The nearest places inside, of places (…, 2)."""
        return np.clip(np.asarray(place, float), (self.left, self.low), (self.right, self.high))

    def clip(self, start: Floats, end: Floats) -> Floats:
        """The part of a line inside, shape (2, 2); two equal ends if there is none."""
        start, along = np.asarray(start, float), np.subtract(end, start)
        moving = along != 0.0
        bounds = np.array(((self.left, self.low), (self.right, self.high)))
        if np.any((start != np.clip(start, *bounds))[~moving]):
            return self.nearest((start, start))
        times = np.sort((bounds - start)[:, moving] / along[moving], axis=0)
        enter, leave = max((0.0, *times[0])), min((1.0, *times[1]))
        return self.nearest(start + np.outer((enter, max(enter, leave)), along))
