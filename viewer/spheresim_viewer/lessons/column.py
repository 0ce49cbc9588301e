"""The column beside the board: what the step says and asks for, the method, and the figures."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.colors import (
    BUTTON,
    CHOSEN,
    GREEN,
    GREEN_INK,
    HINT,
    HINT_INK,
    INK,
    LIT,
    PLATE,
    POINTED,
    QUIET,
    faded,
)
from spheresim_viewer.lessons.exercise import Guide, Press
from spheresim_viewer.lessons.lesson import Figure, Key, Lesson, Line
from spheresim_viewer.lessons.rectangle import Box
from spheresim_viewer.lessons.writing import PITCH, Writing

_PAD = 10.0
_GAP = 7.0
_DONE: Color = (0.91, 0.97, 0.94, 1.0)
_ASKED: Color = (0.995, 0.95, 0.89, 1.0)
_FREE = "Free play: drag what you like, and use the keys."
_ALL_DONE = "All steps are done. Now play freely: drag what you like, and use the keys."


class _Row(NamedTuple):
    """A line of text with what it means."""

    text: str
    meaning: str
    number: int


class Column:
    """Draws the column of a lesson from the top downwards."""

    def __init__(
        self, writing: Writing, box: Box, lesson: Lesson, guide: Guide, after: str = ""
    ) -> None:
        self._writing, self._box = writing, box
        self._lesson, self._guide, self._after = lesson, guide, after
        self._top = box.top - _PAD
        self._left, self._width = box.x + _PAD, box.width - 2.0 * _PAD

    def draw(self, go: Callable[[int], object]) -> None:
        """Draw everything; `go` goes to a step."""
        self._writing.overlay.panel(self._box, PLATE)
        self._draw_title(go)
        step = self._guide.step
        if step is None:
            self._paragraph(_ALL_DONE if self._guide.ended else _FREE)
            self._draw_keys(self._lesson.controls())
        else:
            self._paragraph(step.says)
            self._draw_task()
        self._draw_buttons(go)
        lines = step.lines if step is not None and step.lines else self._lesson.lit()
        figures = self._lesson.figures()
        room = self._top - self._box.y - _PAD - PITCH * len(figures) - _GAP
        self._draw_method(self._lesson.method, set(lines), room)
        self._draw_figures(figures)
        self._draw_why()

    def _draw_why(self) -> None:
        """Draw what the lesson is needed for, at the foot of the column, if there is room."""
        lines = self._writing.lines(self._lesson.why, self._width) if self._lesson.why else []
        height = PITCH * (len(lines) + 1)
        foot = self._box.y + _PAD
        if not lines or self._top - height < foot + PITCH:
            return
        self._writing.line(self._left, foot + height - 13.0, "Why", HINT_INK)
        self._writing.paragraph(self._left, foot + height - PITCH, lines, QUIET)
        box = Box(self._left, foot, self._width, height)
        self._writing.spot(box, "why", "What this lesson is needed for.")

    def _draw_title(self, go: Callable[[int], object]) -> None:
        """Draw the title, and a dot for every step, which can be clicked."""
        writing = self._writing
        box = writing.line(self._left, self._top - 15.0, self._lesson.title, size=17.0)
        writing.spot(box, self._lesson.title, self._lesson.summary)
        self._top -= 22.0
        for k in range(len(self._guide.steps) + 1):
            spot = Box(self._left + 14.0 * k, self._top - 13.0, 12.0, 12.0)
            free = k == len(self._guide.steps)
            done = not free and self._guide.answered[k]
            now = k == self._guide.number
            color = HINT if now else GREEN if done else faded(QUIET, 0.35)
            writing.overlay.panel(spot.grown(-1.0 if now else -3.0), color)
            words = "free play" if free else f"step {k + 1}"
            meaning = f"Go to {words} of this lesson."
            writing.spot(spot, words, meaning, partial(go, k))
        self._top -= 13.0 + _GAP

    def _paragraph(self, text: str) -> None:
        lines = self._writing.lines(text, self._width)
        top = self._top
        self._top = self._writing.paragraph(self._left, top, lines)
        box = Box(self._left, self._top, self._width, top - self._top)
        self._writing.spot(box, "the step", "What this step of the lesson teaches.")
        self._top -= _GAP

    def _draw_task(self) -> None:
        """Draw what is to be done, or, when it was done, what the picture answers."""
        step, writing = self._guide.step, self._writing
        assert step is not None
        done = self._guide.is_answered
        text, color = (step.answer, GREEN_INK) if done else (step.do, HINT_INK)
        lines = writing.lines(text, self._width - 12.0)
        asked = "" if done or not isinstance(step.by, Press) else step.by.key
        known = [key for key in self._lesson.controls() if key.shown == asked]
        height = PITCH * (len(lines) + len(known)) + 8.0
        box = Box(self._left - 4.0, self._top - height, self._width + 8.0, height)
        ground = _DONE if done else _ASKED
        writing.overlay.panel(box, ground)
        writing.overlay.rectangles((box.x, box.y, 4.0, box.height), GREEN if done else HINT)
        meaning = "This was done; the picture answers." if done else "The one thing to do now."
        writing.spot(box, "the task", meaning)
        self._top = writing.paragraph(self._left + 8.0, self._top - 4.0, lines, color, ground)
        for key in known:
            self._draw_key(key, self._left + 8.0, ground)
        self._top -= 4.0 + _GAP

    def _draw_keys(self, keys: Sequence[Key]) -> None:
        for key in keys:
            self._draw_key(key, self._left, PLATE)
        self._top -= _GAP

    def _draw_key(self, key: Key, x: float, ground: Color) -> None:
        """Draw a keycap with its words; a click on it does what the key does."""
        writing = self._writing
        row = Box(x, self._top - PITCH, self._box.right - _PAD - x, PITCH)
        cap = Box(x, row.y + 0.5, writing.width(key.shown) + 10.0, PITCH - 1.0)
        writing.overlay.panel(cap, BUTTON)
        writing.line(x + 5.0, row.y + 4.0, key.shown, INK, BUTTON)
        words = writing.shortened(key.words, row.right - cap.right - 6.0)
        writing.line(cap.right + 6.0, row.y + 4.0, words, INK, ground)
        writing.spot(row, f"key {key.shown}", f"{key.shown}: {key.words}.", key.action)
        self._top -= PITCH

    def _draw_buttons(self, go: Callable[[int], object]) -> None:
        """Draw the buttons that lead back and on."""
        guide, writing = self._guide, self._writing
        on = guide.number + 1
        words = "next (Enter)" if guide.is_answered else "skip"
        if guide.step is None:
            words = f"next: {self._after}" if self._after else "contents"
        half = 0.5 * (self._width - 8.0)
        back = Box(self._left, self._top - 22.0, half, 22.0)
        following = back._replace(x=self._left + half + 8.0)
        ready = guide.is_answered or guide.step is None
        for box, text, meaning, color, number in (
            (back, "back", "A step back (Page Up).", BUTTON, guide.number - 1),
            (following, words, "On (Enter or Page Down).", _DONE if ready else BUTTON, on),
        ):
            writing.overlay.panel(box, color)
            middle = box.x + 0.5 * box.width
            shown = writing.shortened(text, box.width - 6.0)
            writing.line(middle, box.y + 6.5, shown, INK, color, anchor="center")
            writing.spot(box, text, meaning, partial(go, number))
        self._top -= 22.0 + _GAP

    def _draw_method(self, method: Sequence[Line], lit: set[int], room: float) -> None:
        """Draw the pseudocode; if there is too little room, only what is around the lit lines."""
        writing = self._writing
        rows = [
            _Row(text, line.meaning, number)
            for number, line in enumerate(method)
            for text in _indented(writing, line.text, self._width - 8.0)
        ]
        most = max(int(room // PITCH), 1)
        if len(rows) > most:
            first = min((k for k, row in enumerate(rows) if row.number in lit), default=0)
            start = min(max(first - (most - 1) // 2, 0), len(rows) - most)
            rows = rows[start : start + most]
        for row in rows:
            box = Box(self._left - 4.0, self._top - PITCH, self._width + 8.0, PITCH)
            ground = LIT if row.number in lit else PLATE
            if row.text == self._lesson.pointed:
                ground = POINTED
            writing.overlay.rectangles(box, ground)
            indent = 8.0 * (len(row.text) - len(row.text.lstrip()))
            writing.line(self._left + indent, box.y + 4.0, row.text.strip(), INK, ground)
            writing.spot(box, row.text, row.meaning)
            self._top -= PITCH
        self._top -= _GAP

    def _draw_figures(self, figures: Sequence[Figure]) -> None:
        writing = self._writing
        for figure in figures:
            box = Box(self._left - 4.0, self._top - PITCH, self._width + 8.0, PITCH)
            if box.y < self._box.y:
                return
            meaning = figure.meaning or self._lesson.means[figure.name]
            pointed = figure.name == self._lesson.pointed
            ground = CHOSEN if pointed else PLATE
            writing.overlay.rectangles(box, ground)
            x = self._left
            if figure.swatch is not None:
                writing.overlay.rectangles((x, box.y + 4.0, 9.0, 9.0), figure.swatch)
                x += 13.0
            value = writing.shortened(figure.value, self._width - 40.0)
            right = self._left + self._width
            own = writing.line(right, box.y + 4.0, value, figure.color, ground, anchor="right")
            name = writing.shortened(figure.name, own.x - x - 5.0)
            writing.line(x, box.y + 4.0, name, QUIET, ground)
            writing.spot(box, figure.name, f"{figure.name} {figure.value}: {meaning}")
            self._top -= PITCH


def _indented(writing: Writing, text: str, width: float) -> list[str]:
    """A line of pseudocode in as many lines as it needs; leading spaces are kept on each."""
    indent = len(text) - len(text.lstrip())
    lines = writing.lines(text, width - 8.0 * indent)
    return [" " * indent + lines[0], *(" " * (indent + 2) + line for line in lines[1:])]
