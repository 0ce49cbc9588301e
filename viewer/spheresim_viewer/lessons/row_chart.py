"""A chart of numbered rows, with bars in them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim_viewer.hud.overlay import FAINT, INK, PAPER, Color
from spheresim_viewer.lessons.bodies import faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.rectangle import Rectangle

_CHOSEN: Color = faded(INK, 0.10)
_HIGHEST = 22.0
"""The largest distance between rows, in points."""


class Bar(NamedTuple):
    """A bar from low to high; nothing is drawn if high is less.

    lower, upper: its edges within the row, from 0 to 1.
    """

    low: float
    high: float
    color: Color
    lower: float = 0.25
    upper: float = 0.75


class Row(NamedTuple):
    """A row: bars, and the text beside them."""

    bars: Sequence[Bar]
    value: str
    color: Color = INK


class RowChart:
    """Rows in a part of a diagram, from the top downwards.

    The bars show values: those of `span` lie at the places `left` and `right`.
    """

    def __init__(
        self, part: Rectangle, left: float, right: float, span: tuple[float, float]
    ) -> None:
        self._part, self._left, self._right, self._span = part, left, right, span

    def x_of(self, value: float) -> float:
        """The x of a value in the diagram, limited to left … right."""
        return float(np.interp(value, self._span, (self._left, self._right)))

    def value_at(self, x: float) -> float:
        """The value at x in the diagram, limited to `span`."""
        return float(np.interp(x, (self._left, self._right), self._span))

    def draw(self, diagram: Diagram, rows: Sequence[Row], chosen: int) -> None:
        """Draw all rows, numbered from 1, with one of them marked."""
        overlay = diagram.overlay
        x, bottom, width, height = self._room(diagram, len(rows))
        overlay.panel(x, bottom, width, height, PAPER)
        pitch = height / max(len(rows), 1)
        for k, row in enumerate(rows):
            low = bottom + pitch * (len(rows) - 1 - k)
            if k == chosen:
                overlay.panel(x, low, width, pitch, _CHOSEN)
            for bar in (bar for bar in row.bars if bar.low <= bar.high):
                start, end = self._points(diagram, bar.low, bar.high)
                thick = (bar.upper - bar.lower) * pitch
                base = low + bar.lower * pitch
                # An empty bar, or one beyond the chart, is still drawn as a tick.
                overlay.rectangles((start - 1.0, base, end - start + 2.0, thick), bar.color)
            base, color = low + 0.5 * pitch - 4.0, INK if k == chosen else FAINT
            overlay.text(x + 8.0, base, str(k + 1), 12.0, color)
            overlay.text(x + width - 8.0, base, row.value, 12.0, row.color, "right")

    def draw_band(
        self,
        diagram: Diagram,
        count: int,
        ends: tuple[float, float],
        color: Color,
        above: float = 0.0,
    ) -> None:
        """Draw a band across `count` rows, and so many points above them."""
        _, bottom, _, height = self._room(diagram, count)
        start, end = self._points(diagram, *ends)
        box = (start - 1.0, bottom, end - start + 2.0, height + above)
        diagram.overlay.rectangles(box, color)

    def _room(self, diagram: Diagram, count: int) -> tuple[float, float, float, float]:
        x, y, width, height = diagram.room(self._part)
        used = min(height, _HIGHEST * count)
        return x, y + height - used, width, used

    def _points(self, diagram: Diagram, low: float, high: float) -> Any:
        return diagram.to_points([(self.x_of(low), 0.0), (self.x_of(high), 0.0)])[:, 0]
