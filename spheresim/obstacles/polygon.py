"""The convex polygon: a thin plate, a wall with an end."""

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import length, places
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.convex_polyhedron import ConvexPolyhedron, Faces
from spheresim.obstacles.features.polyhedron import Loops, unit_normals
from spheresim.obstacles.fields import ShapeField

_OFF_PLANE = 1e-9
"""How far a point may be off the plane of the others, in units of the polygon's size."""


class _PolygonFields(NamedTuple):
    points: tuple[TVector, ...]
    rounding: float


class Polygon(ConvexPolyhedron, _PolygonFields):
    """A thin convex plate; it stops balls on both sides.

    points: the corners in order, in one plane, (n, 3) [length]; rounding: the plate includes all
    points within this distance of it [length].

    >>> plate = Polygon([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)])
    >>> plate.clearance((1, 1, 3)), plate.clearance((5, 1, 0))
    (3.0, 3.0)
    """

    __slots__ = ()

    kind: ClassVar[str] = "polygon"
    title: ClassVar[str] = "Flat convex plates, which stop balls on both sides"
    fields: ClassVar[dict[str, ShapeField]] = {
        "points": ShapeField("points", "At least three, in order, in one plane [length]"),
        "rounding": ShapeField(
            "not negative", "The plate includes all points within this distance [length]", 0.0
        ),
    }

    def __new__(cls, points: Iterable[VectorLike], rounding: float = 0.0) -> "Polygon":
        corners = places(points, "a polygon's point")
        if len(corners) < 3:
            raise ValueError(f"a polygon needs at least three points, not {len(corners)}")
        _check_flat_and_convex(np.array(corners))
        return super().__new__(
            cls, corners, length(rounding, "a polygon's rounding", may_be_0=True)
        )

    def body(self) -> tuple[Floats, Faces]:
        """The points, as one face."""
        return np.array(self.points), [tuple(range(len(self.points)))]


def _check_flat_and_convex(points: Floats) -> None:
    """ValueError if points (n, 3) are no convex polygon."""
    loops = Loops.of([range(len(points))])
    normal = unit_normals(points, loops)[0]
    heights = (points - points.mean(axis=0)) @ normal
    size = float(np.ptp(points, axis=0).max())
    worst = int(np.argmax(np.abs(heights)))
    if abs(heights[worst]) > _OFF_PLANE * size:
        raise ValueError(
            f"a polygon's points must lie in one plane: {points[worst].tolist()} is "
            f"{abs(heights[worst]):.3g} off it"
        )
    ahead = np.roll(points, -1, axis=0) - points
    turns = np.cross(ahead, np.roll(ahead, -1, axis=0)) @ normal
    if np.any(turns <= 0.0):
        place = (int(np.argmin(turns)) + 1) % len(points)
        raise ValueError(
            "a polygon must be convex and turn at each of its points, and at "
            f"{points[place].tolist()} it does not"
        )
    if abs(_turning(ahead, normal) - 2.0 * np.pi) > 1.0:
        raise ValueError("a polygon must be convex, and the sides of this one cross each other")


def _turning(ahead: Floats, normal: Floats) -> float:
    """By how much sides (n, 3) turn all the way around."""
    after = np.roll(ahead, -1, axis=0)
    sine, cosine = np.cross(ahead, after) @ normal, np.einsum("ij,ij->i", ahead, after)
    return float(np.arctan2(sine, cosine).sum())
