"""A flat diagram: figures in coordinates of its own, drawn on the overlay."""

import math
from typing import Any

import numpy as np

from spheresim_viewer.hud.overlay import INK, Color, Overlay
from spheresim_viewer.lessons.rectangle import Rectangle

_ROUND = np.linspace(0.0, 2.0 * math.pi, 73)
_UNIT = np.stack([np.cos(_ROUND), np.sin(_ROUND)], axis=1)


class Diagram:
    """Draws a region of its coordinates into a part of the window.

    room: that part, in points: x, y, width, height; y_down: whether the y-axis of its
    coordinates points down, as on screens.
    """

    def __init__(
        self,
        overlay: Overlay,
        room: tuple[float, float, float, float],
        region: Rectangle,
        y_down: bool = False,
    ) -> None:
        x, y, width, height = room
        left, low, right, high = region
        self.overlay = overlay
        self.region = region
        self.scale = min(width / (right - left), height / (high - low))
        self._turn = np.array((1.0, -1.0 if y_down else 1.0)) * self.scale
        middle = np.array((x + 0.5 * width, y + 0.5 * height))
        self._origin = middle - self._turn * (0.5 * (left + right), 0.5 * (low + high))

    def room(self, part: Rectangle) -> tuple[float, float, float, float]:
        """A part of the diagram in points: x, y, width, height."""
        corners = self.to_points((part[:2], part[2:]))
        x, y = corners.min(axis=0)
        width, height = np.ptp(corners, axis=0)
        return float(x), float(y), float(width), float(height)

    def inset(self, part: Rectangle, region: Rectangle) -> "Diagram":
        """A diagram with other coordinates, in a part of this one."""
        return Diagram(self.overlay, self.room(part), region)

    def to_points(self, places: Any) -> Any:
        """Places (…, 2) in the diagram as points of the overlay."""
        return self._origin + np.asarray(places, dtype=np.float64) * self._turn

    def to_place(self, x: float, y: float) -> Any:
        """The place in the diagram of a point of the overlay, shape (2,)."""
        return (np.array((x, y)) - self._origin) / self._turn

    def polygon(self, corners: Any, color: Color) -> None:
        """A filled convex polygon (m, 2)."""
        rim = self.to_points(corners)
        fan = np.stack([np.broadcast_to(rim[0], rim.shape), rim, np.roll(rim, -1, axis=0)], axis=1)
        self.overlay.triangles(fan.reshape(-1, 2), color)

    def outline(self, corners: Any, color: Color, width: float = 1.5) -> None:
        """A closed line through corners (m, 2)."""
        corners = np.asarray(corners, dtype=np.float64)
        self.line(np.concatenate([corners, corners[:1]]), color, width)

    def line(self, places: Any, color: Color, width: float = 1.5) -> None:
        """An open line through places (m, 2)."""
        self.overlay.curve(self.to_points(places), color, width)

    def dashes(self, ends: Any, color: Color, width: float = 1.5) -> None:
        """A dashed line between two places."""
        a, b = self.to_points(ends)
        count = int(np.hypot(*(b - a)) / 10.0) + 1
        for k in range(count):
            part = np.array((k, min(k + 0.55, count)))[:, None] / count
            self.overlay.curve(a + part * (b - a), color, width)

    def disc(self, centre: Any, radius: float, color: Color) -> None:
        """A filled circle."""
        self.polygon(np.asarray(centre) + radius * _UNIT[:-1], color)

    def circle(self, centre: Any, radius: float, color: Color, width: float = 1.5) -> None:
        """A circle's line."""
        self.line(np.asarray(centre) + radius * _UNIT, color, width)

    def arrow(self, start: Any, end: Any, color: Color, width: float = 2.0) -> None:
        """An arrow from one place to another."""
        a, b = self.to_points(start), self.to_points(end)
        length = float(np.hypot(*(b - a)))
        if length < 1e-9:
            return
        along = (b - a) / length
        head = min(12.0, 0.6 * length)
        neck, aside = b - head * along, 0.4 * head * np.array((-along[1], along[0]))
        self.overlay.curve([a, neck], color, width)
        self.overlay.triangles([b, neck + aside, neck - aside], color)

    def dot(self, place: Any, color: Color, points: float = 4.0) -> None:
        """A dot, with a radius in points."""
        self.disc(place, points / self.scale, color)

    def text(
        self, place: Any, text: str, color: Color = INK, size: float = 13.0, anchor: str = "center"
    ) -> None:
        """A text at a place."""
        x, y = self.to_points(place)
        self.overlay.text(float(x), float(y), text, size, color, anchor)
