"""All lessons by name, in the order in which they are best taken.

A new lesson is one file in this folder and one line here.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spheresim_viewer.lessons.lesson import Lesson

LESSONS = {
    "ray": "ray:RayLesson",
    "offset": "offset:OffsetLesson",
    "slices": "slices:SlicesLesson",
    "tunnelling": "tunnelling:TunnellingLesson",
    "response": "response:ResponseLesson",
    "broadphase": "broadphase:BroadphaseLesson",
    "bounding": "bounding:BoundingLesson",
    "sat": "sat:SatLesson",
    "swept-sat": "swept_sat:SweptSatLesson",
    "support": "support:SupportLesson",
    "gjk": "gjk:GjkLesson",
    "features": "features:FeaturesLesson",
}
"""Name: file and class. They are imported when asked for, since drawing needs OpenGL."""


def lesson_class(name: str) -> "type[Lesson]":
    """The class of a lesson."""
    module, _, kind = LESSONS[name].partition(":")
    return getattr(import_module(f"spheresim_viewer.lessons.{module}"), kind)


def following(name: str) -> str:
    """The name of the lesson after another, or "" after the last."""
    names = [*LESSONS, ""]
    return names[names.index(name) + 1]
