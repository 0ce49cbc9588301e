"""The numbers on the left: the simulation as a whole, the picked ball, the present impact."""

import math
from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, REST, SLIDE, WAKE
from spheresim.engines.options import ENGINE_KINDS
from spheresim_viewer.coloring import MODES, scale_colors
from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, Color, Overlay
from spheresim_viewer.timeline.rest import FLYING, RESTING, SLIDING, STATES

MARGIN = 14.0
_WIDTH = 212.0
_LINE = 17.0
_LEGENDS = {
    "last impact": "orange: just hit",
    "state": "blue: flies, orange: slides, grey: rests",
}
"""What colors mean that are no scale."""

_BELOW = 84.0
"""Points at the bottom that are left to the time line."""

_WORDS = {BALL: "and", OBSTACLE: "and", REST: "rests on", SLIDE: "slides along", WAKE: "leaves"}
_WORDS_IN_PILE = {REST: "falls asleep", SLIDE: "slides", WAKE: "wakes up"}
"""What rows say of a ball and what it touches, and of one without anything named."""


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
        *_at_rest(snapshot.states),
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
        if words := _LEGENDS.get(MODES[scene_view.options.color]):
            overlay.text(overlay.width - MARGIN, MARGIN + 66, words, 12, FAINT, "right")
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
    state = int(snapshot.states[i])
    return [
        *([("state", STATES[state])] if state != FLYING else []),
        ("position", _triple(snapshot.position[i])),
        ("velocity", _triple(snapshot.velocity[i])),
        ("speed", number(speed)),
        ("kinetic energy", number(0.5 * world.mass[i] * speed**2)),
        ("radius, mass", f"{world.radius[i]:.4g}, {world.mass[i]:.4g}"),
        ("restitution", number(world.restitution[i])),
    ]


def _pair(snapshot: Any, here: Any) -> str:
    """What happens in the first of the present rows: which two collide, or who rests on what."""
    kind, other = int(here.kind[0]), int(here.other[0])
    names = snapshot.names if kind == BALL else snapshot.obstacle_names
    word = _WORDS[kind] if other >= 0 else _WORDS_IN_PILE[kind]
    return f"{snapshot.names[here.i[0]]} {word} {names[other] if other >= 0 else ''}".rstrip()


def _impact(here: Any) -> list[tuple[str, str]]:
    """The rows about the first of the present impacts."""
    rows = [("normal", _triple(here.normal[0]))]
    if here.kind[0] <= OBSTACLE:
        vn = f"{number(here.vn_before[0])}, {number(here.vn_after[0])}"
        rows += [("vn before, after", vn), ("impulse", number(here.impulse[0]))]
    if len(here.t) > 1:
        what = "impacts" if (here.kind <= OBSTACLE).all() else "events"
        rows.append(("at this instant", f"{len(here.t)} {what}"))
    return rows


def _at_rest(states: Any) -> list[tuple[str, str]]:
    """How many balls rest and slide, if any do."""
    resting, sliding = (int(np.count_nonzero(states == state)) for state in (RESTING, SLIDING))
    rows = [("resting", count(resting)), ("sliding", count(sliding))]
    return rows if resting or sliding else []


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
