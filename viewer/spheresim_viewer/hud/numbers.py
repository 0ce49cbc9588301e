"""The numbers on the left: the simulation as a whole, the picked ball, the present impact."""

import math
from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL
from spheresim.engines.options import ENGINE_KINDS
from spheresim_viewer.coloring import MODES, scale_colors
from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, Color, Overlay

MARGIN = 14.0
_WIDTH = 212.0
_LINE = 17.0
_BELOW = 84.0
"""Points at the bottom that are left to the time line."""


def number(value: float) -> str:
    """A number with six digits."""
    return f"{value:.6g}".replace("-", "−")


def count(value: float) -> str:
    """A whole number, with its digits in groups of three."""
    return f"{value:,.0f}".replace(",", " ")


def draw_numbers(overlay: Overlay, scene_view: Any, wall: dict[str, str]) -> None:
    """Draw the numbers. wall: wall-clock figures, which are left out of saved pictures."""
    # The simulation as a whole
    snapshot, player = scene_view.player.snapshot, scene_view.player
    rows = [
        ("engine", _method(player)),
        ("balls", count(len(snapshot.position))),
        ("impacts", count(snapshot.impacts)),
        *((label, value.replace("-", "−")) for label, value in snapshot.energy_rows),
        ("gravity", number(_size(snapshot.world.gravity))),
        ("restitution", _restitution(snapshot.world)),
        *wall.items(),
    ]
    height = 66.0 + _LINE * len(rows)
    x, y = MARGIN, overlay.height - MARGIN - height
    overlay.panel(x, y, _WIDTH, height)
    top = y + height
    overlay.text(x + 12, top - 23, _shortened(scene_view.title, 34), 12.0, FAINT)
    overlay.text(x + 12, top - 47, f"t = {snapshot.time:.10g}", 20.0, INK)
    overlay.rows(x + 12, top - 70, _WIDTH - 24, rows)
    # Below it the picked ball, and the impact at the present time
    place = (x, y - 8.0)
    if scene_view.picked is not None:
        place = _draw_card(
            overlay, place, snapshot.names[scene_view.picked], INK, _picked(scene_view, snapshot)
        )
    here = scene_view.player.impacts_now()
    if len(here.t):
        _draw_card(overlay, place, _pair(snapshot, here), ACCENT, _impact(here))


def _draw_card(
    overlay: Overlay,
    place: tuple[float, float],
    title: str,
    color: Color,
    rows: list[tuple[str, str]],
) -> tuple[float, float]:
    """A panel below a place, or in the next column if it does not fit; returns the place below."""
    height = 36.0 + _LINE * len(rows)
    x, top = place
    if top - height < _BELOW:
        x, top = x + _WIDTH + 8.0, overlay.height - MARGIN
    overlay.panel(x, top - height, _WIDTH, height)
    overlay.text(x + 12, top - 22, _shortened(title, 32), 13.0, color)
    overlay.rows(x + 12, top - 42, _WIDTH - 24, rows)
    return x, top - height - 8.0


def draw_scale(overlay: Overlay, scene_view: Any) -> None:
    """Draw the color scale, if colors show a quantity."""
    largest, what = scene_view.scale_end(scene_view.player.snapshot)
    if not what:
        if MODES[scene_view.options.color] == "last impact":
            overlay.text(
                overlay.width - MARGIN, MARGIN + 66, "orange: just hit", 12, FAINT, "right"
            )
        return
    width, x, y = 180.0, overlay.width - MARGIN - 180.0, MARGIN + 62.0
    parts = 60
    color = np.ones((parts, 4))
    color[:, :3] = scale_colors(np.linspace(0.0, 1.0, parts), 1.0)
    wide = width / parts
    boxes = [(x + k * wide, y, wide, 7.0) for k in range(parts)]
    overlay.rectangles(boxes, color)
    overlay.text(x, y + 13, "0", 11.0, FAINT)
    overlay.text(x + 0.5 * width, y + 13, what, 11.0, FAINT, "center")
    overlay.text(x + width, y + 13, number(largest), 11.0, FAINT, "right")


def _picked(scene_view: Any, snapshot: Any) -> list[tuple[str, str]]:
    """The rows about the picked ball."""
    i, world = scene_view.picked, snapshot.world
    speed = _size(snapshot.velocity[i])
    return [
        ("position", _triple(snapshot.position[i])),
        ("velocity", _triple(snapshot.velocity[i])),
        ("speed", number(speed)),
        ("kinetic energy", number(0.5 * world.mass[i] * speed**2)),
        ("radius, mass", f"{world.radius[i]:.4g}, {world.mass[i]:.4g}"),
        ("restitution", number(world.restitution[i])),
    ]


def _pair(snapshot: Any, here: Any) -> str:
    """The names of the two that collide in the first of the present impacts."""
    other = snapshot.names if here.kind[0] == BALL else snapshot.obstacle_names
    return f"{snapshot.names[here.i[0]]} and {other[here.other[0]]}"


def _impact(here: Any) -> list[tuple[str, str]]:
    """The rows about the first of the present impacts."""
    rows = [
        ("normal", _triple(here.normal[0])),
        ("vn before, after", f"{number(here.vn_before[0])}, {number(here.vn_after[0])}"),
        ("impulse", number(here.impulse[0])),
    ]
    if len(here.t) > 1:
        rows.append(("at this instant", f"{len(here.t)} impacts"))
    return rows


def _method(player: Any) -> str:
    settings = player.settings
    has_choice = len(ENGINE_KINDS[settings.engine].toi_methods) > 1
    words = f"{settings.engine}, {settings.toi}" if has_choice else settings.engine
    return f"replay of {words}" if player.segments.last < math.inf else words


def _restitution(world: Any) -> str:
    """The restitution, or its range if it is not the same everywhere."""
    every = np.concatenate([world.restitution, world.obstacles.restitution])
    low, high = float(every.min()), float(every.max())
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _triple(vector: Any) -> str:
    """A vector with four digits; components that are only rounding errors are 0."""
    least = 1e-12 * float(np.max(np.abs(vector)))
    shown = (0.0 if abs(component) < least else component for component in vector)
    return ", ".join(f"{component:.4g}" for component in shown).replace("-", "−")


def _size(vector: Any) -> float:
    return float(np.linalg.norm(vector))


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
