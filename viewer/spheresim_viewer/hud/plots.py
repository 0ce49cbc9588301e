"""Live plots on the right: energies, distribution of speeds, impacts per time."""

from typing import Any

import numpy as np

from spheresim_viewer.coloring import rounded_up
from spheresim_viewer.hud.numbers import MARGIN, number
from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, Color, Overlay

_WIDTH, _HEIGHT, _INNER = 250.0, 104.0, 60.0
_KINETIC: Color = (0.80, 0.36, 0.17, 1.0)
_POTENTIAL: Color = (0.13, 0.41, 0.66, 1.0)
_BINS = 24


def draw_plots(overlay: Overlay, scene_view: Any) -> None:
    """Draw the three plots, from the top right downwards."""
    top = overlay.height - MARGIN
    for plot in (_draw_energy, _draw_speeds, _draw_rate):
        x, y = overlay.width - MARGIN - _WIDTH, top - _HEIGHT
        overlay.panel(x, y, _WIDTH, _HEIGHT)
        plot(overlay, scene_view, x + 12.0, y + 14.0)
        top = y - 8.0


def _draw_energy(overlay: Overlay, scene_view: Any, x: float, y: float) -> None:
    time, kinetic, potential, _ = scene_view.player.series()
    total = kinetic + potential
    low, high = min(0.0, *_range(potential)), max(*_range(kinetic), *_range(total))
    _title(overlay, x, y, "energy", number(high))
    overlay.text(x + 48, y + 74, "kinetic", 11.0, _KINETIC)
    overlay.text(x + 90, y + 74, "potential", 11.0, _POTENTIAL)
    overlay.text(x + 143, y + 74, "total", 11.0, INK)
    for values, color in (
        (kinetic, _KINETIC),
        (potential, _POTENTIAL),
        (total, INK),
    ):
        _curve(overlay, x, y, time, values, (low, high), color)
    _present(overlay, scene_view, x, y, time)


def _draw_rate(overlay: Overlay, scene_view: Any, x: float, y: float) -> None:
    time, _, _, impacts = scene_view.player.series()
    elapsed = np.diff(time)
    rate = np.diff(impacts)[elapsed > 0] / elapsed[elapsed > 0]
    high = rounded_up(float(rate.max())) if len(rate) else 0.0
    _title(overlay, x, y, "impacts per unit of time", number(high))
    _curve(overlay, x, y, time[1:][elapsed > 0], rate, (0.0, high), ACCENT)
    _present(overlay, scene_view, x, y, time)


def _draw_speeds(overlay: Overlay, scene_view: Any, x: float, y: float) -> None:
    """A histogram of speeds, and the Maxwell distribution at the same temperature."""
    snapshot = scene_view.player.snapshot
    speed = np.linalg.norm(snapshot.velocity, axis=1)
    high = rounded_up(float(speed.max()))
    _title(overlay, x, y, "speeds", number(high))
    if high == 0.0:
        return
    counts, _ = np.histogram(speed, _BINS, (0.0, high))
    wide = (_WIDTH - 24.0) / _BINS
    tallest = max(int(counts.max()), 1)
    shown = np.flatnonzero(counts)
    tall = _INNER * counts[shown] / tallest
    boxes = np.stack([x + shown * wide, y + 0.0 * tall, wide - 1.0 + 0.0 * tall, tall], axis=1)
    overlay.rectangles(boxes, (0.26, 0.55, 0.72, 0.9))
    if len(speed) >= 100 and np.ptp(snapshot.world.mass) == 0.0:
        v = np.linspace(0.0, high, 60)
        square = float(np.mean(speed**2)) / 3.0  # kT / m
        density = np.sqrt(2.0 / np.pi) * v**2 / square**1.5 * np.exp(-0.5 * v**2 / square)
        expected = density * len(speed) * high / _BINS / tallest
        inside = expected <= 1.15
        points = np.stack([x + v / high * (_WIDTH - 24.0), y + _INNER * expected], axis=1)
        overlay.curve(points[inside], INK, 1.2)
        overlay.text(x + 70, y + 74, "line: Maxwell", 11.0, FAINT)


def _title(overlay: Overlay, x: float, y: float, words: str, largest: str) -> None:
    overlay.text(x, y + 74, words, 11.0, FAINT)
    overlay.text(x + _WIDTH - 24.0, y + 74, largest, 11.0, FAINT, "right")
    overlay.rectangles([(x, y - 1.0, _WIDTH - 24.0, 1.0)], (0.15, 0.19, 0.24, 0.3))


def _curve(
    overlay: Overlay,
    x: float,
    y: float,
    time: Any,
    values: Any,
    bounds: tuple[float, float],
    color: Color,
) -> None:
    low, high = bounds
    if len(time) < 2 or high <= low:
        return
    place = x + (_WIDTH - 24.0) * (time - time[0]) / max(time[-1] - time[0], 1e-300)
    rise = y + _INNER * (values - low) / (high - low)
    overlay.curve(np.stack([place, rise], axis=1), color)


def _present(overlay: Overlay, scene_view: Any, x: float, y: float, time: Any) -> None:
    """A line at the present time."""
    if len(time) < 2:
        return
    part = (scene_view.player.snapshot.time - time[0]) / max(time[-1] - time[0], 1e-300)
    place = x + (_WIDTH - 24.0) * float(np.clip(part, 0.0, 1.0))
    overlay.rectangles([(place - 0.5, y, 1.0, _INNER)], (0.15, 0.19, 0.24, 0.5))


def _range(values: Any) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
