"""Two bodies in their plane, and beside it the plane of their Minkowski difference."""

import math

import numpy as np

from spheresim.convex import gjk, minkowski_difference, polygon
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.bodies import MovableBody, outline, polygons
from spheresim_viewer.lessons.colors import INK, LINE, RED, VIOLET, faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.rectangle import Rectangle

REGION = Rectangle(0.0, 0.0, 12.6, 8.0)
BODIES = Rectangle(0.0, 0.0, 5.0, 5.8)
"""Where the bodies are; above it is room for more."""
SPACE = Rectangle(5.2, 0.0, 12.6, 8.0)
DIFFERENCE = Rectangle(-4.5, -4.9, 4.5, 4.9)
"""What is shown of the difference's plane: all differences that there can be."""
SHAPES = polygons(0.9)
_TURN = np.linspace(0.0, 2.0 * math.pi, 9, endpoint=False)
OVAL = polygon(np.stack([1.2 * np.cos(_TURN), 0.6 * np.sin(_TURN)], axis=1))
"""A body with so many corners that the search takes several steps."""
_FAR = 30.0


def two_bodies() -> tuple[MovableBody, MovableBody]:
    """A and B as they are at the beginning: apart."""
    a = MovableBody("A", SHAPES[2], BODIES, (1.5, 4.2))
    b = MovableBody("B", SHAPES[1], BODIES, (3.5, 1.7), up=-1.0)
    b.angle = 0.5
    return a, b


def difference_plane(diagram: Diagram) -> Diagram:
    """The part of a diagram in which differences are drawn, in their own coordinates."""
    diagram.panel(SPACE, (1.0, 1.0, 1.0, 0.55))
    diagram.label(
        (SPACE.left + 0.9, SPACE.high - 0.3),
        "A − B",
        meaning="The Minkowski difference: all a − b. It has a plane of its own.",
    )
    return diagram.inset(SPACE, DIFFERENCE)


def draw_difference(space: Diagram, a: MovableBody, b: MovableBody) -> None:
    """Draw the difference of two bodies, red if they overlap, and the origin."""
    overlapping = bool(gjk(a.body, b.body).overlapping)
    corners = outline(minkowski_difference(a.body, b.body).body)
    space.polygon(corners, faded(RED if overlapping else LINE, 0.2))
    space.outline(corners, LINE, 2.0)
    for arm in np.eye(2) * 8.0 / space.scale:
        space.line([-arm, arm], INK, 2.5)
    meaning = "The difference 0: a point of A that is also one of B."
    middle = corners.mean(axis=0)
    away = (0.0, -18.0) if middle[1] > 0.0 else (0.0, 18.0)
    space.label((0.0, 0.0), "origin", away=away, meaning=meaning)


def draw_support_line(diagram: Diagram, part: Rectangle, point: Floats, along: Floats) -> None:
    """Draw the line across a direction behind which all of a body lies, inside a part."""
    aside = np.array((-along[1], along[0]))
    ends = part.clip(point - _FAR * aside, point + _FAR * aside)
    diagram.dashes(ends, faded(VIOLET, 0.7), 1.0)
