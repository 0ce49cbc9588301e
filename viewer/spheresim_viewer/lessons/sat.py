"""The lesson on the separating axis theorem (2D Collision Series: SAT)."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import Body, gjk, interval, projections, resolve, sat
from spheresim_viewer.hud.overlay import FAINT
from spheresim_viewer.lessons.axis import (
    AxisChoice,
    draw_axis,
    draw_edge,
    draw_separating_line,
    overlap_or_gap,
)
from spheresim_viewer.lessons.bodies import (
    AMBER,
    BLUE,
    OVERLAP,
    MovableBody,
    disc,
    draw_ghost,
    faded,
    polygons,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Handle, Key
from spheresim_viewer.lessons.rectangle import Rectangle
from spheresim_viewer.lessons.row_chart import Bar, Row, RowChart

_SCENE = Rectangle(-6.5, -2.6, 6.5, 4.6)
_ROWS = RowChart(Rectangle(-6.5, -7.0, 6.5, -3.3), -5.8, 4.0, (-6.5, 6.5))
_SHAPES, _DISC = polygons(1.5), disc(1.3)
_HEAD = (-6.4, -3.15)
_TOUCHING = 1e-9


class _AxisTests(NamedTuple):
    """All axes (k, 3), the overlaps on them (k,), how many were tested, which one is decisive."""

    axes: Any
    overlaps: Any
    tested: int
    decisive: int
    mtv: Any

    @property
    def apart(self) -> bool:
        return bool(self.overlaps[self.decisive] < -_TOUCHING)


class Sat:
    """Two bodies, their projections on every axis, and the minimum translation vector."""

    title = "The separating axis theorem"
    words = (
        "Two convex bodies are apart exactly if on some axis their projections leave a gap "
        "(green). Only the edges' normals need to be asked, and at the first gap the search "
        "ends. Without one, the least overlap (red) is the shortest way out."
    )
    region = Rectangle(-6.5, -7.0, 6.5, 4.6)
    y_down = False

    def __init__(self) -> None:
        self.a = MovableBody("A", BLUE, _SHAPES[1], _SCENE, (-1.6, 0.6))
        self.b = MovableBody("B", AMBER, _SHAPES[2], _SCENE, (0.5, 1.3))
        self.a.angle = 0.35
        self.axis = AxisChoice()

    def handles(self) -> list[Handle]:
        """The handles of both bodies."""
        return [*self.a.handles(), *self.b.handles()]

    def controls(self) -> list[Key]:
        """Keys for the axis, for resolving the overlap, and for other shapes."""
        return [
            Key("up", "the axis before", partial(self._choose_axis, -1)),
            Key("down", "the next axis", partial(self._choose_axis, 1)),
            Key("R", "resolve: half the overlap each", self._resolve),
            Key("A", "another shape for A", partial(self._change_shape, self.a, _SHAPES)),
            Key("B", "another shape for B", partial(self._change_shape, self.b, (*_SHAPES, _DISC))),
        ]

    def figures(self) -> list[tuple[str, str]]:
        """The result, the decisive axis, and the number of axes tested."""
        tests = _test_axes(self.a.body, self.b.body)
        least, on = tests.overlaps[tests.decisive], f"on axis {tests.decisive + 1}"
        rows = [("axes asked", f"{tests.tested} of {len(tests.axes)}")]
        if tests.apart:
            return [*rows, ("gap", f"{-least:.3f} {on}"), ("the bodies are", "apart")]
        if least <= _TOUCHING:
            return [*rows, ("the bodies are", f"touching {on}")]
        x, y, _ = tests.mtv
        return [
            *rows,
            ("least overlap", f"{least:.3f} {on}"),
            ("minimum translation", f"({x:.3f}, {y:.3f})"),
            ("the bodies", "overlap"),
        ]

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies, the selected axis beside them, and all axes below."""
        tests = _test_axes(self.a.body, self.b.body)
        shown = self.axis.shown(tests.decisive, len(tests.axes))
        a, b, axis = self.a.body, self.b.body, tests.axes[shown]
        if tests.overlaps[shown] < -_TOUCHING:
            draw_separating_line(diagram, _SCENE, (a, b), axis)
        for movable in (self.a, self.b):
            movable.draw(diagram)
            draw_edge(diagram, movable.body, axis)
        clear = [handle.place for handle in self.handles()]
        draw_axis(diagram, _SCENE, (a, b), axis, clear, f"axis {shown + 1}")
        if not tests.apart and tests.overlaps[tests.decisive] > _TOUCHING:
            draw_ghost(diagram, _SCENE, a.at(a.position[:2] + tests.mtv[:2]), OVERLAP, 0.0)
            deepest = gjk(a, b).point_a[:2]
            diagram.arrow(deepest, deepest + tests.mtv[:2], OVERLAP, 3.0)
        self._draw_rows(diagram, tests, shown)

    def _draw_rows(self, diagram: Diagram, tests: _AxisTests, shown: int) -> None:
        """Draw all axes with both projections, relative to halfway between the bodies."""
        middle = 0.5 * (self.a.place + self.b.place)
        rows = [
            _row(self.a.body, self.b.body, axis, axis[:2] @ middle, k < tests.tested)
            for k, axis in enumerate(tests.axes)
        ]
        diagram.text(_HEAD, "the projections of A and B on every axis", FAINT, 12.0, "left")
        _ROWS.draw(diagram, rows, shown)

    def _choose_axis(self, step: int) -> None:
        tests = _test_axes(self.a.body, self.b.body)
        self.axis.step(step, tests.decisive, len(tests.axes))

    def _resolve(self) -> None:
        """Move both bodies apart; if that takes one out of the scene, move both back as far."""
        places = [body.position[:2] for body in resolve(self.a.body, self.b.body)]
        for movable, place in zip((self.a, self.b), places, strict=True):
            movable.move(place)
        back = sum(
            movable.place - place for movable, place in zip((self.a, self.b), places, strict=True)
        )
        for movable, place in zip((self.a, self.b), places, strict=True):
            movable.move(place + back)

    def _change_shape(self, movable: MovableBody, shapes: tuple[Body, ...]) -> None:
        movable.change_shape(shapes)
        self.axis.forget()


def _test_axes(a: Body, b: Body) -> _AxisTests:
    """All axes, with the result of `sat`; for a disc, also the axis of the nearest points."""
    answer, found = sat(a, b), projections(a, b)
    axes, overlaps, tested = found.axis, found.overlap, int(answer.tested)
    if tested > len(axes):
        axes, overlaps = np.vstack([axes, answer.normal]), np.append(overlaps, answer.overlap)
    if tested == len(axes) > len(found.axis) or not answer.overlapping:
        decisive = tested - 1
    else:
        decisive = int(np.argmin(overlaps))
    return _AxisTests(axes, overlaps, tested, decisive, answer.mtv)


def _row(a: Body, b: Body, axis: Any, middle: float, was_tested: bool) -> Row:
    low, high, color = overlap_or_gap(a, b, axis)
    alpha = 1.0 if was_tested else 0.2
    (low_a, high_a), (low_b, high_b) = interval(a, axis), interval(b, axis)
    bars = [
        Bar(low_a - middle, high_a - middle, faded(BLUE, alpha), 0.55, 0.82),
        Bar(low_b - middle, high_b - middle, faded(AMBER, alpha), 0.18, 0.45),
        Bar(low - middle, high - middle, faded(color, alpha), 0.43, 0.57),
    ]
    if not was_tested:
        return Row(bars, "not asked", FAINT)
    return Row(bars, f"{'overlap' if color is OVERLAP else 'gap'} {high - low:.3f}", color)
