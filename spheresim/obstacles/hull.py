"""The convex hull of points: any convex polyhedron."""

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import length, places
from spheresim.numerics.arrays import Floats
from spheresim.numerics.qhull import triangulated
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.convex_polyhedron import ConvexPolyhedron, Faces
from spheresim.obstacles.fields import ShapeField

_THIN = 1e-9
"""A hull thinner than this part of its length is flat."""


class _HullFields(NamedTuple):
    points: tuple[TVector, ...]
    rounding: float


class Hull(ConvexPolyhedron, _HullFields):
    """The convex hull of points. Without rounding it stops balls outside and inside.

    points: (n, 3) [length]; rounding: the hull includes all points within this distance of it
    [length]; a rounded hull is solid.

    >>> from spheresim.numerics.ray import TRay
    >>> wedge = Hull([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)])
    >>> wedge.hit(TRay((1, 9, 1), (0, -1, 0))).normal.x > 0.57
    True
    """

    __slots__ = ()

    kind: ClassVar[str] = "hull"
    title: ClassVar[str] = "Convex hulls of points: solid outside, closed rooms inside"
    fields: ClassVar[dict[str, ShapeField]] = {
        "points": ShapeField("points", "At least four, not all in one plane [length]"),
        "rounding": ShapeField(
            "not negative",
            "Radius around edges and corners, added outside; makes the hull solid [length]",
            0.0,
        ),
    }

    def __new__(cls, points: Iterable[VectorLike], rounding: float = 0.0) -> "Hull":
        corners = places(points, "a hull's point")
        if len(corners) < 4:
            raise ValueError(f"a hull needs at least four points, not {len(corners)}")
        array = np.array(corners)
        widths = np.linalg.svd(array - array.mean(axis=0), compute_uv=False)
        if widths[2] <= _THIN * widths[0]:
            raise ValueError("a hull's points must not lie in one plane: use a polygon")
        return super().__new__(cls, corners, length(rounding, "a hull's rounding", may_be_0=True))

    def body(self) -> tuple[Floats, Faces]:
        """The points, and the triangles of their hull."""
        points = np.array(self.points)
        triangles = triangulated(points).outward(points)
        return points, [tuple(triangle) for triangle in triangles.tolist()]
