"""The lesson on swept SAT: the demo of the article, starting with its first example."""

import math
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import axis_intervals, polygon, projections, swept_sat
from spheresim_viewer.hud.overlay import FAINT, INK, Color
from spheresim_viewer.lessons.axis import AxisChoice, draw_axis, draw_edge
from spheresim_viewer.lessons.bodies import AMBER, BLUE, GAP, OVERLAP, MovingBody, draw_ghost, faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Handle, Key
from spheresim_viewer.lessons.rectangle import Rectangle
from spheresim_viewer.lessons.row_chart import Bar, Row, RowChart

_SCENE = Rectangle(160.0, 130.0, 680.0, 440.0)
_SPAN = (-5.0, 6.0)
_ROWS = RowChart(Rectangle(160.0, 480.0, 680.0, 610.0), 190.0, 555.0, _SPAN)
_RULER = 468.0
_RED = polygon([(0, -60), (60, 40), (-60, 40)])
_BLUE = polygon([(60, 0), (-40, 60), (-40, -60)])
_FRAME: Color = faded(INK, 0.08)


class _AxisTests(NamedTuple):
    """The interval of every axis, the result of `swept_sat`, and the decisive axis."""

    found: Any
    result: Any
    decisive: int


class SweptSat:
    """Two bodies that move without rotating, and when their projections overlap."""

    title = "Swept SAT: when do they meet?"
    words = (
        "On every axis the projections overlap from a time enter to a time leave (bars). The "
        "bodies touch while all of them do (red; green: never), from the largest enter to the "
        "smallest leave. Arrows show the way of one frame, from 0 to 1."
    )
    region = Rectangle(160.0, 130.0, 680.0, 610.0)
    y_down = True

    def __init__(self) -> None:
        self._start((110.0, -40.0))

    def handles(self) -> list[Handle]:
        """The handles of both bodies and of the time."""
        clock = Handle(np.array((_ROWS.x_of(self.time), _RULER)), self._set_time)
        return [*self.a.handles(), *self.b.handles(), clock]

    def controls(self) -> list[Key]:
        """Keys for the axis, and for the article's examples."""
        return [
            Key("up", "the axis before", partial(self._choose_axis, -1)),
            Key("down", "the next axis", partial(self._choose_axis, 1)),
            Key("1", "the article's first example", partial(self._start, (110.0, -40.0))),
            Key("2", "its second: no impact", partial(self._start, (20.0, 50.0))),
        ]

    def figures(self) -> list[tuple[str, str]]:
        """The result, and the projections on the selected axis."""
        found, result, decisive = self._test_axes()
        shown = self.axis.shown(decisive, len(found.axis))
        # Relative to A, as in the article.
        on = projections(self.a.body.at((0, 0)), self.b.body.at(self.b.place - self.a.place))
        rows = [("the bodies", _verdict(result.enter, result.leave))]
        enter, leave = _common(found, result)
        for name, time in (("largest enter", enter), ("smallest leave", leave)):
            if math.isfinite(time):
                rows.append((name, _as_fraction(time)))
        if np.isfinite(result.contact).all():
            x, y, _ = result.contact
            rows.append(("contact", f"({x:.1f}, {y:.1f})"))
        return [
            *rows,
            ("", ""),
            (f"on axis {shown + 1}: A from", _range(*on.a[shown])),
            ("and B from", _range(*on.b[shown])),
            ("velocity of A from B", f"{found.speed[shown]:.2f}"),
            ("enter, leave", _lasting(found.enter[shown], found.leave[shown])),
        ]

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies at the start, the time and the impact; the axis; all intervals."""
        found, result, decisive = self._test_axes()
        shown = self.axis.shown(decisive, len(found.axis))
        for moving in (self.a, self.b):
            moving.draw(diagram)
            draw_edge(diagram, moving.body, found.axis[shown])
        now = self.a.body_at(self.time), self.b.body_at(self.time)
        clear = [handle.place for handle in self.handles()[:-1]]
        draw_axis(diagram, _SCENE, now, found.axis[shown], clear, f"axis {shown + 1}")
        if self.time != 0.0:
            for body, color in zip(now, (BLUE, AMBER), strict=True):
                draw_ghost(diagram, _SCENE, body, color, 0.25)
        if math.isfinite(result.enter):
            self._draw_impact(diagram, result)
        for moving in (self.a, self.b):
            diagram.arrow(moving.place, moving.tip, INK, 2.5)
        self._draw_rows(diagram, found, result, shown)

    def _draw_impact(self, diagram: Diagram, result: Any) -> None:
        for moving in (self.a, self.b):
            there = moving.body_at(result.enter)
            diagram.dashes(_SCENE.clip(moving.place, there.position[:2]), faded(INK, 0.4))
            draw_ghost(diagram, _SCENE, there, OVERLAP, 0.08)
        contact = result.contact[:2]
        if np.array_equal(_SCENE.nearest(contact), contact):
            diagram.dot(contact, OVERLAP, 5.0)
            diagram.arrow(contact, _SCENE.nearest(contact + 45.0 * result.normal[:2]), OVERLAP)

    def _draw_rows(self, diagram: Diagram, found: Any, result: Any, shown: int) -> None:
        """Draw the time axis: the frame, the interval of each axis, and the time common to all."""
        count = len(found.axis)
        last, first = _common(found, result)
        color = OVERLAP if result.meets else GAP
        rows = []
        for k, (enter, leave) in enumerate(zip(found.enter, found.leave, strict=True)):
            tested = k < result.tested
            decides = tested and (enter == last or leave == first)
            ink = color if decides else INK if tested else FAINT
            bar = Bar(enter, leave, faded(INK, 0.5 if tested else 0.15))
            rows.append(Row([bar], _lasting(enter, leave), ink))
        _ROWS.draw_band(diagram, count, (0.0, 1.0), _FRAME, 40.0)
        _ROWS.draw(diagram, rows, shown)
        _ROWS.draw_band(diagram, count, (min(first, last), max(first, last)), faded(color, 0.3))
        diagram.line([(_ROWS.x_of(end), _RULER) for end in _SPAN], FAINT, 2.0)
        for tick in range(-5, 7):
            diagram.text((_ROWS.x_of(tick), _RULER - 15.0), str(tick), FAINT, 11.0)
        place = (_ROWS.x_of(_SPAN[1]) + 12.0, _RULER + 4.0)
        diagram.text(place, f"time {self.time:.2f}", FAINT, 12.0, "left")

    def _test_axes(self) -> _AxisTests:
        ways = tuple(self.a.velocity), tuple(self.b.velocity)
        found = axis_intervals(self.a.body, self.b.body, *ways)
        result = swept_sat(self.a.body, self.b.body, *ways)
        last = int(np.argmax(found.enter)) if result.meets else int(result.tested) - 1
        return _AxisTests(found, result, last)

    def _start(self, velocity: tuple[float, float]) -> None:
        self.a = MovingBody("A", BLUE, _RED, _SCENE, (300, 300), velocity, up=-1.0)
        self.b = MovingBody("B", AMBER, _BLUE, _SCENE, (450, 250), (0.0, 0.0), up=-1.0)
        self.axis, self.time = AxisChoice(), 0.0

    def _choose_axis(self, step: int) -> None:
        found, _, decisive = self._test_axes()
        self.axis.step(step, decisive, len(found.axis))

    def _set_time(self, place: Any) -> None:
        self.time = _ROWS.value_at(place[0])


def _common(found: Any, result: Any) -> tuple[float, float]:
    """The largest enter and the smallest leave of the tested axes."""
    tested = int(result.tested)
    return float(found.enter[:tested].max()), float(found.leave[:tested].min())


def _verdict(enter: float, leave: float) -> str:
    if enter > leave:
        return "never touch"
    if enter > 1.0:
        return "touch after this frame"
    if enter >= 0.0:
        return "meet in this frame"
    return "overlap already" if leave >= 0.0 else "parted before this frame"


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
