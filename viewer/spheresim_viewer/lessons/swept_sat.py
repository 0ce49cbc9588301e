"""The lesson on swept SAT: the demo of the article, starting with its first example."""

import math
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from spheresim.convex import axis_intervals, polygon, projections, swept_sat
from spheresim.convex.swept_sat import AxisIntervals, SweptSatResult
from spheresim_viewer.lessons.axis import AxisLesson
from spheresim_viewer.lessons.bodies import MovingBody, draw_ghost
from spheresim_viewer.lessons.chart import Bar, Chart, Row
from spheresim_viewer.lessons.colors import (
    AMBER,
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    QUIET,
    RED,
    RED_INK,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.exercise import Click, Drag, Exercise, Press, Slide
from spheresim_viewer.lessons.lesson import Figure, Key, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_SCENE = Rectangle(160.0, 130.0, 680.0, 440.0)
_SPAN = (-5.0, 6.0)
_RED = polygon([(0, -60), (60, 40), (-60, 40)])
_BLUE = polygon([(60, 0), (-40, 60), (-40, -60)])
_FIRST, _SECOND = (110.0, -40.0), (20.0, 50.0)
_PACE, _PLAYED = 0.8, 3.0
"""Times a second of the clock, and the last time, when it is played."""


class _AxisTests(NamedTuple):
    """The interval of every axis, the result of `swept_sat`, and the decisive axis."""

    found: AxisIntervals
    result: SweptSatResult
    decisive: int


class SweptSatLesson(AxisLesson, words="swept-sat"):
    """Two bodies that move without rotating, and when their projections overlap."""

    a: MovingBody
    b: MovingBody
    region = _SCENE
    y_down = True

    def __init__(self) -> None:
        self._start(_FIRST)

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """From the step to the time of impact."""
        return [
            Exercise(Slide("time", 1.0), lambda: self.time > 0.95, partial(self._start, _FIRST)),
            Exercise(Click("axis 5"), lambda: self.shown_axis == 4, partial(self._start, _FIRST)),
            Exercise(
                Slide("time", 34.0 / 67.0),
                lambda: abs(self.time - float(self._tests().result.enter)) < 0.08,
                partial(self._start, _FIRST),
            ),
            Exercise(
                Press("2"), lambda: not self._tests().result.meets, partial(self._start, _FIRST)
            ),
            Exercise(
                Drag("B's velocity", (390.0, 270.0)),
                lambda: bool(self.b.velocity[0] < -5.0),
                partial(self._start, _FIRST),
            ),
        ]

    def sliders(self) -> list[Slider]:
        """The time."""
        shown = f"{self.time:.2f}"
        return [Slider("time", self.time, _SPAN, self._set_time, shown)]

    def controls(self) -> list[Key]:
        """Keys for the time, the axis, and the article's examples."""
        return [
            Key("space", "let time run", self._play),
            *self.axis_keys(),
            Key("1", "the first example", partial(self._start, _FIRST)),
            Key("2", "the second example", partial(self._start, _SECOND)),
        ]

    def figures(self) -> list[Figure]:
        """The result, and the projections on the selected axis."""
        found, result, _ = self._tests()
        shown = self.shown_axis
        # Relative to A, as in the article.
        on = projections(self.a.body.at((0, 0)), self.b.body.at(self.b.place - self.a.place))
        ink = RED_INK if result.meets else GREEN_INK
        rows = [Figure("they", _verdict(result.enter, result.leave), ink)]
        enter, leave = _common(found, result)
        for name, time, words in (
            ("largest tEnter", enter, "When the last shadows meet."),
            ("smallest tLeave", leave, "When the first shadows part."),
        ):
            if math.isfinite(time):
                rows.append(Figure(name, _as_fraction(time), ink, meaning=words))
        name = f"axis {shown + 1}"
        speed = f"{found.speed[shown]:.2f}"
        return [
            *rows,
            Figure(
                f"A on {name}",
                _range(*on.a[shown]),
                INK,
                BLUE,
                meaning="Its shadow, from its middle.",
            ),
            Figure(f"B on {name}", _range(*on.b[shown]), INK, AMBER, meaning="Its shadow, from A."),
            Figure("v on it", speed),
        ]

    def chart(self) -> Chart:
        """The bars of time of all axes, and the time common to all."""
        found, result, _ = self._tests()
        last, first = _common(found, result)
        color, decided = (RED, RED_INK) if result.meets else (GREEN, GREEN_INK)
        step = "The arrows show the way in this time."
        rows = [Row("the step", [Bar(0.0, 1.0, faded(INK, 0.35))], "0.00 … 1.00", step)]
        for k, (enter, leave) in enumerate(zip(found.enter, found.leave, strict=True)):
            tested = k < result.tested
            decides = tested and (enter == last or leave == first)
            ink = decided if decides else INK if tested else QUIET
            bars = [Bar(enter, leave, faded(INK, 0.5 if tested else 0.15))]
            words = "its shadows overlap for that time" if tested else "not needed any more"
            name = f"axis {k + 1}"
            choose = partial(self.choose_axis, k)
            rows.append(Row(name, bars, _lasting(enter, leave), f"{name}: {words}.", choose, ink))
        common = Bar(min(first, last), max(first, last), faded(color, 0.3))
        shown = self.shown_axis + 1
        return Chart("from tEnter to tLeave, by axis", rows, _SPAN, shown, [common])

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies at the start, the time and the impact, and the axis."""
        found, result, _ = self._tests()
        shown = self.pointed_axis()
        for moving in (self.a, self.b):
            moving.draw(diagram)
        now = self.a.body_at(self.time), self.b.body_at(self.time)
        self.draw_shown_axis(diagram, now, found.axis, shown)
        if self.time != 0.0:
            for body, color in zip(now, (BLUE, AMBER), strict=True):
                draw_ghost(diagram, _SCENE, body, color, 0.25)
        if math.isfinite(result.enter):
            self._draw_impact(diagram, result)
        for moving in (self.a, self.b):
            moving.draw_velocity(diagram)

    def _draw_impact(self, diagram: Diagram, result: SweptSatResult) -> None:
        for moving in (self.a, self.b):
            there = moving.body_at(result.enter)
            diagram.dashes(_SCENE.clip(moving.place, there.position[:2]), faded(INK, 0.4))
            draw_ghost(diagram, _SCENE, there, RED, 0.08)
        contact = result.contact[:2]
        if np.array_equal(_SCENE.nearest(contact), contact):
            diagram.dot(contact, RED, 5.0)
            diagram.arrow(contact, _SCENE.nearest(contact + 45.0 * result.normal[:2]), RED)

    # --- What is asked of spheresim ---

    def _tests(self) -> _AxisTests:
        ways = tuple(self.a.velocity), tuple(self.b.velocity)
        found = axis_intervals(self.a.body, self.b.body, *ways)
        result = swept_sat(self.a.body, self.b.body, *ways)
        last = int(np.argmax(found.enter)) if result.meets else int(result.tested) - 1
        return _AxisTests(found, result, last)

    def axes(self) -> tuple[int, int, int]:
        """The decisive axis, from 0; how many axes were tested, and how many there are."""
        tests = self._tests()
        return tests.decisive, int(tests.result.tested), len(tests.found.axis)

    # --- What changes it ---

    def _start(self, velocity: tuple[float, float]) -> None:
        self.a = MovingBody("A", _RED, _SCENE, (300, 300), velocity, up=-1.0)
        self.b = MovingBody("B", _BLUE, _SCENE, (450, 250), (0.0, 0.0), up=-1.0)
        self.choose_axis(None)
        self.time, self._runs = 0.0, False

    def _set_time(self, value: float) -> None:
        self.time, self._runs = value, False

    def _play(self) -> None:
        self.time, self._runs = 0.0, True

    def tick(self, seconds: float) -> bool:
        """Let time run on."""
        if self._runs:
            self.time = min(self.time + _PACE * seconds, _PLAYED)
            self._runs = self.time < _PLAYED
            return True
        return False


def _common(found: AxisIntervals, result: SweptSatResult) -> tuple[float, float]:
    """The largest enter and the smallest leave of the tested axes."""
    tested = int(result.tested)
    return float(found.enter[:tested].max()), float(found.leave[:tested].min())


def _verdict(enter: float, leave: float) -> str:
    if enter > leave:
        return "never touch"
    if enter > 1.0:
        return "meet after the step"
    if enter >= 0.0:
        return "meet in the step"
    return "overlap at 0" if leave >= 0.0 else "parted before"


def _as_fraction(time: float) -> str:
    """A time, with the simple fraction that it equals, if there is one."""
    near = Fraction(time).limit_denominator(200)
    exact = near.denominator > 1 and abs(time - near) < 1e-12
    return f"{near} = {time:.4f}" if exact else f"{time:.4f}"


def _lasting(enter: float, leave: float) -> str:
    if math.isinf(enter):
        return "always" if enter < leave else "never"
    return _range(enter, leave)


def _range(low: float, high: float) -> str:
    return f"{low:.2f} … {high:.2f}"
