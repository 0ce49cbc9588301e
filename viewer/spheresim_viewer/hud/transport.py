"""The transport bar: buttons, the speed, and the time line with impacts and a handle to drag."""

from typing import Any

import numpy as np

from spheresim_viewer.hud.numbers import MARGIN, number
from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, Overlay

_HEIGHT = 44.0
_BUTTON = 34.0
_NARROW = 600.0
"""Width of the window, in points, below which the speed is left out."""
_HINT = (
    "space run, pause    right one step    N next impact    "
    "drag to orbit    click a ball    F12 picture    ? all keys"
)


class Transport:
    """Draws the bar, and knows which time is where on it."""

    def __init__(self) -> None:
        self._left = self._width = 0.0
        self._end = 1.0

    def draw(self, overlay: Overlay, scene_view: Any, actions: Any) -> None:
        """Draw buttons, speed and time line."""
        player = scene_view.player
        overlay.panel(MARGIN, MARGIN, overlay.width - 2 * MARGIN, _HEIGHT)
        x, y = MARGIN + 8.0, MARGIN + 0.5 * _HEIGHT
        for icon, action in (
            (_bar_and_triangle, actions.restart),
            (_triangle_and_bar_back, actions.step_back),
            (_pause if player.running else _play, actions.run_or_pause),
            (_bar_then_play, actions.step_forward),
            (_play_to_star, actions.next_impact),
        ):
            overlay.triangles(icon(x + 0.5 * _BUTTON, y), INK)
            overlay.area(x, MARGIN, _BUTTON, _HEIGHT, action)
            x += _BUTTON
        if overlay.width > _NARROW:
            x = self._draw_speed(overlay, player, actions, x + 6.0, y)
        self._draw_line(overlay, player, x + 12.0, y)

    def time_at(self, x: float) -> float:
        """The time at a place on the line, x in points."""
        part = (x - self._left) / self._width
        return float(np.clip(part, 0.0, 1.0)) * self._end

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is on the time line or close to it."""
        on_line = -8.0 <= x - self._left <= self._width + 8.0
        return on_line and MARGIN <= y <= MARGIN + _HEIGHT

    def _draw_speed(self, overlay: Overlay, player: Any, actions: Any, x: float, y: float) -> float:
        overlay.rectangles([(x + 4, y - 1, 11, 2)], INK)
        overlay.area(x, MARGIN, 20, _HEIGHT, actions.slower)
        words = f"{number(player.speed)} /s"
        overlay.text(x + 50, y - 4, words, 12.0, ACCENT if player.lagging else INK, "center")
        overlay.rectangles([(x + 84, y - 1, 11, 2), (x + 88.5, y - 5.5, 2, 11)], INK)
        overlay.area(x + 80, MARGIN, 20, _HEIGHT, actions.faster)
        return x + 100.0

    def _draw_line(self, overlay: Overlay, player: Any, x: float, y: float) -> None:
        snapshot = player.snapshot
        self._left, self._width = x, max(overlay.width - MARGIN - 24.0 - x, 1.0)
        self._end = max(player.duration, player.furthest, 1e-300)
        known = self._width * min(1.0, player.furthest / self._end)
        now = self._left + self._width * min(1.0, snapshot.time / self._end)
        overlay.rectangles([(x, y - 1.5, self._width, 3.0)], (0.15, 0.19, 0.24, 0.18))
        overlay.rectangles([(x, y - 1.5, known, 3.0)], (0.15, 0.19, 0.24, 0.45))
        columns = max(1, int(known / 2.0))
        ticks = player.impact_counts(0.0, player.furthest, columns)
        hit = np.flatnonzero(ticks)
        if len(hit):
            strength = np.log1p(ticks[hit]) / np.log1p(ticks.max())
            color = np.empty((len(hit), 4))
            color[:] = ACCENT
            color[:, 3] = 0.35 + 0.5 * strength
            place = x + known * (hit + 0.5) / columns
            tall = 5.0 + 6.0 * strength
            boxes = np.stack([place - 0.5, y + 3.0 + 0 * tall, 0 * tall + 1.2, tall], axis=1)
            overlay.rectangles(boxes, color)
        overlay.panel(now - 5.0, y - 9.0, 10.0, 18.0, INK)
        end = f"{'…' if player.seeking else ''}{number(self._end)}"
        overlay.text(x + self._width + 8, y - 17, end, 10.0, FAINT, "right")


def draw_hint(overlay: Overlay) -> None:
    """Draw the most important keys, above the bar."""
    if overlay.width > _NARROW:
        overlay.panel(MARGIN, MARGIN + _HEIGHT + 2, 566.0, 21.0)
        overlay.text(MARGIN + 8, MARGIN + _HEIGHT + 8, _HINT, 12.0, FAINT)


def _triangle(x: float, y: float, size: float, direction: float) -> list[tuple[float, float]]:
    tip = 0.9 * size * direction
    return [(x - tip, y - size), (x + tip, y), (x - tip, y + size)]


def _box(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    a, b = 0.5 * width, 0.5 * height
    left, right, low, high = x - a, x + a, y - b, y + b
    return [(left, low), (right, low), (right, high), (left, low), (right, high), (left, high)]


def _play(x: float, y: float) -> list[tuple[float, float]]:
    return _triangle(x, y, 8.0, 1.0)


def _pause(x: float, y: float) -> list[tuple[float, float]]:
    return _box(x - 4, y, 4, 16) + _box(x + 4, y, 4, 16)


def _bar_and_triangle(x: float, y: float) -> list[tuple[float, float]]:
    return _box(x - 8, y, 2.5, 14) + _triangle(x - 2, y, 6.5, -1.0) + _triangle(x + 6, y, 6.5, -1.0)


def _triangle_and_bar_back(x: float, y: float) -> list[tuple[float, float]]:
    return _triangle(x - 2, y, 6.5, -1.0) + _box(x + 6, y, 2.5, 13)


def _bar_then_play(x: float, y: float) -> list[tuple[float, float]]:
    return _box(x - 6, y, 2.5, 13) + _triangle(x + 2, y, 6.5, 1.0)


def _play_to_star(x: float, y: float) -> list[tuple[float, float]]:
    """The icon of the next impact: a triangle that runs into a star."""
    star = []
    for k in range(4):
        turn = np.pi * k / 4
        along = np.array((np.cos(turn), np.sin(turn)))
        aside = np.array((-along[1], along[0])) * 1.0
        middle = np.array((x + 7.0, y))
        a, b = middle - 6.5 * along, middle + 6.5 * along
        star += [a - aside, b - aside, b + aside, a - aside, b + aside, a + aside]
    return _triangle(x - 6, y, 6.5, 1.0) + [(float(p[0]), float(p[1])) for p in star]
