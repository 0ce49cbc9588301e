"""All keys, over everything."""

from viewer.hud.overlay import ACCENT, FAINT, INK, Overlay
from viewer.keys import BINDINGS, BY_MOUSE_AND_HELD

_COLUMN, _LINE = 290.0, 17.0


def draw_help(overlay: Overlay) -> None:
    """A sheet with all keys, in groups, made from the table of keys."""
    described = [(b.group, b.shown, b.words) for b in BINDINGS if b.shown]
    entries = [*described, *BY_MOUSE_AND_HELD]
    groups = {
        group: [entry[1:] for entry in entries if entry[0] == group]
        for group in dict.fromkeys(entry[0] for entry in entries)
    }
    columns = max(1, min(len(groups), int((overlay.width - 60.0) // _COLUMN)))
    heights = [0.0] * columns
    places = []
    for group, lines in groups.items():  # each to the column that is shortest
        column = heights.index(min(heights))
        places.append((column, heights[column], group, lines))
        heights[column] += _LINE * (len(lines) + 2)
    width, height = columns * _COLUMN + 20.0, max(heights) + 16.0
    x, top = 0.5 * (overlay.width - width), 0.5 * (overlay.height + height)
    overlay.panel(x, top - height, width, height, (1.0, 1.0, 1.0, 0.95))
    for column, down, group, lines in places:
        left, y = x + 20.0 + column * _COLUMN, top - 28.0 - down
        overlay.text(left, y, group, 14.0, ACCENT)
        for k, (shown, words) in enumerate(lines, start=1):
            overlay.text(left, y - _LINE * k, shown, 12.0, INK)
            overlay.text(left + 96.0, y - _LINE * k, words, 12.0, FAINT)
