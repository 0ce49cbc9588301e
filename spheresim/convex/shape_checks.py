"""Whether the corners and faces that a user gives make a convex polygon or polyhedron."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.convex.hull.convex_hull import Frame
from spheresim.convex.hull.directions import scaled
from spheresim.convex.hull.outline import Loop, newell_normal
from spheresim.numerics.arguments import shown

_ROUNDING = 1e-12
"""The angle in radians below which three points of a polygon count as on a line."""


def listed(things: Any, what: str) -> Sequence[Any]:
    """Anything that holds several things, as a sequence."""
    if not isinstance(things, Iterable):
        raise TypeError(f"expected {what}, not {shown(things)}")
    return things if isinstance(things, Sequence) else list(things)


def check_polygon(corners: np.ndarray) -> None:
    """Raise ValueError unless a polygon's corners, in order, turn one way and once around."""
    named = [tuple(corner[:2].tolist()) for corner in corners]
    ends = scaled(corners)
    before, after = ends - np.roll(ends, 1, axis=0), np.roll(ends, -1, axis=0) - ends
    for i in np.flatnonzero(~after.any(axis=1)):
        raise ValueError(f"the polygon repeats point {i}, {named[i]}")
    turns = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    onwards = np.sum(before * after, axis=1)
    winding = np.sign(turns.sum())
    straight = np.abs(turns) <= _ROUNDING * np.abs(onwards)
    if straight.all():
        raise ValueError("the polygon has no area: all points lie on one line")
    for i in np.flatnonzero(np.where(straight, onwards < 0.0, turns * winding < 0.0)):
        raise ValueError(f"the polygon is not convex at point {i}, {named[i]}")
    if winding == 0.0 or abs(np.arctan2(turns, onwards).sum()) > 3.0 * np.pi:
        raise ValueError("the polygon is not convex: it does not go around once")


def checked_face(name: int, face: npt.ArrayLike, count: int) -> Loop:
    """A polyhedron's face as a loop of different numbers of points; ValueError otherwise."""
    given = listed(face, f"the corners of face {name}")
    if not all(hasattr(i, "__index__") for i in given):
        raise TypeError(f"face {name} must be a list of indices of points, not {shown(face)}")
    loop = tuple(int(i) for i in given)
    if len(set(loop)) < 3 or len(set(loop)) < len(loop):
        raise ValueError(f"face {name} needs at least three different points, not {loop}")
    if not all(0 <= i < count for i in loop):
        raise ValueError(f"face {name} has the index of a point that does not exist: {loop}")
    return loop


def outward_face(frame: Frame, name: int, loop: Loop) -> Loop:
    """A polyhedron's face, anticlockwise from outside; ValueError if it is not flat or convex."""
    points = frame.points
    corners = points[list(loop)]
    normal = newell_normal(corners)
    area = float(np.linalg.norm(normal))
    length = float(np.linalg.norm(corners - corners[0], axis=1).max())
    slack = float(frame.tolerance(normal[np.newaxis] / max(area, 1e-300))[0])
    if area <= slack * length:
        raise ValueError(f"face {name} has no area")
    normal /= area
    if normal @ (corners[0] - points.mean(axis=0)) < 0.0:
        loop, normal = loop[::-1], -normal
    heights = (points - corners.mean(axis=0)) @ normal
    if np.abs(heights[list(loop)]).max() > 2.0 * slack:
        raise ValueError(f"face {name} is not flat")
    # Rounding tilts the plane of a narrow face: the further away, the more that matters.
    if heights.max() > min(slack * (2.0 + 4.0 * length / area), 1.0 / 16.0):
        outside = int(heights.argmax())
        raise ValueError(f"the polyhedron is not convex: point {outside} is beyond face {name}")
    return loop
