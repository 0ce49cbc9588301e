"""The lesson on the tutorial's slices of time, compared with the analytic time of impact."""

import math
from functools import partial

import numpy as np

from spheresim import Ball, analytic_toi, sliced_toi
from spheresim.collision.constants import SLICES
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.chart import Bar, Chart, Row
from spheresim_viewer.lessons.colors import (
    AMBER,
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    RED_INK,
    VIOLET,
    VIOLET_INK,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import draw_ball, draw_ghost_ball, number
from spheresim_viewer.lessons.exercise import Drag, Exercise, Press, Slide
from spheresim_viewer.lessons.lesson import Figure, Handle, Key, Lesson, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_RADIUS = 0.8
_SHOWN = 0.25
"""The time for which a velocity's arrow shows the way."""
_FIRST = ((-4.6, -1.2), (2.6, 0.2)), ((8.0, 2.6), (-2.4, 0.8))
_MOST_DRAWN = 40
"""More circles would merge into a grey band."""
_FASTER = 1.25


class SlicesLesson(Lesson, words="slices"):
    """Two balls, and one step of time that is divided into slices."""

    region = Rectangle(-6.5, -3.2, 6.5, 3.8)

    def __init__(self) -> None:
        self._ready(8)

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """From the slices to what they miss."""
        return [
            Exercise(Slide("slices", 24), lambda: self.slices >= 20, partial(self._ready, 8)),
            Exercise(
                Slide("slices", 150),
                lambda: self._answers()[1] - self._answers()[0] < 0.01,
                partial(self._ready, 5),
            ),
            Exercise(
                Press("up", 3),
                lambda: math.isinf(self._answers()[0]) and self._answers()[1] <= 1.0,
                partial(self._ready, 4),
            ),
            Exercise(
                Drag("B", (1.0, 0.3)),
                lambda: math.isinf(self._answers()[1]) and abs(self.places[1][0] - 1.0) < 1.0,
                self._ready_to_cross,
            ),
        ]

    def handles(self) -> list[Handle]:
        """The balls and the tips of their velocities."""
        found = []
        for k, name in enumerate("AB"):
            tip = self._at(k, _SHOWN)
            words = f"Drag it: the velocity of {name}."
            found.append(Handle(f"{name}'s velocity", tip, partial(self._aim, k), meaning=words))
            move, holds = partial(self._move, k), partial(self._holds, k)
            words = f"Drag it: {name} at the beginning of the step."
            found.append(Handle(name, self.places[k], move, holds, meaning=words))
        return found

    def sliders(self) -> list[Slider]:
        """The number of slices."""
        shown = str(self.slices)
        return [Slider("slices", self.slices, (1, SLICES), self._cut, shown, True)]

    def controls(self) -> list[Key]:
        """Keys for the number of slices and for the speed."""
        return [
            Key("left", "a slice less", lambda: self._cut(self.slices - 1)),
            Key("right", "a slice more", lambda: self._cut(self.slices + 1)),
            Key("up", "faster", lambda: self._hurry(_FASTER)),
            Key("down", "slower", lambda: self._hurry(1.0 / _FASTER)),
        ]

    def chart(self) -> Chart:
        """The step as a line, with its slices and both answers."""
        sliced, exact = self._answers()
        ticks = [
            Bar(k / self.slices, k / self.slices, LINE, 0.3, 0.7) for k in range(self.slices + 1)
        ]
        if self.slices > _MOST_DRAWN:
            ticks = [Bar(0.0, 1.0, faded(LINE, 0.5), 0.3, 0.7)]
        words = "From the beginning of the step, 0, to its end, 1; a tick ends a slice."
        rows = [Row("the step", ticks, "0 … 1", words)]
        for name, time, color, ink, meaning in (
            ("sliced", sliced, VIOLET, VIOLET_INK, "The answer of the slices."),
            ("exact", exact, GREEN, GREEN_INK, "The analytic answer: a quadratic equation."),
        ):
            bars = [Bar(time, time, color, 0.0, 1.0)] if time <= 1.0 else []
            rows.append(Row(name, bars, _time(time), meaning, None, ink))
        return Chart("when the balls touch", rows, (0.0, 1.0))

    def figures(self) -> list[Figure]:
        """Both times of impact, and their difference."""
        sliced, exact = self._answers()
        rows = [
            Figure("slices", str(self.slices), meaning="Tests of this pair, at most."),
            Figure("sliced", _time(sliced), VIOLET_INK, VIOLET),
            Figure("exact", _time(exact), GREEN_INK, GREEN),
        ]
        if math.isfinite(sliced) and math.isfinite(exact):
            rows.append(Figure("too early by", number(exact - sliced)))
        elif exact <= 1.0:
            rows.append(Figure("the impact is", "missed", RED_INK))
        return rows

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the balls at each slice, and at both times of impact."""
        shown = min(self.slices, _MOST_DRAWN)
        for k, color in enumerate((BLUE, AMBER)):
            diagram.line([self._at(k, 0.0), self._at(k, 1.0)], faded(color, 0.6))
            for i in range(1, shown + 1):
                diagram.circle(self._at(k, i / shown), _RADIUS, faded(color, 0.5), 1.0)
        for time, color in zip(self._answers(), (VIOLET, GREEN), strict=True):
            for k in (0, 1) if time <= 1.0 else ():
                draw_ghost_ball(diagram, self._at(k, time), _RADIUS, color)
        for k, (name, color) in enumerate((("A", BLUE), ("B", AMBER))):
            draw_ball(diagram, self.places[k], _RADIUS, color)
            diagram.arrow(self.places[k], self._at(k, _SHOWN), INK)
            meaning = f"The ball {name} at the beginning of the step."
            diagram.label(self.places[k], name, away=(0.0, -18.0), meaning=meaning)

    # --- What is asked of spheresim ---

    def _answers(self) -> tuple[float, float]:
        """The sliced and the analytic time of impact, in a step of length 1."""
        a, b = (
            Ball((*place, 0.0), (*velocity, 0.0), _RADIUS)
            for place, velocity in zip(self.places, self.velocities, strict=True)
        )
        return sliced_toi(a, b, 1.0, self.slices), analytic_toi(a, b)

    def _at(self, k: int, time: float) -> Floats:
        return self.places[k] + time * self.velocities[k]

    # --- What changes it ---

    def _ready(self, slices: int) -> None:
        self.slices = slices
        places, velocities = _FIRST
        self.places = [np.array(place) for place in places]
        self.velocities = [np.array(velocity) for velocity in velocities]

    def _ready_to_cross(self) -> None:
        self._ready(12)
        self.places[1], self.velocities[1] = np.array((1.0, -2.2)), np.array((0.0, 4.0))

    def _cut(self, slices: float) -> None:
        self.slices = int(np.clip(round(slices), 1, SLICES))

    def _hurry(self, factor: float) -> None:
        self.velocities = [velocity * factor for velocity in self.velocities]

    def _holds(self, k: int, place: Floats) -> bool:
        return bool(np.hypot(*(place - self.places[k])) <= _RADIUS)

    def _move(self, k: int, place: Floats) -> None:
        self.places[k] = place

    def _aim(self, k: int, place: Floats) -> None:
        self.velocities[k] = (place - self.places[k]) / _SHOWN


def _time(time: float) -> str:
    if not math.isfinite(time):
        return "never"
    return number(time) if time <= 1.0 else "after the step"
