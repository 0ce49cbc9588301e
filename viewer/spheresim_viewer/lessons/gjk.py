"""The lesson on GJK: a simplex approaches the origin in the Minkowski difference."""

from functools import partial
from typing import Any

import numpy as np

from spheresim.convex import gjk, gjk_steps, minkowski_difference
from spheresim_viewer.hud.overlay import FAINT, INK, PAPER, Color
from spheresim_viewer.lessons.bodies import (
    AMBER,
    BLUE,
    GAP,
    OVERLAP,
    MovableBody,
    faded,
    outline,
    polygons,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Handle, Key
from spheresim_viewer.lessons.rectangle import Rectangle
from spheresim_viewer.lessons.row_chart import Bar, Row, RowChart

_BODIES = Rectangle(0.0, 3.2, 4.9, 9.8)
_SPACE = Rectangle(5.1, 0.0, 12.0, 9.8)
_DIFFERENCE = Rectangle(-4.4, -6.4, 4.4, 6.4)
"""All differences of two places in `_BODIES`."""
_ROWS = RowChart(Rectangle(0.0, 0.0, 4.9, 2.8), 0.6, 2.0, (0.0, 1.0))
_SHAPES = polygons(1.1)
_SIMPLEX: Color = (0.38, 0.345, 0.64, 1.0)
_PARTS = ("", "corner", "edge", "triangle")


class Gjk:
    """Two bodies, their Minkowski difference, and the steps to its point nearest to the origin."""

    title = "GJK: how far is the origin?"
    words = (
        "The Minkowski difference, all a − b, contains the origin exactly if the bodies overlap; "
        "else it is as far from it as they are apart. A simplex of its corners (violet) closes "
        "in: next comes the furthest one towards the origin (ring)."
    )
    region = Rectangle(0.0, 0.0, 12.0, 10.4)
    y_down = False

    def __init__(self) -> None:
        self.a = MovableBody("A", BLUE, _SHAPES[1], _BODIES, (1.8, 8.1))
        self.b = MovableBody("B", AMBER, _SHAPES[2], _BODIES, (3.2, 5.3))
        self.a.angle, self.b.angle = 0.9, 0.5
        self.step = 0

    def handles(self) -> list[Handle]:
        """The handles of both bodies."""
        return [*self.a.handles(), *self.b.handles()]

    def controls(self) -> list[Key]:
        """Keys for steps and for other shapes."""
        return [
            Key("left", "a step back", partial(self._go, -1)),
            Key("right", "the next step", partial(self._go, 1)),
            Key("A", "another shape for A", partial(self.a.change_shape, _SHAPES)),
            Key("B", "another shape for B", partial(self.b.change_shape, _SHAPES)),
        ]

    def figures(self) -> list[tuple[str, str]]:
        """The simplex of the present step; at the last step, the answer."""
        steps, now = self._steps()
        step, answer = steps[now], gjk(self.a.body, self.b.body)
        rows = [
            ("step", f"{now + 1} of {len(steps)}"),
            ("simplex", " ".join(_names(step))),
            ("its distance from the origin", f"{step.nearest.mag():.3f}"),
        ]
        if step is not steps[-1]:
            return [*rows, ("next corner", _names(steps[now + 1])[-1])]
        if answer.overlapping:
            return [*rows, ("the origin is inside: overlap", f"{-answer.gap:.3f}")]
        return [*rows, ("no corner is nearer: gap", f"{answer.gap:.3f}")]

    def draw(self, diagram: Diagram) -> None:
        """Draw the bodies, their Minkowski difference, and the list of steps."""
        steps, now = self._steps()
        for part, words in ((_BODIES, "the bodies"), (_SPACE, "their Minkowski difference A − B")):
            diagram.overlay.panel(*diagram.room(part), faded(PAPER, 0.4))
            diagram.text((part.left + 0.1, part.high + 0.2), words, FAINT, 12.0, "left")
        for movable in (self.a, self.b):
            movable.draw(diagram)
        self._draw_pairs(diagram, steps[now], now == len(steps) - 1)
        space = diagram.inset(_SPACE, _DIFFERENCE)
        self._draw_difference(space)
        self._draw_step(space, steps, now)
        self._draw_rows(diagram, steps, now)

    def _draw_rows(self, diagram: Diagram, steps: list[Any], now: int) -> None:
        """Draw the steps, with bars for their distances from the origin."""
        distances = [step.nearest.mag() for step in steps]
        unit = max(distances[0], 1e-12)
        rows = []
        for k, (step, distance) in enumerate(zip(steps, distances, strict=True)):
            bar = Bar(0.0, distance / unit, faded(_SIMPLEX, 0.2 if k > now else 0.7))
            words = f"{_PARTS[len(step.corners)]} {distance:.3f}"
            rows.append(Row([bar], words, FAINT if k > now else INK))
        _ROWS.draw(diagram, rows, now)

    def _draw_pairs(self, diagram: Diagram, step: Any, last: bool) -> None:
        """Draw the corners of A and B that make the simplex; at last the nearest points."""
        a, b = self.a.body, self.b.body
        for i, j in step.pairs:
            diagram.dashes([a.world_points[i, :2], b.world_points[j, :2]], _SIMPLEX)
        for name, body, which in zip("AB", (a, b), step.pairs.T, strict=True):
            for i in np.unique(which):
                diagram.dot(body.world_points[i, :2], _SIMPLEX, 4.0)
                _write_beside(
                    diagram, body.world_points[i, :2], body.position[:2], f"{name}{i + 1}"
                )
        if last:
            answer = gjk(a, b)
            color = OVERLAP if answer.overlapping else GAP
            diagram.line([answer.point_a[:2], answer.point_b[:2]], color, 4.0)
            for point in (answer.point_a, answer.point_b):
                diagram.dot(point[:2], color, 4.5)

    def _draw_difference(self, space: Diagram) -> None:
        corners = outline(minkowski_difference(self.a.body, self.b.body).body)
        space.polygon(corners, (0.55, 0.58, 0.63, 0.25))
        space.outline(corners, FAINT)
        for arm in np.eye(2) * 8.0 / space.scale:
            space.line([-arm, arm], INK, 2.0)
        _write_beside(space, np.zeros(2), corners.mean(axis=0), "origin")

    def _draw_step(self, space: Diagram, steps: list[Any], now: int) -> None:
        """Draw the simplex, its point nearest to the origin, and the next corner."""
        # The simplex
        step = steps[now]
        corners, nearest = step.corners[:, :2], np.array(step.nearest[:2])
        inside = minkowski_difference(self.a.body, self.b.body).body.points[:, :2].mean(axis=0)
        if len(corners) > 1:
            space.polygon(corners, faded(_SIMPLEX, 0.3))
            space.outline(corners, _SIMPLEX, 2.5)
        for corner, name in zip(corners, _names(step), strict=True):
            space.dot(corner, _SIMPLEX, 5.0)
            _write_beside(space, corner, _other_side(space, corner, inside), name)
        # At the end of an overlap the way out, else the nearest point
        answer = gjk(self.a.body, self.b.body)
        if step is steps[-1] and answer.overlapping:
            space.arrow((0.0, 0.0), -answer.mtv[:2], OVERLAP, 3.0)
            return
        space.dashes([np.zeros(2), nearest], GAP, 2.0)
        space.dot(nearest, GAP, 5.0)
        if step is not steps[-1]:
            # The next corner: the support point towards the origin, with its support line
            support = steps[now + 1].corners[-1, :2]
            aside = 99.0 * np.array((-nearest[1], nearest[0]))
            space.line(space.region.clip(support - aside, support + aside), faded(INK, 0.3))
            space.arrow(nearest, 0.5 * nearest, INK)
            space.circle(support, 8.0 / space.scale, INK, 2.0)
            side = _other_side(space, support, inside)
            _write_beside(space, support, side, _names(steps[now + 1])[-1])

    def _steps(self) -> tuple[list[Any], int]:
        steps = gjk_steps(self.a.body, self.b.body)
        return steps, min(self.step, len(steps) - 1)

    def _go(self, by: int) -> None:
        steps, now = self._steps()
        self.step = min(max(now + by, 0), len(steps) - 1)


def _names(step: Any) -> list[str]:
    """The names of a simplex's corners, by the corners of A and B whose differences they are."""
    return [f"A{i + 1}−B{j + 1}" for i, j in step.pairs]


def _other_side(space: Diagram, corner: Any, inside: Any) -> Any:
    """The place away from which a corner's name is written: the origin, if it is near."""
    return np.zeros(2) if np.hypot(*corner) * space.scale < 45.0 else inside


def _write_beside(diagram: Diagram, place: Any, inside: Any, text: str) -> None:
    """Write a text beside a place, on the side away from another place."""
    away = place - inside
    away = away / max(float(np.hypot(*away)), 1e-9)
    x, y = (10.0 + 3.3 * len(text)) * away[0], 16.0 * away[1] - 4.0
    diagram.text(place + np.array((x, y)) / diagram.scale, text, INK, 12.0)
