"""The lesson on bounding volumes: how well they fit, and what they cost."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import (
    Bodies,
    Body,
    bodies_overlap,
    bodies_overlap_batch,
    box,
    kdop,
    kdops_overlap,
    polygon,
    sphere,
)
from spheresim.convex.geometry.posed_body import balls_of, posed_body
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.bodies import MovableBody, TwoBodies, outline
from spheresim_viewer.lessons.chart import Bar, Chart, Row
from spheresim_viewer.lessons.colors import (
    GREEN,
    GREEN_INK,
    INK,
    RED,
    RED_INK,
    VIOLET,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.exercise import Click, Drag, Exercise
from spheresim_viewer.lessons.lesson import Figure
from spheresim_viewer.lessons.rectangle import Rectangle, part_beyond

_FAR = 50.0


class Volume(NamedTuple):
    """A kind of bounding volume.

    cost: what it takes to keep and to compare; overlap: whether the volumes of a body and of each
    of many overlap, shape (n,); draw: draws the volume of a body.
    """

    name: str
    cost: str
    overlap: Callable[[Body, list[Body]], Any]
    draw: Callable[[Diagram, Body, Color], None]


def ball_around(body: Body) -> Body:
    """The ball around a body, as the library keeps it for its quick tests."""
    balls = balls_of(posed_body(body.geometry, body.poses, 0))
    centre = body.position[:2] + np.array((balls.centre.x, balls.centre.y))
    return sphere(balls.outer, position=tuple(centre))


def own_box(body: Body) -> Body:
    """The box along a body's own axes, which turns with it."""
    unturned = body.at((0.0, 0.0), 0.0)
    bounds = kdop(unturned, 4)
    middle, half = 0.5 * (bounds.low + bounds.high), 0.5 * (bounds.high - bounds.low)
    turn = body.rotation[:2, :2]
    angle = float(np.arctan2(turn[1, 0], turn[0, 0]))
    return box(tuple(half)).at(tuple(body.position[:2] + turn @ middle), angle)


def _by_bodies(around: Callable[[Body], Body]) -> Callable[[Body, list[Body]], Any]:
    def overlap(a: Body, several: list[Body]) -> Any:
        return bodies_overlap_batch(around(a), Bodies.of([around(b) for b in several]))

    return overlap


def _by_planes(k: int) -> Callable[[Body, list[Body]], Any]:
    def overlap(a: Body, several: list[Body]) -> Any:
        return kdops_overlap(kdop(a, k), kdop(Bodies.of(several), k))

    return overlap


def _draw_ball(diagram: Diagram, body: Body, color: Color) -> None:
    ball = ball_around(body)
    diagram.circle(ball.position[:2], ball.radius, color, 2.5)


def _draw_own_box(diagram: Diagram, body: Body, color: Color) -> None:
    diagram.outline(outline(own_box(body)), color, 2.5)


def _drawn_kdop(k: int) -> Callable[[Diagram, Body, Color], None]:
    def draw(diagram: Diagram, body: Body, color: Color) -> None:
        bounds = kdop(body, k)
        corners = _FAR * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)], float)
        for direction, low, high in zip(bounds.directions[:, :2], *bounds[1:], strict=True):
            corners = part_beyond(corners, corners @ direction - low)
            corners = part_beyond(corners, high - corners @ direction)
        diagram.outline(corners, color, 2.5)

    return draw


VOLUMES = (
    Volume("sphere", "3 numbers, 1 comparison", _by_bodies(ball_around), _draw_ball),
    Volume("box", "4 numbers, 4 comparisons; new when it turns", _by_planes(4), _drawn_kdop(4)),
    Volume("own box", "5 numbers, 4 axes of SAT; turns along", _by_bodies(own_box), _draw_own_box),
    Volume("8-DOP", "8 numbers, 8 comparisons; new when it turns", _by_planes(8), _drawn_kdop(8)),
)


_REGION = Rectangle(-6.0, -3.4, 6.0, 3.4)
_LONG = polygon([(-1.9, -0.35), (1.7, -0.45), (2.0, 0.2), (0.6, 0.55), (-1.7, 0.4)])
_OTHER = polygon([(-1.5, -0.3), (1.3, -0.4), (1.6, 0.1), (0.4, 0.4), (-1.4, 0.3)])
_SAMPLES = 300
"""Random places of B, at which the volumes are tried."""
_AROUND = 4.2


class BoundingLesson(TwoBodies, words="bounding"):
    """Two bodies in bounding volumes of four kinds."""

    region = _REGION

    def __init__(self) -> None:
        self.a = MovableBody("A", _LONG, _REGION, (-2.4, 0.0))
        self.b = MovableBody("B", _OTHER, _REGION, (2.6, 0.6))
        self.chosen = 1
        self._counted: dict[tuple[float, int], float] = {}

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """Each volume, then what they are for."""
        return [
            Exercise(
                Drag("A's turning handle", self._beside_a(0.75)),
                lambda: 0.5 < abs(math.remainder(self.a.angle, math.pi)) < 1.1,
                partial(self._ready, 1),
            ),
            Exercise(Click("sphere"), lambda: self.chosen == 0, partial(self._ready, 1)),
            Exercise(Click("own box"), lambda: self.chosen == 2, partial(self._ready, 0, 0.75)),
            Exercise(Click("8-DOP"), lambda: self.chosen == 3, partial(self._ready, 1, 0.75)),
            Exercise(
                Drag("B", (-1.6, 1.7)),
                lambda: self._alarm(0) and not self._overlap(),
                partial(self._ready, 0),
            ),
            Exercise(Drag("B", (3.6, -1.4)), lambda: not self._alarm(0), self._ready_near),
        ]

    def chart(self) -> Chart:
        """The share of false alarms of each volume."""
        rows = [
            Row(
                volume.name,
                [Bar(0.0, self._false_alarms(k), faded(RED, 0.7))],
                f"{100.0 * self._false_alarms(k):.0f} %",
                f"{volume.name}: {volume.cost}. The bar: false alarms of {_SAMPLES} random places.",
                partial(setattr, self, "chosen", k),
            )
            for k, volume in enumerate(VOLUMES)
        ]
        return Chart("false alarms at random places", rows, (0.0, 1.0), self.chosen)

    def figures(self) -> list[Figure]:
        """What the chosen volume says, and what is so."""
        alarm, overlap = self._alarm(self.chosen), self._overlap()
        words, ink = ("overlap", RED_INK) if alarm else ("apart", GREEN_INK)
        rows = [
            Figure(
                "volume",
                VOLUMES[self.chosen].name,
                INK,
                self._color(),
                meaning=VOLUMES[self.chosen].cost,
            ),
            Figure("the volumes", words, ink),
        ]
        if not alarm:
            return [*rows, Figure("exact test", "not needed", GREEN_INK)]
        words = "overlap" if overlap else "apart: false alarm"
        return [*rows, Figure("the bodies", words, RED_INK)]

    def pose(self) -> None:
        """A is turned, in its own box."""
        self._ready(3, 0.75)

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw both bodies in their volumes."""
        volume, color = VOLUMES[self.chosen], self._color()
        for movable in (self.a, self.b):
            movable.draw(diagram)
            volume.draw(diagram, movable.body, color)

    # --- What is asked of spheresim ---

    def _color(self) -> Color:
        """Of the volumes: red for a true alarm, violet for a false one."""
        if not self._alarm(self.chosen):
            return GREEN
        return RED if self._overlap() else VIOLET

    def _alarm(self, volume: int) -> bool:
        return bool(VOLUMES[volume].overlap(self.a.body, [self.b.body])[0])

    def _overlap(self) -> bool:
        return bool(bodies_overlap(self.a.body, self.b.body))

    def _false_alarms(self, volume: int) -> float:
        """Of random places of B at which the bodies are apart: at how many the volumes overlap."""
        key = (round(self.a.angle, 3), volume)
        if key not in self._counted:
            random = np.random.default_rng(1)
            places = self.a.place + random.uniform(-_AROUND, _AROUND, (_SAMPLES, 2))
            angles = random.uniform(0.0, 2.0 * math.pi, _SAMPLES)
            others = [_OTHER.at(p, angle) for p, angle in zip(places, angles, strict=True)]
            apart = ~bodies_overlap_batch(self.a.body, Bodies.of(others))
            alarms = VOLUMES[volume].overlap(self.a.body, others)
            self._counted[key] = float((alarms & apart).sum() / apart.sum())
        return self._counted[key]

    # --- What changes it ---

    def _ready(self, chosen: int, angle: float = 0.0) -> None:
        self.chosen = chosen
        self.a.angle, self.b.angle = angle, 0.0
        self.a.move((-2.4, 0.0))
        self.b.move((2.6, 0.6))

    def _ready_near(self) -> None:
        self._ready(0)
        self.b.move((-1.6, 1.7))

    def _beside_a(self, angle: float) -> tuple[float, float]:
        """Where A's turning handle is when A is turned by an angle."""
        x, y = self.a.place
        turn = angle + 0.5 * math.pi
        reach = 1.2 * self.a.reach
        return x + reach * math.cos(turn), y + reach * math.sin(turn)
