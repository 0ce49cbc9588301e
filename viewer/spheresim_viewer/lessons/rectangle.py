"""A rectangle in a diagram."""

from typing import Any, NamedTuple

import numpy as np


class Rectangle(NamedTuple):
    """A rectangle with its sides, in the units of the diagram."""

    left: float
    low: float
    right: float
    high: float

    @property
    def middle(self) -> Any:
        """The middle, shape (2,)."""
        return 0.5 * np.array((self.left + self.right, self.low + self.high))

    def shrunk(self, by: float) -> "Rectangle":
        """The rectangle whose sides lie so much further inside."""
        return Rectangle(self.left + by, self.low + by, self.right - by, self.high - by)

    def nearest(self, place: Any) -> Any:
        """The nearest places inside, of places (…, 2)."""
        return np.clip(np.asarray(place, float), (self.left, self.low), (self.right, self.high))

    def clip(self, start: Any, end: Any) -> Any:
        """The part of a line inside, shape (2, 2); two equal ends if there is none."""
        start, along = np.asarray(start, float), np.subtract(end, start)
        moving = along != 0.0
        bounds = np.array(((self.left, self.low), (self.right, self.high)))
        if np.any((start != np.clip(start, *bounds))[~moving]):
            return self.nearest((start, start))
        times = np.sort((bounds - start)[:, moving] / along[moving], axis=0)
        enter, leave = max((0.0, *times[0])), min((1.0, *times[1]))
        return self.nearest(start + np.outer((enter, max(enter, leave)), along))
