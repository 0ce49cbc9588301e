"""The interface of a lesson: what it draws, its handles and its keys."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.rectangle import Rectangle


class Handle(NamedTuple):
    """Something that can be dragged: its place in the diagram, shape (2,), and what dragging does.

    holds: whether it can be grabbed at another place too, such as anywhere on a body;
    turns: whether it is drawn as something that turns.
    """

    place: Any
    drag: Callable[[Any], None]
    holds: Callable[[Any], bool] = lambda _place: False
    turns: bool = False


class Key(NamedTuple):
    """A key by its letter or name ("left", "up"), what it does in words, and its action."""

    shown: str
    words: str
    action: Callable[[], None]


class Lesson(Protocol):
    """A state that handles and keys change, and that can be drawn."""

    title: str
    words: str
    """An explanation in a few sentences."""
    region: Rectangle
    """The part of the diagram that is visible; handles stay inside."""
    y_down: bool

    def handles(self) -> list[Handle]:
        """The present handles."""

    def controls(self) -> list[Key]:
        """The present keys."""

    def figures(self) -> list[tuple[str, str]]:
        """Names and values that are written beside the diagram."""

    def draw(self, diagram: Diagram) -> None:
        """Draw everything except the handles."""
