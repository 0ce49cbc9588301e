"""The lesson on the separating axis theorem (2D Collision Series: SAT)."""

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.convex import Body, gjk, interval, projections, resolve, sat
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.axis import (
    AxisLesson,
    draw_separating_line,
    overlap_or_gap,
)
from spheresim_viewer.lessons.bodies import MovableBody, disc, draw_ghost, polygons
from spheresim_viewer.lessons.chart import Bar, Chart, Row
from spheresim_viewer.lessons.colors import (
    AMBER,
    BLUE,
    GREEN_INK,
    INK,
    QUIET,
    RED,
    RED_INK,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import number, pair_of
from spheresim_viewer.lessons.exercise import Click, Drag, Exercise, Press
from spheresim_viewer.lessons.lesson import Figure, Key
from spheresim_viewer.lessons.rectangle import Rectangle

_SHAPES, _DISC = polygons(1.5), disc(1.3)
_SCENE = Rectangle(-6.5, -3.0, 6.5, 4.6)
_SPAN = (-6.5, 6.5)
_TOUCHING = 1e-9


class _AxisTests(NamedTuple):
    """All axes (k, 3), the overlaps on them (k,), how many were tested, which one is decisive."""

    axes: Floats
    overlaps: Floats
    tested: int
    decisive: int
    mtv: Floats

    @property
    def apart(self) -> bool:
        return bool(self.overlaps[self.decisive] < -_TOUCHING)


class SatLesson(AxisLesson, words="sat"):
    """Two bodies, their projections on every axis, and the minimum translation vector."""

    region = _SCENE

    def __init__(self) -> None:
        self._ready((-1.6, 0.6))

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """From one projection to the way out."""
        return [
            Exercise(
                Click("axis 4"), lambda: self.shown_axis == 3, partial(self._ready, (-1.6, 0.6))
            ),
            Exercise(
                Drag("A", (-4.2, 1.0)),
                lambda: self._tests().apart,
                partial(self._ready, (-1.6, 0.6)),
            ),
            Exercise(
                Drag("A", (-1.4, 0.9)),
                lambda: self._tests().overlaps.min() > 0.05,
                partial(self._ready, (-4.2, 1.0)),
            ),
            Exercise(
                Press("R"),
                lambda: abs(self._tests().overlaps.min()) <= _TOUCHING,
                partial(self._ready, (-1.4, 0.9)),
            ),
        ]

    def controls(self) -> list[Key]:
        """Keys for the axis, for resolving the overlap, and for other shapes."""
        return [
            *self.axis_keys(),
            Key("R", "resolve the overlap", self._resolve),
            Key("A", "another shape for A", partial(self._change_shape, self.a, _SHAPES)),
            Key("B", "another shape for B", partial(self._change_shape, self.b, (*_SHAPES, _DISC))),
        ]

    def chart(self) -> Chart:
        """All axes with both projections, relative to halfway between the bodies."""
        tests = self._tests()
        middle = 0.5 * (self.a.place + self.b.place)
        rows = [
            _row(k, self, axis, float(axis[:2] @ middle), k < tests.tested)
            for k, axis in enumerate(tests.axes)
        ]
        return Chart("the shadows of A and B on each axis", rows, _SPAN, self.shown_axis)

    def figures(self) -> list[Figure]:
        """The result, the decisive axis, and the number of axes tested."""
        tests = self._tests()
        least, on = tests.overlaps[tests.decisive], f"axis {tests.decisive + 1}"
        asked = f"{tests.tested} of {len(tests.axes)}"
        rows = [Figure("axes tested", asked)]
        words = "The axis that decides."
        if tests.apart:
            return [
                *rows,
                Figure("gap", f"{number(-least)} on {on}", GREEN_INK, meaning=words),
                Figure("the bodies", "are apart", GREEN_INK, meaning="Some axis has a gap."),
            ]
        if least <= _TOUCHING:
            return [
                *rows,
                Figure("the bodies", f"touch on {on}", INK, meaning="No gap, no overlap."),
            ]
        return [
            *rows,
            Figure("overlap", f"{number(least)} on {on}", RED_INK, meaning=words),
            Figure("way out", pair_of(tests.mtv), RED_INK, RED),
            Figure("the bodies", "collide", RED_INK),
        ]

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies, and the selected axis beside them."""
        tests = self._tests()
        shown = self.pointed_axis()
        a, b, axis = self.a.body, self.b.body, tests.axes[shown]
        if tests.overlaps[shown] < -_TOUCHING:
            draw_separating_line(diagram, _SCENE, (a, b), axis)
        for movable in (self.a, self.b):
            movable.draw(diagram)
        self.draw_shown_axis(diagram, (a, b), tests.axes, shown)
        if not tests.apart and tests.overlaps[tests.decisive] > _TOUCHING:
            draw_ghost(diagram, _SCENE, a.at(a.position[:2] + tests.mtv[:2]), RED, 0.0)
            deepest = gjk(a, b).point_a[:2]
            diagram.arrow(deepest, deepest + tests.mtv[:2], RED, 3.0)

    # --- What is asked of spheresim ---

    def _tests(self) -> _AxisTests:
        return _test_axes(self.a.body, self.b.body)

    def axes(self) -> tuple[int, int, int]:
        """The decisive axis, from 0; how many axes were tested, and how many there are."""
        tests = self._tests()
        return tests.decisive, tests.tested, len(tests.axes)

    # --- What changes it ---

    def _ready(self, place: npt.ArrayLike) -> None:
        self.a = MovableBody("A", _SHAPES[1], _SCENE, place)
        self.b = MovableBody("B", _SHAPES[2], _SCENE, (0.5, 1.3))
        self.a.angle = 0.35
        self.choose_axis(None)

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
        self.choose_axis(None)


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


def _row(k: int, lesson: SatLesson, axis: Floats, middle: float, was_tested: bool) -> Row:
    a, b = lesson.a.body, lesson.b.body
    low, high, color = overlap_or_gap(a, b, axis)
    alpha = 1.0 if was_tested else 0.25
    (low_a, high_a), (low_b, high_b) = interval(a, axis), interval(b, axis)
    bars = [
        Bar(low_a - middle, high_a - middle, faded(BLUE, alpha), 0.55, 0.82),
        Bar(low_b - middle, high_b - middle, faded(AMBER, alpha), 0.18, 0.45),
        Bar(low - middle, high - middle, faded(color, alpha), 0.43, 0.57),
    ]
    name = f"axis {k + 1}"
    choose = partial(lesson.choose_axis, k)
    if not was_tested:
        meaning = f"{name}: not tested, since an axis before it has a gap."
        return Row(name, bars, "not tested", meaning, choose, QUIET)
    if high - low <= _TOUCHING:
        return Row(name, bars, "touch", f"{name}: the shadows touch.", choose, INK)
    is_gap = color is not RED
    words, ink = ("gap", GREEN_INK) if is_gap else ("overlap", RED_INK)
    meaning = (
        f"{name}: the shadows {'leave a gap' if is_gap else 'overlap'}. Click to see the axis."
    )
    return Row(name, bars, f"{words} {high - low:.3f}", meaning, choose, ink)
