"""The numbers on the left: the simulation as a whole, the picked ball, the present impact."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import BALL, OBSTACLE, REST, SLIDE, WAKE, Impacts
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector
from spheresim_viewer.coloring import MODES, scale_colors
from spheresim_viewer.hud.boxes import Box, Room, top_of
from spheresim_viewer.hud.colors import ACCENT, FAINT, INK, Color
from spheresim_viewer.hud.energy_rows import energy_rows
from spheresim_viewer.hud.meanings import MEANINGS
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.timeline.rest import FLYING, RESTING, SLIDING, STATES
from spheresim_viewer.timeline.snapshot import Snapshot

MARGIN = 14.0
WIDTH = 212.0
_LINE = 17.0
NARROW = 420.0
"""Width of a window, in points, below which most numbers would hide the balls."""
_HEAD = 66.0
"""Height of the title and the time, in points."""
_FEW_ROWS = 2
"""Where all rows would hide the balls."""
_USUAL_ROWS = 11
"""Of a scene under gravity, without the cards below."""
_LEGENDS = {
    "last impact": "orange: just hit",
    "state": "blue: flies, orange: slides, grey: rests",
}
"""What colors mean that are no scale."""
_SCALE_HEIGHT = 24.0
"""Of the color scale with its text, in points."""
_BELOW = 84.0
"""Points at the bottom that are left to the time line."""

_WORDS = {BALL: "and", OBSTACLE: "and", REST: "rests on", SLIDE: "slides along", WAKE: "leaves"}
_WORDS_IN_PILE = {REST: "falls asleep", SLIDE: "slides", WAKE: "wakes up"}
"""What rows say of a ball and what it touches, and of one without anything named."""


def number(value: float) -> str:
    """A number with six digits."""
    return f"{value:.6g}".replace("-", "−")


def clock(player: Player) -> str:
    """The time: with all digits while it stands still, with few while it runs."""
    if not player.running:
        return f"{player.time:.10g}".replace("-", "−")
    decimals = min(max(3 - math.ceil(math.log10(max(player.duration, 1e-300))), 0), 9)
    return f"{player.time:.{decimals}f}"


def count(value: float) -> str:
    """A whole number, with its digits in groups of three."""
    return f"{value:,.0f}".replace(",", " ")


def impacts_in_words(player: Player) -> str:
    """The number of impacts until now, as far as a run has recorded them."""
    impacts = player.snapshot.impacts
    if player.segments.has_all_impacts:
        return count(impacts)
    return f"{count(impacts)} or more" if impacts else "not recorded"


def usual_height(overlay: Overlay, all_rows: bool) -> float:
    """How far down the numbers usually reach, in points."""
    rows = _USUAL_ROWS if all_rows else _FEW_ROWS
    return min(MARGIN + _HEAD + _LINE * rows, overlay.height - _BELOW)


def draw_numbers(
    overlay: Overlay,
    scene_view: SceneView,
    wall: dict[str, str],
    room: Room,
    all_rows: bool,
) -> None:
    """Draw the numbers. wall: wall-clock figures, which are left out of saved pictures; room: for
    cards; all_rows: or only the first few.

    Where there is too little room, the last rows are left out, and cards that do not fit.
    """
    snapshot, player = scene_view.player.snapshot, scene_view.player
    rows = [
        ("balls", count(len(snapshot.position))),
        ("impacts", impacts_in_words(player)),
        *_at_rest(snapshot.states),
        *energy_rows(snapshot, player.segments.is_changed_before(player.time)),
        ("gravity", in_words(snapshot.world.gravity)),
        ("restitution", restitution_in_words(snapshot.world)),
        ("engine", _method(player)),
        *wall.items(),
    ]
    left = overlay.height - MARGIN - _BELOW - _HEAD - _LINE
    rows = rows[: max(0, int(left / _LINE))] if all_rows else rows[:_FEW_ROWS]
    width = _width_for(overlay, rows)
    titles = overlay.lines(scene_view.title, 12.0, width - 24.0, 2) or [""]
    height = _HEAD + _LINE * (len(rows) + len(titles) - 1)
    x, y = MARGIN, overlay.height - MARGIN - height
    overlay.panel((x, y, width, height))
    top = y + height
    for line in titles:
        overlay.text(x + 12, top - 23, line, 12.0, FAINT)
        top -= _LINE
    overlay.text(x + 12, top - 30, f"t = {clock(player)}", 20.0, INK)
    overlay.rows(x + 12, top - 53, width - 24, rows, MEANINGS)
    # Below it the picked ball, and the impact at the present time
    column = _Column(overlay, x, y - 8.0, width, room)
    if scene_view.picked is not None:
        name = snapshot.names[scene_view.picked]
        column.add(name, INK, _picked(scene_view, snapshot))
    if scene_view.picked_obstacle is not None:
        obstacle = scene_view.scene.obstacles[scene_view.picked_obstacle]
        column.add(str(obstacle.name), INK, obstacle_rows(obstacle))
    here = scene_view.player.impacts_now()
    concerns = scene_view.is_at_impact or scene_view.picked in (*here.i, *here.other)
    if len(here.t) and not player.running and concerns:
        sliced = scene_view.sliced_answer
        rows = [*_impact(here), *(sliced.rows() if sliced is not None else [])]
        column.add(_pair(snapshot, here), ACCENT, rows)


def _width_for(overlay: Overlay, rows: list[tuple[str, str]]) -> float:
    """The width of a panel in which no name touches its value, up to a third of the window."""
    needed = (
        overlay.width_of(name, 12.0) + overlay.width_of(value, 12.0) + 40.0 for name, value in rows
    )
    return min(max(WIDTH, *needed, 0.0), max(WIDTH, overlay.width / 3.0))


class _Column:
    """Panels one below the other, and in the next column where they do not fit."""

    def __init__(self, overlay: Overlay, x: float, top: float, width: float, room: Room) -> None:
        self._overlay, self._x, self._top, self._beside = overlay, x, top, width
        self._room = room

    def add(self, title: str, color: Color, rows: list[tuple[str, str]]) -> None:
        """Draw a panel, if there is room for it."""
        overlay = self._overlay
        width, height = _width_for(overlay, rows), 36.0 + _LINE * len(rows)
        if self._top - height < self._lowest(width):
            self._x, self._top = self._x + self._beside + 8.0, overlay.height - MARGIN
            self._beside = width
        if self._x + width > self._room.right or self._top - height < self._lowest(width):
            return
        self._beside = max(self._beside, width)
        x, top = self._x, self._top
        overlay.panel((x, top - height, width, height))
        overlay.text(x + 12, top - 22, overlay.shortened(title, 13.0, width - 24.0), 13.0, color)
        overlay.rows(x + 12, top - 42, width - 24, rows, MEANINGS)
        self._top = top - height - 8.0

    def _lowest(self, width: float) -> float:
        """How far down a panel may reach: to the time line, or to what stands below it."""
        return max(_BELOW, top_of(self._room.below, right=self._x + width))


def draw_scale(overlay: Overlay, scene_view: SceneView, caption: Box | None) -> Box | None:
    """Draw what colors mean: their scale, or words; returns its box, None if there is nothing.

    It stands at the right, above a caption that reaches there.
    """
    largest, what = scene_view.scale_end()
    words = _LEGENDS.get(MODES[scene_view.options.color], "")
    if overlay.width < 600.0 or not (what or words):
        return None
    width = 180.0 if what else overlay.width_of(words, 12.0)
    x, y = overlay.width - MARGIN - width, MARGIN + 62.0
    if caption is not None and caption[0] + caption[2] > x:
        y = max(y, caption[1] + caption[3] + 8.0)
    box = x, y, width, _SCALE_HEIGHT
    if not what:
        overlay.text(x, y + 4.0, words, 12.0, FAINT)
        return box
    parts = 60
    color = np.ones((parts, 4))
    color[:, :3] = scale_colors(np.linspace(0.0, 1.0, parts), 1.0)
    wide = width / parts
    boxes = [(x + k * wide, y, wide, 7.0) for k in range(parts)]
    overlay.rectangles(boxes, color)
    overlay.text(x, y + 13, "0", 12.0, FAINT)
    overlay.text(x + 0.5 * width, y + 13, what, 12.0, FAINT, "center")
    overlay.text(x + width, y + 13, number(largest), 12.0, FAINT, "right")
    return box


def _picked(scene_view: SceneView, snapshot: Snapshot) -> list[tuple[str, str]]:
    """The rows about the picked ball."""
    i, world = scene_view.picked, snapshot.world
    assert i is not None  # it is asked for where a ball is picked
    speed = _size(snapshot.velocity[i])
    state, spin = int(snapshot.states[i]), snapshot.angular_velocity
    turning = [] if spin is None else [("angular velocity", _triple(spin[i]))]
    return [
        *([("state", STATES[state])] if state != FLYING else []),
        ("position", _triple(_place(scene_view, snapshot))),
        ("velocity", _triple(snapshot.velocity[i])),
        *turning,
        ("speed", number(speed)),
        ("kinetic energy", number(0.5 * world.mass[i] * speed**2)),
        ("radius, mass", f"{world.radius[i]:.4g}, {world.mass[i]:.4g}"),
        ("restitution", number(world.restitution[i])),
    ]


def obstacle_rows(obstacle: Obstacle) -> list[tuple[str, str]]:
    """The rows about the picked obstacle: its kind, and what its table in a scene says."""
    shape = obstacle.shape
    table = shape.table()
    fields = [
        (name.replace("_", " "), words) for name, held in table.items() if (words := _held(held))
    ]
    kind = shape.kind.replace("_", " ")
    return [("obstacle", kind), *fields, ("restitution", number(obstacle.restitution))]


def _held(held: Any) -> str:
    """A number, a vector or a rotation in words; of a longer list how long it is."""
    if isinstance(held, dict):
        return f"{number(held['degrees'])}° about {_triple(np.array(held['axis']))}"
    if isinstance(held, float):
        return number(held)
    if len(held) == 3 and isinstance(held[0], float):
        return _triple(np.array(held))
    return count(len(held))


def _place(scene_view: SceneView, snapshot: Snapshot) -> Floats:
    """Where the picked ball is, also while it is dragged."""
    if scene_view.dragged is not None:
        return np.array(scene_view.dragged)
    return snapshot.position[scene_view.picked]


def _pair(snapshot: Snapshot, here: Impacts) -> str:
    """What happens in the first of the present rows: which two collide, or who rests on what."""
    kind, other = int(here.kind[0]), int(here.other[0])
    names = snapshot.names if kind == BALL else snapshot.obstacle_names
    word = _WORDS[kind] if other >= 0 else _WORDS_IN_PILE[kind]
    return f"{snapshot.names[here.i[0]]} {word} {names[other] if other >= 0 else ''}".rstrip()


def _impact(here: Impacts) -> list[tuple[str, str]]:
    """The rows about the first of the present impacts."""
    rows = [("normal", _triple(here.normal[0]))]
    if here.kind[0] <= OBSTACLE:
        rows += [
            ("normal velocity before", number(here.vn_before[0])),
            ("normal velocity after", number(here.vn_after[0])),
            ("impulse", number(here.impulse[0])),
        ]
    if here.kind[0] <= OBSTACLE and here.has_tangential:
        rows.append(("tangential impulse", _triple(here.tangential[0])))
    if len(here.t) > 1:
        what = "impacts" if (here.kind <= OBSTACLE).all() else "events"
        rows.append(("at this instant", f"{len(here.t)} {what}"))
    return rows


def _at_rest(states: npt.NDArray[np.int8]) -> list[tuple[str, str]]:
    """How many balls rest and slide, if any do."""
    resting, sliding = (int(np.count_nonzero(states == state)) for state in (RESTING, SLIDING))
    rows = [("resting", count(resting)), ("sliding", count(sliding))]
    return rows if resting or sliding else []


def _method(player: Player) -> str:
    settings = player.settings
    has_choice = len(ENGINE_KINDS[settings.engine].toi_methods) > 1
    words = f"{settings.engine}, {settings.toi}" if has_choice else settings.engine
    return f"replay of {words}" if player.segments.last < math.inf else words


def in_words(gravity: TVector) -> str:
    """Gravity as a size along an axis, or as a vector."""
    along = np.flatnonzero(np.array(gravity))
    if len(along) == 0:
        return "none"
    if len(along) > 1:
        return _triple(np.array(gravity))
    (axis,) = along
    sign = "+" if gravity[int(axis)] > 0.0 else "−"
    return f"{number(_size(gravity))} along {sign}{'xyz'[axis]}"


def restitution_in_words(world: World) -> str:
    """The restitution, or its range if it is not the same everywhere."""
    every = np.concatenate([world.restitution, world.obstacles.restitution])
    low, high = float(every.min()), float(every.max())
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _triple(vector: Floats) -> str:
    """A vector with four digits; components that are only rounding errors are 0."""
    least = 1e-12 * float(np.max(np.abs(vector)))
    shown = (0.0 if abs(component) < least else component for component in vector)
    return ", ".join(f"{component:.4g}" for component in shown).replace("-", "−")


def _size(vector: npt.ArrayLike) -> float:
    return float(np.linalg.norm(vector))
