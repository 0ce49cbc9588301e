"""The axes that can separate two cores, and the one on which they overlap least.

If two convex polytopes are apart, one of these axes separates them: the normals of their
faces, and in space the cross products of their edges (S. Gottschalk, separating axis
theorem, 1996; Ericson, section 5.2.1). They are the normals of the Minkowski difference's faces, so
the axis of least overlap is also the direction of the minimum translation out of an overlap.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import MinkowskiDifference, PosedBody, to_body, to_world
from spheresim.convex.geometry.support import project
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector

_PARALLEL = 1e-24
"""The squared sine of the angle below which two edges count as parallel."""

_MANY_AXES = 48
"""More axes than these are not tested one by one."""


class LeastOverlap(NamedTuple):
    """The least overlap of the cores' intervals, negative if they are apart on that axis.

    `axis`: unit, from b towards a: a moved along it by `overlap` just touches b. `tested`:
    the axes tested. Without any axis, `overlap` is 0.
    """

    overlap: float
    axis: TVector
    tested: int


@inlined
def count_axes(a: PosedBody, b: PosedBody) -> int:
    """How many axes there are, parallel ones of the two bodies included."""
    faces = (a.edges - a.normals) + (b.edges - b.normals)
    return faces + (a.end - a.edges) * (b.end - b.edges)


@inlined
def many_axes(a: PosedBody, b: PosedBody) -> bool:
    """Whether GJK and the expanding polytope find the axis faster than testing all of them."""
    return count_axes(a, b) > _MANY_AXES


@routine
def axis_of(a: PosedBody, b: PosedBody, index: int) -> TVector:
    """Axis `index`, of any length; zero for parallel edges: a's normals, b's, edge × edge."""
    own, others = a.edges - a.normals, b.edges - b.normals
    if index < own:
        return to_world(a, vector_at(a.rows, a.normals + index))
    if index < own + others:
        return to_world(b, vector_at(b.rows, b.normals + index - own))
    index -= own + others
    per_edge = b.end - b.edges
    edge_a = to_world(a, vector_at(a.rows, a.edges + index // per_edge))
    edge_b = to_world(b, vector_at(b.rows, b.edges + index % per_edge))
    axis = edge_a.cross(edge_b)
    if axis.mag_sqr() <= _PARALLEL * edge_a.mag_sqr() * edge_b.mag_sqr():
        return ZERO
    return axis


@routine
def least_overlap_of_any(difference: MinkowskiDifference, slack: float) -> LeastOverlap:
    """`least_overlap` of any two cores, over all their axes."""
    a, b, offset = difference
    best, best_axis, tested = float("inf"), no_axis(a, b), 0
    for index in range(count_axes(a, b)):
        axis = axis_of(a, b, index)
        length_sqr = axis.mag_sqr()
        if length_sqr == 0.0:
            continue
        tested += 1
        low_a, high_a = project(a, axis)
        low_b, high_b = project(b, axis)
        shift = axis.dot(offset)
        forwards, backwards = high_b + shift - low_a, high_a - (low_b + shift)
        overlap = min(forwards, backwards)
        length = length_sqr**0.5
        if overlap < best * length:
            best = overlap / length
            best_axis = axis / length if forwards < backwards else axis / -length
            if best < -slack:
                break
    if tested == 0:
        best = 0.0
    return LeastOverlap(best, best_axis, tested)


@routine
def least_overlap(difference: MinkowskiDifference, slack: float) -> LeastOverlap:
    """The axis of least overlap, or the first on which the cores are more than `slack` apart.

    `offset`: from a's position to b's, known apart from them so that nothing is lost far
    from the world's origin.
    """
    a, b, _ = difference
    if a.half.z > 0.0 and b.half.z > 0.0:
        return least_overlap_of_boxes(difference, slack)
    return least_overlap_of_any(difference, slack)


@inlined
def _own_axis(body: PosedBody, i: int) -> TVector:
    return TVector(body.row_x[i], body.row_y[i], body.row_z[i])


class _SeenBox(NamedTuple):
    """A box as another one sees it: its half extents, its own axes, and where it is."""

    half: TVector
    x: TVector
    y: TVector
    z: TVector
    place: TVector


@inlined
def _seen(difference: MinkowskiDifference) -> _SeenBox:
    """Box b as a sees it."""
    a, b, offset = difference
    x, y, z = to_body(a, _own_axis(b, 0)), to_body(a, _own_axis(b, 1)), to_body(a, _own_axis(b, 2))
    return _SeenBox(b.half, x, y, z, to_body(a, offset))


@inlined
def _box_axis(index: int, seen: _SeenBox) -> TVector:
    """Axis `index` of two boxes, where a's own axes are the unit vectors."""
    of_b = index % 3
    other = seen.x if of_b == 0 else (seen.y if of_b == 1 else seen.z)
    if index < 3:
        return TVector(
            1.0 if index == 0 else 0.0, 1.0 if index == 1 else 0.0, 1.0 if index == 2 else 0.0
        )
    if index < 6:
        return other
    if index < 9:
        return TVector(0.0, -other.z, other.y)
    if index < 12:
        return TVector(other.z, 0.0, -other.x)
    return TVector(-other.y, other.x, 0.0)


@inlined
def _box_overlap(half: TVector, seen: _SeenBox, axis: TVector) -> float:
    """How far two boxes overlap on an axis, times its length; half: the half extents of a."""
    reach_a = abs(axis.x) * half.x + abs(axis.y) * half.y + abs(axis.z) * half.z
    x, y, z = abs(axis.dot(seen.x)), abs(axis.dot(seen.y)), abs(axis.dot(seen.z))
    reach_b = x * seen.half.x + y * seen.half.y + z * seen.half.z
    return reach_a + reach_b - abs(axis.dot(seen.place))


@routine
def least_overlap_of_boxes(difference: MinkowskiDifference, slack: float) -> LeastOverlap:
    """`least_overlap` over the 15 axes of two boxes, in a's frame (Ericson, section 4.4.1)."""
    a, seen = difference.a, _seen(difference)
    best, best_axis, tested = float("inf"), seen.place, 0
    for index in range(15):
        axis = _box_axis(index, seen)
        length_sqr = axis.mag_sqr()
        if length_sqr <= _PARALLEL:
            continue
        tested += 1
        overlap = _box_overlap(a.half, seen, axis)
        shift, length = axis.dot(seen.place), length_sqr**0.5
        if overlap < best * length:
            best = overlap / length
            best_axis = axis / length if shift < 0.0 else axis / -length
            if best < -slack:
                break
    return LeastOverlap(best, to_world(a, best_axis), tested)


@routine
def boxes_apart(difference: MinkowskiDifference) -> bool:
    """Whether one of the 15 axes separates two boxes; no axis need be made a unit for that."""
    half, seen = difference.a.half, _seen(difference)
    for index in range(15):
        axis = _box_axis(index, seen)
        if (_box_overlap(half, seen, axis) < 0.0) & (axis.mag_sqr() > _PARALLEL):
            return True
    return False


@inlined
def no_axis(a: PosedBody, b: PosedBody) -> TVector:
    """Some direction perpendicular to both cores, for points and parallel segments."""
    if a.dimension == 2:
        return TVector(1.0, 0.0, 0.0)
    if a.end > a.edges:
        return to_world(a, vector_at(a.rows, a.edges)).perpendicular()
    if b.end > b.edges:
        return to_world(b, vector_at(b.rows, b.edges)).perpendicular()
    return TVector(1.0, 0.0, 0.0)
