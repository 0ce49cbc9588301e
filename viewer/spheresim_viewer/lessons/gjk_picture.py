"""How the lesson on GJK draws a simplex, and what it is made of."""

from typing import Any

import numpy as np

from spheresim.convex import Body
from spheresim_viewer.lessons.colors import GREEN, GREEN_INK, INK, LINE, VIOLET, VIOLET_INK, faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import along
from spheresim_viewer.lessons.gjk_search import names_of
from spheresim_viewer.lessons.two_planes import DIFFERENCE, draw_support_line


def draw_pairs(diagram: Diagram, a: Body, b: Body, pairs: Any) -> None:
    """Draw the corners of A and B that make the simplex."""
    for i, j in pairs:
        diagram.dashes([a.world_points[i, :2], b.world_points[j, :2]], VIOLET)
    for name, body, which in zip("AB", (a, b), np.array(pairs).T, strict=True):
        for i in np.unique(which):
            corner = body.world_points[i, :2]
            out = along(corner - body.position[:2], 16.0)
            diagram.dot(corner, VIOLET, 4.5)
            words = f"{name}{i + 1}"
            diagram.label(corner, words, f"The corner {i + 1} of {name}.", VIOLET_INK, out)


def draw_simplex(space: Diagram, step: Any, kept: Any) -> None:
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
        space.label(corner, name, meaning, VIOLET_INK, (1.4 * out[0], out[1]))


def draw_nearest(space: Diagram, step: Any) -> None:
    """Draw the point of a simplex that is nearest to the origin."""
    nearest = np.array(step.nearest[:2])
    space.line([(0.0, 0.0), nearest], GREEN, 2.5)
    space.dot(nearest, GREEN, 4.5)
    out = along(np.array((-nearest[1], nearest[0])), 18.0)
    meaning = "From the origin to P, the nearest point of Q."
    space.label(0.6 * nearest, "P", meaning, GREEN_INK, out)


def draw_next(space: Diagram, a: Body, b: Body, step: Any, support: tuple[int, int]) -> None:
    """Draw the support point towards the origin, and the line behind which all lies."""
    corner = a.world_points[support[0], :2] - b.world_points[support[1], :2]
    nearest = np.array(step.nearest[:2])
    draw_support_line(space, DIFFERENCE, corner, nearest / max(np.hypot(*nearest), 1e-12))
    space.ring(corner, 10.0, LINE, 2.5)
    out = along(corner, 30.0)
    space.label(corner, "V", "The support point: no corner is further that way.", INK, out)
