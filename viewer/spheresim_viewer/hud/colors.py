"""Colors of what is written and drawn over the picture."""

Color = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""

INK: Color = (0.15, 0.19, 0.24, 1.0)
FAINT: Color = (0.29, 0.33, 0.39, 1.0)
PAPER: Color = (1.0, 1.0, 1.0, 0.82)
CAP: Color = (1.0, 1.0, 1.0, 1.0)
PLATE: Color = (1.0, 1.0, 1.0, 0.97)
RIM: Color = (0.29, 0.33, 0.39, 0.55)
LIT: Color = (0.13, 0.41, 0.66, 0.16)
ACCENT: Color = (0.835, 0.369, 0.0, 1.0)
ALARM: Color = (0.70, 0.10, 0.08, 1.0)
