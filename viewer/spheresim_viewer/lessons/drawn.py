"""What a diagram has drawn, so that what is pointed at can be told by its color."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim_viewer.hud.overlay import Color

_CATCH = 3.0
"""Distance, in points, from a line's edge within which it is meant."""


class _Area(NamedTuple):
    """A filled convex polygon with corners (m, 2)."""

    color: Color
    rim: Any

    def holds(self, place: Any) -> bool:
        side = np.roll(self.rim, -1, axis=0) - self.rim
        shift = place - self.rim
        turns = side[:, 0] * shift[:, 1] - side[:, 1] * shift[:, 0]
        return bool((turns >= 0.0).all() or (turns <= 0.0).all())


class _Lines(NamedTuple):
    """Segments from (m, 2) to (m, 2), of a width in points."""

    color: Color
    starts: Any
    ends: Any
    width: float

    def holds(self, place: Any) -> bool:
        along = self.ends - self.starts
        squared = np.maximum(np.sum(along * along, axis=1), 1e-12)
        part = np.clip(np.sum((place - self.starts) * along, axis=1) / squared, 0.0, 1.0)
        apart = place - self.starts - part[:, None] * along
        reach = 0.5 * self.width + _CATCH
        return bool((np.sum(apart * apart, axis=1) <= reach * reach).any())


class Drawn:
    """The colored things of a diagram, in points, in the order in which they were drawn."""

    def __init__(self) -> None:
        self._things: list[_Area | _Lines] = []

    def add_area(self, color: Color, rim: Any) -> None:
        """Note a filled convex polygon (m, 2)."""
        self._things.append(_Area(color, rim))

    def add_lines(self, color: Color, starts: Any, ends: Any, width: float) -> None:
        """Note segments (m, 2), (m, 2) of a width."""
        self._things.append(_Lines(color, starts, ends, width))

    def color_at(self, x: float, y: float, is_meant: Callable[[Color], bool]) -> Color | None:
        """The color of what was drawn last at a point, of colors that may be meant."""
        place = np.array((x, y))
        return next(
            (
                thing.color
                for thing in reversed(self._things)
                if is_meant(thing.color) and thing.holds(place)
            ),
            None,
        )
