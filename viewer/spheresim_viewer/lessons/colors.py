"""The colors of lessons. Each means one thing in all of them.

Text is written in the dark ones, on plates that are opaque, with a contrast of 7 : 1 or more.
"""

from spheresim_viewer.hud.colors import Color

# --- Fills and lines ---
BLUE: Color = (0.26, 0.61, 0.83, 1.0)
"""The body A."""
AMBER: Color = (0.90, 0.58, 0.11, 1.0)
"""The body B."""
THING: Color = (0.55, 0.58, 0.63, 1.0)
"""What does not move: planes, pillars, paper."""
RED: Color = (0.78, 0.15, 0.13, 1.0)
"""An overlap, and what is wrong."""
GREEN: Color = (0.07, 0.53, 0.40, 1.0)
"""A gap, and the exact answer."""
VIOLET: Color = (0.45, 0.33, 0.68, 1.0)
"""What a method is looking at just now."""
LINE: Color = (0.36, 0.40, 0.46, 1.0)
HINT: Color = (0.80, 0.33, 0.0, 1.0)
"""What is to be done next."""

# --- Text ---
INK: Color = (0.10, 0.13, 0.17, 1.0)
QUIET: Color = (0.24, 0.28, 0.33, 1.0)
RED_INK: Color = (0.58, 0.06, 0.05, 1.0)
GREEN_INK: Color = (0.02, 0.33, 0.24, 1.0)
VIOLET_INK: Color = (0.30, 0.17, 0.50, 1.0)
HINT_INK: Color = (0.50, 0.17, 0.0, 1.0)

# --- What text is written on ---
PLATE: Color = (0.985, 0.988, 0.992, 1.0)
LIT: Color = (0.98, 0.93, 0.80, 1.0)
"""Behind the line of the method that is at work."""
CHOSEN: Color = (0.90, 0.92, 0.95, 1.0)
POINTED: Color = (0.92, 0.95, 1.0, 1.0)
BUTTON: Color = (0.89, 0.92, 0.96, 1.0)


def faded(color: Color, alpha: float) -> Color:
    """A color made translucent."""
    return (*color[:3], alpha)
