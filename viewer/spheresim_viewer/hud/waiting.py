"""What the window says while nothing can be shown yet."""

from spheresim.compiler.compile_time import expected_seconds
from spheresim_viewer.hud.overlay import FAINT, INK, Overlay

_WAITS = "waiting for"
"""How the compiler's message begins where another process compiles the same."""


def draw_waiting(overlay: Overlay, compiling: float | None, message: str = "") -> None:
    """Say in the middle of the window why nothing moves yet.

    compiling: for how many seconds the compiler has been at work; None if it is not; message: what
    the compiler said last.
    """
    x, y = 0.5 * overlay.width, 0.5 * overlay.height
    if compiling is None:
        overlay.text(x, y, "opening the scene", 20.0, INK, "center")
        return
    if message.startswith(_WAITS):
        words, below = f"{message}: {compiling:.0f} s", "what it compiles serves this window too"
    else:
        expected = expected_seconds()
        of_about = "" if expected is None else f" of about {expected:.0f} s"
        words = f"compiling the simulation: {compiling:.0f} s{of_about}"
        below = "once for worlds of this kind; it is kept for all later starts"
    size = 20.0 if overlay.width_of(words, 20.0) < overlay.width - 40.0 else 13.0
    overlay.text(
        x, y + 6, overlay.shortened(words, size, overlay.width - 40.0), size, INK, "center"
    )
    overlay.text(x, y - 18, below, 13.0, FAINT, "center")
