"""What a lesson is: a thing to play with, a method to follow, and steps that lead through it.

What a lesson says is in a file of the folder `words`; the class has what it shows and does.
"""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from spheresim.numerics.arrays import Floats
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.chart import Chart
from spheresim_viewer.lessons.colors import INK
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.exercise import Exercise, Step
from spheresim_viewer.lessons.rectangle import Rectangle


class Handle(NamedTuple):
    """Something that can be dragged: its place in the diagram, shape (2,), and what dragging does.

    name: as in the words of the steps; holds: whether it can be grabbed at another place too,
    such as anywhere on a body; turns: whether it is drawn as something that turns; meaning: if it
    is not in the words' file.
    """

    name: str
    place: Floats
    drag: Callable[[Floats], None]
    holds: Callable[[Floats], bool] = lambda _place: False
    turns: bool = False
    meaning: str = ""


class Slider(NamedTuple):
    """A number that is changed on a line below the diagram; `shown` is written at its end.

    logarithmic: whether equal ways along the line are equal ratios.
    """

    name: str
    value: float
    span: tuple[float, float]
    drag: Callable[[float], None]
    shown: str
    logarithmic: bool = False
    meaning: str = ""


class Key(NamedTuple):
    """A key by its letter or name ("left", "up"), what it does in words, and its action."""

    shown: str
    words: str
    action: Callable[[], object]


class Figure(NamedTuple):
    """A number beside the diagram: its name and its value.

    swatch: the color in which the picture draws what the number says; meaning: if it is not in
    the words' file.
    """

    name: str
    value: str
    color: Color = INK
    swatch: Color | None = None
    meaning: str = ""


class Line(NamedTuple):
    """A line of a method's pseudocode, and what it means."""

    text: str
    meaning: str


_WORDS = Path(__file__).parent / "words"


class Lesson:
    """A state that handles, sliders and keys change, and that can be drawn.

    A lesson names the file of its words where it is derived: `class Ray(Lesson, words="ray")`.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    """What one learns, in a sentence for the table of contents."""
    why: ClassVar[str]
    """What it is needed for, in a sentence or two; written below the method where there is room."""
    method: ClassVar[tuple[Line, ...]]
    means: ClassVar[dict[str, str]]
    """What labels, figures, handles and sliders mean, by name."""
    _sayings: ClassVar[list[dict[str, Any]]]
    """Of each step, all fields except the exercise."""
    region: ClassVar[Rectangle]
    """The part of the diagram that is visible; handles stay inside."""
    y_down: ClassVar[bool] = False
    pointed: str = ""
    """The name of what the mouse points at."""

    def __init_subclass__(cls, words: str = "") -> None:
        if words:
            said = tomllib.loads((_WORDS / f"{words}.toml").read_text(encoding="utf-8"))
            cls.title, cls.summary, cls.why = said["title"], said["summary"], said["why"]
            cls.method = tuple(Line(*line) for line in said["method"])
            cls._sayings, cls.means = said["step"], said["means"]

    def steps(self) -> list[Step]:
        """The steps that lead through the lesson."""
        pairs = zip(self.exercises(), self._sayings, strict=True)
        return [Step(exercise, **saying) for exercise, saying in pairs]

    def exercises(self) -> list[Exercise]:
        """What each step asks for, in the order of the steps in the words' file."""
        raise NotImplementedError

    def handles(self) -> list[Handle]:
        """What can be dragged in the diagram at present."""
        return []

    def sliders(self) -> list[Slider]:
        """The numbers that can be changed below it."""
        return []

    def controls(self) -> list[Key]:
        """The present keys."""
        return []

    def figures(self) -> list[Figure]:
        """Numbers that are written beside the diagram."""
        return []

    def chart(self) -> Chart | None:
        """Rows of bars below the diagram, if there are any."""
        return None

    def lit(self) -> Sequence[int]:
        """The lines of the method, from 0, that are at work where no step says so."""
        return ()

    def draw(self, diagram: Diagram) -> None:
        """Draw everything except handles, sliders and chart."""
        raise NotImplementedError

    def pose(self) -> None:
        """Show what it is about, for the picture in the table of contents."""

    def changed(self) -> None:
        """Called after something was dragged."""

    def tick(self, seconds: float) -> bool:
        """Let time go on; whether anything moved."""
        return False
