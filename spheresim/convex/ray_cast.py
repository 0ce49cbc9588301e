"""A ray against a convex body, rounded or not: exact, by the body's faces, edges and corners.

A closed body is a shell, as every obstacle: a ray that starts inside meets it from inside, where
it comes out. On the surface itself a ray that leads in meets it at once, one that leads out
does not meet it.

Signs: `normal` is a unit vector, from the surface to the side from which the ray comes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined, kernel
from spheresim.convex.body import Body, Placing, coordinates
from spheresim.convex.geometry.posed_body import placed, to_world
from spheresim.convex.query_arguments import Many, several, single
from spheresim.convex.query_result import Answers
from spheresim.convex.ray_crossing import crossing, seen_from
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.shape import Hit

_DISTANCE, _POINT, _NORMAL, _WIDTH = 0, 1, 4, 7
_INFINITE = float("inf")


class RayHit(Answers):
    """Of one ray, or with a leading axis of many."""

    __slots__ = ()

    @property
    def hits(self) -> Any:
        """Whether the ray meets the body."""
        return self.distance < _INFINITE

    @property
    def distance(self) -> Any:
        """From the ray's start [length]; inf if it does not meet the body."""
        return self.column(_DISTANCE)

    @property
    def point(self) -> np.ndarray:
        """Where it meets the surface; zeros if it does not."""
        return self.rows[..., _POINT:_NORMAL]

    @property
    def normal(self) -> np.ndarray:
        """Of the surface, unit, towards the side from which the ray comes; zeros without a hit."""
        return self.rows[..., _NORMAL:]


@inlined
def _length(vector: TVector) -> float:
    """Of any vector but zero: no square over- or underflows."""
    largest = max(abs(vector.x), abs(vector.y), abs(vector.z))
    return (vector / largest).mag() * largest


@kernel
def _hits(forms: Any, places: Any, origins: Any, directions: Any, rows: Any) -> None:
    for k in range(len(rows)):
        body = placed(forms, places, k)
        origin, direction = vector_at(origins, k), vector_at(directions, k)
        seen_origin, seen_direction = seen_from(body, origin, direction)
        found = crossing(body, seen_origin, seen_direction, body.radius)
        time, normal = found.enter, found.normal
        if found.enter < 0.0:
            time, normal = found.leave, -found.normal_at_leave
        point = TVector(0.0, 0.0, 0.0)
        if found.leave <= 0.0:
            time, normal = _INFINITE, point
        else:
            point, normal = origin + direction * time, to_world(body, normal)
        rows[k, _DISTANCE] = time * _length(direction)
        for i in range(3):
            rows[k, _POINT + i], rows[k, _NORMAL + i] = point[i], normal[i] + 0.0  # no -0.0


def _ask(bodies: Placing, origins: Any, directions: Any) -> np.ndarray:
    starts = coordinates(origins, bodies.dimension, "a ray's start", _INFINITE)
    along = coordinates(directions, bodies.dimension, "a ray's direction", _INFINITE)
    if not along.any(axis=1).all():
        raise ValueError("a ray needs a direction: the zero vector has none")
    counts = {len(bodies.places), len(starts), len(along)} - {1}
    if len(counts) > 1:
        raise ValueError(
            "rays and bodies are as many, or one: "
            f"{len(bodies.places)} bodies, {len(starts)} starts, {len(along)} directions"
        )
    count = counts.pop() if counts else 1
    places, starts, along = (
        array if len(array) == count else np.repeat(array, count, axis=0)
        for array in (bodies.places, starts, along)
    )
    rows = np.empty((count, _WIDTH))
    _hits(bodies.forms, places, starts, along, rows)
    return rows


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
    return RayHit(_ask(single(body), [origin], [direction])[0])


def ray_cast_batch(bodies: Many, origins: Any, directions: Any) -> RayHit:
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
