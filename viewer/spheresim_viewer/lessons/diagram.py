"""A flat diagram: figures in coordinates of its own, drawn on the overlay inside of a box."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats, RowsLike
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.colors import HINT, INK, faded
from spheresim_viewer.lessons.rectangle import Box, Rectangle, clipped_polygon, clipped_segments
from spheresim_viewer.lessons.writing import Writing

_CATCH = 3.0
"""Distance, in points, from a line's edge within which it is meant."""


class _Area(NamedTuple):
    """A filled convex polygon with corners (m, 2)."""

    color: Color
    rim: Floats

    def holds(self, place: Floats) -> bool:
        side = np.roll(self.rim, -1, axis=0) - self.rim
        shift = place - self.rim
        turns = side[:, 0] * shift[:, 1] - side[:, 1] * shift[:, 0]
        return bool((turns >= 0.0).all() or (turns <= 0.0).all())


class _Lines(NamedTuple):
    """Segments from (m, 2) to (m, 2), of a width in points."""

    color: Color
    starts: Floats
    ends: Floats
    width: float

    def holds(self, place: Floats) -> bool:
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

    def add_area(self, color: Color, rim: Floats) -> None:
        """Note a filled convex polygon (m, 2)."""
        self._things.append(_Area(color, rim))

    def add_lines(self, color: Color, starts: Floats, ends: Floats, width: float) -> None:
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


_ROUND = np.linspace(0.0, 2.0 * math.pi, 73)
_UNIT = np.stack([np.cos(_ROUND), np.sin(_ROUND)], axis=1)
_DASH, _PERIOD = 6.0, 10.0
_HALO = 7.0
"""How much wider, in points, what is lit is drawn below itself."""
_GLOW = faded(HINT, 0.5)
_PALE = 0.2
"""Opacity up to which something is too pale to be meant."""


class Diagram:
    """Draws a region of its coordinates into a box; nothing is drawn outside of the box.

    y_down: whether the y-axis of its coordinates points down, as on screens; quiet: nothing is
    written, for pictures that are small.
    """

    def __init__(
        self,
        writing: Writing,
        box: Box,
        region: Rectangle,
        y_down: bool = False,
        quiet: bool = False,
    ) -> None:
        left, low, right, high = region
        self.region, self.box, self.quiet = region, box, quiet
        self._writing = writing
        self.means: Mapping[str, str] = {}
        """What labels mean, by their text."""
        self.pointed = ""
        """The name of what is pointed at: a label of that name shows its place."""
        self.lit: Color | None = None
        """The color of what is pointed at: what is drawn in it is lit."""
        self.drawn = Drawn()
        self.scale = min(box.width / (right - left), box.height / (high - low))
        """Points a unit."""
        self._turn = np.array((1.0, -1.0 if y_down else 1.0)) * self.scale
        middle = np.array((box.x + 0.5 * box.width, box.y + 0.5 * box.height))
        self._origin = middle - self._turn * (0.5 * (left + right), 0.5 * (low + high))

    def part(self, part: Rectangle) -> Box:
        """A part of the diagram in points."""
        corners = self.to_points((part[:2], part[2:]))
        return Box(*map(float, corners.min(axis=0)), *map(float, np.ptp(corners, axis=0)))

    def inset(self, part: Rectangle, region: Rectangle) -> "Diagram":
        """A diagram with other coordinates, in a part of this one."""
        inner = Diagram(self._writing, self.part(part), region, quiet=self.quiet)
        inner.pointed, inner.lit, inner.drawn = self.pointed, self.lit, self.drawn
        inner.means = self.means
        return inner

    def to_points(self, places: RowsLike) -> Floats:
        """Places (…, 2) in the diagram as points of the overlay."""
        return self._origin + np.asarray(places, dtype=np.float64) * self._turn

    def to_place(self, x: float, y: float) -> Floats:
        """The place in the diagram of a point of the overlay, shape (2,)."""
        return (np.array((x, y)) - self._origin) / self._turn

    def panel(self, part: Rectangle, color: Color) -> None:
        """A part of the diagram as a panel with round corners."""
        self._writing.overlay.panel(self.part(part), color)

    def polygon(self, corners: npt.ArrayLike, color: Color) -> None:
        """A filled convex polygon (m, 2)."""
        rim = clipped_polygon(self.to_points(corners), self.box)
        if len(rim) > 2:
            self.drawn.add_area(color, rim)
            if self._is_lit(color):
                self._writing.overlay.curve(np.concatenate([rim, rim[:1]]), _GLOW, _HALO)
            self._writing.overlay.convex(rim, color)

    def outline(self, corners: Floats, color: Color, width: float = 1.5) -> None:
        """A closed line through corners (m, 2)."""
        corners = np.asarray(corners, dtype=np.float64)
        self.line(np.concatenate([corners, corners[:1]]), color, width)

    def line(self, places: RowsLike, color: Color, width: float = 1.5) -> None:
        """An open line through places (m, 2)."""
        points = self.to_points(places)
        self._segments(points[:-1], points[1:], color, width)

    def dashes(self, ends: npt.ArrayLike, color: Color, width: float = 1.5) -> None:
        """A dashed line between two places."""
        a, b = self.to_points(ends)
        length = float(np.hypot(*(b - a)))
        if length > 0.0:
            starts = np.arange(0.0, min(length, 1e4), _PERIOD)[:, None]
            along = (b - a) / length
            self._segments(
                a + starts * along, a + np.minimum(starts + _DASH, length) * along, color, width
            )

    def disc(self, centre: npt.ArrayLike, radius: float, color: Color) -> None:
        """A filled circle."""
        self.polygon(np.asarray(centre) + radius * _UNIT[:-1], color)

    def circle(
        self, centre: npt.ArrayLike, radius: float, color: Color, width: float = 1.5
    ) -> None:
        """A circle's line."""
        self.line(np.asarray(centre) + radius * _UNIT, color, width)

    def dotted_circle(
        self, centre: Floats, radius: float, color: Color, width: float = 1.5
    ) -> None:
        """A circle's line, dotted."""
        points = self.to_points(np.asarray(centre) + radius * _UNIT)
        self._segments(points[:-1:2], points[1::2], color, width)

    def ring(self, centre: Floats, radius: float, color: Color, width: float = 2.0) -> None:
        """A circle's line with a radius in points."""
        self.circle(centre, radius / self.scale, color, width)

    def arrow(
        self, start: npt.ArrayLike, end: npt.ArrayLike, color: Color, width: float = 2.0
    ) -> None:
        """An arrow from one place to another."""
        a, b = self.to_points(start), self.to_points(end)
        length = float(np.hypot(*(b - a)))
        if length < 1e-9:
            return
        along = (b - a) / length
        head = min(12.0, 0.6 * length)
        neck, aside = b - head * along, 0.4 * head * np.array((-along[1], along[0]))
        self._segments(a[None], neck[None], color, width)
        tip = clipped_polygon(np.array([b, neck + aside, neck - aside]), self.box)
        if len(tip) > 2:
            self._writing.overlay.convex(tip, color)

    def dot(self, place: Floats, color: Color, points: float = 4.0) -> None:
        """A dot, with a radius in points."""
        self.disc(place, points / self.scale, color)

    def label(
        self,
        place: Any,
        text: str,
        color: Color = INK,
        away: tuple[float, float] = (0.0, 0.0),
        meaning: str = "",
    ) -> None:
        """A text near a place, `away` points to the right and up of it; see `Writing.label`.

        meaning: of what is written, if it is not in `means`.
        """
        x, y = self.to_points(place)
        inside = self.box.grown(1.0).holds(float(x), float(y))
        if inside and not self.quiet:
            if text == self.pointed:
                self.ring(place, 9.0, HINT, 2.5)
            means = meaning or self.means[text]
            self._writing.label(float(x) + away[0], float(y) + away[1], text, color, means)

    def _segments(self, starts: Floats, ends: Floats, color: Color, width: float) -> None:
        a, b = clipped_segments(starts, ends, self.box)
        if len(a) == 0:
            return
        self.drawn.add_lines(color, a, b, width)
        if self._is_lit(color):
            self._writing.overlay.segments(a, b, _GLOW, width + _HALO)
        self._writing.overlay.segments(a, b, color, width)

    def color_at(self, x: float, y: float, colors: Sequence[Color]) -> Color | None:
        """Which of some colors has what is drawn on top at a point of the overlay; or None."""
        if not self.box.holds(x, y):
            return None
        found = self.drawn.color_at(x, y, lambda drawn: any(_says(drawn, c) for c in colors))
        return None if found is None else next(c for c in colors if _says(found, c))

    def _is_lit(self, color: Color) -> bool:
        return self.lit is not None and _says(color, self.lit)


def _says(drawn: Color, meant: Color) -> bool:
    """Whether something is drawn in a color that is meant, and not too pale for it."""
    return drawn[:3] == meant[:3] and drawn[3] > _PALE
