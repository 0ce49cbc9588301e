"""Lessons on axes: two bodies, and an axis with the projections of both on it."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from spheresim.convex import Body, interval
from spheresim.numerics.arrays import Floats
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.bodies import TwoBodies, outline, support_point
from spheresim_viewer.lessons.colors import AMBER, BLUE, GREEN, INK, LINE, QUIET, RED, faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Key
from spheresim_viewer.lessons.rectangle import Rectangle

_FAR = 1e4
"""Longer than any region."""
_RAY: Color = faded(INK, 0.28)
_AWAY = 22.0
"""Distance from the bodies to the axis, in points."""
_LANE = 4.5
"""Distance from the axis to the middle of a projection's bar, in points."""


class AxisLesson(TwoBodies):
    """Two bodies `a` and `b` that are tested on one axis after the other.

    The decisive axis is drawn, unless another one was chosen.
    """

    _chosen: int | None = None

    def axes(self) -> tuple[int, int, int]:
        """The decisive axis, from 0; how many axes were tested, and how many there are."""
        raise NotImplementedError

    def axis_keys(self) -> list[Key]:
        """Keys that choose another axis."""
        return [
            Key("up", "the axis before", partial(self._step_axis, -1)),
            Key("down", "the next axis", partial(self._step_axis, 1)),
        ]

    @property
    def shown_axis(self) -> int:
        """The axis that is drawn."""
        decisive, _, count = self.axes()
        return decisive if self._chosen is None else min(self._chosen, count - 1)

    def choose_axis(self, number: int | None) -> None:
        """Choose an axis, or with None the decisive one."""
        self._chosen = number

    def changed(self) -> None:
        """Choose the decisive axis again if the chosen one is no longer tested."""
        if self.shown_axis >= self.axes()[1]:
            self._chosen = None

    def draw_shown_axis(
        self, diagram: Diagram, bodies: tuple[Body, Body], axes: Floats, shown: int
    ) -> None:
        """Draw one of the axes (k, 3), the projections of bodies on it, and its edges."""
        for movable in (self.a, self.b):
            draw_edge(diagram, movable.body, axes[shown])
        clear = [handle.place for handle in self.handles()]
        draw_axis(diagram, self.region, bodies, axes[shown], clear, f"axis {shown + 1}")

    def pointed_axis(self) -> int:
        """The axis whose row is pointed at, else the one that is shown."""
        word, _, place = self.pointed.partition(" ")
        is_row = word == "axis" and place.isdecimal() and 1 <= int(place) <= self.axes()[2]
        return int(place) - 1 if is_row else self.shown_axis

    def _step_axis(self, by: int) -> None:
        self._chosen = (self.shown_axis + by) % self.axes()[2]


def draw_axis(
    diagram: Diagram,
    region: Rectangle,
    bodies: tuple[Body, Body],
    axis: Floats,
    clear: Sequence[Floats],
    name: str,
) -> None:
    """Draw an axis with its name and the projections of both bodies, inside a region.

    It is drawn beside the bodies, and beside the places `clear` that it must not hide.
    """
    # The axis itself
    along = axis[:2]
    aside = np.array((-along[1], along[0]))
    foot = _beside(diagram, region, bodies, clear, axis)
    centre = foot + along * (region.middle @ along)
    ends = region.clip(centre - _FAR * along, centre + _FAR * along)
    diagram.line(ends, LINE)
    # Both projections, with rays from the extreme points of the bodies
    lane = _LANE / diagram.scale * aside
    for body, color, side in zip(bodies, (BLUE, AMBER), (1, -1), strict=True):
        bar = [foot + end * along for end in interval(body, axis)]
        diagram.line(region.clip(bar[0] + side * lane, bar[1] + side * lane), color, 7.0)
        for end, sign in zip(bar, (-1.0, 1.0), strict=True):
            diagram.line(region.clip(_furthest(body, sign * along), end), _RAY, 1.0)
    # What lies between them
    low, high, color = overlap_or_gap(*bodies, axis)
    diagram.line(region.clip(foot + low * along, foot + high * along), color, 3.0)
    _write_name(diagram, region, ends, foot + 0.5 * (low + high) * along, name)


def overlap_or_gap(a: Body, b: Body, axis: Floats) -> tuple[float, float, Color]:
    """The interval in which two projections overlap or leave a gap, and its color.

    If one contains the other, the overlap extends to the end at which the way out is shorter.
    """
    (low_a, high_a), (low_b, high_b) = interval(a, axis), interval(b, axis)
    low, high = min((low_b, high_a), (low_a, high_b), key=lambda ends: ends[1] - ends[0])
    return (low, high, RED) if low <= high else (high, low, GREEN)


def draw_separating_line(
    diagram: Diagram, region: Rectangle, bodies: tuple[Body, Body], axis: Floats
) -> None:
    """Draw a straight line that separates two bodies, across a separating axis."""
    low, high, color = overlap_or_gap(*bodies, axis)
    along, aside = axis[:2], np.array((-axis[1], axis[0]))
    centre = 0.5 * (low + high) * along + (region.middle @ aside) * aside
    diagram.dashes(region.clip(centre - _FAR * aside, centre + _FAR * aside), color, 2.0)


def draw_edge(diagram: Diagram, body: Body, axis: Floats) -> None:
    """Draw the edges of a polygon to which an axis is normal."""
    if body.faces:
        corners = outline(body)
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            if abs(axis[:2] @ (end - start)) < 1e-9 * np.hypot(*(end - start)):
                diagram.line([start, end], INK, 4.0)


def _furthest(body: Body, direction: Floats) -> Floats:
    corner = body.world_points[support_point(body, direction), :2]
    return corner + body.radius * direction


def _write_name(diagram: Diagram, region: Rectangle, ends: Floats, bars: Floats, name: str) -> None:
    """Write the name of an axis at the end that is further from the projections."""
    far, near = sorted(ends, key=lambda end: -float(np.hypot(*(end - bars))))
    length = max(float(np.hypot(*(near - far))), 1e-9)
    inwards = (near - far) / length
    outwards = np.array((-inwards[1], inwards[0]))
    outwards *= np.sign((bars - region.middle) @ outwards) or 1.0
    place = far + (30.0 * inwards + 20.0 * outwards) / diagram.scale
    place = region.shrunk(20.0 / diagram.scale).nearest(place)
    diagram.label(place, name, QUIET, meaning="The axis on which both bodies are projected.")


def _beside(
    diagram: Diagram,
    region: Rectangle,
    bodies: tuple[Body, Body],
    clear: Sequence[Floats],
    axis: Floats,
) -> Floats:
    """The point of an axis nearest to the origin, so that the axis hides nothing.

    If much less of the projections is visible there, the axis goes through the middle of the
    region.
    """
    along, aside = axis[:2], np.array((-axis[1], axis[0]))
    places = [float(place @ aside) for place in clear]
    places += [end for body in bodies for end in interval(body, aside)]
    ends = [end for body in bodies for end in interval(body, axis)]
    middle, away = float(region.middle @ aside), _AWAY / diagram.scale

    def worth(place: float) -> tuple[int, float]:
        foot = place * aside
        seen = region.clip(foot + min(ends) * along, foot + max(ends) * along)
        return int(diagram.scale * np.hypot(*(seen[1] - seen[0]))), -abs(place - middle)

    beside = max((min(places) - away, max(places) + away), key=worth)
    return (beside if worth(beside)[0] >= 0.95 * worth(middle)[0] else middle) * aside
