"""A sphere swept against a convex body: when do they meet, exactly, and when do they part?

The body may be rounded, and both may move, without turning. Relative to the body the sphere's
centre is a moving point that meets the body grown by the sphere's radius, see `ray_crossing`.
For two boxes there is `swept_sat`, for bodies that turn `time_of_impact`.

As there, times may lie before 0: a hit in a timestep h is `0 ≤ enter ≤ h`, of bodies that
overlap at the start `enter < 0 ≤ leave`.

Signs: `normal` is a unit vector from b towards a; velocities are lengths per time.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.compiler.decorators import routine
from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.geometry.posed_body import (
    MinkowskiDifference,
    PosedBody,
    difference_of,
    point_at,
    to_world,
)
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import (
    ManyBodies,
    headers_of,
    pair,
    pairs,
    velocities_of,
)
from spheresim.convex.query_result import SweepResult, without_minus_zero
from spheresim.convex.ray_crossing import Crossing, crossing, ray_in_body
from spheresim.numerics.arrays import Floats, RowsLike
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector


@routine
def _sweep(sphere: PosedBody, body: PosedBody, velocity: TVector, simplex: Floats) -> Crossing:
    """When a sphere that moves relative to a body touches it; normals point away from the body."""
    centre = sphere.position + point_at(sphere, 0)
    reach = sphere.radius + body.radius
    if velocity.x != 0.0 or velocity.y != 0.0 or velocity.z != 0.0:
        origin, along = ray_in_body(body, centre, velocity)
        found = crossing(body, origin, along, reach)
        return Crossing(found.enter, found.leave, to_world(body, found.normal), ZERO)
    simplex[0, 0, INDEX_A] = -1.0
    nearest = closest(difference_of(sphere, body), simplex, 0, LIMIT, NEVER_ENOUGH)
    if nearest.overlapping or nearest.point.mag() <= reach:
        return Crossing(-math.inf, math.inf, ZERO, ZERO)
    return Crossing(math.inf, -math.inf, ZERO, ZERO)


@routine
def _touch(sphere: PosedBody, found: Crossing, velocity: TVector) -> TVector:
    """Where a sphere is touched when the two meet."""
    if abs(found.enter) == math.inf:
        return ZERO
    centre = sphere.position + point_at(sphere, 0) + velocity * found.enter
    return centre - found.normal * sphere.radius


@routine
def swept_sphere_answer(
    difference: MinkowskiDifference,
    k: int,
    scratch: Scratch,
    given: Any,
    records: np.ndarray,
) -> None:
    """Answer `swept_sphere` of pair k; given: both velocities, (n, 3)."""
    velocity_a, velocity_b = vector_at(given[0], k), vector_at(given[1], k)
    a, b = difference.a, difference.b
    a_is_sphere = a.normals - a.points == 1
    if a_is_sphere:
        found = _sweep(a, b, velocity_a - velocity_b, scratch.simplices)
        normal, contact = found.normal, _touch(a, found, velocity_a)
    else:
        found = _sweep(b, a, velocity_b - velocity_a, scratch.simplices)
        normal, contact = -found.normal, _touch(b, found, velocity_b)
    records[k]["enter"], records[k]["leave"] = found.enter, found.leave
    set_vector(records["normal"], k, without_minus_zero(normal))
    set_vector(records["contact"], k, contact)


_swept_spheres = pair_kernel(swept_sphere_answer)


def _ask(
    a: BodyArrays, b: BodyArrays, velocities_a: RowsLike, velocities_b: RowsLike | None
) -> np.ndarray:
    """The records of all pairs."""
    velocities = velocities_of(a, b, velocities_a, velocities_b)
    if ((headers_of(a)[:, 0, 0] > 1) & (headers_of(b)[:, 0, 0] > 1)).any():
        raise ValueError("a swept sphere needs a sphere: one of the two bodies has a single point")
    return ask(_swept_spheres, a, b, SweepResult.dtype, *velocities)


def swept_sphere(
    a: Body, b: Body, velocity_a: Sequence[float], velocity_b: Sequence[float] | None = None
) -> SweepResult:
    """The times at which a sphere and a body that move without turning begin and end contact.

    Returns a `SweepResult`. Either a or b must be the sphere: a body of one point, with any radius,
    also 0 (else ValueError). Velocities: [length per time]; without `velocity_b`, b is at rest.
    Times may be negative. There is a hit in a timestep h if `0 ≤ enter ≤ h`; the bodies overlap at
    the start if `enter < 0 ≤ leave`.

    >>> from spheresim.convex import box, sphere
    >>> answer = swept_sphere(sphere(1), box((1, 1, 1), position=(6, 0, 0)), velocity_a=(2, 0, 0))
    >>> float(answer.enter), float(answer.leave), answer.contact.tolist()
    (2.0, 4.0, [5.0, 0.0, 0.0])
    """
    return SweepResult(_ask(*pair(a, b), velocity_a, velocity_b).reshape(()))


def swept_sphere_batch(
    a: ManyBodies, b: ManyBodies, velocities_a: RowsLike, velocities_b: RowsLike | None = None
) -> SweepResult:
    """Times of contact of many pairs: row k is `swept_sphere` of a[k] and b[k].

    velocities: (n, dimension), or one row for all [length per time]; without some, b is at rest.
    """
    return SweepResult(_ask(*pairs(a, b), velocities_a, velocities_b))
