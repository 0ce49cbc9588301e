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

Every axis is asked while there are few; of many, the two that count are searched (`line_clip`).

Signs: `normal` is a unit vector from b towards a; velocities are lengths per time.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.convex.body import Body, Placing, asked, coordinates
from spheresim.convex.distance import touching_point
from spheresim.convex.geometry.posed_body import placed, point_at
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS
from spheresim.convex.query_arguments import Many, each_of, pair, pairs
from spheresim.convex.query_result import ENTER, LEAVE, Sweep
from spheresim.convex.separating_axes.axes import axis_of, count_axes
from spheresim.convex.separating_axes.axis_sweep import (
    INFINITE,
    passing_of,
    passing_of_balls,
    passing_on,
)
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_NORMAL, _CONTACT, _TESTED, _WIDTH = 2, 5, 8, 9


class Meeting(Sweep):
    """Of one pair, or with a leading axis of many."""

    __slots__ = ()

    @property
    def normal(self) -> np.ndarray:
        """The axis on which they meet last, unit, from b towards a; NaN without a meeting."""
        return self.vector(_NORMAL)

    @property
    def contact(self) -> np.ndarray:
        """A point in which they touch at `enter`, in the world; NaN without a meeting."""
        return self.vector(_CONTACT)

    @property
    def tested(self) -> Any:
        """How many axes were looked at, the last of them perhaps proving that they miss."""
        return self.column(_TESTED)


@kernel
def _meetings(
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
        offset = b.position - a.position
        velocity_b = vector_at(velocities_b, k)
        velocity = vector_at(velocities_a, k) - velocity_b
        if a.radius + b.radius > 0.0:
            between = offset + point_at(b, 0) - point_at(a, 0)
            found = passing_of_balls(between, velocity, a.radius + b.radius)
        else:
            found = passing_of(a, b, offset, velocity, simplex)
        normal = contact = TVector(math.nan, math.nan, math.nan)
        if -INFINITE < found.enter <= found.leave:
            normal = found.axis / found.axis.mag()
            there = offset - velocity * found.enter
            core = touching_point(a, b, there, normal, 0.0, simplex, 0)
            contact = core - normal * a.radius + (a.position + velocity * found.enter)
            contact = contact + velocity_b * found.enter
        meets = found.enter <= found.leave
        rows[k, ENTER] = found.enter if meets else INFINITE
        rows[k, LEAVE] = found.leave if meets else -INFINITE
        rows[k, _TESTED] = found.tested
        for i in range(3):
            rows[k, _NORMAL + i], rows[k, _CONTACT + i] = normal[i] + 0.0, contact[i]


def _ask(a: Placing, b: Placing, velocities_a: Any, velocities_b: Any) -> np.ndarray:
    count = asked(a, b)
    _refuse(a, b)
    dimension = a.dimension
    moving = [
        each_of(velocities, count, dimension, "velocities")
        if velocities is not None
        else np.zeros((count, 3))
        for velocities in (velocities_a, velocities_b)
    ]
    rows = np.empty((count, _WIDTH))
    simplex = np.empty((1, CORNERS, COLUMNS))
    _meetings(a.forms, a.places, moving[0], b.forms, b.places, moving[1], simplex, rows)
    return rows


def _refuse(a: Placing, b: Placing) -> None:
    """What the axes alone cannot answer."""
    own, others = (side.forms[side.places[:, 0].astype(np.int64) + 1] for side in (a, b))
    points = [side.forms[side.places[:, 0].astype(np.int64), 0] for side in (a, b)]
    round_ = own[:, 0] + others[:, 0] > 0.0
    if (round_ & ((points[0] > 1) | (points[1] > 1))).any():
        raise ValueError(
            "swept SAT takes two balls, or two bodies without a radius: "
            "ask time_of_impact about a rounded one"
        )
    if (~round_ & (own[:, 1] + others[:, 1] == 0.0)).any():
        raise ValueError("swept SAT needs at least one body that has an inside")


def swept_sat(
    a: Body, b: Body, velocity_a: Sequence[float], velocity_b: Sequence[float] | None = None
) -> Meeting:
    """When two bodies that move without turning meet, and part.

    Takes two balls, or bodies without a radius of which one at least is no segment, point
    or flat face; ValueError otherwise. A hit in a timestep h is `0 ≤ enter ≤ h`, of bodies
    that overlap at the start `enter < 0 ≤ leave`.

    >>> from spheresim.convex import box
    >>> answer = swept_sat(box((1, 1)), box((1, 1), position=(6, 1)), velocity_a=(2, 0))
    >>> float(answer.enter), float(answer.leave), answer.normal.tolist()
    (2.0, 4.0, [-1.0, 0.0, 0.0])
    """
    return Meeting(_ask(*pair(a, b), velocity_a, velocity_b)[0])


def swept_sat_batch(a: Many, b: Many, velocities_a: Any, velocities_b: Any = None) -> Meeting:
    """`swept_sat` of a[k] and b[k] for all k; velocities: (n, dimension), or one for all."""
    return Meeting(_ask(*pairs(a, b), velocities_a, velocities_b))


# --- To look at -------------------------------------------------------------------------


class AxisIntervals(NamedTuple):
    """Every axis of two moving bodies, in the order of `sat.axes`, for k axes.

    axis: (k, 3), unit; speed: (k,), of a seen from b; enter, leave: (k,).
    """

    axis: np.ndarray
    speed: np.ndarray
    enter: np.ndarray
    leave: np.ndarray


def axis_intervals(
    a: Body, b: Body, velocity_a: Sequence[float], velocity_b: Sequence[float] | None = None
) -> AxisIntervals:
    """From when to when two bodies' projections overlap, axis by axis."""
    asked(*pair(a, b))
    _refuse(a, b)
    dimension = a.dimension
    velocity = coordinates([velocity_a], dimension, "a velocity")[0]
    if velocity_b is not None:
        velocity = velocity - coordinates([velocity_b], dimension, "a velocity")[0]
    relative = TVector(velocity)
    first, second = placed(a.forms, a.places, 0), placed(b.forms, b.places, 0)
    offset = second.position - first.position
    found = [axis_of(first, second, i) for i in range(count_axes(first, second))]
    every = [axis for axis in found if axis.mag_sqr() > 0.0]
    times = [passing_on(first, second, offset, relative, axis) for axis in every]
    units = [axis.unit() for axis in every]
    return AxisIntervals(
        np.array(units).reshape(-1, 3),
        np.array([axis.dot(relative) for axis in units]),
        np.array([time.enter for time in times]),
        np.array([time.leave for time in times]),
    )
