"""The canvas of a lesson: its diagram, handles and text, in a window or in a picture."""

import math
from typing import Any

import numpy as np
from pyglet.math import Mat4

from spheresim_viewer.draw.renderer import Renderer
from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, PAPER, Color, Overlay
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Handle, Lesson

_MARGIN = 14.0
_TOP, _BOTTOM, _SIDE = 96.0, 34.0, 250.0
_CATCH = 16.0
"""Distance in points within which the mouse catches a handle."""
_RIM: Color = (0.15, 0.19, 0.24, 0.9)
_KNOB: Color = (1.0, 1.0, 1.0, 0.95)
_ARC = np.linspace(-0.25 * math.pi, 0.5 * math.pi, 13)


class LessonCanvas:
    """Draws a lesson, and finds and drags its handles."""

    def __init__(self, window: Any, lesson: Lesson, width: int, height: int) -> None:
        self.lesson = lesson
        self.pixel_ratio = 1.0
        self._window = window
        self._renderer = Renderer(width, height)
        self._overlay = Overlay()
        self.diagram: Diagram | None = None
        self._grip: Any = np.zeros(2)

    def resize(self, width: int, height: int) -> None:
        """Change the size, in pixels."""
        if (width, height) != self._renderer.frame.size:
            self._renderer.resize(width, height)

    def draw(self) -> Any:
        """Draw the lesson; the framebuffer that holds it."""
        width, height = self._renderer.frame.size
        self._window.projection = Mat4.orthogonal_projection(0, width, 0, height, -255, 255)
        overlay = self._overlay
        overlay.begin(width, height, self.pixel_ratio)
        room = (
            *(_MARGIN, _BOTTOM),
            overlay.width - _SIDE - 3 * _MARGIN,
            overlay.height - _TOP - _BOTTOM,
        )
        self.diagram = Diagram(overlay, room, self.lesson.region, self.lesson.y_down)
        self.lesson.draw(self.diagram)
        for handle, place in reversed([*zip(self.lesson.handles(), self._knobs(), strict=True)]):
            self._draw_handle(self.diagram, handle, place)
        self._draw_words(overlay)
        return self._renderer.draw_flat(overlay.end)

    def picture(self) -> Any:
        """The pixels, shape (height, width, 3)."""
        return self.draw().read()

    def handle_at(self, x: float, y: float) -> int | None:
        """The number of the handle at a point of the overlay, or None.

        It is the nearest knob, if one is near. Otherwise it is the handle that can be grabbed
        there by its body: the last one, which is on top.
        """
        if self.diagram is None:  # nothing has been drawn yet
            return None
        place = self.diagram.to_place(x, y)
        away = [float(np.hypot(*(knob - place))) * self.diagram.scale for knob in self._knobs()]
        if away and min(away) <= _CATCH:
            return away.index(min(away))
        held = [k for k, handle in enumerate(self.lesson.handles()) if handle.holds(place)]
        return held[-1] if held else None

    def grab(self, x: float, y: float) -> int | None:
        """The number of the handle at a point, to be dragged from there without a jump."""
        number = self.handle_at(x, y)
        if number is not None and self.diagram is not None:
            self._grip = self._knobs()[number] - self.diagram.to_place(x, y)
        return number

    def drag(self, number: int, x: float, y: float) -> None:
        """Drag a handle that was grabbed to a point of the overlay."""
        assert self.diagram is not None
        place = self.diagram.to_place(x, y) + self._grip
        self.lesson.handles()[number].drag(self.lesson.region.nearest(place))

    def _knobs(self) -> list[Any]:
        """Where the handles are drawn: always inside the region."""
        return [self.lesson.region.nearest(handle.place) for handle in self.lesson.handles()]

    def _draw_handle(self, diagram: Diagram, handle: Handle, place: Any) -> None:
        """Draw a knob, with two arrows around it if it turns a body."""
        diagram.dot(place, _KNOB, 6.0)
        diagram.circle(place, 6.0 / diagram.scale, _RIM)
        for turn in (0.0, math.pi) if handle.turns else ():
            angles = _ARC + turn
            arc = place + 11.0 / diagram.scale * np.stack([np.cos(angles), np.sin(angles)], axis=1)
            diagram.line(arc[:-2], _RIM)
            diagram.arrow(arc[-3], arc[-1], _RIM, 1.5)

    def _draw_words(self, overlay: Overlay) -> None:
        lesson = self.lesson
        top = overlay.height
        overlay.text(2 * _MARGIN, top - 34, lesson.title, 20.0, INK)
        for k, line in enumerate(_lines(lesson.words, int(overlay.width / 6.6))):
            overlay.text(2 * _MARGIN, top - 56 - 17 * k, line, 13.0, FAINT)
        rows = lesson.figures()
        height = 24.0 + 17.0 * len(rows)
        x, y = overlay.width - _SIDE - _MARGIN, top - _TOP - _MARGIN - height
        overlay.panel(x, y, _SIDE, height, PAPER)
        overlay.rows(x + 12, y + height - 22, _SIDE - 24, rows)
        for k, key in enumerate(lesson.controls()):
            overlay.text(x + 12, y - 26 - 18 * k, key.shown, 12.0, ACCENT)
            overlay.text(x + 72, y - 26 - 18 * k, key.words, 12.0, FAINT)
        hint = (
            "drag bodies and round handles    backspace as at the start    F12 picture    esc close"
        )
        overlay.text(2 * _MARGIN, 14, hint, 12.0, FAINT)


def _lines(text: str, most: int) -> list[str]:
    """A text in lines of at most so many letters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
