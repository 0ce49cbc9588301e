"""The side panel: what can be changed and switched, to be clicked, with the keys beside it."""

from typing import Any

from spheresim_viewer import coloring
from spheresim_viewer.hud.numbers import MARGIN, in_words, restitution_in_words
from spheresim_viewer.hud.overlay import ACCENT, CAP, FAINT, INK, LIT, RIM, Overlay

WIDTH = 204.0
_ROW = 23.0
_LEAST_WIDTH, _LEAST_HEIGHT = 900.0, 640.0
"""The size of a window, in points, below which there is no room for it."""

_SWITCHES = (
    ("trails", "trails", "T", "trails"),
    ("arrows", "velocities", "V", "arrows"),
    ("contacts", "contacts", "X", "contacts"),
    ("explosions", "explosions", "E", "explosions"),
    ("ghosts", "offset primitives", "O", "ghosts"),
    ("drops", "drop lines", "Y", "drop_lines"),
    ("shadows", "cast shadows", "L", "shadows"),
    ("plots", "plots", "P", "plots"),
)
"""Option, words, key and action of each switch."""


def is_shown(overlay: Overlay, options: Any) -> bool:
    """Whether there is a panel, and room for it."""
    return bool(options.panel) and overlay.width >= _LEAST_WIDTH and overlay.height >= _LEAST_HEIGHT


def draw_panel(overlay: Overlay, scene_view: Any, actions: Any) -> None:
    """Draw the panel at the right."""
    options, world = scene_view.options, scene_view.player.snapshot.world
    settings = scene_view.player.settings
    changes = (
        ("gravity", in_words(world.gravity), "G", actions.gravity),
        ("turn it over", "", "shift G", actions.flip_gravity),
        ("restitution less", restitution_in_words(world), "[", actions.less_restitution),
        ("restitution more", "", "]", actions.more_restitution),
        ("engine", settings.engine, "M", actions.next_engine),
        ("impacts", settings.toi, "I", actions.next_toi),
        ("throw a ball", "", "B", actions.throw),
        ("undo", "", "ctrl Z", actions.undo),
    )
    height = _ROW * (len(changes) + len(_SWITCHES) + 2) + 74.0
    x, top = overlay.width - MARGIN - WIDTH, overlay.height - MARGIN
    overlay.panel(x, top - height, WIDTH, height)
    y = _heading(overlay, x, top, "change")
    for words, value, key, action in changes:
        y = _row(overlay, x, y, (words, value, key), action)
    y = _heading(overlay, x, y - 4.0, "show")
    color = coloring.MODES[options.color]
    y = _row(overlay, x, y, ("colors", color, "C"), actions.next_color)
    slices = f"in {options.slices}" if options.slices else "off"
    y = _row(overlay, x, y, ("answer of slices", slices, "U"), actions.sliced_answer)
    for option, words, key, action in _SWITCHES:
        is_on = getattr(options, option)
        y = _row(overlay, x, y, (words, "", key), getattr(actions, action), is_on)


def _heading(overlay: Overlay, x: float, top: float, words: str) -> float:
    overlay.text(x + 12.0, top - 20.0, words, 12.0, ACCENT)
    return top - 28.0


def _row(
    overlay: Overlay,
    x: float,
    top: float,
    said: tuple[str, str, str],
    action: Any,
    is_on: bool | None = None,
) -> float:
    """A row that can be clicked: a box if it is a switch, words, a value, a key; the row's foot."""
    words, value, key = said
    low = top - _ROW
    if overlay.pointer is not None and _holds(x, low, overlay.pointer):
        overlay.rectangles([(x + 4.0, low, WIDTH - 8.0, _ROW)], LIT)
    left, base = x + 12.0, low + 7.0
    if is_on is not None:
        overlay.panel(left, base - 2.0, 12.0, 12.0, RIM, 3.0)
        overlay.panel(left + 1.2, base - 0.8, 9.6, 9.6, INK if is_on else CAP, 2.2)
        left += 19.0
    overlay.text(left, base, words, 12.0, INK)
    cap = max(overlay.width_of(key, 11.0) + 9.0, 17.6)
    right = x + WIDTH - 10.0 - cap
    overlay.keycap(right, base, key)
    if value:
        room = right - 8.0 - left - overlay.width_of(words, 12.0) - 8.0
        overlay.text(right - 8.0, base, overlay.shortened(value, 12.0, room), 12.0, FAINT, "right")
    overlay.area(x + 4.0, low, WIDTH - 8.0, _ROW, action)
    return low


def _holds(x: float, low: float, pointer: tuple[float, float]) -> bool:
    return x + 4.0 <= pointer[0] <= x + WIDTH - 4.0 and low <= pointer[1] < low + _ROW
