"""A lesson as a picture, without a window."""

from pathlib import Path

from spheresim_viewer.headless import open_hidden_window
from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.lessons.lesson_canvas import LessonCanvas
from spheresim_viewer.saving import write_png


def write_lesson_screenshot(name: str, size: tuple[int, int], file: Path) -> None:
    """Write a PNG of a lesson at its start."""
    window = open_hidden_window(*size)
    write_png(file, LessonCanvas(window, LESSONS[name](), *size).picture())
