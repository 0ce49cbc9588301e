"""All lessons by name."""

from collections.abc import Callable

from spheresim_viewer.lessons.gjk import Gjk
from spheresim_viewer.lessons.lesson import Lesson
from spheresim_viewer.lessons.sat import Sat
from spheresim_viewer.lessons.slices import Slices
from spheresim_viewer.lessons.swept_sat import SweptSat

LESSONS: dict[str, Callable[[], Lesson]] = {
    "slices": Slices,
    "sat": Sat,
    "swept-sat": SweptSat,
    "gjk": Gjk,
}
