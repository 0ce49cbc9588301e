"""The colors of balls: each its own, or by speed, energy, last impact or state.

The palette begins with that of Okabe and Ito (Color Universal Design, 2008), slightly
calmed, which people with any kind of color vision tell apart; the scale is viridis (S. van
der Walt and N. Smith, 2015), which rises evenly in lightness.
"""

import math
from collections.abc import Iterable

import numpy as np

from spheresim.numerics.arrays import Floats

PALETTE = np.array(
    [
        (0.902, 0.584, 0.110),  # orange
        (0.259, 0.612, 0.827),  # sky blue
        (0.106, 0.580, 0.451),  # bluish green
        (0.882, 0.796, 0.290),  # yellow
        (0.125, 0.412, 0.659),  # blue
        (0.804, 0.357, 0.173),  # vermilion
        (0.745, 0.463, 0.620),  # reddish purple
        (0.478, 0.514, 0.557),  # grey
        (0.525, 0.365, 0.220),  # brown
        (0.380, 0.345, 0.640),  # indigo
        (0.640, 0.760, 0.520),  # pale green
        (0.890, 0.655, 0.600),  # salmon
    ]
)

SCALE = np.array(
    [
        (0.267, 0.005, 0.329),
        (0.283, 0.141, 0.458),
        (0.254, 0.265, 0.530),
        (0.207, 0.372, 0.553),
        (0.164, 0.471, 0.558),
        (0.128, 0.567, 0.551),
        (0.135, 0.659, 0.518),
        (0.267, 0.749, 0.441),
        (0.478, 0.821, 0.318),
        (0.741, 0.873, 0.150),
        (0.965, 0.891, 0.143),
    ]
)

_COLD = np.array((0.66, 0.69, 0.73))
_HOT = np.array((0.835, 0.369, 0.0))

STATE_COLORS = np.array([PALETTE[1], PALETTE[0], (0.60, 0.63, 0.67)])
"""Of balls that fly, that slide, and that rest."""

MODES = ("own", "speed", "energy", "last impact", "state")


def identity_colors(colors: Iterable[str | None]) -> Floats:
    """Each ball's own color, or one of the palette in turn: shape (n, 3), from 0 to 1."""
    own = [
        PALETTE[i % len(PALETTE)] if color is None else _rgb(color)
        for i, color in enumerate(colors)
    ]
    return np.array(own)


def scale_colors(values: Floats, largest: float) -> Floats:
    """The scale's colors for values from 0 to `largest`, shape (n, 3)."""
    place = np.clip(values / largest if largest > 0 else values * 0.0, 0.0, 1.0)
    place = place * (len(SCALE) - 1)
    low = np.minimum(place.astype(np.intp), len(SCALE) - 2)
    part = (place - low)[:, None]
    return SCALE[low] * (1.0 - part) + SCALE[low + 1] * part


def impact_colors(since: Floats, fade: float) -> Floats:
    """Orange at an impact, fading to grey; `since` is the time since it, inf if there was none."""
    glow = np.exp(-3.0 * np.minimum(since / fade, 10.0))[:, None]
    return _COLD * (1.0 - glow) + _HOT * glow


_ROUND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)


def rounded_up(value: float) -> float:
    """The next 1, 1.5, 2, 3, 5 or 7 times a power of ten: scales end at round numbers."""
    if not 0.0 < value < math.inf:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(n * power for n in _ROUND if value <= n * power * (1.0 + 1e-9))


def _rgb(color: str) -> Floats:
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
