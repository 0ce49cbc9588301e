"""Swept SAT: when do two bodies that move without turning meet, and when do they part?

The swept-SAT article: on every axis the two intervals meet at `enter` = E / s and part at
`leave` = L / s, where s is the relative velocity on the axis and E, L the way to the nearest
and to the furthest ends. The bodies overlap while all axes' intervals do: from the largest
enter to the smallest leave, which may lie before 0 or after 1. If the largest enter comes
after the smallest leave, they never meet.

Rules: where the normal points away from the motion (s < 0), enter and leave change places.
Where s is 0, the axis has nothing to say if the intervals touch or overlap, (−inf, inf), and
separates the bodies for ever if not, (inf, −inf). Intervals are closed: a body that slides
along another touches it.

Few axes are all tested; of many, the two that decide are searched for (`line_clip`).

Signs: `normal` is a unit vector from b towards a; velocities are lengths per time.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import routine
from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.coordinates import vector_row
from spheresim.convex.distance import touching_point
from spheresim.convex.geometry.posed_body import (
    MinkowskiDifference,
    difference_of,
    point_at,
    posed_body,
)
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import (
    ManyBodies,
    headers_of,
    needed,
    pair,
    pair_count,
    pairs,
    velocities_of,
)
from spheresim.convex.query_result import WHOLE, Field, SweepResult, without_minus_zero
from spheresim.convex.separating_axes.axes import axis_of, count_axes
from spheresim.convex.separating_axes.axis_sweep import (
    INFINITE,
    sweep_balls,
    sweep_cores,
    sweep_on_axis,
)
from spheresim.numerics.arrays import RowsLike
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector


class SweptSatResult(SweepResult):
    """The answer of `swept_sat` for one pair; for many, every field has a leading axis."""

    __slots__ = ()

    tested = Field(WHOLE, "Number of axes tested; the last one may prove that they miss.")


@routine
def swept_sat_answer(
    difference: MinkowskiDifference,
    k: int,
    scratch: Scratch,
    given: Any,
    records: np.ndarray,
) -> None:
    """Answer `swept_sat` of pair k; given: both velocities, (n, 3)."""
    velocity_a, velocity_b = vector_at(given[0], k), vector_at(given[1], k)
    # From when to when they overlap, moving relative to each other.
    a, b, offset = difference
    velocity = velocity_a - velocity_b
    if a.radius + b.radius > 0.0:
        between = offset + point_at(b, 0) - point_at(a, 0)
        found = sweep_balls(between, velocity, a.radius + b.radius)
    else:
        found = sweep_cores(difference, velocity, scratch.simplices)
    # Too slow to meet at any time that a number can hold is never.
    meets = found.enter <= found.leave and found.enter < INFINITE and found.leave > -INFINITE
    records[k]["enter"] = found.enter if meets else INFINITE
    records[k]["leave"] = found.leave if meets else -INFINITE
    records[k]["tested"] = found.tested
    # Where and how they touch when they begin to, in the world.
    normal = contact = ZERO
    if meets and found.enter > -INFINITE:
        normal = found.axis / found.axis.mag()
        then = MinkowskiDifference(a, b, offset - velocity * found.enter)
        core = touching_point(then, normal, 0.0, scratch.simplices, 0)
        contact = core - normal * a.radius + (a.position + velocity * found.enter)
        contact = contact + velocity_b * found.enter
    set_vector(records["normal"], k, without_minus_zero(normal))
    set_vector(records["contact"], k, contact)


_swept_sats = pair_kernel(swept_sat_answer)


def _ask(
    a: BodyArrays, b: BodyArrays, velocities_a: RowsLike, velocities_b: RowsLike | None
) -> np.ndarray:
    """The records of all pairs."""
    velocities = velocities_of(a, b, velocities_a, velocities_b)
    _refuse(a, b)
    return ask(_swept_sats, a, b, SweptSatResult.dtype, *velocities)


def _refuse(a: BodyArrays, b: BodyArrays) -> None:
    """Raise ValueError for pairs whose motion their axes alone cannot answer."""
    own, others = headers_of(a), headers_of(b)
    is_round = own[:, 1, 0] + others[:, 1, 0] > 0.0
    if (is_round & ((own[:, 0, 0] > 1) | (others[:, 0, 0] > 1))).any():
        raise ValueError(
            "swept SAT takes two balls, or two bodies without a radius: "
            "use time_of_impact for a rounded body"
        )
    if (~is_round & (own[:, 1, 1] + others[:, 1, 1] == 0.0)).any():
        raise ValueError("swept SAT needs at least one body that has an inside")


def swept_sat(
    a: Body, b: Body, velocity_a: Sequence[float], velocity_b: Sequence[float] | None = None
) -> SweptSatResult:
    """The times at which two bodies that move without turning meet and part.

    Takes two balls, or two bodies without a radius, of which at least one has an inside (is no
    segment, point or flat face); ValueError otherwise. Velocities: [length per time]. There is a
    hit in a timestep h if `0 ≤ enter ≤ h`; bodies overlap at the start if `enter < 0 ≤ leave`.

    >>> from spheresim.convex import box
    >>> answer = swept_sat(box((1, 1)), box((1, 1), position=(6, 1)), velocity_a=(2, 0))
    >>> float(answer.enter), float(answer.leave), answer.normal.tolist()
    (2.0, 4.0, [-1.0, 0.0, 0.0])
    """
    return SweptSatResult(_ask(*pair(a, b), velocity_a, velocity_b).reshape(()))


def swept_sat_batch(
    a: ManyBodies, b: ManyBodies, velocities_a: RowsLike, velocities_b: RowsLike | None = None
) -> SweptSatResult:
    """Times of contact of many pairs: row k is `swept_sat` of a[k] and b[k].

    velocities: (n, dimension), or one row for all [length per time]; without some, b is at rest.
    """
    return SweptSatResult(_ask(*pairs(a, b), velocities_a, velocities_b))


# --- For display ------------------------------------------------------------------------


class AxisIntervals(NamedTuple):
    """The k axes of two moving bodies, in the order of `sat.axes`, and the times on each.

    axis: (k, 3), unit; speed: (k,), of a seen from b; enter, leave: (k,).
    """

    axis: np.ndarray
    speed: np.ndarray
    enter: np.ndarray
    leave: np.ndarray


def axis_intervals(
    a: Body, b: Body, velocity_a: Sequence[float], velocity_b: Sequence[float] | None = None
) -> AxisIntervals:
    """The time interval in which two bodies' projections overlap, for each axis of `sat`.

    Velocities: [length per time]; without `velocity_b`, b is at rest.
    """
    pair_count(*pair(a, b))
    _refuse(a, b)
    dimension = a.dimension
    velocity = vector_row(
        needed(velocity_a, "velocity_a"), dimension, "a velocity", one="velocity_a"
    )[0]
    if velocity_b is not None:
        velocity = velocity - vector_row(velocity_b, dimension, "a velocity", one="velocity_b")[0]
    relative = TVector(velocity)
    first, second = posed_body(a.geometry, a.poses, 0), posed_body(b.geometry, b.poses, 0)
    difference = difference_of(first, second)
    found = [axis_of(first, second, i) for i in range(count_axes(first, second))]
    every = [axis for axis in found if axis.mag_sqr() > 0.0]
    times = [sweep_on_axis(difference, relative, axis) for axis in every]
    units = [axis.unit() for axis in every]
    return AxisIntervals(
        np.array(units).reshape(-1, 3),
        np.array([axis.dot(relative) for axis in units]),
        np.array([time.enter for time in times]),
        np.array([time.leave for time in times]),
    )
