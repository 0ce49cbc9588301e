"""Balls, floors and pillars in diagrams, and places in the plane as vectors in space."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spheresim import TVector
from spheresim.numerics.arrays import Floats
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.colors import LINE, THING, faded
from spheresim_viewer.lessons.diagram import Diagram

_FAR = 1e3
"""Longer than any region."""


def in_space(place: Sequence[float] | Floats) -> TVector:
    """A place (2,) of a diagram as a vector with z = 0."""
    return TVector(float(place[0]), float(place[1]), 0.0)


def in_plane(vector: TVector) -> Floats:
    """The x and y of a vector, shape (2,)."""
    return np.array((vector.x, vector.y))


def draw_ball(
    diagram: Diagram, centre: Floats, radius: float, color: Color, alpha: float = 0.75
) -> None:
    """A ball with its rim."""
    if radius > 0.0:
        diagram.disc(centre, radius, faded(color, alpha))
        diagram.circle(centre, radius, color, 2.0)


def draw_ghost_ball(diagram: Diagram, centre: Floats, radius: float, color: Color) -> None:
    """A ball elsewhere or at another time."""
    draw_ball(diagram, centre, radius, color, 0.13)


def draw_plane(diagram: Diagram, point: npt.ArrayLike, normal: npt.ArrayLike) -> None:
    """A plane with all that is behind it."""
    point, normal = np.asarray(point, float), np.asarray(normal, float)
    along = np.array((-normal[1], normal[0]))
    left, right = point - _FAR * along, point + _FAR * along
    corners = [left, right, right - _FAR * normal, left - _FAR * normal]
    diagram.polygon(corners, faded(THING, 0.45))
    diagram.line([left, right], LINE, 2.5)


def draw_pillar(diagram: Diagram, centre: npt.ArrayLike, radius: float) -> None:
    """A cylinder, seen along its axis."""
    diagram.disc(centre, radius, faded(THING, 0.45))
    diagram.circle(centre, radius, LINE, 2.5)


def number(value: float) -> str:
    """A number with three places behind the point; no sign at zero."""
    return f"{value + 0.0:.3f}".replace("-0.000", "0.000").replace("-", "−")


def short(value: float) -> str:
    """A number with two places behind the point."""
    return f"{value + 0.0:.2f}".replace("-0.00", "0.00").replace("-", "−")


def pair_of(place: Floats) -> str:
    """Two coordinates."""
    return f"({number(place[0])}, {number(place[1])})"


def along(way: Floats, points: float) -> tuple[float, float]:
    """So many points along a way, for the place of a label."""
    x, y = points * np.asarray(way) / max(float(np.hypot(*way)), 1e-9)
    return float(x), float(y)


def beyond(way: Floats) -> tuple[float, float]:
    """Where a label is clear of the end of a way: sideways further, as words are wide."""
    x, y = along(way, 18.0)
    return 2.0 * x, y
