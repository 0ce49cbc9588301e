"""How wide texts are, and texts that are cut short or wrapped to a width."""

from pathlib import Path

import pyglet

_FONT = Path(__file__).parents[1] / "fonts" / "Roboto-Regular.ttf"

_MOST_WIDTHS = 4000
"""Widths of texts that are remembered."""


class TextMetrics:
    """The widths of texts, in points, on a display of some pixel ratio."""

    def __init__(self) -> None:
        pyglet.font.add_file(str(_FONT))
        self._ratio = 1.0
        self._widths: dict[tuple[str, float], float] = {}

    def _pixels(self, size: float) -> int:
        """The height of letters in whole pixels: else they stand at uneven distances."""
        return max(1, round(size * self._ratio))

    def width_of(self, text: str, size: float) -> float:
        """How wide a text is, in points."""
        known = self._widths.get((text, size))
        if known is None:
            if len(self._widths) > _MOST_WIDTHS:
                self._widths.clear()
            font = pyglet.font.load("Roboto", self._pixels(size), dpi=72)
            known = float(sum(glyph.advance for glyph in font.get_glyphs(text)[0])) / self._ratio
            self._widths[text, size] = known
        return known

    def shortened(self, text: str, size: float, width: float) -> str:
        """A text, cut short with an ellipsis where it is wider than so many points."""
        if self.width_of(text, size) <= width:
            return text
        while text and self.width_of(text + "…", size) > width:
            text = text[:-1]
        return text.rstrip() + "…"

    def wrapped(self, text: str, size: float, width: float) -> list[str]:
        """A text in lines no wider than so many points, except where a word is wider."""
        found: list[str] = []
        for word in text.split():
            if found and self.width_of(f"{found[-1]} {word}", size) <= width:
                found[-1] += f" {word}"
            else:
                found.append(word)
        return found

    def lines(self, text: str, size: float, width: float, most: int) -> list[str]:
        """A text in at most so many lines of a width in points; the last may be cut short."""
        found = self.wrapped(text, size, width)
        if len(found) > most:
            found[most - 1 :] = [" ".join(found[most - 1 :])]
        return [self.shortened(line, size, width) for line in found]
