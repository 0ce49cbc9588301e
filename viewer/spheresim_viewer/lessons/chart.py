"""A chart of rows with bars, below a diagram. Rows can be pointed at, and clicked."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.colors import CHOSEN, INK, PLATE, QUIET
from spheresim_viewer.lessons.rectangle import Box
from spheresim_viewer.lessons.writing import PITCH, Writing

ROW = PITCH + 2.0
"""The height of a row."""
NAMES, VALUES = 84.0, 104.0
"""The widths of the columns left and right of the bars, and of sliders' lines."""


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
    """A row: its name, its bars, the text beside them, what it means, and what a click does."""

    name: str
    bars: Sequence[Bar]
    value: str
    meaning: str
    action: Callable[[], object] | None = None
    color: Color = INK


class Chart(NamedTuple):
    """Rows, one of them chosen; bars show values in a span, bands lie across all rows."""

    heading: str
    rows: Sequence[Row]
    span: tuple[float, float]
    chosen: int = -1
    bands: Sequence[Bar] = ()

    @property
    def height(self) -> float:
        """What it takes with its heading, in points."""
        return ROW * (len(self.rows) + 1) + 4.0


def line_of(box: Box) -> tuple[float, float]:
    """Where in a box bars and sliders begin and end."""
    return box.x + NAMES, max(box.right - VALUES, box.x + NAMES + 20.0)


def draw_chart(writing: Writing, box: Box, chart: Chart, pointed: str) -> None:
    """Draw a chart into a box."""
    writing.overlay.panel(box, PLATE)
    left, right = line_of(box)
    heading = writing.line(box.x + 8.0, box.top - 16.0, chart.heading, QUIET)
    writing.spot(heading, chart.heading, "Each row is one test. Point at a row, or click it.")
    for k, row in enumerate(chart.rows):
        low = box.top - ROW * (k + 2)
        place = Box(box.x, low, box.width, ROW)
        ground = CHOSEN if k == chart.chosen or row.name == pointed else PLATE
        if ground is CHOSEN:
            writing.overlay.rectangles(place, CHOSEN)
        for bar in (bar for bar in row.bars if bar.low <= bar.high):
            start, end = np.interp((bar.low, bar.high), chart.span, (left, right))
            thick = (bar.upper - bar.lower) * ROW
            # An empty bar, or one beyond the chart, is still drawn as a tick.
            box_of_bar = (start - 1.0, low + bar.lower * ROW, end - start + 2.0, thick)
            writing.overlay.rectangles(box_of_bar, bar.color)
        writing.line(box.x + 8.0, low + 5.0, row.name, INK, ground)
        writing.line(box.right - 8.0, low + 5.0, row.value, row.color, ground, anchor="right")
        writing.spot(place, row.name, row.meaning, row.action)
    for band in chart.bands:
        start, end = np.interp((band.low, band.high), chart.span, (left, right))
        height = ROW * len(chart.rows)
        low = box.top - ROW - height
        writing.overlay.rectangles((start - 1.0, low, end - start + 2.0, height), band.color)
