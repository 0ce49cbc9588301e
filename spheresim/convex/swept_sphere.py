"""A sphere swept against a convex body: when do they meet, exactly, and when do they part?

The body may be rounded, and both may move, without turning. Seen from the body the sphere's
centre is a moving point, and the body grown by the sphere's radius what it meets: see
`crossing`. For two boxes there is `swept_sat`, for bodies that turn `time_of_impact`.

As there, times may lie before 0: a hit in a timestep h is `0 ≤ enter ≤ h`, of bodies that
overlap at the start `enter < 0 ≤ leave`.

Signs: `normal` is a unit vector from b towards a; velocities are lengths per time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.compiler.decorators import kernel, routine
from spheresim.convex.body import Body, Placing, asked
from spheresim.convex.geometry.posed_body import Placed, placed, point_at, to_world
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.query_arguments import Many, each_of, pair, pairs
from spheresim.convex.query_result import ENTER, LEAVE, Sweep
from spheresim.convex.ray_crossing import Crossing, crossing, seen_from
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_NORMAL, _CONTACT, _WIDTH = 2, 5, 8
_INFINITE = float("inf")
_NOWHERE = TVector(0.0, 0.0, 0.0)


class SphereSweep(Sweep):
    """Of one pair, or with a leading axis of many."""

    __slots__ = ()

    @property
    def normal(self) -> np.ndarray:
        """At `enter`, unit, from b towards a; zeros if there is no such time."""
        return self.rows[..., _NORMAL:_CONTACT]

    @property
    def contact(self) -> np.ndarray:
        """The point in which they touch at `enter`, in the world; zeros if there is none."""
        return self.rows[..., _CONTACT:]


@routine
def _sweep(sphere: Placed, body: Placed, velocity: TVector, simplex: Any) -> Crossing:
    """When a sphere touches a body, seen from which it moves; normals away from the body."""
    centre = sphere.position + point_at(sphere, 0)
    reach = sphere.radius + body.radius
    if velocity.x != 0.0 or velocity.y != 0.0 or velocity.z != 0.0:
        origin, along = seen_from(body, centre, velocity)
        found = crossing(body, origin, along, reach)
        return Crossing(found.enter, found.leave, to_world(body, found.normal), _NOWHERE)
    simplex[0, 0, INDEX_A] = -1.0
    offset = body.position - sphere.position
    nearest = closest(sphere, body, offset, simplex, 0, LIMIT, NEVER_ENOUGH)
    if nearest.overlapping or nearest.point.mag() <= reach:
        return Crossing(-_INFINITE, _INFINITE, _NOWHERE, _NOWHERE)
    return Crossing(_INFINITE, -_INFINITE, _NOWHERE, _NOWHERE)


@routine
def _touch(sphere: Placed, found: Crossing, velocity: TVector) -> TVector:
    """Where a sphere is touched when the two meet."""
    if abs(found.enter) == _INFINITE:
        return _NOWHERE
    centre = sphere.position + point_at(sphere, 0) + velocity * found.enter
    return centre - found.normal * sphere.radius


@kernel
def _sweeps(
    forms_a: Any,
    places_a: Any,
    velocities_a: Any,
    forms_b: Any,
    places_b: Any,
    velocities_b: Any,
    simplex: Any,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        velocity_a, velocity_b = vector_at(velocities_a, k), vector_at(velocities_b, k)
        a_is_sphere = a.normals - a.points == 1
        if a_is_sphere:
            found = _sweep(a, b, velocity_a - velocity_b, simplex)
            normal, touch = found.normal, _touch(a, found, velocity_a)
        else:
            found = _sweep(b, a, velocity_b - velocity_a, simplex)
            normal, touch = -found.normal, _touch(b, found, velocity_b)
        rows[k, ENTER], rows[k, LEAVE] = found.enter, found.leave
        for i in range(3):
            rows[k, _NORMAL + i], rows[k, _CONTACT + i] = normal[i] + 0.0, touch[i]


def _ask(a: Placing, b: Placing, velocities_a: Any, velocities_b: Any) -> np.ndarray:
    count = asked(a, b)
    points = [side.forms[side.places[:, 0].astype(np.int64), 0] for side in (a, b)]
    if ((points[0] > 1) & (points[1] > 1)).any():
        raise ValueError("a swept sphere needs a sphere: one of the two bodies has a single point")
    moving = [
        np.zeros((count, 3)) if given is None else each_of(given, count, a.dimension, "velocities")
        for given in (velocities_a, velocities_b)
    ]
    rows = np.empty((count, _WIDTH))
    simplex = np.empty((1, CORNERS, COLUMNS))
    _sweeps(a.forms, a.places, moving[0], b.forms, b.places, moving[1], simplex, rows)
    return rows


def swept_sphere(
    a: Body, b: Body, velocity_a: Sequence[float], velocity_b: Sequence[float] | None = None
) -> SphereSweep:
    """When a sphere and a body that move without turning meet, and part.

    Either may be the sphere: a body of one point, also of radius 0. ValueError if none is.

    >>> from spheresim.convex import box, sphere
    >>> answer = swept_sphere(sphere(1), box((1, 1, 1), position=(6, 0, 0)), velocity_a=(2, 0, 0))
    >>> float(answer.enter), float(answer.leave), answer.contact.tolist()
    (2.0, 4.0, [5.0, 0.0, 0.0])
    """
    return SphereSweep(_ask(*pair(a, b), velocity_a, velocity_b)[0])


def swept_sphere_batch(
    a: Many, b: Many, velocities_a: Any, velocities_b: Any = None
) -> SphereSweep:
    """`swept_sphere` of a[k] and b[k] for all k; velocities: shape (n, dimension), or one row."""
    return SphereSweep(_ask(*pairs(a, b), velocities_a, velocities_b))
