"""Convex bodies that can be dragged and turned with the mouse, and how they are drawn."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spheresim.convex import Body, box, gjk, hull, polygon, sphere
from spheresim.convex.geometry.posed_body import posed_body
from spheresim.convex.geometry.support import support
from spheresim.numerics.arrays import Floats
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.colors import AMBER, BLUE, GREEN, INK, LINE, faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import draw_ball, in_space
from spheresim_viewer.lessons.lesson import Handle, Lesson
from spheresim_viewer.lessons.rectangle import Rectangle

_BESIDE = 0.4
"""Distance of the handle of no velocity from the middle, in units of the body's reach."""
_COLORS = {"A": BLUE, "B": AMBER}
_STALK = 1.2
"""Distance of a body's turning handle from its middle, in units of its reach."""


def polygons(size: float) -> tuple[Body, ...]:
    """A triangle, a rectangle and a pentagon of similar size."""
    return (
        _regular(3, 1.2 * size),
        box((size, 0.65 * size)),
        _regular(5, size),
    )


def disc(radius: float) -> Body:
    """A disc about its middle."""
    return sphere(radius, position=(0, 0))


def support_point(body: Body, direction: Floats) -> int:
    """The number of the body's point that is furthest in a direction (2,)."""
    return int(support(posed_body(body.geometry, body.poses, 0), in_space(direction)))


def outline(body: Body) -> Floats:
    """The corners of a polygon in order, shape (n, 2)."""
    return body.world_points[list(body.faces[0]), :2]


class MovableBody:
    """A body with a position and an angle, kept with its handles inside a region.

    name: "A" or "B"; up: the sign of the side, up or down, at which its turning handle is before it
    is turned.
    """

    def __init__(
        self,
        name: str,
        shape: Body,
        region: Rectangle,
        place: npt.ArrayLike,
        up: float = 1.0,
    ) -> None:
        self.name, self.color, self.shape = name, _COLORS[name], shape
        self.angle = 0.0
        self._region, self._up = region, math.copysign(0.5 * math.pi, up)
        self.place = np.asarray(place, dtype=np.float64)

    @property
    def body(self) -> Body:
        """The body at its place."""
        return self.shape.at(self.place, self.angle)

    @property
    def reach(self) -> float:
        """The radius of the body about its middle."""
        return float(np.linalg.norm(self.shape.points, axis=1).max()) + self.shape.radius

    def handles(self) -> list[Handle]:
        """Handles to turn it and to move it."""
        turn, move = f"{self.name}'s turning handle", f"{self.name}"
        return [
            Handle(
                turn, self._knob(), self._turn, turns=True, meaning=f"Drag it: {self.name} turns."
            ),
            Handle(
                move, self.place, self.move, self._holds, meaning=f"Drag {self.name} by any of it."
            ),
        ]

    def move(self, place: npt.ArrayLike) -> None:
        """Move to a place, or as near to it as the region allows."""
        self.place = self._region.shrunk(_STALK * self.reach).nearest(place)

    def change_shape(self, shapes: Sequence[Body]) -> None:
        """Take the shape that follows the present one in a list."""
        self.shape = shapes[(shapes.index(self.shape) + 1) % len(shapes)]
        self.move(self.place)

    def draw(self, diagram: Diagram) -> None:
        """Draw the body, its name, and the stalk of its turning handle."""
        diagram.line([self.place, self._knob()], LINE)
        draw_body(diagram, self.body, self.color, 0.75)
        # A to the left and B to the right, so that both can be read where bodies coincide.
        side = -20.0 if self.name == "A" else 20.0
        meaning = f"The body {self.name}; drag it, or its turning handle."
        diagram.label(self.place, self.name, INK, (side, 0.0), meaning=meaning)

    def _holds(self, place: Floats) -> bool:
        return bool(gjk(self.body, hull([place])).overlapping)

    def _knob(self) -> Floats:
        angle = self.angle + self._up
        return self.place + _STALK * self.reach * np.array((math.cos(angle), math.sin(angle)))

    def _turn(self, place: Floats) -> None:
        x, y = place - self.place
        self.angle = math.atan2(y, x) - self._up


class TwoBodies(Lesson):
    """A lesson with two bodies that can be moved and turned."""

    a: MovableBody
    b: MovableBody

    def handles(self) -> list[Handle]:
        """The handles of both bodies."""
        return [*self.a.handles(), *self.b.handles()]


class MovingBody(MovableBody):
    """A movable body with a velocity, whose arrow stays inside the region too."""

    def __init__(
        self,
        name: str,
        shape: Body,
        region: Rectangle,
        place: npt.ArrayLike,
        velocity: npt.ArrayLike,
        up: float = 1.0,
    ) -> None:
        super().__init__(name, shape, region, place, up)
        self.velocity = np.asarray(velocity, dtype=np.float64)

    @property
    def tip(self) -> Floats:
        """The place of its middle after a time of 1: the tip of its arrow."""
        return self.place + self.velocity

    @property
    def grip(self) -> Floats:
        """Where its velocity is grabbed: the tip; of a body at rest, beside its middle."""
        return self.tip if self.velocity.any() else self.place + np.array((self._stalk, 0.0))

    def body_at(self, time: float) -> Body:
        """The body at a time."""
        return self.body.at(self.place + time * self.velocity)

    def handles(self) -> list[Handle]:
        """Handles to set its velocity, to turn it and to move it."""
        name = f"{self.name}'s velocity"
        meaning = f"Drag it: the velocity of {self.name}; its arrow is the way in a time of 1."
        return [Handle(name, self.grip, self._aim, meaning=meaning), *super().handles()]

    def draw_velocity(self, diagram: Diagram) -> None:
        """Draw its arrow, and at rest a stalk to the handle."""
        diagram.line([self.place, self.grip], GREEN, 2.0)
        diagram.arrow(self.place, self.tip, INK, 2.5)

    def move(self, place: npt.ArrayLike) -> None:
        super().move(place)
        self.place = self.place + self._region.nearest(self.grip) - self.grip

    @property
    def _stalk(self) -> float:
        return _BESIDE * self.reach

    def _aim(self, place: Floats) -> None:
        way = self._region.nearest(place) - self.place
        self.velocity = way if np.hypot(*way) > 1.2 * self._stalk else np.zeros(2)


def draw_body(diagram: Diagram, body: Body, color: Color, alpha: float) -> None:
    """Draw a polygon or a disc, filled and with an outline."""
    if body.radius > 0.0:
        draw_ball(diagram, body.position[:2], body.radius, color, alpha)
    else:
        diagram.polygon(outline(body), faded(color, alpha))
        diagram.outline(outline(body), color, 2.0)


def draw_ghost(diagram: Diagram, region: Rectangle, body: Body, color: Color, alpha: float) -> None:
    """Draw a polygon elsewhere: filled if it is inside a region, else its lines inside it."""
    corners = outline(body)
    if np.array_equal([region.nearest(corner) for corner in corners], corners):
        diagram.polygon(corners, faded(color, alpha))
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        diagram.line(region.clip(start, end), color, 2.0)


def _regular(corners: int, reach: float) -> Body:
    """A regular polygon with corners at a distance `reach`, one of them at the bottom."""
    turn = np.linspace(0.0, 2.0 * math.pi, corners, endpoint=False) - 0.5 * math.pi
    return polygon(reach * np.stack([np.cos(turn), np.sin(turn)], axis=1))
