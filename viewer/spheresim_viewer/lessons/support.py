"""The lesson on support functions and the Minkowski difference, which GJK is made of."""

import math

import numpy as np

from spheresim.convex import Body, gjk
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.bodies import MovableBody, TwoBodies, support_point
from spheresim_viewer.lessons.colors import (
    AMBER,
    BLUE,
    GREEN,
    GREEN_INK,
    RED,
    RED_INK,
    VIOLET,
    VIOLET_INK,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import beyond, number, pair_of
from spheresim_viewer.lessons.exercise import Drag, Exercise
from spheresim_viewer.lessons.lesson import Figure, Handle
from spheresim_viewer.lessons.two_planes import (
    BODIES,
    DIFFERENCE,
    REGION,
    difference_plane,
    draw_difference,
    draw_support_line,
    two_bodies,
)

_FOOT = np.array((2.4, 6.7))
"""Where the arrow d begins."""
_ARM = 1.1
"""The length of the arrow d."""


class SupportLesson(TwoBodies, words="support"):
    """Two bodies, a direction, and the difference of the bodies."""

    region = REGION

    def __init__(self) -> None:
        self._ready()

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """From one body's support to that of the difference."""
        return [
            Exercise(
                Drag("d", self._end_of(1.7)),
                lambda: self._index(self.a, 1.0) != self._first,
                self._ready,
            ),
            Exercise(
                Drag("d", self._end_of(-1.5)), lambda: math.sin(self.direction) < -0.8, self._ready
            ),
            Exercise(
                Drag("A", (2.9, 2.2)),
                lambda: bool(gjk(self.a.body, self.b.body).overlapping),
                self._ready,
            ),
            Exercise(
                Drag("A", (1.4, 3.6)),
                lambda: not gjk(self.a.body, self.b.body).overlapping,
                self._ready_together,
            ),
            Exercise(
                Drag("d", self._end_of(2.6)),
                lambda: abs(math.remainder(self.direction - 0.4, math.tau)) > 1.0,
                self._ready,
            ),
        ]

    def handles(self) -> list[Handle]:
        """Both bodies, and the direction."""
        d = Handle("d", self._end_of(self.direction), self._turn)
        return [d, *super().handles()]

    def figures(self) -> list[Figure]:
        """Support points, and the distance."""
        answer = gjk(self.a.body, self.b.body)
        a, b = self._support(self.a, 1.0), self._support(self.b, -1.0)
        rows = [
            Figure("S_A(d)", pair_of(a), swatch=BLUE),
            Figure("S_B(−d)", pair_of(b), swatch=AMBER),
            Figure("S(d)", pair_of(a - b), swatch=VIOLET),
        ]
        if answer.overlapping:
            return [*rows, Figure("origin", "inside: overlap", RED_INK, RED)]
        distance = number(float(answer.gap))
        return [*rows, Figure("distance", distance, GREEN_INK, GREEN)]

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies with their support points, and the difference."""
        along = self._along()
        for movable, sign, name in ((self.a, 1.0, "S_A(d)"), (self.b, -1.0, "S_B(−d)")):
            movable.draw(diagram)
            point = self._support(movable, sign)
            draw_support_line(diagram, BODIES, point, along)
            diagram.dot(point, VIOLET, 5.5)
            meaning = "The support point: no other corner is further along the direction."
            diagram.label(point, name, VIOLET_INK, beyond(sign * along), meaning=meaning)
        diagram.arrow(_FOOT, self._end_of(self.direction), VIOLET, 3.0)
        diagram.label(_FOOT, "d", away=(0.0, -14.0), meaning="The direction in which is asked.")
        answer = gjk(self.a.body, self.b.body)
        space = difference_plane(diagram)
        self._draw_difference(space, along)
        if not answer.overlapping:
            diagram.line([answer.point_a[:2], answer.point_b[:2]], GREEN, 3.0)
            space.line([(0.0, 0.0), answer.point_a[:2] - answer.point_b[:2]], GREEN, 3.0)

    def _draw_difference(self, space: Diagram, along: Floats) -> None:
        """Draw the difference with its support point."""
        draw_difference(space, self.a, self.b)
        corner = self._support(self.a, 1.0) - self._support(self.b, -1.0)
        draw_support_line(space, DIFFERENCE, corner, along)
        space.dot(corner, VIOLET, 5.5)
        meaning = "The support point of A − B: the difference of the two others."
        space.label(corner, "S(d)", VIOLET_INK, beyond(along), meaning=meaning)

    # --- What is asked of spheresim ---

    def _along(self) -> Floats:
        return np.array((math.cos(self.direction), math.sin(self.direction)))

    def _index(self, movable: MovableBody, sign: float) -> int:
        return support_point(movable.body, sign * self._along())

    def _support(self, movable: MovableBody, sign: float) -> Floats:
        body: Body = movable.body
        return body.world_points[self._index(movable, sign), :2]

    # --- What changes it ---

    def _ready(self) -> None:
        self.a, self.b = two_bodies()
        self.direction = 0.4
        self._first = self._index(self.a, 1.0)

    def _ready_together(self) -> None:
        self._ready()
        self.a.move((2.9, 2.2))

    def _end_of(self, angle: float) -> Floats:
        return _FOOT + _ARM * np.array((math.cos(angle), math.sin(angle)))

    def _turn(self, place: Floats) -> None:
        x, y = place - _FOOT
        self.direction = math.atan2(y, x)
