"""The lesson on GJK: a simplex approaches the origin in the Minkowski difference."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import Body, gjk, gjk_steps
from spheresim.convex.gjk_steps import Step
from spheresim.numerics.arrays import Integers
from spheresim_viewer.lessons.bodies import MovableBody, TwoBodies, support_point
from spheresim_viewer.lessons.chart import Bar, Chart, Row
from spheresim_viewer.lessons.colors import (
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    QUIET,
    RED,
    RED_INK,
    VIOLET,
    VIOLET_INK,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import along, number
from spheresim_viewer.lessons.exercise import Drag, Exercise, Press
from spheresim_viewer.lessons.lesson import Figure, Key
from spheresim_viewer.lessons.two_planes import (
    DIFFERENCE,
    OVAL,
    REGION,
    SHAPES,
    difference_plane,
    draw_difference,
    draw_support_line,
    two_bodies,
)

NEAREST, REDUCED, SUPPORT = range(3)
"""What is done with a simplex: its nearest point, what that needs of it, the support point."""


class Moment(NamedTuple):
    """A moment of the search: the number of the simplex, and what is done with it."""

    number: int
    stage: int


class GjkSearch:
    """All simplices and moments of the search for two bodies."""

    def __init__(self, a: Body, b: Body) -> None:
        self._a, self._b = a, b
        self.steps = gjk_steps(a, b)
        self.moments = self._all_moments()

    def at(self, number: int) -> Moment:
        """A moment by its number, or the last one."""
        return self.moments[min(number, len(self.moments) - 1)]

    def kept(self, moment: Moment) -> Integers:
        """The pairs of the simplex; once it is reduced, those that the next simplex keeps."""
        if moment.stage == NEAREST or moment.number == len(self.steps) - 1:
            return self.steps[moment.number].pairs
        return self.steps[moment.number + 1].pairs[:-1]

    def support(self, moment: Moment) -> tuple[int, int]:
        """The points of A and B whose difference is the support point towards the origin."""
        nearest = np.array(self.steps[moment.number].nearest[:2])
        return support_point(self._a, -nearest), support_point(self._b, nearest)

    def _all_moments(self) -> list[Moment]:
        """Where nothing is dropped, nothing is reduced; from an overlap nothing follows."""
        found = []
        overlapping = bool(gjk(self._a, self._b).overlapping)
        for k, step in enumerate(self.steps):
            found.append(Moment(k, NEAREST))
            last = k == len(self.steps) - 1
            if not last and len(self.steps[k + 1].pairs) - 1 < len(step.pairs):
                found.append(Moment(k, REDUCED))
            if not last or not overlapping:
                found.append(Moment(k, SUPPORT))
        return found


def names_of(pairs: Iterable[Sequence[int]]) -> list[str]:
    """The names of corners of the difference, by the corners of A and B that they come from."""
    return [f"A{i + 1}−B{j + 1}" for i, j in pairs]


def draw_pairs(diagram: Diagram, a: Body, b: Body, pairs: Integers) -> None:
    """Draw the corners of A and B that make the simplex."""
    for i, j in pairs:
        diagram.dashes([a.world_points[i, :2], b.world_points[j, :2]], VIOLET)
    for name, body, which in zip("AB", (a, b), np.array(pairs).T, strict=True):
        for i in np.unique(which):
            corner = body.world_points[i, :2]
            out = along(corner - body.position[:2], 16.0)
            diagram.dot(corner, VIOLET, 4.5)
            words = f"{name}{i + 1}"
            diagram.label(corner, words, VIOLET_INK, out, meaning=f"The corner {i + 1} of {name}.")


def draw_simplex(space: Diagram, step: Step, kept: Integers) -> None:
    """Draw a simplex; corners that are dropped are open rings."""
    pairs = [tuple(pair) for pair in kept]
    corners = step.corners[:, :2]
    space.polygon(corners, faded(VIOLET, 0.2))
    space.outline(corners, faded(VIOLET, 0.5), 2.0)
    for corner, pair, name in zip(corners, step.pairs, names_of(step.pairs), strict=True):
        if tuple(pair) in pairs:
            space.dot(corner, VIOLET, 6.5)
        else:
            space.ring(corner, 6.5, VIOLET)
        out = along(corner, 22.0)
        meaning = f"A corner of Q: the difference {name}."
        space.label(corner, name, VIOLET_INK, (1.4 * out[0], out[1]), meaning=meaning)


def draw_nearest(space: Diagram, step: Step) -> None:
    """Draw the point of a simplex that is nearest to the origin."""
    nearest = np.array(step.nearest[:2])
    space.line([(0.0, 0.0), nearest], GREEN, 2.5)
    space.dot(nearest, GREEN, 4.5)
    out = along(np.array((-nearest[1], nearest[0])), 18.0)
    space.label(0.6 * nearest, "P", GREEN_INK, out)


def draw_next(space: Diagram, a: Body, b: Body, step: Any, support: tuple[int, int]) -> None:
    """Draw the support point towards the origin, and the line behind which all lies."""
    corner = a.world_points[support[0], :2] - b.world_points[support[1], :2]
    nearest = np.array(step.nearest[:2])
    draw_support_line(space, DIFFERENCE, corner, nearest / max(np.hypot(*nearest), 1e-12))
    space.ring(corner, 10.0, LINE, 2.5)
    out = along(corner, 30.0)
    space.label(corner, "V", INK, out)


_PARTS = ("", "corner", "edge", "triangle")
_OVERLAPPING = (2.7, 2.6)


class GjkLesson(TwoBodies, words="gjk"):
    """Two bodies, their Minkowski difference, and the search for its nearest point."""

    region = REGION

    def __init__(self) -> None:
        self._ready()

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """The search once, then an overlap."""
        return [
            Exercise(Press("right"), lambda: self._moment().stage == SUPPORT, self._ready),
            Exercise(Press("right"), lambda: self._moment().number >= 1, partial(self._ready, 1)),
            Exercise(
                Press("right"), lambda: self._moment().stage == REDUCED, partial(self._ready, 4)
            ),
            Exercise(Press("right", 3), self._is_last, partial(self._ready, 5)),
            Exercise(Drag("A", _OVERLAPPING), self._overlapping, self._ready),
            Exercise(
                Press("right", 8),
                lambda: self._overlapping() and self._is_last(),
                self._ready_to_overlap,
            ),
        ]

    def controls(self) -> list[Key]:
        """Keys for steps and for other shapes."""
        return [
            Key("right", "on in the search", partial(self._go, 1)),
            Key("left", "back in the search", partial(self._go, -1)),
            Key("A", "another shape for A", partial(self._change_shape, self.a)),
            Key("B", "another shape for B", partial(self._change_shape, self.b)),
        ]

    def chart(self) -> Chart:
        """The simplices, with bars for their distances from the origin."""
        steps, now = self._search().steps, self._moment().number
        distances = [step.nearest.mag() for step in steps]
        rows = []
        for k, (step, distance) in enumerate(zip(steps, distances, strict=True)):
            part = _PARTS[len(step.corners)]
            bar = Bar(0.0, distance, faded(VIOLET, 0.25 if k > now else 0.75))
            meaning = f"The {part} {', '.join(names_of(step.pairs))}. Click to see it."
            ink = QUIET if k > now else INK
            go = partial(self._go_to, k)
            rows.append(Row(f"Q {k + 1}", [bar], f"{part} {distance:.3f}", meaning, go, ink))
        return Chart("each simplex Q, and |P|", rows, (0.0, max(distances[0], 1e-9)), now)

    def figures(self) -> list[Figure]:
        """The simplex at this moment; at the end, the answer."""
        step, moment = self._step(), self._moment()
        names = " ".join(names_of(self._kept()))
        rows = [
            Figure("Q", names, VIOLET_INK, VIOLET),
            Figure("|P|", number(step.nearest.mag()), INK, GREEN),
        ]
        if moment.stage == SUPPORT:
            name = names_of([self._support()])[0]
            rows.append(Figure("V", name, meaning="The support point towards the origin."))
        if not self._is_last():
            return rows
        answer = gjk(self.a.body, self.b.body)
        if answer.overlapping:
            depth = number(-float(answer.gap))
            return [*rows, Figure("overlap", depth, RED_INK, RED)]
        gap = number(float(answer.gap))
        return [*rows, Figure("distance", gap, GREEN_INK, GREEN)]

    def lit(self) -> Sequence[int]:
        """The lines at work at this moment."""
        moment = self._moment()
        if moment.stage == SUPPORT:
            return (4, 5)
        if moment.stage == REDUCED:
            return (3,)
        if self._is_last():
            return (1, 2)
        return (0, 1) if moment.number == 0 else (6, 1)

    def pose(self) -> None:
        """A triangle with its nearest point."""
        self.at = 4

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies, their Minkowski difference, and the simplex."""
        for movable in (self.a, self.b):
            movable.draw(diagram)
        draw_pairs(diagram, self.a.body, self.b.body, self._kept())
        answer = gjk(self.a.body, self.b.body)
        if self._is_last() and not answer.overlapping:
            diagram.line([answer.point_a[:2], answer.point_b[:2]], GREEN, 4.0)
        space = difference_plane(diagram)
        draw_difference(space, self.a, self.b)
        draw_simplex(space, self._step(), self._kept())
        if self._is_last() and answer.overlapping:
            space.arrow((0.0, 0.0), -answer.mtv[:2], RED, 3.0)
        else:
            draw_nearest(space, self._step())
        if self._moment().stage == SUPPORT:
            draw_next(space, self.a.body, self.b.body, self._step(), self._support())

    # --- What is asked of spheresim ---

    def _search(self) -> GjkSearch:
        return GjkSearch(self.a.body, self.b.body)

    def _moment(self) -> Moment:
        return self._search().at(self.at)

    def _is_last(self) -> bool:
        return self.at >= len(self._search().moments) - 1

    def _overlapping(self) -> bool:
        return bool(gjk(self.a.body, self.b.body).overlapping)

    def _step(self) -> Step:
        return self._search().steps[self._moment().number]

    def _kept(self) -> Integers:
        return self._search().kept(self._moment())

    def _support(self) -> tuple[int, int]:
        return self._search().support(self._moment())

    # --- What changes it ---

    def _ready(self, at: int = 0) -> None:
        self.a, self.b = two_bodies()
        self.a.shape, self.a.angle, self.b.angle = OVAL, 5.7, 0.4
        self.a.move((2.1, 3.5))
        self.b.move((3.3, 1.7))
        self.at = at

    def _ready_to_overlap(self) -> None:
        self._ready()
        self.a.move(_OVERLAPPING)

    def _go(self, by: int) -> None:
        last = len(self._search().moments) - 1
        self.at = min(max(min(self.at, last) + by, 0), last)

    def _go_to(self, simplex: int) -> None:
        self.at = self._search().moments.index(Moment(simplex, NEAREST))

    def _change_shape(self, movable: MovableBody) -> None:
        movable.change_shape((OVAL, *SHAPES) if movable is self.a else SHAPES)
        self.at = 0

    def changed(self) -> None:
        """Begin the search anew when a body was moved."""
        self.at = 0
