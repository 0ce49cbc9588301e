"""The lesson on the tutorial's slices of time, compared with the analytic time of impact."""

import math
from functools import partial
from typing import Any

import numpy as np

from spheresim import Ball, analytic_toi, sliced_toi
from spheresim.collision.constants import SLICES
from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, Color
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.lesson import Handle, Key
from spheresim_viewer.lessons.rectangle import Rectangle

_BLUE: Color = (0.13, 0.41, 0.66, 1.0)
_MOVING: Color = (0.26, 0.61, 0.83, 0.9)
_OTHER: Color = (0.55, 0.58, 0.63, 0.9)
_SLICE: Color = (0.15, 0.19, 0.24, 0.25)
_MOST_SLICES = SLICES
_LEFT, _RIGHT, _TRACK, _SLIDER = -5.0, 5.0, -3.3, -4.6
_SHOWN = 0.25
"""The time for which a velocity's arrow shows the way."""


class Slices:
    """Two balls, and one step of time that is divided into slices."""

    title = "Slices of time"
    words = (
        "The tutorial moves two balls by small slices of a step and looks whether they touch. "
        "Its answer (orange) is the start of that slice; the analytic one (blue) is exact. "
        "Few slices and fast balls: the impact is missed."
    )
    region = Rectangle(-6.5, -5.0, 6.5, 3.2)
    y_down = False

    def __init__(self) -> None:
        self.slices = 8
        self.places = [np.array((-4.6, -1.2)), np.array((2.6, 0.2))]
        self.velocities = [np.array((8.0, 2.6)), np.array((-2.4, 0.8))]
        self.radii = (0.8, 0.8)

    def handles(self) -> list[Handle]:
        """Handles for the slider, the centres and the velocities."""
        found = [Handle(self._slider(), self._slide)]
        for k in (0, 1):
            found.append(Handle(self.places[k], partial(self._move, k), partial(self._holds, k)))
            found.append(Handle(self._at(k, _SHOWN), partial(self._aim, k)))
        return found

    def controls(self) -> list[Key]:
        """Keys for the number of slices and for the speed."""
        return [
            Key("left", "a slice less", lambda: self._cut(self.slices - 1)),
            Key("right", "a slice more", lambda: self._cut(self.slices + 1)),
            Key("up", "faster", lambda: self._hurry(1.25)),
            Key("down", "slower", lambda: self._hurry(0.8)),
        ]

    def figures(self) -> list[tuple[str, str]]:
        """Both times of impact, and their difference."""
        sliced, analytic = self._answers()
        rows = [
            ("slices of the step", str(self.slices)),
            ("sliced time of impact", _time(sliced)),
            ("analytic", _time(analytic)),
        ]
        if math.isfinite(sliced) and math.isfinite(analytic):
            error = analytic - sliced
            rows.append(("too early by", f"{error:.4f} = {error * self.slices:.2f} slices"))
        elif analytic <= 1.0:
            rows.append(("the impact is", "missed by the slices"))
        return rows

    def draw(self, diagram: Diagram) -> None:
        """Draw the balls at each slice, at both times of impact, and the slider."""
        self._draw_slices(diagram)
        sliced, analytic = self._answers()
        for k, color in enumerate((_MOVING, _OTHER)):
            diagram.disc(self.places[k], self.radii[k], color)
        for time, color in ((sliced, ACCENT), (analytic, _BLUE)):
            if time <= 1.0:
                for k in (0, 1):
                    diagram.disc(self._at(k, time), self.radii[k], (*color[:3], 0.12))
                    diagram.circle(self._at(k, time), self.radii[k], color, 2.5)
        for k in (0, 1):
            diagram.arrow(self.places[k], self._at(k, _SHOWN), INK)
        self._draw_track(diagram, sliced, analytic)

    def _draw_slices(self, diagram: Diagram) -> None:
        shown = min(self.slices, 40)  # more would merge into a grey band
        for k in (0, 1):
            diagram.line([self._at(k, 0.0), self._at(k, 1.0)], _SLICE)
            for i in range(1, shown + 1):
                diagram.circle(self._at(k, i / shown), self.radii[k], _SLICE, 1.0)

    def _draw_track(self, diagram: Diagram, sliced: float, analytic: float) -> None:
        """Draw the step as a line, with slices as ticks and the times of impact above."""
        diagram.line([(_LEFT, _TRACK), (_RIGHT, _TRACK)], FAINT, 2.0)
        for i in range(self.slices + 1):
            x = _LEFT + (_RIGHT - _LEFT) * i / self.slices
            diagram.line([(x, _TRACK - 0.08), (x, _TRACK + 0.08)], FAINT, 1.0)
        diagram.text((_LEFT, _TRACK - 0.42), "start of the step", FAINT, 12.0)
        diagram.text((_RIGHT, _TRACK - 0.42), "its end", FAINT, 12.0)
        diagram.line([(_LEFT, _SLIDER), (_RIGHT, _SLIDER)], _SLICE, 4.0)
        diagram.text((_LEFT - 0.25, _SLIDER - 0.07), "slices: 1", FAINT, 12.0, "right")
        diagram.text((_RIGHT + 0.25, _SLIDER - 0.07), str(_MOST_SLICES), FAINT, 12.0, "left")
        for time, color in ((sliced, ACCENT), (analytic, _BLUE)):
            if time <= 1.0:
                x = _LEFT + (_RIGHT - _LEFT) * time
                diagram.line([(x, _TRACK), (x, _TRACK + 0.45)], color, 3.0)

    def _balls(self) -> list[Ball]:
        return [
            Ball((*place, 0.0), (*velocity, 0.0), radius)
            for place, velocity, radius in zip(
                self.places, self.velocities, self.radii, strict=True
            )
        ]

    def _answers(self) -> tuple[float, float]:
        """The sliced and the analytic time of impact, in a step of length 1."""
        a, b = self._balls()
        return sliced_toi(a, b, 1.0, self.slices), analytic_toi(a, b)

    def _at(self, k: int, time: float) -> Any:
        return self.places[k] + time * self.velocities[k]

    def _slider(self) -> Any:
        part = math.log(self.slices) / math.log(_MOST_SLICES)
        return np.array((_LEFT + (_RIGHT - _LEFT) * part, _SLIDER))

    def _slide(self, place: Any) -> None:
        part = (place[0] - _LEFT) / (_RIGHT - _LEFT)
        self._cut(round(_MOST_SLICES ** float(np.clip(part, 0.0, 1.0))))

    def _cut(self, slices: int) -> None:
        self.slices = int(np.clip(slices, 1, _MOST_SLICES))

    def _hurry(self, factor: float) -> None:
        self.velocities = [velocity * factor for velocity in self.velocities]

    def _holds(self, k: int, place: Any) -> bool:
        return bool(np.hypot(*(place - self.places[k])) <= self.radii[k])

    def _move(self, k: int, place: Any) -> None:
        self.places[k] = place

    def _aim(self, k: int, place: Any) -> None:
        self.velocities[k] = (place - self.places[k]) / _SHOWN


def _time(time: float) -> str:
    if not math.isfinite(time):
        return "never"
    return f"{time:.4f}" if time <= 1.0 else f"{time:.4f}, after the step"
