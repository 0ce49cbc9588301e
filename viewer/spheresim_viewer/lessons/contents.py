"""The table of contents: all lessons with pictures, to be chosen by mouse or keys."""

from collections.abc import Callable

from spheresim_viewer.lessons.catalogue import LESSONS, lesson_class
from spheresim_viewer.lessons.colors import BUTTON, HINT, INK, PLATE, QUIET
from spheresim_viewer.lessons.compile_ahead import compile_ahead, draw_picture, draw_tile, posed
from spheresim_viewer.lessons.lesson import Lesson
from spheresim_viewer.lessons.rectangle import Box
from spheresim_viewer.lessons.writing import PITCH, Spot, Writing
from spheresim_viewer.loading import Compiling

_WAIT = "Preparing. The very first time this may take a minute; then it is kept."
_WAY_OUT = "Esc leaves."


class WaitPage:
    """The title of what is coming, why it may take a while, and how long it has taken."""

    def __init__(self, title: str, compiling: Compiling) -> None:
        self._title, self._compiling = title, compiling
        self._said = ""

    def draw(self, writing: Writing) -> None:
        """Draw the page."""
        overlay = writing.overlay
        width = writing.width(_WAIT) + 32.0
        height = 42.0 + 2.0 * PITCH
        low = 0.5 * (overlay.height - height)
        box = Box(0.5 * (overlay.width - width), low, width, height)
        overlay.panel(box, PLATE)
        middle = 0.5 * overlay.width
        writing.line(middle, box.top - 26.0, self._title, size=17.0, anchor="center")
        writing.line(middle, box.top - 30.0 - PITCH, _WAIT, QUIET, anchor="center")
        words = writing.shortened(self._words, width - 16.0)
        writing.line(middle, box.top - 30.0 - 2.0 * PITCH, words, QUIET, anchor="center")
        writing.spot(box, self._title, "It appears as soon as it is ready.")

    @property
    def _words(self) -> str:
        wait = self._compiling.wait
        return _WAY_OUT if wait is None else f"{wait.words('the lesson').capitalize()}. {_WAY_OUT}"

    def tick(self, _seconds: float) -> bool:
        """Whether there is something new to say."""
        before, self._said = self._said, self._words
        return self._said != before


_MARGIN = 10.0
_TOP = 44.0
_BOTTOM = PITCH + 16.0
_CAPTION = PITCH + 8.0
_COLUMNS = 4
_WORDS = "Click a lesson, or use the arrow keys and Enter. Esc closes."
_PREPARING = "Preparing the pictures… A lesson can be chosen already."


class ContentsPage:
    """Tiles, one a lesson; `choose` is called with the name of the chosen one.

    at_once: whether all pictures are there from the beginning. Else ticks add one after the other,
    since what a lesson asks of spheresim is compiled when it is asked for the first time.
    """

    def __init__(
        self, choose: Callable[[str], object], chosen: str = "", at_once: bool = True
    ) -> None:
        self._choose = choose
        self._names = list(LESSONS)
        self._kinds = {name: lesson_class(name) for name in self._names}
        self._lessons: dict[str, Lesson] = {}
        self._compiling: Compiling | None = None
        self._touched = False
        for name in self._names if at_once else ():
            self._lessons[name] = posed(name)
        self.chosen = chosen or self._names[0]

    def draw(self, writing: Writing) -> None:
        """Draw the page."""
        overlay = writing.overlay
        title = writing.line(_MARGIN, overlay.height - 30.0, "Lessons", size=20.0)
        overlay.panel(title.grown(4.0), PLATE)
        writing.spot(title, "Lessons", "Each lesson is a method to be tried by hand.")
        if len(self._lessons) < len(self._names):
            said = writing.line(title.right + 24.0, overlay.height - 30.0, _PREPARING, QUIET)
            overlay.panel(said.grown(4.0), PLATE)
            writing.spot(said, "preparing", "What they ask of spheresim is compiled; it is kept.")
        for k, name in enumerate(self._names):
            self._draw_tile(writing, self._tile(overlay.width, overlay.height, k), name)
        words = self._kinds[self.chosen].summary if self._touched else _WORDS
        foot = Box(_MARGIN, 8.0, overlay.width - 2.0 * _MARGIN, PITCH + 6.0)
        overlay.panel(foot, PLATE)
        words = writing.shortened(words, foot.width - 16.0)
        writing.line(foot.x + 8.0, foot.y + 7.0, words, QUIET)
        writing.spot(foot, "this line", "Here stands what a lesson teaches.")

    def key(self, shown: str) -> None:
        """Choose another tile by an arrow key, or open the chosen one by Enter."""
        by = {"left": -1, "right": 1, "up": -_COLUMNS, "down": _COLUMNS}.get(shown)
        self._touched = True
        if shown == "enter":
            self._choose(self.chosen)
        elif by is not None:
            number = self._names.index(self.chosen) + by
            if 0 <= number < len(self._names):
                self.chosen = self._names[number]

    def spot_at(self, writing: Writing, x: float, y: float) -> Spot | None:
        """What is pointed at by a point."""
        return writing.spot_at(x, y)

    def point(self, spot: Spot | None) -> None:
        """Choose what is pointed at."""
        if spot is not None and spot.name in self._names:
            self.chosen, self._touched = spot.name, True

    def press(self, writing: Writing, x: float, y: float) -> None:
        """Open what was clicked."""
        spot = writing.spot_at(x, y)
        if spot is not None and spot.action is not None:
            spot.action()

    def drag(self, _x: float, _y: float) -> None:
        """Nothing here can be dragged."""

    def release(self) -> None:
        """Nothing here is held."""

    def tick(self, _seconds: float) -> bool:
        """Add the next picture once all for it is compiled; whether it did."""
        missing = self._names[len(self._lessons) :]
        if not missing:
            return False
        if self._compiling is None:
            self._compiling = compile_ahead(draw_tile(missing[0]))
        if self._compiling.is_alive():
            return False
        self._compiling = None
        self._lessons[missing[0]] = posed(missing[0])
        return True

    def _tile(self, width: float, height: float, number: int) -> Box:
        rows = -(-len(self._names) // _COLUMNS)
        row, column = divmod(number, _COLUMNS)
        across = (width - _MARGIN) / _COLUMNS
        down = (height - _TOP - _BOTTOM) / rows
        x, y = _MARGIN + column * across, height - _TOP - (row + 1) * down
        return Box(x, y + _MARGIN, across - _MARGIN, down - _MARGIN)

    def _draw_tile(self, writing: Writing, tile: Box, name: str) -> None:
        kind = self._kinds[name]
        if name == self.chosen:
            writing.overlay.panel(tile.grown(4.0), HINT)
        writing.overlay.panel(tile, PLATE)
        room = tile.cut(6.0, _CAPTION + 4.0, 6.0, 6.0)
        if name in self._lessons:
            draw_picture(self._lessons[name], writing, room)
        caption = Box(tile.x, tile.y, tile.width, _CAPTION)
        writing.overlay.panel(caption, BUTTON)
        words = writing.shortened(kind.title, tile.width - 12.0)
        writing.line(tile.x + 6.0, tile.y + 8.0, words, INK, BUTTON)
        writing.spot(tile, name, kind.summary, lambda: self._choose(name))
