"""What the window says while nothing can be shown yet."""

from spheresim_viewer.hud.colors import FAINT, INK
from spheresim_viewer.hud.overlay import Overlay


def draw_waiting(overlay: Overlay, words: str, below: str = "") -> None:
    """Say in the middle of the window why nothing moves yet, and how to leave."""
    x, y = 0.5 * overlay.width, 0.5 * overlay.height
    size = 20.0 if overlay.width_of(words, 20.0) < overlay.width - 40.0 else 13.0
    words = overlay.shortened(words, size, overlay.width - 40.0)
    overlay.text(x, y + 6.0, words, size, INK, "center")
    overlay.text(x, y - 18.0, below, 13.0, FAINT, "center")
    overlay.text(x, y - 38.0, "ctrl Q quits", 13.0, FAINT, "center")
