"""What a lesson is to the window that shows it."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.rectangle import Rectangle


class Handle(NamedTuple):
    """Something that can be dragged: where it is on the board, (2,), and what dragging does.

    `holds`: whether a place elsewhere can be grabbed instead, such as all of a body;
    `turns`: drawn as something that is turned.
    """

    place: Any
    drag: Callable[[Any], None]
    holds: Callable[[Any], bool] = lambda _place: False
    turns: bool = False


class Key(NamedTuple):
    """A key by its letter, or "left" or "right", with words on what it does."""

    shown: str
    words: str
    action: Callable[[], None]


class Lesson(Protocol):
    """A state that handles and keys change, and a way to draw it."""

    title: str
    words: str
    """What there is to see, in a sentence or two."""
    region: Rectangle
    """What of the board must be seen; handles stay in it."""
    y_down: bool

    def handles(self) -> list[Handle]:
        """What can be dragged now."""

    def controls(self) -> list[Key]:
        """What keys do now."""

    def figures(self) -> list[tuple[str, str]]:
        """Names and values beside the board."""

    def draw(self, diagram: Diagram) -> None:
        """Draw all but the handles."""
