"""What the window says while nothing can be shown yet."""

from spheresim_viewer.hud.overlay import FAINT, INK, Overlay
from spheresim_viewer.progress import FIRST_TIME


def draw_waiting(overlay: Overlay, compiling: float | None) -> None:
    """Say in the middle of the window why nothing moves yet.

    compiling: for how many seconds the compiler has been at work; None if it is not.
    """
    x, y = 0.5 * overlay.width, 0.5 * overlay.height
    if compiling is None:
        overlay.text(x, y, "opening the scene", 20.0, INK, "center")
        return
    words = f"compiling the simulation, for {compiling:.0f} s now"
    overlay.text(x, y + 6, words, 20.0, INK, "center")
    overlay.text(x, y - 18, FIRST_TIME, 13.0, FAINT, "center")
