"""The help: all keys, on a sheet over the picture; on several pages where the window is small."""

from spheresim_viewer.hud.colors import ACCENT, FAINT, INK
from spheresim_viewer.hud.overlay import SMALLEST_TEXT, Overlay
from spheresim_viewer.keys import BINDINGS, BY_MOUSE_AND_HELD

_COLUMN, _LINE, _WORDS = 300.0, 21.0, 112.0
_MARGIN = 20.0
_FOOT = 30.0
_BY_MOUSE = {what for _, what, _ in BY_MOUSE_AND_HELD}

Row = tuple[str, str]
"""A key and what it does; a heading has no words."""


def draw_help(overlay: Overlay, page: int) -> int:
    """Draw a page of the table of keys, counted from 0; how many pages there are."""
    pages = _pages(overlay)
    columns = pages[page % len(pages)]
    longest = max(len(column) for column in columns)
    width = _COLUMN * len(columns) + _MARGIN
    height = _LINE * longest + _FOOT + 2.0 * _MARGIN
    left, top = 0.5 * (overlay.width - width), 0.5 * (overlay.height + height)
    overlay.panel((left, top - height, width, height), (1.0, 1.0, 1.0, 0.96))
    for number, column in enumerate(columns):
        x = left + _MARGIN + number * _COLUMN
        for k, (shown, words) in enumerate(column):
            y = top - _MARGIN - _LINE * (k + 0.75)
            if not words:
                overlay.text(x, y, shown, 14.0, ACCENT)
            elif shown in _BY_MOUSE:
                overlay.text(x, y, shown, SMALLEST_TEXT, INK)
            else:
                overlay.keycap(x, y, shown)
            overlay.text(x + _WORDS, y, words, SMALLEST_TEXT, FAINT)
    foot = "? or esc: close"
    if len(pages) > 1:
        foot = f"page {page % len(pages) + 1} of {len(pages)}    ?: the next    esc: close"
    overlay.text(left + _MARGIN, top - height + 14.0, foot, SMALLEST_TEXT, INK)
    return len(pages)


def _pages(overlay: Overlay) -> list[list[list[Row]]]:
    """The columns of each page: rows fill one column after the other, all about equally long."""
    rows = _rows()
    across = max(1, int((overlay.width - _MARGIN) / _COLUMN))
    most = max(6, int((overlay.height - _FOOT - 2.0 * _MARGIN - 8.0) / _LINE))
    across = min(across, 4)
    even = -(-len(rows) // across) + 2  # a heading is not left alone at a foot
    columns = _columns(rows, min(most, even))
    return [columns[k : k + across] for k in range(0, len(columns), across)]


def _rows() -> list[Row]:
    """All keys and what the mouse does, by groups, each under its heading."""
    described = [(b.group, b.shown, b.words) for b in BINDINGS if b.shown]
    groups: dict[str, list[Row]] = {}
    for group, shown, words in (*described, *BY_MOUSE_AND_HELD):
        groups.setdefault(group, [(group, "")]).append((shown, words))
    return [row for group in groups.values() for row in group]


def _columns(rows: list[Row], most: int) -> list[list[Row]]:
    """Rows in columns of at most so many; a group that goes on has its heading again."""
    columns: list[list[Row]] = [[]]
    heading = ("", "")
    for row in rows:
        is_heading = not row[1]
        heading = row if is_heading else heading
        if len(columns[-1]) >= most - (1 if is_heading else 0):
            columns.append([] if is_heading else [heading])
        columns[-1].append(row)
    return columns
