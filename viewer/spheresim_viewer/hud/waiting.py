"""What the window says while nothing can be shown yet."""

from spheresim.compiler.compile_time import expected_seconds
from spheresim_viewer.hud.overlay import FAINT, INK, Overlay


def draw_waiting(overlay: Overlay, compiling: float | None) -> None:
    """Say in the middle of the window why nothing moves yet.

    compiling: for how many seconds the compiler has been at work; None if it is not.
    """
    x, y = 0.5 * overlay.width, 0.5 * overlay.height
    if compiling is None:
        overlay.text(x, y, "opening the scene", 20.0, INK, "center")
        return
    expected = expected_seconds()
    of_about = "" if expected is None else f" of about {expected:.0f} s"
    words = f"compiling the simulation: {compiling:.0f} s{of_about}"
    overlay.text(x, y + 6, words, 20.0, INK, "center")
    kept = "once for worlds of this kind; it is kept for all later starts"
    overlay.text(x, y - 18, kept, 13.0, FAINT, "center")
