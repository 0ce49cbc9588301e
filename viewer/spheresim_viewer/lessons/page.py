"""The page of a lesson: the board with its handles, and the column that guides."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.chart import draw_chart, line_of
from spheresim_viewer.lessons.colors import HINT, INK, LINE, PLATE, QUIET, faded
from spheresim_viewer.lessons.column import Column
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.exercise import Click, Drag, Guide, Slide
from spheresim_viewer.lessons.lesson import Lesson, Slider
from spheresim_viewer.lessons.rectangle import Box
from spheresim_viewer.lessons.writing import PITCH, Spot, Writing

_MARGIN = 8.0
_HINTS = 2.0 * PITCH + 8.0
_SLIDER = 24.0
_CATCH = 14.0
"""Distance in points within which the mouse catches a handle."""
_KNOB: Color = (1.0, 1.0, 1.0, 1.0)
_ARC = np.linspace(-0.25 * math.pi, 0.5 * math.pi, 13)
_POINT_AT = (
    "Point at a thing to see its meaning. Enter: next, Page Up: back, Backspace: restart, "
    "F12: picture, Esc: leave."
)
_HINT_LINE = "this line"


class LessonPage:
    """A lesson with its guide. `leave` is called when somebody goes on from its end."""

    def __init__(self, lesson: Lesson, leave: Callable[[], object], after: str = "") -> None:
        self.lesson, self.guide = lesson, Guide(lesson)
        self._leave, self._after = leave, after
        self._held: str | None = None
        self._pointed: Box | None = None
        self._grip: Floats = np.zeros(2)
        self.diagram: Diagram | None = None
        self.board = Box(0.0, 0.0, 0.0, 0.0)
        self._line = (0.0, 1.0)
        self._slider_heights: dict[str, float] = {}
        self._colors: dict[str, Color] = {}  # of the figures that have one

    # --- Drawing ---

    def draw(self, writing: Writing) -> None:
        """Draw the page."""
        overlay = writing.overlay
        column, board = _split(overlay.width, overlay.height)
        self.board = board
        chart, sliders = self.lesson.chart(), self.lesson.sliders()
        below = board.y + _HINTS
        self._line = line_of(board)
        for slider in reversed(sliders):
            self._slider_heights[slider.name] = below + 0.5 * _SLIDER
            self._draw_slider(writing, board, slider)
            below += _SLIDER
        if chart is not None:
            below += 4.0
            draw_chart(
                writing, Box(board.x, below, board.width, chart.height), chart, self.lesson.pointed
            )
            below += chart.height
        room = board.cut(low=below - board.y + 6.0)
        self.diagram = Diagram(writing, room, self.lesson.region, self.lesson.y_down)
        self.diagram.means = self.lesson.means
        self.diagram.pointed = self.lesson.pointed
        self._colors = {row.name: row.swatch for row in self.lesson.figures() if row.swatch}
        self.diagram.lit = self._colors.get(self.lesson.pointed)
        self.lesson.draw(self.diagram)
        self._draw_handles(writing, self.diagram)
        self._draw_move(writing)
        writing.place_labels(room)
        Column(writing, column, self.lesson, self.guide, self._after).draw(self.go)
        self._draw_hint(writing, board)

    def _draw_slider(self, writing: Writing, board: Box, slider: Slider) -> None:
        y, (left, right) = self._slider_heights[slider.name], self._line
        x = self._x_of(slider, slider.value)
        row = Box(board.x, y - 0.5 * _SLIDER, board.width, _SLIDER)
        writing.overlay.panel(row.cut(low=1.0, high=1.0), PLATE)
        writing.line(board.x + 8.0, y - 5.0, slider.name, INK)
        writing.line(board.right - 8.0, y - 5.0, slider.shown, INK, anchor="right")
        writing.overlay.rectangles((left, y - 1.5, right - left, 3.0), faded(LINE, 0.5))
        meaning = slider.meaning or self.lesson.means[slider.name]
        writing.spot(row, slider.name, meaning)
        _draw_knob(writing, (x, y))

    def _draw_handles(self, writing: Writing, diagram: Diagram) -> None:
        for handle in reversed(self.lesson.handles()):
            place = diagram.to_points(self.lesson.region.nearest(handle.place))
            box = Box(place[0] - 9.0, place[1] - 9.0, 18.0, 18.0)
            writing.kept_free.append(box)
            meaning = handle.meaning or self.lesson.means[handle.name]
            writing.spot(box, handle.name, meaning)
            if handle.turns:
                for turn in (0.0, math.pi):
                    angles = _ARC + turn
                    arc = place + 11.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
                    writing.overlay.curve(arc, INK, 1.5)
            _draw_knob(writing, place)

    def _draw_move(self, writing: Writing) -> None:
        """Show how the present step can be done: a dashed arrow to where a handle may go."""
        step = self.guide.step
        if step is None or self.guide.is_answered or self._held is not None:
            return
        move = step.by
        if isinstance(move, Drag | Slide):
            if self._has(move):
                name = move.handle if isinstance(move, Drag) else move.slider
                _draw_way(writing, np.array(self.knob_of(name)), np.array(self.point_of(move)))
        elif isinstance(move, Click):
            for spot in (spot for spot in writing.spots if spot.name == move.spot):
                box = spot.box
                rim = [(box.x, box.y), (box.right, box.y), (box.right, box.top), (box.x, box.top)]
                writing.overlay.curve([*rim, rim[0]], HINT, 2.0)

    def _draw_hint(self, writing: Writing, board: Box) -> None:
        """Write what the thing that is pointed at means."""
        name = self.lesson.pointed
        named = [spot for spot in reversed(writing.spots) if spot.name == name]
        here = [
            spot for spot in named if spot.box == self._pointed
        ]  # a row, or a label of its name
        known = next(iter(here or named), None)
        text = _POINT_AT if known is None else known.meaning
        lines = hint_lines(writing, board, text)
        place = Box(board.x, board.y, board.width, _HINTS - 4.0)
        writing.overlay.panel(place, PLATE)
        writing.paragraph(board.x + 8.0, place.top - 1.0, lines, QUIET)
        writing.spot(place, _HINT_LINE, _POINT_AT)

    # --- The mouse ---

    def handle_at(self, x: float, y: float) -> str | None:
        """The name of the handle or slider at a point, or None.

        It is the nearest knob, if one is near. Otherwise it is a slider's line, or the handle
        that can be grabbed there by its body: the last one, which is on top.
        """
        if self.diagram is None:
            return None
        names = [slider.name for slider in self.lesson.sliders()]
        names += [handle.name for handle in self.lesson.handles()]
        away = {name: math.dist((x, y), self.knob_of(name)) for name in names}
        if away and min(away.values()) <= _CATCH:
            return min(away, key=lambda name: away[name])
        for name, height in self._slider_heights.items():
            if name in names and abs(y - height) < 0.5 * _SLIDER and self._on_line(x):
                return name
        place = self.diagram.to_place(x, y)
        held = [handle.name for handle in self.lesson.handles() if handle.holds(place)]
        return held[-1] if held and self.diagram.box.holds(x, y) else None

    def spot_at(self, writing: Writing, x: float, y: float) -> Spot | None:
        """What is pointed at by a point; a colored thing of the picture stands for its figure."""
        spot = writing.spot_at(x, y)
        if spot is not None or self.diagram is None:
            return spot
        color = self.diagram.color_at(x, y, list(self._colors.values()))
        named = next((name for name, own in self._colors.items() if own == color), None)
        return next((spot for spot in writing.spots if spot.name == named), None)

    def point(self, spot: Spot | None) -> None:
        """Explain what is pointed at."""
        self.lesson.pointed = "" if spot is None else spot.name
        self._pointed = None if spot is None else spot.box

    def press(self, writing: Writing, x: float, y: float) -> None:
        """Grab a handle, or click on a spot."""
        self._held = self.handle_at(x, y)
        if self._held is None:
            spot = writing.spot_at(x, y)
            if spot is not None and spot.action is not None:
                spot.action()
                self.guide.look()
            return
        knob = np.array(self.knob_of(self._held))
        self._grip = knob - (x, y)
        if self._held in self._slider_heights and abs(self._grip[0]) > _CATCH:
            self._grip = np.zeros(2)
            self.drag(x, y)

    def drag(self, x: float, y: float) -> None:
        """Drag what was grabbed to a point."""
        if self._held is None or self.diagram is None:
            return
        x, y = x + float(self._grip[0]), y + float(self._grip[1])
        for handle in (handle for handle in self.lesson.handles() if handle.name == self._held):
            handle.drag(self.lesson.region.nearest(self.diagram.to_place(x, y)))
        for slider in (slider for slider in self.lesson.sliders() if slider.name == self._held):
            slider.drag(self._value_at(slider, x))
        self.lesson.changed()
        self.guide.look()

    def release(self) -> None:
        """Let go of what was grabbed."""
        self._held = None

    # --- Keys and steps ---

    def key(self, shown: str) -> bool:
        """Do what a key does; whether there is such a key."""
        for known in self.lesson.controls():
            if known.shown == shown:
                known.action()
                self.guide.look()
                return True
        return False

    def go(self, number: int) -> None:
        """Go to a step; on from free play, leave the lesson."""
        if number > len(self.guide.steps):
            self._leave()
        else:
            self.guide.go(number)

    def tick(self, seconds: float) -> bool:
        """Let time go on; whether anything moved."""
        moved = self.lesson.tick(seconds)
        if moved:
            self.guide.look()
        return moved

    # --- Where things are ---

    def knob_of(self, name: str) -> tuple[float, float]:
        """Where the knob of a handle or slider is, in points."""
        assert self.diagram is not None
        for handle in (handle for handle in self.lesson.handles() if handle.name == name):
            x, y = self.diagram.to_points(self.lesson.region.nearest(handle.place))
            return float(x), float(y)
        slider = self._slider(name)
        return self._x_of(slider, slider.value), self._slider_heights[name]

    def point_of(self, move: Drag | Slide) -> tuple[float, float]:
        """Where a move ends, in points."""
        assert self.diagram is not None
        if isinstance(move, Slide):
            slider = self._slider(move.slider)
            return self._x_of(slider, move.to), self._slider_heights[move.slider]
        x, y = self.diagram.to_points(self.lesson.region.nearest(move.to))
        return float(x), float(y)

    def _slider(self, name: str) -> Slider:
        return next(slider for slider in self.lesson.sliders() if slider.name == name)

    def _has(self, move: Drag | Slide) -> bool:
        """Whether there is the handle or slider of a move; keys may have taken it away."""
        if isinstance(move, Slide):
            return any(slider.name == move.slider for slider in self.lesson.sliders())
        return any(handle.name == move.handle for handle in self.lesson.handles())

    def _on_line(self, x: float) -> bool:
        return self._line[0] - 6.0 <= x <= self._line[1] + 6.0

    def _x_of(self, slider: Slider, value: float) -> float:
        span, at = np.array(slider.span), value
        if slider.logarithmic:
            span, at = np.log(span), math.log(value)
        return float(np.interp(at, span, self._line))

    def _value_at(self, slider: Slider, x: float) -> float:
        if slider.logarithmic:
            return math.exp(float(np.interp(x, self._line, np.log(slider.span))))
        return float(np.interp(x, self._line, slider.span))


def hint_lines(writing: Writing, board: Box, text: str) -> list[str]:
    """The lines below a board, of which there is room for two."""
    return writing.lines(text, board.width - 16.0)[:2]


def _split(width: float, height: float) -> tuple[Box, Box]:
    """The boxes of the column and of the board."""
    side = min(max(0.33 * width, 240.0), 380.0)
    column = Box(width - side - _MARGIN, _MARGIN, side, height - 2.0 * _MARGIN)
    return column, Box(_MARGIN, _MARGIN, column.x - 2.0 * _MARGIN, column.height)


def _draw_knob(writing: Writing, place: npt.ArrayLike) -> None:
    turn = np.linspace(0.0, 2.0 * math.pi, 25)
    rim = np.asarray(place) + 6.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    writing.overlay.convex(rim, _KNOB)
    writing.overlay.curve(rim, INK, 1.5)


def _draw_way(writing: Writing, start: Floats, end: Floats) -> None:
    """A dashed arrow from a knob to a ring where it may go."""
    length = float(np.hypot(*(end - start)))
    if length < 8.0:
        return
    along = (end - start) / length
    for k in range(int((length - 20.0) // 8.0)):
        part = [start + (9.0 + 8.0 * k) * along, start + (13.0 + 8.0 * k) * along]
        writing.overlay.curve(part, HINT, 2.0)
    aside = np.array((-along[1], along[0]))
    neck = end - 11.0 * along
    writing.overlay.triangles([end, neck + 5.0 * aside, neck - 5.0 * aside], HINT)
