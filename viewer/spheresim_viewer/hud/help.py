"""The help: all keys, on a sheet over the picture."""

from spheresim_viewer.hud.overlay import ACCENT, FAINT, INK, Overlay
from spheresim_viewer.keys import BINDINGS, BY_MOUSE_AND_HELD

_COLUMN, _LINE = 290.0, 21.0
_LONGEST_KEY = 9
"""Letters of what looks like a key; what is longer is done by the mouse."""

Groups = dict[str, list[tuple[str, str]]]


def draw_help(overlay: Overlay) -> None:
    """Draw all keys in groups, from the table of key bindings; smaller if the window is small."""
    # What to write, by groups
    described = [(b.group, b.shown, b.words) for b in BINDINGS if b.shown]
    entries = [*described, *BY_MOUSE_AND_HELD]
    groups: Groups = {}
    for group, shown, words in entries:
        groups.setdefault(group, []).append((shown, words))
    # The number of columns with which it is largest
    room = overlay.width - 16.0, overlay.height - 16.0
    width, height, places, scale = max(
        (_laid_out(groups, columns, room) for columns in range(1, len(groups) + 1)),
        key=lambda layout: layout[3],
    )
    x, top = 0.5 * (overlay.width - width * scale), 0.5 * (overlay.height + height * scale)
    overlay.panel(x, top - height * scale, width * scale, height * scale, (1.0, 1.0, 1.0, 0.95))
    for group, across, down in places:
        left, y = x + across * scale, top - down * scale
        overlay.text(left, y, group, 14.0 * scale, ACCENT)
        for k, (shown, words) in enumerate(groups[group], start=1):
            line = y - _LINE * k * scale
            if len(shown) <= _LONGEST_KEY:
                overlay.keycap(left, line, shown, 11.0 * scale)
            else:
                overlay.text(left, line, shown, 12.0 * scale, INK)
            overlay.text(left + 100.0 * scale, line, words, 12.0 * scale, FAINT)


def _laid_out(
    groups: Groups, columns: int, room: tuple[float, float]
) -> tuple[float, float, list[tuple[str, float, float]], float]:
    """Width, height, the place of each group, and the scale (at most 1) at which it fits."""
    heights = [0.0] * columns
    places = []
    for group, lines in groups.items():  # each into the shortest column
        column = heights.index(min(heights))
        places.append((group, 20.0 + column * _COLUMN, 28.0 + heights[column]))
        heights[column] += _LINE * (len(lines) + 2)
    width, height = columns * _COLUMN + 20.0, max(heights) + 16.0
    return width, height, places, min(1.0, room[0] / width, room[1] / height)
