"""A lesson as a picture, without a window."""

from pathlib import Path

from spheresim_viewer.keeping import write_png
from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.lessons.classroom import Classroom
from spheresim_viewer.unseen import open_unseen_window


def keep_lesson(name: str, size: tuple[int, int], file: Path) -> None:
    """Write a PNG of a lesson as it begins."""
    window = open_unseen_window(*size)
    write_png(file, Classroom(window, LESSONS[name](), *size).picture())
