"""Drawing on the screen: panels, lines, text and clickable areas, anew in every frame.

Lengths are in points from the lower left corner, which scale with the display's pixel ratio.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyglet
from pyglet import gl

from spheresim.numerics.arrays import Floats
from spheresim_viewer.draw.primitives import FlatTriangles
from spheresim_viewer.hud.boxes import Box, holds
from spheresim_viewer.hud.colors import CAP, FAINT, INK, PAPER, PLATE, RIM, Color
from spheresim_viewer.hud.text_metrics import TextMetrics


class _Text(NamedTuple):
    x: float
    y: float
    text: str
    size: float
    color: Color
    anchor: str


class Area(NamedTuple):
    """A rectangle that can be clicked, and the action of a click.

    drag: called with the x of the pointer, in points, when it is pressed there and moved; and
    whether it was released.
    """

    box: Box
    action: Callable[[], object]
    drag: Callable[[float, bool], object] | None = None


SMALLEST_TEXT = 12.0
"""The least size of text, in points."""


class Explained(NamedTuple):
    """A rectangle in which something is written, and what that means."""

    box: Box
    words: str


def fitting_scale(width: float, height: float) -> float:
    """The scale at which text suits a picture of so many pixels: 1 at 1280 x 800 and below.

    Large pictures get text as large in proportion. In small ones letters stay as large as they can
    be read, and what has no room is left out.
    """
    return max(1.0, min(width / 1280.0, height / 800.0))


class Overlay(TextMetrics):
    """Collects what is to be drawn between `begin` and `end`, then draws it."""

    def __init__(self) -> None:
        super().__init__()
        self._triangles = FlatTriangles()
        self._labels: list[Any] = []
        self._written: list[_Text | None] = []
        self._batch = pyglet.graphics.Batch()
        self.width = self.height = 0.0
        self.areas: list[Area] = []
        self.explained: list[Explained] = []
        self.pointer: tuple[float, float] | None = None
        self.begin(1, 1, 1.0)

    def begin(self, width: int, height: int, pixel_ratio: float) -> None:
        """Start a frame of so many pixels."""
        if pixel_ratio != self._ratio:
            self._forget_labels()
            self._widths.clear()
        self._ratio = pixel_ratio
        self.width, self.height = width / pixel_ratio, height / pixel_ratio
        self._corners: list[Floats] = []
        self._colors: list[Floats] = []
        self._texts: list[_Text] = []
        self.areas = []
        self.explained = []

    def end(self) -> None:
        """Draw all that was collected into the bound framebuffer."""
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        if self._corners:
            corners = np.concatenate(self._corners) * self._ratio
            self._triangles.draw(corners, np.concatenate(self._colors))
        self._write()
        self._batch.draw()
        gl.glDisable(gl.GL_BLEND)

    def triangles(self, corners: npt.ArrayLike, color: npt.ArrayLike) -> None:
        """Triangles with corners (3k, 2), in one color or one for each corner."""
        corners = np.asarray(corners, dtype=np.float64)
        self._corners.append(corners)
        self._colors.append(np.broadcast_to(np.asarray(color, np.float64), (len(corners), 4)))

    def rectangles(self, boxes: npt.ArrayLike, color: npt.ArrayLike) -> None:
        """Rectangles (k, 4) of x, y, width, height, in one color or one (k, 4) for each."""
        x, y, width, height = np.asarray(boxes, dtype=np.float64).reshape(-1, 4).T
        right, top = x + width, y + height
        corners = [(x, y), (right, y), (right, top), (x, y), (right, top), (x, top)]
        colors = np.broadcast_to(np.asarray(color, np.float64), (len(x), 4))
        points = np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)
        self.triangles(points.reshape(-1, 2), np.repeat(colors, 6, axis=0))

    def panel(self, box: Box, color: Color = PAPER, corner: float = 7.0) -> None:
        """A rectangle with round corners, of radius `corner`."""
        x, y, width, height = box
        radius = min(corner, 0.5 * width, 0.5 * height)
        turn = np.linspace(0.0, 0.5 * math.pi, 5)
        quarter = np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius
        middles = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
        rim = np.concatenate(
            [
                (x + 0.5 * width, y + 0.5 * height)
                + np.array(sign) * (0.5 * width - radius, 0.5 * height - radius)
                + _turned(quarter, k)
                for k, sign in enumerate(middles)
            ]
        )
        self.convex(rim, color)

    def convex(self, rim: Floats, color: Color) -> None:
        """A filled convex polygon with corners (m, 2)."""
        fan = np.stack([np.broadcast_to(rim[0], rim.shape), rim, np.roll(rim, -1, axis=0)], axis=1)
        self.triangles(fan.reshape(-1, 2), color)

    def curve(self, points: npt.ArrayLike, color: Color, width: float = 1.5) -> None:
        """A line through points (m, 2)."""
        points = np.asarray(points, dtype=np.float64)
        if len(points) > 1:
            self.segments(points[:-1], points[1:], color, width)

    def segments(self, a: Floats, b: Floats, color: Color, width: float) -> None:
        """Straight lines from points (m, 2) to points (m, 2)."""
        along = b - a
        length = np.maximum(np.hypot(*along.T), 1e-12)[:, None]
        aside = 0.5 * width * np.stack([-along[:, 1], along[:, 0]], axis=1) / length
        quads = [a - aside, b - aside, b + aside, a - aside, b + aside, a + aside]
        self.triangles(np.stack(quads, axis=1).reshape(-1, 2), color)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 13.0,
        color: Color = INK,
        anchor: str = "left",
    ) -> None:
        """A line of text on the baseline y, of a size in points of the display."""
        if text:
            self._texts.append(_Text(x, y, text, size, color, anchor))

    def rows(
        self,
        x: float,
        y: float,
        width: float,
        rows: Sequence[tuple[str, str]],
        meanings: Mapping[str, str],
    ) -> None:
        """Names on the left and their values on the right, downwards from y.

        A name gives way to a value that leaves it too little room. What names mean is said when
        they are pointed at.
        """
        for k, (name, value) in enumerate(rows):
            self.explain((x, y - 17.0 * k - 4.0, width, 17.0), meanings.get(name, ""))
            fitting = self.shortened(value, 12.0, width)
            left = width - self.width_of(fitting, 12.0) - 8.0
            self.text(x, y - 17.0 * k, self.shortened(name, 12.0, left), 12.0, FAINT)
            self.text(x + width, y - 17.0 * k, fitting, 12.0, INK, "right")

    def keycap(self, x: float, y: float, key: str) -> float:
        """A key as it looks on a keyboard, its text on the baseline y; returns its width."""
        size = SMALLEST_TEXT
        width = max(self.width_of(key, size) + 9.0, 1.6 * size)
        low, corner = y - 0.42 * size, 0.3 * size
        self.panel((x - 1.0, low - 2.0, width + 2.0, 1.6 * size + 3.0), RIM, corner + 1.0)
        self.panel((x, low, width, 1.6 * size), CAP, corner)
        self.text(x + 0.5 * width, y, key, size, INK, "center")
        return width

    def plate(self, box: Box) -> None:
        """A panel over all that was drawn before: texts that it would cross are not written."""
        x, y, width, height = box
        around = [around for _, around in self.written()]
        self._texts = [
            said
            for said, (left, low, right, high) in zip(self._texts, around, strict=True)
            if right <= x or left >= x + width or high <= y or low >= y + height
        ]
        self.panel(box, PLATE)

    def written(self) -> list[tuple[str, tuple[float, float, float, float]]]:
        """The texts of this frame, and the box around each: left, low, right, high, in points."""
        part = {"left": 0.0, "center": 0.5, "right": 1.0}
        boxes = []
        for said in self._texts:
            width = self.width_of(said.text, said.size)
            left = said.x - part[said.anchor] * width
            box = (left, said.y - 0.2 * said.size, left + width, said.y + 0.72 * said.size)
            boxes.append((said.text, box))
        return boxes

    def area(
        self,
        box: Box,
        action: Callable[[], object],
        drag: Callable[[float, bool], object] | None = None,
    ) -> None:
        """A rectangle that can be clicked, or in which something is dragged."""
        self.areas.append(Area(box, action, drag))

    def explain(self, box: Box, words: str) -> None:
        """Say what is written in a rectangle, when it is pointed at."""
        if words:
            self.explained.append(Explained(box, words))

    def explained_at(self, x: float, y: float) -> Explained | None:
        """What is explained at a point, or None; of several the one added last."""
        for said in reversed(self.explained):
            if holds(said.box, x, y):
                return said
        return None

    def area_at(self, x: float, y: float) -> Area | None:
        """The area at a point, or None; of several the one added last."""
        return next((area for area in reversed(self.areas) if holds(area.box, x, y)), None)

    def _write(self) -> None:
        """Update the labels that differ from the last frame; others cost nothing."""
        # As many labels as texts
        while len(self._labels) < len(self._texts):
            self._labels.append(
                pyglet.text.Label("", font_name="Roboto", dpi=72, batch=self._batch)
            )
            self._written.append(None)
        # Text, place and look of those that differ
        for k, label in enumerate(self._labels):
            said = self._texts[k] if k < len(self._texts) else None
            if said == self._written[k]:
                continue
            before, self._written[k] = self._written[k], said
            if said is None:
                label.text = ""
                continue
            label.begin_update()
            label.x, label.y = round(said.x * self._ratio), round(said.y * self._ratio)
            label.anchor_x = said.anchor
            if before is None or before.size != said.size:
                label.font_size = self._pixels(said.size)
            if before is None or before.color != said.color:
                label.color = tuple(round(255 * part) for part in said.color)
            label.text = said.text
            label.end_update()

    def _forget_labels(self) -> None:
        for label in self._labels:
            label.delete()
        self._labels, self._written = [], []


def _turned(points: Floats, quarters: int) -> Floats:
    """Turned about the origin by so many right angles."""
    for _ in range(quarters):
        points = np.stack([-points[:, 1], points[:, 0]], axis=1)
    return points
