"""The cuboid: a box to what is outside, a closed room to what is inside."""

from typing import ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arguments import finite_vector, length, place
from spheresim.numerics.arrays import Floats
from spheresim.numerics.box_faces import FACES, SIGNS
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.convex_polyhedron import ConvexPolyhedron, Faces
from spheresim.obstacles.fields import Rotation, ShapeField
from spheresim.obstacles.rotation import checked_rotation, matrix_of


class _CuboidFields(NamedTuple):
    center: TVector
    size: TVector
    rotation: Rotation
    rounding: float


class Cuboid(ConvexPolyhedron, _CuboidFields):
    """A box. Without rounding it stops balls outside and inside; with rounding it is solid.

    center: the middle, (3,) [length]; size: the three side lengths [length]; rotation: (axis,
    degrees), about the middle, by the right-hand rule; rounding: the radius around edges and
    corners, added on all sides [length].

    >>> from spheresim.numerics.ray import TRay
    >>> Cuboid((0, 0, 0), (2, 4, 6)).hit(TRay((5, 0, 0), (-1, 0, 0))).distance
    4.0
    >>> Cuboid((0, 0, 0), (2, 4, 6), ((0, 0, 1), 90)).hit(TRay((5, 0, 0), (-1, 0, 0))).distance
    3.0
    """

    __slots__ = ()

    kind: ClassVar[str] = "cuboid"
    title: ClassVar[str] = "Boxes: solid to balls outside, closed rooms to balls inside"
    fields: ClassVar[dict[str, ShapeField]] = {
        "center": ShapeField("vector", "The middle [length]"),
        "size": ShapeField("size", "Its lengths along its own x, y and z [length]"),
        "rotation": ShapeField("rotation", "Rotation about its middle [none]", Rotation()),
        "rounding": ShapeField(
            "not negative",
            "Radius around edges and corners, added outside; makes the box solid [length]",
            0.0,
        ),
    }

    def __new__(
        cls,
        center: VectorLike,
        size: VectorLike,
        rotation: object = Rotation(),
        rounding: float = 0.0,
    ) -> "Cuboid":
        lengths = finite_vector(size, "a cuboid's size")
        if min(lengths) <= 0.0:
            raise ValueError(f"a cuboid's size must be greater than 0, not {tuple(lengths)}")
        for side in lengths:
            length(side, "a cuboid's size")
        return super().__new__(
            cls,
            place(center, "a cuboid's center"),
            lengths,
            checked_rotation(rotation, "a cuboid's rotation"),
            length(rounding, "a cuboid's rounding", may_be_0=True),
        )

    def body(self) -> tuple[Floats, Faces]:
        """The eight corners and six faces."""
        corners = (0.5 * SIGNS * np.array(self.size)) @ matrix_of(self.rotation).T
        return np.array(self.center) + corners, FACES
