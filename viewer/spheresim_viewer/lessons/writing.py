"""Text on a page: measured, wrapped, on plates that make it readable, and never over other text.

Everything that is written can be pointed at: a spot says what it means.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from spheresim_viewer.hud.colors import Color
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.lessons.colors import INK, PLATE
from spheresim_viewer.lessons.rectangle import Box

TEXT = 14.0
"""The smallest size of text, in points."""
PITCH = 17.0
"""From a line to the next, in points."""
_RISE, _FALL = 0.80, 0.25
"""How far letters reach above and below the baseline, in parts of their size."""
_PAD = 3.0
"""From the text of a label to the edge of its plate."""
_AROUND = [
    (far * dx, far * dy)
    for far in (1, 2, 3, 5, 8)
    for dx in (0, 1, -1)
    for dy in (0, 1, -1)
    if dx != 0 or dy != 0
]
"""Where a label may go if its place is taken, in parts of its height, nearest first."""


class Written(NamedTuple):
    """A line of text, the box of its letters, its color and that of the plate under it."""

    text: str
    box: Box
    size: float
    color: Color
    ground: Color


class Spot(NamedTuple):
    """Something that can be pointed at: its name, what it means, and what a click on it does."""

    box: Box
    name: str
    meaning: str
    action: Callable[[], object] | None = None


class _Label(NamedTuple):
    x: float
    y: float
    text: str
    color: Color
    meaning: str


class Writing:
    """Collects the text of a page, and the spots on it."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self.written: list[Written] = []
        self.spots: list[Spot] = []
        self.kept_free: list[Box] = []
        """Boxes that labels keep clear of besides other text, such as handles."""
        self._labels: list[_Label] = []

    def begin(self) -> None:
        """Start a page."""
        self.written, self.spots, self.kept_free, self._labels = [], [], [], []

    def width(self, text: str, size: float = TEXT) -> float:
        """How long a line of text is, in points."""
        return self.overlay.width_of(text, size)

    def lines(self, text: str, width: float, size: float = TEXT) -> list[str]:
        """A text in lines that are no longer than a width."""
        return self.overlay.wrapped(text, size, width) or [""]

    def shortened(self, text: str, width: float) -> str:
        """A text, cut off with an ellipsis if it is longer than a width."""
        return self.overlay.shortened(text, TEXT, width)

    def line(
        self,
        x: float,
        y: float,
        text: str,
        color: Color = INK,
        ground: Color = PLATE,
        *,
        size: float = TEXT,
        anchor: str = "left",
    ) -> Box:
        """Write a line with its baseline at y on a plate drawn before; the box of its letters."""
        width = self.width(text, size)
        left = {"left": x, "center": x - 0.5 * width, "right": x - width}[anchor]
        box = Box(left, y - _FALL * size, width, (_RISE + _FALL) * size)
        if text:
            self.overlay.text(x, y, text, size, color, anchor)
            self.written.append(Written(text, box, size, color, ground))
        return box

    def paragraph(
        self, x: float, top: float, lines: Sequence[str], color: Color = INK, ground: Color = PLATE
    ) -> float:
        """Write lines downwards from a top; the y below them."""
        for k, text in enumerate(lines):
            self.line(x, top - 13.0 - PITCH * k, text, color, ground)
        return top - PITCH * len(lines)

    def spot(
        self, box: Box, name: str, meaning: str, action: Callable[[], object] | None = None
    ) -> None:
        """Let something be pointed at; of several at a place the last one counts."""
        self.spots.append(Spot(box, name, meaning, action))

    def spot_at(self, x: float, y: float) -> Spot | None:
        """What is pointed at by a point."""
        return next((spot for spot in reversed(self.spots) if spot.box.holds(x, y)), None)

    def label(self, x: float, y: float, text: str, color: Color, meaning: str) -> None:
        """Ask for a label around a point; it is placed when all that is fixed is written."""
        self._labels.append(_Label(x, y, text, color, meaning))

    def place_labels(self, board: Box) -> None:
        """Write the labels, each on a plate, inside a board and clear of all other text.

        One for which there is no room near its point is left out.
        """
        for label in self._labels:
            box = self._free_box(label, board)
            if box is not None:
                plate = box.grown(_PAD)
                self.overlay.panel(plate, PLATE)
                self.spot(plate, label.text, label.meaning)
                self.line(box.x, box.y + _FALL * TEXT, label.text, label.color)

    def _free_box(self, label: _Label, board: Box) -> Box | None:
        width, height = self.width(label.text), (_RISE + _FALL) * TEXT
        home = Box(label.x - 0.5 * width, label.y - 0.5 * height, width, height)
        taken = [written.box.grown(2.0) for written in self.written] + self.kept_free
        for dx, dy in [(0.0, 0.0), *_AROUND]:
            box = home._replace(
                x=home.x + dx * min(0.5 * width + 4.0, 2.0 * height), y=home.y + dy * 0.5 * height
            )
            box = _into(box, board.grown(-_PAD - 1.0))
            if not any(box.grown(_PAD).meets(other) for other in taken):
                return box
        return None


def _into(box: Box, board: Box) -> Box:
    """A box moved into another."""
    x = min(max(box.x, board.x), max(board.right - box.width, board.x))
    y = min(max(box.y, board.y), max(board.top - box.height, board.y))
    return box._replace(x=x, y=y)
