"""Compiling what a lesson needs of spheresim: a thread draws the lesson once, without a screen.

Meanwhile the window handles keys and the mouse.
"""

from collections.abc import Callable

from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.lessons.catalogue import lesson_class
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Lesson
from spheresim_viewer.lessons.page import LessonPage
from spheresim_viewer.lessons.rectangle import Box
from spheresim_viewer.lessons.writing import Writing
from spheresim_viewer.loading import Compiling

_SIZE = 1100, 700


class _Sketch(Overlay):
    """An overlay that is never seen: OpenGL, which also measures text, is the window's thread's."""

    def __init__(self) -> None:
        self._ratio = 1.0
        self.begin(*_SIZE, self._ratio)

    def width_of(self, text: str, size: float) -> float:
        return 0.5 * size * len(text)


def compile_ahead(draw: Callable[[Writing], object]) -> Compiling:
    """Draw something in a thread, which has ended when all that it needs is compiled."""
    compiling = Compiling(lambda: draw(Writing(_Sketch())))
    compiling.start()
    return compiling


def draw_lesson(name: str) -> Callable[[Writing], None]:
    """How the page of a lesson is drawn."""
    return lambda writing: LessonPage(lesson_class(name)(), lambda: None).draw(writing)


def draw_tile(name: str) -> Callable[[Writing], None]:
    """How a lesson's picture in the table of contents is drawn."""
    return lambda writing: draw_picture(posed(name), writing, Box(0.0, 0.0, *_SIZE))


def posed(name: str) -> Lesson:
    """A lesson that shows what it is about."""
    lesson: Lesson = lesson_class(name)()
    lesson.pose()
    return lesson


def draw_picture(lesson: Lesson, writing: Writing, box: Box) -> None:
    """Draw a lesson as a small picture, without words."""
    lesson.draw(Diagram(writing, box, lesson.region, lesson.y_down, quiet=True))
