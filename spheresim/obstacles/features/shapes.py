"""Row k of a table of features as the shape that it is; columns as in `rows`."""

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.circle import Circle
from spheresim.obstacles.features.face import Face
from spheresim.obstacles.features.line import Line
from spheresim.obstacles.features.point import Point
from spheresim.obstacles.features.ring_plug import RingPlug
from spheresim.obstacles.features.rows import Rows


@inlined
def axis_at(rows: Rows, k: int) -> TVector:
    """The normal or axis of row k."""
    row = rows.numbers
    return TVector(row[k, 3], row[k, 4], row[k, 5])


@inlined
def face_at(rows: Rows, outline: Floats, k: int) -> Face:
    """Feature k, known to be a face; outline: (e, 8), the sides of all faces, see `Face`."""
    row = rows.numbers
    place, normal = vector_at(row, k), axis_at(rows, k)
    return Face(place, normal, row[k, 6], row[k, 7], outline, int(row[k, 8]), int(row[k, 9]))


@inlined
def line_at(rows: Rows, k: int) -> Line:
    """Feature k, known to be a line."""
    row = rows.numbers
    return Line(vector_at(row, k), axis_at(rows, k), row[k, 6], row[k, 7], row[k, 10])


@inlined
def point_at(rows: Rows, k: int) -> Point:
    """Feature k, known to be a point."""
    row = rows.numbers
    return Point(vector_at(row, k), row[k, 6], row[k, 10])


@inlined
def circle_at(rows: Rows, k: int) -> Circle:
    """Feature k, known to be a circle, or the circle of a ring plug."""
    row = rows.numbers
    return Circle(vector_at(row, k), axis_at(rows, k), row[k, 6], row[k, 7], row[k, 10])


@inlined
def ring_plug_at(rows: Rows, k: int) -> RingPlug:
    """Feature k, known to be a ring plug."""
    return RingPlug(*circle_at(rows, k))
