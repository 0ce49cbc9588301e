"""The features of a world as arrays, and each of them as the shape that it is.

A question to one feature takes these few arrays, not the whole table of obstacles: a function that
is compiled on its own gets a copy of each array's record with every call.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.circle import Circle
from spheresim.obstacles.features.face import Face
from spheresim.obstacles.features.line import Line
from spheresim.obstacles.features.point import Point
from spheresim.obstacles.features.ring_plug import RingPlug


class _Arrays(NamedTuple):
    kind: Integers
    numbers: Floats
    outline: Floats


@value
class FeatureShapes(_Arrays):
    """kind, numbers: as in `Obstacles`, of which some rows are features; outline: (e, 8), the
    sides of all faces, see `Face`."""

    __slots__ = ()

    def as_face(self, k: int) -> Face:
        """Feature k, known to be a face."""
        row = self.numbers
        extent = row[k, 7]
        return Face(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            extent,
            self.outline,
            int(row[k, 8]),
            int(row[k, 9]),
        )

    def as_line(self, k: int) -> Line:
        """Feature k, known to be a line."""
        row = self.numbers
        return Line(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            row[k, 7],
            row[k, 10],
        )

    def as_point(self, k: int) -> Point:
        """Feature k, known to be a point."""
        row = self.numbers
        return Point(TVector(row[k, 0], row[k, 1], row[k, 2]), row[k, 6], row[k, 10])

    def as_circle(self, k: int) -> Circle:
        """Feature k, known to be a circle."""
        row = self.numbers
        return Circle(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            row[k, 7],
            row[k, 10],
        )

    def as_ring_plug(self, k: int) -> RingPlug:
        """Feature k, known to be a ring plug."""
        row = self.numbers
        return RingPlug(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            row[k, 7],
            row[k, 10],
        )
