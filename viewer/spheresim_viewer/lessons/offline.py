"""A lesson as a picture, without a window."""

from pathlib import Path

from spheresim_viewer.headless import open_hidden_window
from spheresim_viewer.lessons.canvas import LessonCanvas, Page
from spheresim_viewer.lessons.catalogue import following, lesson_class
from spheresim_viewer.lessons.contents import ContentsPage
from spheresim_viewer.lessons.page import LessonPage
from spheresim_viewer.saving import write_png
from spheresim_viewer.shot import ShotError


def write_lesson_screenshot(name: str, size: tuple[int, int], step: int, file: Path) -> None:
    """Write a PNG of a lesson at a step, from 1, or without a name of the table of contents.

    ShotError for a step that the lesson does not have.
    """
    window = open_hidden_window(*size)
    write_png(file, LessonCanvas(window, *size).picture(_page(name, step)))


def _page(name: str, step: int) -> Page:
    if not name:
        return ContentsPage(lambda _name: None)
    page = LessonPage(lesson_class(name)(), lambda: None, following(name))
    last = len(page.guide.steps) + 1
    if step > last:
        raise ShotError(f"--step must be at most {last} for the lesson {name}, not {step}")
    page.guide.go(step - 1)
    return page
