"""A body as kernels see it: its geometry in a pose, and where its parts are in the world."""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.convex.geometry.layout import HEADER
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


class PosedBodies(NamedTuple):
    """Bodies in arrays, which `layout` describes. geometry: (rows, 3); poses: (n, 13)."""

    geometry: Floats
    poses: Floats


class PosedBody(NamedTuple):
    """A geometry in a pose.

    `points`, `normals`, `edges`, `end`: the rows of the geometry in which each part starts, and the
    last ends; `half`: a box's half extents, or zeros; `row_x`, `row_y`, `row_z`: the rows of the
    rotation matrix.
    """

    rows: Floats
    points: int
    normals: int
    edges: int
    end: int
    radius: float
    solid: bool
    dimension: int
    half: TVector
    position: TVector
    row_x: TVector
    row_y: TVector
    row_z: TVector


class MinkowskiDifference(NamedTuple):
    """The Minkowski difference a − b of two cores.

    `offset`: from a's position to b's, known apart from them so that nothing is lost far from the
    world's origin.
    """

    a: PosedBody
    b: PosedBody
    offset: TVector


@inlined
def difference_of(a: PosedBody, b: PosedBody) -> MinkowskiDifference:
    """The Minkowski difference of two bodies where they are."""
    return MinkowskiDifference(a, b, b.position - a.position)


@inlined
def posed_body(geometry: Floats, poses: Floats, k: int) -> PosedBody:
    """Body k of many, from the arrays that `layout` describes."""
    start = int(poses[k, 0])
    points = start + HEADER
    normals = points + int(geometry[start, 0])
    edges = normals + int(geometry[start, 1])
    return PosedBody(
        geometry,
        points,
        normals,
        edges,
        edges + int(geometry[start, 2]),
        geometry[start + 1, 0],
        geometry[start + 1, 1] > 0.0,
        int(geometry[start + 1, 2]),
        vector_at(geometry, start + 2),
        TVector(poses[k, 1], poses[k, 2], poses[k, 3]),
        TVector(poses[k, 4], poses[k, 5], poses[k, 6]),
        TVector(poses[k, 7], poses[k, 8], poses[k, 9]),
        TVector(poses[k, 10], poses[k, 11], poses[k, 12]),
    )


@inlined
def to_world(body: PosedBody, direction: TVector) -> TVector:
    """A direction given in the body's own frame, in the world's."""
    return TVector(body.row_x.dot(direction), body.row_y.dot(direction), body.row_z.dot(direction))


@inlined
def to_body(body: PosedBody, direction: TVector) -> TVector:
    """A direction given in the world's frame, in the body's own."""
    return body.row_x * direction.x + body.row_y * direction.y + body.row_z * direction.z


@inlined
def point_at(body: PosedBody, i: int) -> TVector:
    """Point i of the core, from the body's position, along the world's axes."""
    return to_world(body, vector_at(body.rows, body.points + i))


class Balls(NamedTuple):
    """Two balls about one centre: the core lies in the outer, the inner lies in the core.

    Where the centre may lie outside the core, `inner` is minus `outer`.
    """

    centre: TVector
    outer: float
    inner: float


@inlined
def balls_of(body: PosedBody) -> Balls:
    """The balls around and inside a core, from the body's position, along the world's axes."""
    header = body.points - HEADER
    centre = to_world(body, vector_at(body.rows, header + 3))
    return Balls(centre, body.rows[header + 4, 0], body.rows[header + 4, 1])
