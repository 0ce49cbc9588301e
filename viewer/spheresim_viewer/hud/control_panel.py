"""The side panel: what can be changed and switched, to be clicked, with the keys beside it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from spheresim_viewer import coloring
from spheresim_viewer.hud.colors import ACCENT, CAP, FAINT, INK, LIT, RIM
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.readouts import MARGIN
from spheresim_viewer.hud.sliders import HEIGHT, Sliders, sliders_of
from spheresim_viewer.options import Options
from spheresim_viewer.scene_view import SceneView

WIDTH = 204.0
_ROW = 23.0
_LEAST_WIDTH, _LEAST_HEIGHT = 900.0, 700.0
"""The size of a window, in points, below which there is no room for it."""

_SWITCHES = (
    ("trails", "trails", "T", "trails", "Where balls were a moment ago."),
    ("arrows", "velocities", "V", "arrows", "An arrow for the velocity of each ball."),
    ("contacts", "contacts", "X", "contacts", "Points of contact and normals of recent impacts."),
    ("explosions", "explosions", "E", "explosions", "Rings where impacts have just been."),
    (
        "ghosts",
        "offset primitives",
        "O",
        "ghosts",
        "Obstacles grown by the ball's radius: the ball's centre touches these.",
    ),
    ("drops", "drop lines", "Y", "drop_lines", "A line from each ball down to the floor."),
    ("shadows", "cast shadows", "L", "shadows", "Shadows that a lamp casts."),
    ("plots", "plots", "P", "plots", "Energy, speeds and impacts over time."),
)
"""Option, words, key, action and meaning of each switch."""


class _Row(NamedTuple):
    """A row that can be clicked: words, the key for the same, what a click does, what it means when
    it is pointed at, a value, and, of a switch, whether it is on."""

    words: str
    key: str
    action: Callable[[], object]
    meaning: str
    value: str = ""
    is_on: bool | None = None


def is_shown(overlay: Overlay, options: Options) -> bool:
    """Whether there is a panel, and room for it."""
    return bool(options.panel) and overlay.width >= _LEAST_WIDTH and overlay.height >= _LEAST_HEIGHT


def draw_panel(overlay: Overlay, scene_view: SceneView, actions: Any, sliders: Sliders) -> None:
    """Draw the panel at the right."""
    options, settings = scene_view.options, scene_view.player.settings
    numbers = sliders_of(scene_view, actions)
    changes = (
        _Row("reverse gravity", "shift G", actions.flip_gravity, "Reverse its direction."),
        _Row(
            "engine",
            "M",
            actions.next_engine,
            "steps: a fixed time step, as in the tutorial; events: exact, from impact to impact.",
            settings.engine,
        ),
        _Row(
            "time of impact",
            "I",
            actions.next_toi,
            "analytic: where a formula says "
            "when two balls touch; sliced: by looking at slices of the step, as in the tutorial.",
            settings.toi,
        ),
        _Row(
            "throw a ball",
            "B",
            actions.throw,
            "Press where it starts, drag to where it flies, "
            "and let go. Pressed twice, B throws ahead.",
        ),
        _Row(
            "undo",
            "ctrl Z",
            actions.undo,
            "Undo the last change: the future is again as it was before the change.",
        ),
    )
    height = HEIGHT * len(numbers) + _ROW * (len(changes) + len(_SWITCHES) + 2) + 74.0
    x, top = overlay.width - MARGIN - WIDTH, overlay.height - MARGIN
    overlay.panel((x, top - height, WIDTH, height))
    y = _heading(overlay, x, top, "change")
    for slider in numbers:
        y -= HEIGHT
        sliders.draw(overlay, (x + 12.0, y, WIDTH - 24.0, HEIGHT), slider, actions)
    for row in changes:
        y = _draw_row(overlay, x, y, row)
    y = _heading(overlay, x, y - 4.0, "show")
    color = coloring.MODES[options.color]
    said = "Balls by their own color, speed, energy, last impact or state."
    y = _draw_row(overlay, x, y, _Row("colors", "C", actions.next_color, said, color))
    slices = f"in {options.slices}" if options.slices else "off"
    said = "At an impact of two balls, also show what the tutorial's slices of time find."
    y = _draw_row(overlay, x, y, _Row("compare slices", "U", actions.sliced_answer, said, slices))
    for option, words, key, action, meaning in _SWITCHES:
        is_on = getattr(options, option)
        switch = _Row(words, key, getattr(actions, action), meaning, is_on=is_on)
        y = _draw_row(overlay, x, y, switch)


def _heading(overlay: Overlay, x: float, top: float, words: str) -> float:
    overlay.text(x + 12.0, top - 20.0, words, 12.0, ACCENT)
    return top - 28.0


def _draw_row(overlay: Overlay, x: float, top: float, row: _Row) -> float:
    """Draw a row, of a switch with a box in front; its foot."""
    words, key, action, meaning, value, is_on = row
    low = top - _ROW
    overlay.explain((x, low, WIDTH, _ROW), meaning)
    if overlay.pointer is not None and _holds(x, low, overlay.pointer):
        overlay.rectangles([(x + 4.0, low, WIDTH - 8.0, _ROW)], LIT)
    left, base = x + 12.0, low + 7.0
    if is_on is not None:
        overlay.panel((left, base - 2.0, 12.0, 12.0), RIM, 3.0)
        overlay.panel((left + 1.2, base - 0.8, 9.6, 9.6), INK if is_on else CAP, 2.2)
        left += 19.0
    overlay.text(left, base, words, 12.0, INK)
    cap = max(overlay.width_of(key, 12.0) + 9.0, 17.6)
    right = x + WIDTH - 10.0 - cap
    overlay.keycap(right, base, key)
    if value:
        room = right - 8.0 - left - overlay.width_of(words, 12.0) - 8.0
        overlay.text(right - 8.0, base, overlay.shortened(value, 12.0, room), 12.0, FAINT, "right")
    overlay.area((x + 4.0, low, WIDTH - 8.0, _ROW), action)
    return low


def _holds(x: float, low: float, pointer: tuple[float, float]) -> bool:
    return x + 4.0 <= pointer[0] <= x + WIDTH - 4.0 and low <= pointer[1] < low + _ROW
