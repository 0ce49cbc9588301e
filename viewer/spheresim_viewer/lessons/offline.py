"""A lesson as a picture, without a window."""

from pathlib import Path

from spheresim_viewer.headless import open_unseen_window
from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.lessons.lesson_canvas import Classroom
from spheresim_viewer.saving import write_png


def keep_lesson(name: str, size: tuple[int, int], file: Path) -> None:
    """Write a PNG of a lesson as it begins."""
    window = open_unseen_window(*size)
    write_png(file, Classroom(window, LESSONS[name](), *size).picture())
