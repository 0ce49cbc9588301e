"""The numbers that can be set in the panel: each as a slider, and as text that can be typed in."""

import math
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from spheresim_viewer.hud.boxes import Box, holds
from spheresim_viewer.hud.colors import ACCENT, CAP, FAINT, INK, LIT, Color
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.readouts import number
from spheresim_viewer.scene_view import SceneView

HEIGHT = 42.0
_KNOB = 7.0
_BETWEEN = 0.25
"""Seconds between two changes by a drag while time runs: each is kept on the time line."""
_TRACK: Color = (0.15, 0.19, 0.24, 0.22)
_FILLED: Color = (0.13, 0.41, 0.66, 0.75)


class Slider(NamedTuple):
    """A number: its name, value and range; logarithmic: whether equal steps are equal factors."""

    name: str
    words: str
    value: float
    low: float
    high: float
    logarithmic: bool = False
    unit: str = ""
    meaning: str = ""

    def part(self) -> float:
        """Where the value is in the range, from 0 to 1."""
        low, high, value = self.low, self.high, min(max(self.value, self.low), self.high)
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)

    def at(self, part: float) -> float:
        """The value at a part of the range, with three digits, so that it can be read."""
        part = min(max(part, 0.0), 1.0)
        if self.logarithmic:
            value = self.low * (self.high / self.low) ** part
        else:
            value = self.low + part * (self.high - self.low)
        step = 10.0 ** (math.floor(math.log10(self.high - self.low)) - 2)
        return float(f"{value:.3g}") if self.logarithmic else round(value / step) * step


def sliders_of(scene_view: SceneView, actions: Any) -> list[Slider]:
    """The numbers of a scene view that can be set."""
    player = scene_view.player
    gravity = float(np.linalg.norm(player.settings.gravity))
    usual = float(np.linalg.norm(actions.usual_gravity))
    world = player.snapshot.world
    every = np.concatenate([world.restitution, world.obstacles.restitution])
    of_gravity = Slider(
        *("gravity", "gravity", gravity, 0.0, 2.0 * usual),
        meaning="The size of gravity. Drag, or click the number and type. A negative number, "
        "or shift G, reverses its direction; G switches it off and on.",
    )
    return [
        *([of_gravity] if actions.may_have_gravity else []),
        Slider(
            *("restitution", "restitution", float(np.median(every)), 0.0, 1.0),
            meaning="The share of the normal velocity that is left after an impact, for all balls "
            "and obstacles. Drag, or click the number and type; [ and ] change it by 0.1.",
        ),
        Slider(
            *("speed", "speed of time", player.speed / player.natural_speed, 0.001, 1000.0),
            logarithmic=True,
            unit="×",
            meaning=f"At 1× a second shows {number(player.natural_speed)} units of time. Drag, or "
            "click the number and type; + and − change it.",
        ),
    ]


class Sliders:
    """Draws sliders, and takes what is dragged or typed into them."""

    def __init__(self) -> None:
        self.typed: tuple[str, str] | None = None
        """The name of the number that is being typed in, and the letters so far."""
        self._held = ""
        self._set_at = 0.0

    def draw(self, overlay: Overlay, box: Box, slider: Slider, actions: Any) -> None:
        """Draw one in a box of the height `HEIGHT`, with its name and value above its line."""
        x, low, width, height = box
        overlay.explain(box, slider.meaning)
        overlay.text(x, low + height - 16.0, slider.words, 12.0, INK)
        self._draw_value(overlay, x + width, low + height - 16.0, slider)
        left, right, y = x + _KNOB, x + width - _KNOB, low + 13.0
        place = left + slider.part() * (right - left)
        overlay.rectangles([(left, y - 1.5, right - left, 3.0)], _TRACK)
        overlay.rectangles([(left, y - 1.5, place - left, 3.0)], _FILLED)
        overlay.panel((place - _KNOB, y - _KNOB, 2.0 * _KNOB, 2.0 * _KNOB), INK, _KNOB)
        overlay.panel((place - 4.5, y - 4.5, 9.0, 9.0), CAP, 4.5)

        def drag(pointed: float, released: bool) -> None:
            joins_last, self._held = self._held == slider.name, "" if released else slider.name
            value = slider.at((pointed - left) / (right - left))
            is_due = not joins_last or perf_counter() - self._set_at > _BETWEEN
            if is_due or released or not actions.is_running:
                actions.set_number(slider.name, value, joins_last)
                self._set_at = perf_counter()

        overlay.area((x, low, width, 24.0), lambda: None, drag)

    def _draw_value(self, overlay: Overlay, right: float, y: float, slider: Slider) -> None:
        """Draw the value; a click on it begins to type another."""
        is_typed = self.typed is not None and self.typed[0] == slider.name
        shown = number(float(f"{slider.value:.4g}")) + slider.unit
        words = f"{self.typed[1]}|" if is_typed and self.typed is not None else shown
        wide = max(overlay.width_of(words, 12.0) + 12.0, 44.0)
        box = (right - wide, y - 5.0, wide, 19.0)
        points = overlay.pointer is not None and holds(box, *overlay.pointer)
        overlay.panel(box, CAP if is_typed else LIT if points else (0.15, 0.19, 0.24, 0.06), 4.0)
        overlay.text(right - 6.0, y, words, 12.0, ACCENT if is_typed else FAINT, "right")
        overlay.area(box, lambda: self._begin(slider.name))

    def _begin(self, name: str) -> None:
        self.typed = name, ""

    def type(self, text: str) -> None:
        """Add letters to the number that is being typed."""
        assert self.typed is not None
        name, so_far = self.typed
        self.typed = (
            name,
            so_far + "".join(letter for letter in text if letter in "0123456789.,-+eE"),
        )

    def erase(self) -> None:
        """Take the last letter away."""
        assert self.typed is not None
        self.typed = self.typed[0], self.typed[1][:-1]

    def end(self, actions: Any = None) -> None:
        """End typing; with actions, set the number if there is one."""
        typed, self.typed = self.typed, None
        if typed is not None and typed[1] and actions is not None:
            actions.enter_number(*typed)
