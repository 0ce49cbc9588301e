"""The support function of a core, a climb towards it, and the core's projection on an axis."""

from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.support_index import LANES, support_index
from spheresim.convex.geometry.posed_body import PosedBody, to_body
from spheresim.convex.geometry.slabs import MANY_POINTS, surface_of
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


@inlined
def support(body: PosedBody, direction: TVector) -> int:
    """The index of the core's support point in a direction; of several the first."""
    own = to_body(body, direction)
    if body.half.x > 0.0:  # a box: corner i has x, y, z positive by its bits 1, 2, 4
        return (own.x > 0.0) + 2 * (own.y > 0.0) + 4 * (own.z > 0.0)
    return support_index(
        body.rows, body.end, (body.normals - body.points + LANES - 1) // LANES, own
    )


@inlined
def has_neighbours(body: PosedBody) -> bool:
    """Whether `climb` can be asked: of a core in space with many points."""
    return (body.dimension == 3) & (body.normals - body.points >= MANY_POINTS)


@routine
def climb(body: PosedBody, direction: TVector, start: int) -> int:
    """A point of the core from which no edge leads further in a direction, by hill climbing.

    It is the support point, except that rounding may hide the way on where edges are short.
    """
    own, surface = to_body(body, direction), surface_of(body)
    first = surface + 1 + 3 * int(body.rows[surface, 0]) + int(body.rows[surface, 1])
    here, last = start, -1
    height = own.dot(vector_at(body.rows, body.points + here))
    while here != last:
        last = here
        begin = surface + int(body.rows[first + last, 0])
        for row in range(begin, begin + int(body.rows[first + last, 1])):
            for column in range(3):
                neighbour = int(body.rows[row, column])
                along = own.dot(vector_at(body.rows, body.points + neighbour))
                if along > height:
                    here, height = neighbour, along
    return here


@inlined
def sole_support(body: PosedBody, direction: TVector, clear: float) -> int:
    """A box's support point, if it leads all other corners by more than `clear`; else -1."""
    own = to_body(body, direction)
    lead = min(abs(own.x) * body.half.x, abs(own.y) * body.half.y, abs(own.z) * body.half.z)
    return support(body, direction) if lead > clear else -1


@routine
def project(body: PosedBody, axis: TVector) -> tuple[float, float]:
    """The core's interval (low, high) on an axis, from the body's position, times |axis|."""
    own = to_body(body, axis)
    if body.half.x > 0.0:
        reach = abs(own.x) * body.half.x + abs(own.y) * body.half.y + abs(own.z) * body.half.z
        return -reach, reach
    low = high = own.dot(vector_at(body.rows, body.points))
    for i in range(1, body.normals - body.points):
        along = own.dot(vector_at(body.rows, body.points + i))
        low, high = min(low, along), max(high, along)
    return low, high
