"""All lessons by name."""

from collections.abc import Callable

from viewer.lessons.lesson import Lesson
from viewer.lessons.sat import Sat
from viewer.lessons.slices import Slices

LESSONS: dict[str, Callable[[], Lesson]] = {
    "slices": Slices,
    "sat": Sat,
}
