"""All lessons by name."""

from collections.abc import Callable

from viewer.lessons.gjk import Gjk
from viewer.lessons.lesson import Lesson
from viewer.lessons.sat import Sat
from viewer.lessons.slices import Slices
from viewer.lessons.swept_sat import SweptSat

LESSONS: dict[str, Callable[[], Lesson]] = {
    "slices": Slices,
    "sat": Sat,
    "swept-sat": SweptSat,
    "gjk": Gjk,
}
