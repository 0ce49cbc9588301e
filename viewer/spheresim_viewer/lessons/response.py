"""The lesson on the response: what an impact does to velocities."""

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from spheresim.collision.response import CollisionResult, exchange, loss, reflect
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.colors import (
    AMBER,
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    RED_INK,
    VIOLET,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import (
    beyond,
    draw_ball,
    draw_plane,
    in_plane,
    in_space,
    number,
    pair_of,
)
from spheresim_viewer.lessons.exercise import Drag, Exercise, Slide
from spheresim_viewer.lessons.lesson import Figure, Handle, Key, Lesson, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_MIDDLE = np.array((5.0, 3.0))
_RADIUS = 0.8
_HEAVIER = 0.25
"""A ball's radius grows by this power of its mass, less than a real one's, to stay in view."""
_AT_REST = 0.15
"""A slower velocity is none: the arrow would be too short to be seen."""
_NONE = 1e-9


class ResponseLesson(Lesson, words="response"):
    """A ball at a wall, or two balls, just as they touch."""

    region = Rectangle(0.0, -0.6, 10.0, 6.6)

    def __init__(self) -> None:
        self.with_wall = True
        self.angle, self.restitution, self.mass = math.pi, 1.0, 1.0
        self.velocities = [np.array((1.6, -2.0)), np.array((0.0, 0.0))]

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """A wall first, then two balls."""
        return [
            Exercise(
                Drag("v_A", (6.8, 3.8)),
                lambda: self.velocities[0][0] < 0.0 and self.velocities[0][1] < 0.0,
                partial(self._ready, True, (1.6, -2.0)),
            ),
            Exercise(
                Slide("e", 0.0),
                lambda: self.restitution < 0.02,
                partial(self._ready, True, (1.6, -2.0)),
            ),
            Exercise(
                Drag("v_B", (5.9, 3.0)),
                lambda: not self.velocities[1].any(),
                partial(self._ready, False, (2.4, 0.0), (-1.2, 0.0)),
            ),
            Exercise(
                Drag("A", (4.3, 1.7)),
                lambda: 0.3 < abs(math.sin(self.angle)) < 0.95 and self._vn() < 0.0,
                partial(self._ready, False, (2.4, 0.0)),
            ),
            Exercise(
                Slide("mass of A", 6.0),
                lambda: self.mass >= 5.0,
                partial(self._ready, False, (2.4, 0.0)),
            ),
            Exercise(
                Slide("e", 0.5),
                lambda: 0.4 <= self.restitution <= 0.6,
                partial(self._ready, False, (2.4, 0.0)),
            ),
        ]

    def handles(self) -> list[Handle]:
        """Both velocities, and the place of A."""
        found = [Handle("v_A", self._tail(0), partial(self._aim, 0))]
        if not self.with_wall:
            found.append(Handle("v_B", self._tail(1), partial(self._aim, 1)))
            found.append(Handle("A", self._centres()[0], self._turn, self._holds))
        return found

    def sliders(self) -> list[Slider]:
        """Restitution and mass."""
        found = [
            Slider(
                "e",
                self.restitution,
                (0.0, 1.0),
                partial(setattr, self, "restitution"),
                f"{self.restitution:.2f}",
            )
        ]
        if not self.with_wall:
            words = f"{self.mass:.2f}"
            found.append(
                Slider(
                    "mass of A", self.mass, (0.1, 10.0), partial(setattr, self, "mass"), words, True
                )
            )
        return found

    def controls(self) -> list[Key]:
        """A wall or a ball."""
        return [
            Key("W", "a wall to hit", partial(self._ready, True, (1.6, -2.0))),
            Key("B", "two balls", partial(self._ready, False, (2.4, 0.0))),
        ]

    def figures(self) -> list[Figure]:
        """Normal velocities, energy and momentum."""
        before, after = self._vn(), self._result()
        if before >= 0.0:
            words = "parting: none"
            return [
                Figure("vn before", number(before), meaning="They part already."),
                Figure("impact", words),
            ]
        lost = loss(after.impulse, before, after.vn_after)
        ink = RED_INK if lost > _NONE else GREEN_INK
        rows = [
            Figure("vn before", number(before)),
            Figure("vn after", number(after.vn_after)),
            Figure("impulse J", number(after.impulse), swatch=VIOLET),
            Figure("energy lost", number(lost), ink),
        ]
        if not self.with_wall:
            momentum = self.velocities[0] * self.mass + self.velocities[1]
            rows.append(Figure("momentum", pair_of(momentum)))
        return rows

    def pose(self) -> None:
        """Two balls, hit obliquely."""
        self._ready(False, (2.4, 0.0))
        self.angle = -2.5

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the balls, the normal, and the velocities before and after."""
        centres, normal = self._centres(), self._normal()
        if self.with_wall:
            draw_plane(diagram, centres[0] - (0.0, self._radius()), (0.0, 1.0))
        result = self._result()
        radii = (self._radius(), _RADIUS)
        balls = (("A", BLUE),) if self.with_wall else (("A", BLUE), ("B", AMBER))
        for k, (name, color) in enumerate(balls):
            draw_ball(diagram, centres[k], radii[k], color)
            meaning = f"The ball {name}, just as they touch."
            diagram.label(centres[k] - (0.0, radii[k]), name, away=(0.0, 16.0), meaning=meaning)
        contact = centres[0] - self._radius() * normal
        aside = np.array((-normal[1], normal[0]))
        diagram.dashes([contact - 2.2 * aside, contact + 2.2 * aside], faded(LINE, 0.7))
        diagram.arrow(contact, contact + 1.3 * normal, VIOLET, 2.5)
        diagram.label(contact + 1.3 * normal, "n", away=(0, 14))
        self._draw_velocities(diagram, centres, result)

    def _draw_velocities(self, diagram: Diagram, centres: Floats, result: CollisionResult) -> None:
        """Draw the velocities before, and those after in green."""
        after = (result.velocity_i, result.velocity_j)
        for k, name in enumerate("A" if self.with_wall else "AB"):
            start, end = centres[k], centres[k] + in_plane(after[k])
            diagram.arrow(self._tail(k), start, INK, 2.5)
            diagram.arrow(start, end, GREEN, 3.5)
            if np.hypot(*(end - start)) > _AT_REST:
                words = f"v_{name} after"
                diagram.label(
                    end, words, GREEN_INK, beyond(end - start), meaning=f"The velocity of {name}."
                )
            if self.velocities[k].any():
                words = f"v_{name} before"
                diagram.label(
                    self._tail(k), words, INK, (0, -18), meaning=f"The velocity of {name} before."
                )

    # --- What is asked of spheresim ---

    def _result(self) -> CollisionResult:
        """The velocities after; if they part, those before."""
        a, b = (in_space(velocity) for velocity in self.velocities)
        normal, vn = in_space(self._normal()), self._vn()
        if vn >= 0.0:
            return CollisionResult(a, b, vn, 0.0)
        if self.with_wall:
            after = reflect(a, normal, self.restitution)
            return CollisionResult(after, b, after.dot(normal), (after - a).dot(normal) * self.mass)
        return exchange(a, b, self.mass, 1.0, normal, self.restitution)

    def _vn(self) -> float:
        a, b = (in_space(velocity) for velocity in self.velocities)
        return (a - b).dot(in_space(self._normal()))

    def _normal(self) -> Floats:
        angle = 0.5 * math.pi if self.with_wall else self.angle
        return np.array((math.cos(angle), math.sin(angle)))

    def _radius(self) -> float:
        """The radius of A."""
        return float(_RADIUS * self.mass**_HEAVIER)

    def _centres(self) -> Floats:
        if self.with_wall:
            return np.array((_MIDDLE - (0.0, 1.2), _MIDDLE))
        b = _MIDDLE + np.array((0.9, 0.0))
        return np.array((b + (self._radius() + _RADIUS) * self._normal(), b))

    def _tail(self, k: int) -> Floats:
        """Where the arrow of a velocity before begins: it ends at the ball."""
        return self._centres()[k] - self.velocities[k]

    # --- What changes it ---

    def _ready(self, wall: bool, a: npt.ArrayLike, b: npt.ArrayLike = (0.0, 0.0)) -> None:
        self.with_wall, self.angle, self.restitution, self.mass = wall, math.pi, 1.0, 1.0
        self.velocities = [np.array(a, float), np.array(b, float)]

    def _aim(self, k: int, place: Floats) -> None:
        velocity = self._centres()[k] - place
        self.velocities[k] = velocity if np.hypot(*velocity) > _AT_REST else np.zeros(2)

    def _turn(self, place: Floats) -> None:
        x, y = place - self._centres()[1]
        self.angle = math.atan2(y, x)

    def _holds(self, place: Floats) -> bool:
        return bool(np.hypot(*(place - self._centres()[0])) <= self._radius())
