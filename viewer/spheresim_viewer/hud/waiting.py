"""What the window says while nothing can be shown yet."""

from spheresim_viewer.hud.overlay import FAINT, INK, Overlay


def draw_waiting(overlay: Overlay, is_compiling: bool) -> None:
    """Say in the middle of the window why nothing moves yet."""
    x, y = 0.5 * overlay.width, 0.5 * overlay.height
    if is_compiling:
        overlay.text(x, y + 6, "compiling the simulation", 20.0, INK, "center")
        words = "about ten seconds, this once: later starts take less than two"
        overlay.text(x, y - 18, words, 13.0, FAINT, "center")
    else:
        overlay.text(x, y, "opening the scene", 20.0, INK, "center")
