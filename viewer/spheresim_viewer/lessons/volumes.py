"""Bounding volumes of bodies in the plane: how they are made, compared and drawn."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim.convex import (
    Bodies,
    Body,
    bodies_overlap_batch,
    box,
    kdop,
    kdops_overlap,
    sphere,
)
from spheresim.convex.geometry.posed_body import balls_of, posed_body
from spheresim_viewer.hud.overlay import Color
from spheresim_viewer.lessons.bodies import outline
from spheresim_viewer.lessons.clipping import part_beyond
from spheresim_viewer.lessons.diagram import Diagram

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
