"""The exercises of a lesson: a step says one thing, asks for one, and sees that it is done."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy.typing as npt


class Drag(NamedTuple):
    """Drag the handle of a name to a place in the diagram."""

    handle: str
    to: npt.ArrayLike


class Slide(NamedTuple):
    """Drag the slider of a name to a value."""

    slider: str
    to: float


class Press(NamedTuple):
    """Press a key, by its name, so many times."""

    key: str
    times: int = 1


class Click(NamedTuple):
    """Click on the spot of a name, such as a row of the chart."""

    spot: str


Move = Drag | Slide | Press | Click


class Exercise(NamedTuple):
    """What a step asks for.

    by: a move that does it, shown in the picture and played by the tests; done: whether it was
    done; begin: makes everything ready.
    """

    by: Move
    done: Callable[[], bool]
    begin: Callable[[], object] = lambda: None


class Step(NamedTuple):
    """One step of a lesson.

    exercise: what it asks for; says: a sentence that teaches one thing; do: the one thing to do;
    answer: what the picture shows when it was done; lines: the lines of the method that are lit,
    if the lesson does not choose them itself.
    """

    exercise: Exercise
    says: str
    do: str
    answer: str
    lines: Sequence[int] = ()

    @property
    def by(self) -> Move:
        """A move that does what it asks for."""
        return self.exercise.by


class Guided(Protocol):
    """What a guide needs of a lesson."""

    def steps(self) -> list[Step]:
        """The steps, in order."""


class Guide:
    """Where in a lesson somebody is. After the last step comes free play."""

    def __init__(self, lesson: Guided) -> None:
        self.steps = lesson.steps()
        self.number = 0
        self.answered = [False] * len(self.steps)
        self.steps[0].exercise.begin()

    @property
    def step(self) -> Step | None:
        """The present step, or None in free play."""
        return self.steps[self.number] if self.number < len(self.steps) else None

    @property
    def is_answered(self) -> bool:
        """Whether what the present step asks for was done; it stays so."""
        return self.step is not None and self.answered[self.number]

    @property
    def ended(self) -> bool:
        """Whether every step was done, and free play reached."""
        return self.step is None and all(self.answered)

    def look(self) -> None:
        """See whether the present step has been done."""
        if self.step is not None and not self.is_answered and self.step.exercise.done():
            self.answered[self.number] = True

    def go(self, number: int) -> None:
        """Go to a step, from 0, or to free play behind the last one."""
        number = min(max(number, 0), len(self.steps))
        if number != self.number:
            self.number = number
            if self.step is not None:
                self.answered[number] = False
                self.step.exercise.begin()
