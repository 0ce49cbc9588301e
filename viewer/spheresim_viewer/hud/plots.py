"""Live plots: energies, distribution of speeds, impacts per time; with axes, and values to read."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats
from spheresim_viewer.coloring import rounded_up
from spheresim_viewer.hud.boxes import Room, top_of
from spheresim_viewer.hud.colors import ACCENT, FAINT, INK, Color
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.readouts import MARGIN, number
from spheresim_viewer.scene_view import SceneView

WIDTH, _HEIGHT, _INNER = 270.0, 128.0, 66.0
_LEFT = 54.0
"""Points left of a plot, for the numbers of its axis."""
_ACROSS = WIDTH - _LEFT - 16.0
_FOOT = 30.0
_BELOW = 84.0
"""Points at the bottom that are left to the time line."""
_KINETIC: Color = (0.72, 0.30, 0.12, 1.0)
_POTENTIAL: Color = (0.13, 0.41, 0.66, 1.0)
_AXIS: Color = (0.15, 0.19, 0.24, 0.45)
_BINS = 24

Seek = Callable[[float], object]


class _Frame(NamedTuple):
    """The axes of a plot: its corner on the overlay, and the ranges of x and y."""

    overlay: Overlay
    x: float
    y: float
    across: tuple[float, float]
    upwards: tuple[float, float]

    def at(self, values: npt.ArrayLike, heights: npt.ArrayLike) -> Floats:
        """Places (m, 2) on the overlay."""
        low, high = self.across
        place = self.x + _ACROSS * (np.asarray(values) - low) / max(high - low, 1e-300)
        low, high = self.upwards
        rise = self.y + _INNER * (np.asarray(heights) - low) / max(high - low, 1e-300)
        return np.stack([place, rise], axis=1)

    def pointed(self) -> float | None:
        """The x under the pointer, if it is over the plot."""
        if self.overlay.pointer is None:
            return None
        along = (self.overlay.pointer[0] - self.x) / _ACROSS
        above = self.overlay.pointer[1] - self.y
        if not (0.0 <= along <= 1.0 and 0.0 <= above <= _INNER):
            return None
        return self.across[0] + along * (self.across[1] - self.across[0])


def has_room(overlay: Overlay, right: float) -> bool:
    """Whether a plot fits left of `right`."""
    return right > WIDTH and overlay.height > MARGIN + _HEIGHT + _BELOW


def draw_plots(
    overlay: Overlay,
    scene_view: SceneView,
    room: Room,
    seek: Seek | None = None,
) -> None:
    """Draw the plots downwards from the top, at the right of the room; a click on them calls
    `seek`.

    Plots that would reach down to what stands at the foot are left out.
    """
    top = overlay.height - MARGIN
    lowest = max(_BELOW, top_of(room.below, left=room.right - WIDTH))
    for plot in (_draw_energy, _draw_speeds, _draw_rate):
        x, y = room.right - WIDTH, top - _HEIGHT
        if y < lowest:
            return
        overlay.panel((x, y, WIDTH, _HEIGHT))
        plot(overlay, scene_view, x + _LEFT, y + _FOOT, seek)
        top = y - 8.0


def _draw_energy(
    overlay: Overlay, scene_view: SceneView, x: float, y: float, seek: Seek | None
) -> None:
    time, kinetic, potential, _ = scene_view.player.series()
    total = kinetic + potential
    low, high = min(0.0, *_range(potential)), max(*_range(kinetic), *_range(total))
    across = _span(time, scene_view)
    frame = _Frame(overlay, x, y, across, (low, high))
    _draw_axes(frame, "energy", "t")
    curves = (
        ("kinetic", kinetic, _KINETIC),
        ("potential", potential, _POTENTIAL),
        ("total", total, INK),
    )
    right = x + _ACROSS
    for words, values, color in reversed(curves):
        overlay.text(right, y + 80, words, 12.0, color, "right")
        right -= overlay.width_of(words, 12.0) + 8.0
        _curve(frame, time, values, color)
    _present(frame, scene_view, time)
    _read(frame, time, [(values, color) for _, values, color in curves], seek)


def _draw_rate(
    overlay: Overlay, scene_view: SceneView, x: float, y: float, seek: Seek | None
) -> None:
    time, _, _, impacts = scene_view.player.series()
    elapsed = np.diff(time)
    rate = np.diff(impacts)[elapsed > 0] / elapsed[elapsed > 0]
    high = rounded_up(float(rate.max())) if len(rate) else 0.0
    has_all = scene_view.player.segments.has_all_impacts
    title = "impacts per unit of time" if has_all else "impacts: not all are recorded"
    frame = _Frame(overlay, x, y, _span(time, scene_view), (0.0, high))
    _draw_axes(frame, title, "t")
    _curve(frame, time[1:][elapsed > 0], rate, ACCENT)
    _present(frame, scene_view, time)
    _read(frame, time[1:][elapsed > 0], [(rate, ACCENT)], seek)


def _draw_speeds(
    overlay: Overlay, scene_view: SceneView, x: float, y: float, seek: Seek | None
) -> None:
    """A histogram of speeds, and the Maxwell distribution at the same temperature."""
    del seek  # its axis is no time
    snapshot = scene_view.player.snapshot
    speed = np.linalg.norm(snapshot.peculiar_velocity, axis=1)
    high = max(scene_view.speed_end, rounded_up(float(speed.max())))
    if high == 0.0:
        at_rest = _Frame(overlay, x, y, (0.0, 1.0), (0.0, 1.0))
        _draw_axes(at_rest, "speeds: all are at rest", "")
        return
    counts, _ = np.histogram(speed, _BINS, (0.0, high))
    tallest = max(int(counts.max()), 1)
    frame = _Frame(overlay, x, y, (0.0, high), (0.0, tallest))
    _draw_axes(frame, "balls by speed", "speed")
    wide = _ACROSS / _BINS
    shown = np.flatnonzero(counts)
    tall = _INNER * counts[shown] / tallest
    boxes = np.stack([x + shown * wide, y + 0.0 * tall, wide - 1.0 + 0.0 * tall, tall], axis=1)
    overlay.rectangles(boxes, (0.26, 0.55, 0.72, 0.9))
    if len(speed) >= 100 and np.ptp(snapshot.world.mass) == 0.0:
        v = np.linspace(0.0, high, 60)
        square = float(np.mean(speed**2)) / 3.0  # kT / m
        density = np.sqrt(2.0 / np.pi) * v**2 / square**1.5 * np.exp(-0.5 * v**2 / square)
        expected = density * len(speed) * high / _BINS
        inside = expected <= 1.1 * tallest
        overlay.curve(frame.at(v[inside], expected[inside]), INK, 1.2)
        overlay.text(x + _ACROSS, y + 80, "line: Maxwell", 12.0, FAINT, "right")
    if (pointed := frame.pointed()) is not None:
        k = min(int(pointed / high * _BINS), _BINS - 1)
        _label(frame, pointed, f"{counts[k]} at {number(k * high / _BINS)} …")


def _draw_axes(frame: _Frame, title: str, name: str) -> None:
    """Draw the axes of a plot, with the numbers at their ends; name: of x."""
    overlay, x, y, across, upwards = frame
    overlay.text(x - _LEFT + 12.0, y + 80, title, 12.0, INK)
    overlay.rectangles([(x, y - 1.0, _ACROSS, 1.0), (x - 1.0, y - 1.0, 1.0, _INNER)], _AXIS)
    for value, rise in ((upwards[0], 0.0), (upwards[1], _INNER - 8.0)):
        words = _fitting(overlay, value, _LEFT - 8.0)
        overlay.text(x - 5.0, y + rise, words, 12.0, FAINT, "right")
    overlay.text(x, y - 14.0, _brief(across[0]), 12.0, FAINT)
    overlay.text(x + 0.5 * _ACROSS, y - 14.0, name, 12.0, FAINT, "center")
    overlay.text(x + _ACROSS, y - 14.0, _brief(across[1]), 12.0, FAINT, "right")


def _brief(value: float, form: str = ".3g") -> str:
    text = f"{value:{form}}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return text.replace("-", "−")


def _fitting(overlay: Overlay, value: float, width: float) -> str:
    """A number with as many digits as have room: without its last ones it would be another."""
    whole = [".0f"] if 1e3 <= abs(value) < 1e6 else []
    forms = [_brief(value, form) for form in (*whole, ".3g", ".2g", ".1g")]
    return next((words for words in forms if overlay.width_of(words, 12.0) <= width), forms[-1])


def _curve(frame: _Frame, time: Floats, values: Floats, color: Color) -> None:
    if len(time) >= 2 and frame.upwards[1] > frame.upwards[0]:
        frame.overlay.curve(frame.at(np.minimum(time, frame.across[1]), values), color)


def _present(frame: _Frame, scene_view: SceneView, time: Floats) -> None:
    """A line at the present time."""
    if len(time) >= 2:
        now = np.clip(scene_view.player.snapshot.time, *frame.across)
        place = float(frame.at([now], [0.0])[0, 0])
        frame.overlay.rectangles([(place - 0.5, frame.y, 1.0, _INNER)], _AXIS)


def _read(
    frame: _Frame, time: Floats, curves: list[tuple[Floats, Color]], seek: Seek | None
) -> None:
    """The values under the pointer, and the way to that time by a click."""
    if len(time) < 2:
        return
    pointed = frame.pointed()
    if seek is not None:
        frame.overlay.area(
            (frame.x, frame.y, _ACROSS, _INNER), lambda: seek(frame.pointed() or 0.0)
        )
    if pointed is None:
        return
    k = int(np.argmin(np.abs(time - pointed)))
    for values, color in curves:
        place = frame.at([time[k]], [values[k]])[0]
        frame.overlay.panel((place[0] - 2.5, place[1] - 2.5, 5.0, 5.0), color)
    read = ", ".join(_brief(float(values[k])) for values, _ in curves)
    _label(frame, float(time[k]), f"t = {_brief(float(time[k]))}: {read}")


def _label(frame: _Frame, at: float, words: str) -> None:
    """Words on a plate beside a place on the x axis, within the plot."""
    wide = frame.overlay.width_of(words, 12.0) + 12.0
    place = float(frame.at([at], [0.0])[0, 0])
    left = min(max(place - 0.5 * wide, frame.x), frame.x + _ACROSS - wide)
    frame.overlay.panel((left, frame.y + _INNER - 18.0, wide, 18.0), (1.0, 1.0, 1.0, 0.97))
    frame.overlay.text(left + 6.0, frame.y + _INNER - 13.0, words, 12.0, INK)


def _span(time: Floats, scene_view: SceneView) -> tuple[float, float]:
    """From the first to the last time: no step beyond the end that the time line has."""
    if len(time) == 0:
        return 0.0, 0.0
    end = max(scene_view.player.end, scene_view.player.time)
    return float(time[0]), min(float(time[-1]), end)


def _range(values: Floats) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
