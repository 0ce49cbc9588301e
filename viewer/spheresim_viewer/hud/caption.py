"""The scene's own line below the picture, and its large count of impacts."""

from spheresim.scene.view import View
from spheresim_viewer.hud.boxes import Box
from spheresim_viewer.hud.colors import INK, RIM
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.readouts import MARGIN, count
from spheresim_viewer.hud.transport import HEIGHT, HINT
from spheresim_viewer.scene_view import SceneView

_SMALL = 620.0
"""Width of a picture, in points, below which its caption is written small."""
_LOW = 330.0
"""Height of a window, in points, below which there is no room for a caption."""
_LINES, _PART = 2, 0.3
"""The most lines of a caption; more where they take less than this part of the height, so that
small pictures have all of it."""
_COUNTER = 64.0


def foot(in_window: bool) -> float:
    """Where the caption begins, in points above the lower edge: in a window above bar and keys."""
    return MARGIN + HEIGHT + HINT if in_window else MARGIN


def height(overlay: Overlay, view: View, in_window: bool) -> float:
    """How high caption and counter are together, in points; the caption's place stays free."""
    size, lines = _lines(overlay, view, in_window)
    counter = _counter_size(overlay) if view.counter else 0.0
    return (1.4 * size * len(lines) + 1.4 * size if lines else 0.0) + counter


def draw_caption(overlay: Overlay, scene_view: SceneView, in_window: bool) -> Box | None:
    """Draw both; returns the box of the caption, None if it is not there.

    In a window the caption goes when it has been there for a while.
    """
    box = None
    view = scene_view.scene.view
    low = foot(in_window)
    middle = 0.5 * overlay.width
    size, lines = _lines(overlay, view, in_window)
    if lines and not (in_window and scene_view.is_caption_read):
        wide = max(overlay.width_of(line, size) for line in lines) + 1.6 * size
        step = 1.4 * size
        tall = step * len(lines) + 0.5 * size
        box = middle - 0.5 * wide, low, wide, tall
        overlay.panel(box, (1.0, 1.0, 1.0, 0.6))
        for k, line in enumerate(reversed(lines)):
            overlay.text(middle, low + 0.55 * size + step * k, line, size, INK, "center")
    if view.counter and scene_view.player.segments.has_all_impacts:
        words = count(scene_view.player.snapshot.impacts)
        low += height(overlay, view, in_window) - _counter_size(overlay)
        overlay.text(middle, low, words, _counter_size(overlay), (*RIM[:3], 0.85), "center")
    return box


def _lines(overlay: Overlay, view: View, in_window: bool) -> tuple[float, list[str]]:
    """The size of the caption's letters, and its lines; none where a window is too low for it."""
    size = 12.0 if overlay.width < _SMALL else 15.0
    if not view.caption or (in_window and overlay.height < _LOW):
        return size, []
    most = max(_LINES, int(_PART * overlay.height / (1.4 * size)))
    return size, overlay.lines(view.caption, size, overlay.width - 4.0 * MARGIN, most)


def _counter_size(overlay: Overlay) -> float:
    return 0.5 * _COUNTER if overlay.width < _SMALL else _COUNTER
