"""The transport bar: buttons, the speed, and the time line with impacts and a handle to drag."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim_viewer.hud import icons
from spheresim_viewer.hud.colors import ACCENT, FAINT, INK
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.readouts import MARGIN, count, number
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.timeline.player import Player

HEIGHT = 44.0
HINT = 34.0
"""Points above the bar that are left to the keys."""
_BUTTON = 34.0
_NARROW = 560.0
"""Width of the window, in points, below which the speed is left out."""
_KEYS = (
    ("space", "run, pause"),
    ("right", "one step"),
    ("N", "next impact"),
    ("0", "show all"),
    ("K", "panel"),
    ("?", "all keys"),
)
_AT_IMPACT = (
    ("J", "look at it"),
    ("U", "compare slices"),
    ("O", "offset primitives"),
    ("N", "next impact"),
    ("space", "run, pause"),
    ("?", "all keys"),
)
_AIMING = (
    ("drag", "aim, and throw"),
    ("click", "start there"),
    ("wheel", "nearer, further"),
    ("B", "throw"),
    ("esc", "do not"),
)
_PLATE = (1.0, 1.0, 1.0, 0.6)
_BIN = 2.0
"""Points of the line in which impacts are counted together."""
_SCALE = 200.0
"""Points at the right that are left to the scale of colors."""
_MARKS = 18.0
"""How far above the line its marks can be pointed at, in points."""
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_ROOMY = 300.0
"""Width of the line, in points, from which on its ticks have numbers."""
_LINE: tuple[float, float, float] = (0.15, 0.19, 0.24)


class Transport:
    """Draws the bar, and knows which time is where on it."""

    def __init__(self) -> None:
        self._left = self._width = 0.0
        self._begins, self._end = 0.0, 1.0
        self._ticks: np.ndarray = np.zeros(0)

    def draw(self, overlay: Overlay, scene_view: SceneView, actions: Any) -> None:
        """Draw buttons, speed and time line."""
        player = scene_view.player
        overlay.panel((MARGIN, MARGIN, overlay.width - 2 * MARGIN, HEIGHT))
        x, y = MARGIN + 8.0, MARGIN + 0.5 * HEIGHT
        for icon, action in (
            (icons.to_start, actions.restart),
            (icons.step_back, actions.step_back),
            (icons.pause if player.running else icons.play, actions.run_or_pause),
            (icons.step_on, actions.step_forward),
            (icons.to_impact, actions.next_impact),
        ):
            overlay.triangles(icon(x + 0.5 * _BUTTON, y), INK)
            overlay.area((x, MARGIN, _BUTTON, HEIGHT), action)
            x += _BUTTON
        if overlay.width > _NARROW:
            x = self._draw_speed(overlay, player, actions, x + 6.0, y)
        self._draw_line(overlay, player, x + 12.0, y - 4.0)

    def time_at(self, x: float) -> float:
        """The time at a place on the line, x in points."""
        return self._time_of_part(float(np.clip((x - self._left) / self._width, 0.0, 1.0)))

    def _time_of_part(self, part: float) -> float:
        """The time after a part of the line."""
        return self._begins + part * (self._end - self._begins)

    def _part_of_time(self, time: float) -> float:
        """The part of the line that ends at a time, at most 1."""
        return min(1.0, (time - self._begins) / (self._end - self._begins))

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is on the time line or close to it."""
        on_line = -8.0 <= x - self._left <= self._width + 8.0
        return on_line and MARGIN <= y <= MARGIN + HEIGHT

    def mark_at(self, x: float, y: float) -> tuple[float, int] | None:
        """The time from which the impacts of the mark at a point are, and how many; or None."""
        above = y - (MARGIN + 0.5 * HEIGHT)
        if not 0.0 < above < _MARKS or len(self._ticks) == 0:
            return None
        k = int((x - self._left) / _BIN)
        near = [i for i in (k, k - 1, k + 1) if 0 <= i < len(self._ticks) and self._ticks[i]]
        if not near:
            return None
        return self._time_of_part(near[0] * _BIN / self._width), int(self._ticks[near[0]])

    def _draw_speed(
        self, overlay: Overlay, player: Player, actions: Any, x: float, y: float
    ) -> float:
        overlay.rectangles([(x + 4, y - 1, 11, 2)], INK)
        overlay.area((x, MARGIN, 20, HEIGHT), actions.slower)
        factor = number(float(f"{player.speed / player.natural_speed:.4g}"))
        words = overlay.shortened(f"{factor}×", 12.0, 58.0)
        overlay.text(x + 50, y - 4, words, 12.0, ACCENT if player.lagging else INK, "center")
        overlay.rectangles([(x + 84, y - 1, 11, 2), (x + 88.5, y - 5.5, 2, 11)], INK)
        overlay.area((x + 80, MARGIN, 20, HEIGHT), actions.faster)
        return x + 100.0

    def _draw_line(self, overlay: Overlay, player: Player, x: float, y: float) -> None:
        self._left, self._width = x, max(overlay.width - MARGIN - 24.0 - x, 1.0)
        self._begins = player.begins
        self._end = max(player.end, player.time, math.nextafter(self._begins, math.inf))
        known = self._width * self._part_of_time(player.furthest)
        now = self._left + self._width * self._part_of_time(player.time)
        overlay.rectangles([(x, y - 1.5, self._width, 3.0)], (*_LINE, 0.18))
        overlay.rectangles([(x, y - 1.5, known, 3.0)], (*_LINE, 0.45))
        self._draw_marks(overlay, player, x, y)
        overlay.panel((now - 5.0, y - 9.0, 10.0, 18.0), INK)
        for part in _TICKS:
            overlay.rectangles([(x + part * self._width - 0.5, y - 6.0, 1.0, 4.5)], (*_LINE, 0.5))
            if 0.0 < part < 1.0 and self._width > _ROOMY:
                at = number(float(f"{self._time_of_part(part):.3g}"))
                overlay.text(x + part * self._width, y - 17, at, 12.0, FAINT, "center")
        overlay.text(x - 8.0, y - 17, number(self._begins), 12.0, FAINT)
        end = f"{'… ' if player.seeking else ''}{number(self._end)}"
        overlay.text(x + self._width + 8, y - 17, end, 12.0, FAINT, "right")
        self._draw_pointed(overlay, x)

    def _draw_marks(self, overlay: Overlay, player: Player, x: float, y: float) -> None:
        """A mark for each impact; where they are denser than pixels, a hill of their density.

        Bins lie fixed in time, so that marks stand still while time is computed.
        """
        self._ticks = player.impact_counts(self._begins, self._end, max(1, int(self._width / _BIN)))
        hit = np.flatnonzero(self._ticks)
        if len(hit) == 0:
            return
        strength = np.log1p(self._ticks[hit]) / np.log1p(max(float(self._ticks.max()), 3.0))
        color = np.empty((len(hit), 4))
        color[:] = ACCENT
        color[:, 3] = 0.45 + 0.4 * strength
        wide = self._width / len(self._ticks)
        place, tall = x + wide * hit, 4.0 + 9.0 * strength
        boxes = np.stack([place, y + 3.0 + 0.0 * tall, wide + 0.0 * tall, tall], axis=1)
        overlay.rectangles(boxes, color)

    def _draw_pointed(self, overlay: Overlay, x: float) -> None:
        """What is under the pointer: the time, and how many impacts."""
        if overlay.pointer is None or not self.holds(*overlay.pointer):
            return
        mark = self.mark_at(*overlay.pointer)
        words = f"t = {number(self.time_at(overlay.pointer[0]))}"
        if mark is not None:
            many = f"{count(mark[1])} impacts" if mark[1] > 1 else "an impact"
            words = f"{many} at t = {mark[0]:.3g}: click"
        wide = overlay.width_of(words, 12.0) + 16.0
        left = min(max(overlay.pointer[0] - 0.5 * wide, x), overlay.width - MARGIN - wide)
        overlay.panel((left, MARGIN + HEIGHT + 3.0, wide, 22.0), (1.0, 1.0, 1.0, 0.97))
        overlay.text(left + 8.0, MARGIN + HEIGHT + 9.0, words, 12.0, INK)


def draw_hint(overlay: Overlay, scene_view: SceneView) -> None:
    """Draw the most important keys above the bar; or what to do if no ball is in sight."""
    if overlay.pointer is not None and overlay.pointer[1] < MARGIN + HEIGHT:
        return
    x, y = MARGIN + 8.0, MARGIN + HEIGHT + 12.0
    keys: Sequence[tuple[str, str]] = _KEYS
    what = ""
    if scene_view.throw is not None:
        keys, what = _AIMING, "a throw:"
    elif scene_view.is_at_impact:
        keys = _AT_IMPACT
        what = "" if scene_view.is_impact_in_sight else "the impact is out of sight:"
    elif scene_view.is_empty:
        what = "no ball is in sight:"
        keys = (("0", "show all"), ("backspace", "to the start"))
    # As many as there is room for, on a plate
    lead = overlay.width_of(what, 13.0) + 10.0 if what else 0.0
    room = overlay.width - MARGIN - _SCALE - x - lead
    shown = [(key, words, *_widths(overlay, key, words)) for key, words in keys]
    while shown and sum(sum(row[2:]) for row in shown) > room:
        shown.pop()
    long = lead + sum(sum(row[2:]) for row in shown)
    overlay.panel((x - 8.0, y - 9.0, long, 25.0), _PLATE)
    overlay.text(x, y, what, 13.0, ACCENT)
    x += lead
    for key, words, cap, wide in shown:
        overlay.keycap(x, y, key)
        overlay.text(x + cap, y, words, 12.0, FAINT)
        x += cap + wide


def _widths(overlay: Overlay, key: str, words: str) -> tuple[float, float]:
    """How wide a keycap and its words are, with the space behind each."""
    cap = max(overlay.width_of(key, 12.0) + 9.0, 17.6)
    return cap + 5.0, overlay.width_of(words, 12.0) + 16.0
