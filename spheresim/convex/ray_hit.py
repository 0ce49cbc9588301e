"""A ray against a convex body, rounded or not: exact, by the body's faces, edges and corners.

A closed body is a shell, as every obstacle is: a ray that starts inside hits it from inside, where
it comes out. A ray that starts on the surface hits it at once if it leads in, and not at all if
it leads out.

Signs: `normal` is a unit vector, from the surface to the side from which the ray comes.
"""

import math

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.coordinates import coordinates
from spheresim.convex.geometry.posed_body import PosedBody, posed_body, to_world
from spheresim.convex.query_result import NUMBER, VECTOR, Field, QueryResult, without_minus_zero
from spheresim.convex.ray_crossing import crossing, ray_in_body
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.ray import ordinary_directions
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector


class RayHit(QueryResult):
    """The answer of `ray_cast` for one ray; for many, every field has a leading axis."""

    __slots__ = ()

    @property
    def hits(self) -> Booleans:
        """Whether the ray meets the body."""
        return self.distance < math.inf

    distance = Field(NUMBER, "From the ray's start [length]; inf if it does not meet the body.")
    point = Field(VECTOR, "Where it meets the surface; zeros if it does not.")
    normal = Field(
        VECTOR,
        "Of the surface, unit, towards the side from which the ray comes; zeros without a hit.",
    )


@inlined
def _length(vector: TVector) -> float:
    """The length of any vector but zero, without over- or underflow of squares."""
    largest = max(abs(vector.x), abs(vector.y), abs(vector.z))
    return (vector / largest).mag() * largest


@routine
def first_surface(body: PosedBody, origin: TVector, direction: TVector) -> tuple[float, TVector]:
    """The time of a ray's first hit, in units of its direction's length, and the normal there.

    (inf, zeros) if it never does.
    """
    seen_origin, seen_direction = ray_in_body(body, origin, direction)
    found = crossing(body, seen_origin, seen_direction, body.radius)
    time, normal = found.enter, found.normal
    if found.enter < 0.0:
        time, normal = found.leave, -found.normal_at_leave
    if found.leave <= 0.0:
        return math.inf, ZERO
    return time, to_world(body, normal)


@kernel
def _hits(
    geometry: Floats,
    poses: Floats,
    origins: np.ndarray,
    directions: np.ndarray,
    records: np.ndarray,
) -> None:
    for k in range(len(records)):
        body = posed_body(geometry, poses, k)
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        time, normal = first_surface(body, origin, direction)
        point = ZERO
        if time < math.inf:
            point = origin + direction * time
        records[k]["distance"] = time * _length(direction)
        set_vector(records["point"], k, point)
        set_vector(records["normal"], k, without_minus_zero(normal))


def cast_rays(
    geometry: np.ndarray,
    poses: np.ndarray,
    dimension: int,
    origins: npt.ArrayLike,
    directions: npt.ArrayLike,
) -> np.ndarray:
    """The records of `RayHit`, (n,), of rays against bodies; one of either is repeated.

    `geometry`, `poses`: of bodies, see `geometry.layout`; origins, directions: (n, dimension).
    ValueError for what are no such vectors, a direction of zero, and counts that do not fit.
    """
    starts = coordinates(origins, dimension, "a ray's start", math.inf)
    along = coordinates(directions, dimension, "a ray's direction", math.inf)
    along = ordinary_directions(along)
    counts = {len(poses), len(starts), len(along)} - {1}
    if len(counts) > 1:
        raise ValueError(
            "rays and bodies must be equally many, or one: "
            f"{len(poses)} bodies, {len(starts)} starts, {len(along)} directions"
        )
    count = counts.pop() if counts else 1
    poses, starts, along = (
        array if len(array) == count else np.repeat(array, count, axis=0)
        for array in (poses, starts, along)
    )
    records = np.empty(count, RayHit.dtype)
    _hits(geometry, poses, starts, along, records)
    return records
