"""What is seen before a lesson appears for the first time."""

from spheresim_viewer.lessons.boxes import Box
from spheresim_viewer.lessons.colors import PLATE, QUIET
from spheresim_viewer.lessons.writing import PITCH, Writing

_WORDS = "Preparing. The very first time this may take a minute; then it is kept."


class WaitPage:
    """The title of what is coming, and why it may take a while."""

    def __init__(self, title: str) -> None:
        self._title = title

    def draw(self, writing: Writing) -> None:
        """Draw the page."""
        overlay = writing.overlay
        width = writing.width(_WORDS) + 32.0
        box = Box(0.5 * (overlay.width - width), 0.5 * overlay.height - 32.0, width, 64.0)
        overlay.panel(*box, PLATE)
        middle = 0.5 * overlay.width
        writing.line(middle, box.top - 26.0, self._title, size=17.0, anchor="center")
        writing.line(middle, box.top - 30.0 - PITCH, _WORDS, QUIET, anchor="center")
        writing.spot(box, self._title, "It appears as soon as it is ready.")
