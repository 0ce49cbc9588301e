"""A ray against a convex body, rounded or not: exact, by the body's faces, edges and corners.

A closed body is a shell, as every obstacle is: a ray that starts inside hits it from inside, where
it comes out. A ray that starts on the surface hits it at once if it leads in, and not at all if
it leads out.

Signs: `normal` is a unit vector, from the surface to the side from which the ray comes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.body import Body, BodyArrays, coordinates
from spheresim.convex.geometry.posed_body import PosedBody, posed_body, to_world
from spheresim.convex.pair_query import without_minus_zero
from spheresim.convex.query_arguments import ManyBodies, several, single
from spheresim.convex.query_result import NUMBER, VECTOR, Field, QueryResult
from spheresim.convex.ray_crossing import crossing, ray_in_body
from spheresim.numerics.batch import question_count, vector_rows
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.shape import Hit, Hits

_INFINITE = float("inf")


class RayHit(QueryResult):
    """Of one ray, or with a leading axis of many."""

    __slots__ = ()

    @property
    def hits(self) -> Any:
        """Whether the ray meets the body."""
        return self.distance < _INFINITE

    distance = Field(NUMBER, "From the ray's start [length]; inf if it does not meet the body.")
    point = Field(VECTOR, "Where it meets the surface; zeros if it does not.")
    normal = Field(
        VECTOR,
        "Of the surface, unit, towards the side from which the ray comes; zeros without a hit.",
    )


@inlined
def _length(vector: TVector) -> float:
    """The length of any vector but zero, where the squares would over- or underflow."""
    largest = max(abs(vector.x), abs(vector.y), abs(vector.z))
    return (vector / largest).mag() * largest


@routine
def first_surface(body: PosedBody, origin: TVector, direction: TVector) -> tuple[float, TVector]:
    """When a ray first meets a body's surface, in units of its direction, and the normal there.

    (inf, zeros) if it never does.
    """
    seen_origin, seen_direction = ray_in_body(body, origin, direction)
    found = crossing(body, seen_origin, seen_direction, body.radius)
    time, normal = found.enter, found.normal
    if found.enter < 0.0:
        time, normal = found.leave, -found.normal_at_leave
    if found.leave <= 0.0:
        return _INFINITE, TVector(0.0, 0.0, 0.0)
    return time, to_world(body, normal)


@kernel
def _hits(geometry: Any, poses: Any, origins: Any, directions: Any, records: Any) -> None:
    for k in range(len(records)):
        body = posed_body(geometry, poses, k)
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        time, normal = first_surface(body, origin, direction)
        point = TVector(0.0, 0.0, 0.0)
        if time < _INFINITE:
            point = origin + direction * time
        records[k]["distance"] = time * _length(direction)
        set_vector(records["point"], k, point)
        set_vector(records["normal"], k, without_minus_zero(normal))


def _ask(bodies: BodyArrays, origins: Any, directions: Any) -> np.ndarray:
    starts = coordinates(origins, bodies.dimension, "a ray's start", _INFINITE)
    along = coordinates(directions, bodies.dimension, "a ray's direction", _INFINITE)
    if not along.any(axis=1).all():
        raise ValueError("a ray needs a direction: the zero vector has none")
    counts = {len(bodies.poses), len(starts), len(along)} - {1}
    if len(counts) > 1:
        raise ValueError(
            "rays and bodies are as many, or one: "
            f"{len(bodies.poses)} bodies, {len(starts)} starts, {len(along)} directions"
        )
    count = counts.pop() if counts else 1
    poses, starts, along = (
        array if len(array) == count else np.repeat(array, count, axis=0)
        for array in (bodies.poses, starts, along)
    )
    records = np.empty(count, RayHit.dtype)
    _hits(bodies.geometry, poses, starts, along, records)
    return records


def ray_cast(body: Body, origin: Sequence[float], direction: Sequence[float]) -> RayHit:
    """Where a ray from `origin` along `direction`, of any length but zero, first meets a body.

    `body.hit(ray)` is the same question in the words of all shapes.

    >>> from spheresim.convex import box
    >>> answer = ray_cast(box((1, 1, 1)), (-5, 0.5, 0), (2, 0, 0))
    >>> float(answer.distance), answer.point.tolist(), answer.normal.tolist()
    (4.0, [-1.0, 0.5, 0.0], [-1.0, 0.0, 0.0])
    >>> float(ray_cast(box((1, 1, 1)), (0, 0, 0), (0, 0, 1)).distance)  # from inside
    1.0
    """
    return RayHit(_ask(single(body), [origin], [direction]).reshape(()))


def ray_cast_batch(bodies: ManyBodies, origins: Any, directions: Any) -> RayHit:
    """`ray_cast` of ray k against body k for all k; of one body, start or direction for all.

    `origins`, `directions`: shape (n, dimension); `bodies`: many, or one.
    """
    return RayHit(_ask(several(bodies), origins, directions))


def hit(body: Body, ray: TRay) -> Hit | None:
    """`ray_cast` in the words of all shapes: a `Hit`, or None."""
    found = ray_cast(body, ray.origin, ray.direction)
    if not found.hits:
        return None
    return Hit(float(found.distance), TVector(found.point), TVector(found.normal))


def hit_batch(body: Body, origin: Any, direction: Any) -> Hits:
    """`ray_cast_batch` of one body, in the words of all shapes."""
    origins, directions = vector_rows(origin, "origin"), vector_rows(direction, "direction")
    question_count(origin=origins, direction=directions)
    found = ray_cast_batch(body, origins, directions)
    return Hits(np.array(found.distance), np.array(found.point), np.array(found.normal))
