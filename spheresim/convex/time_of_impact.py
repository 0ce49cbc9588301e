"""The time of impact of bodies that turn as well as move, by conservative advancement.

Velocities [length per time] are of the position, spins [rad per time] about it; both stay
as they are. Signs: `normal` is a unit vector from b towards a.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import routine
from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.conservative_advancement import first_contact, moving_pair
from spheresim.convex.geometry.motion import motion_at
from spheresim.convex.geometry.posed_body import MinkowskiDifference
from spheresim.convex.pair_query import Scratch, ask, pair_kernel
from spheresim.convex.query_arguments import (
    ManyBodies,
    needed,
    pair,
    pairs,
    set_motion,
    set_motions,
)
from spheresim.convex.query_result import (
    NUMBER,
    VECTOR,
    WHOLE,
    Field,
    Flag,
    QueryResult,
    without_minus_zero,
)
from spheresim.numerics.arguments import positive
from spheresim.numerics.arrays import RowsLike
from spheresim.numerics.rows import set_vector


class TimeOfImpact(QueryResult):
    """The answer of `time_of_impact` for one pair; for many, every field has a leading axis."""

    __slots__ = ()

    toi = Field(
        NUMBER,
        "When the gap is within the tolerance; inf if it is not by `until`; where `finished` is "
        "False, the time up to which nothing is met.",
    )
    gap = Field(
        NUMBER,
        "At `toi`, or where the search ended; if they overlap at the start, minus the depth.",
    )
    normal = Field(VECTOR, "At `toi`, or where the search ended; unit, from b towards a.")
    contact = Field(
        VECTOR,
        "Where they meet at `toi`, in the world: between their nearest points; zeros if never.",
    )
    steps = Field(
        WHOLE, "How often the distance was computed; 0 if the balls around them never meet."
    )
    finished = Flag(
        "False if the limit on steps ended the search: `toi` is then no impact, but nothing is met "
        "before it."
    )


@routine
def _time_of_impact(
    difference: MinkowskiDifference,
    k: int,
    scratch: Scratch,
    given: Any,
    records: np.ndarray,
) -> None:
    """Answer `time_of_impact` of pair k; given: motions (n, 2, 2, 3), `until`, the tolerance."""
    motions, until, tolerance = given
    pair = moving_pair(
        difference.a, difference.b, motion_at(motions, k, 0), motion_at(motions, k, 1)
    )
    found = first_contact(pair, until, tolerance, scratch)
    records[k]["toi"], records[k]["gap"] = found.time, found.separation + 0.0
    set_vector(records["normal"], k, without_minus_zero(found.normal))
    set_vector(records["contact"], k, without_minus_zero(found.place))
    records[k]["steps"], records[k]["finished"] = found.steps, found.finished


_times_of_impact = pair_kernel(_time_of_impact)


def _ask(
    a: BodyArrays, b: BodyArrays, motions: np.ndarray, until: float, tolerance: float
) -> np.ndarray:
    """The records of all pairs."""
    end = math.inf if until == math.inf else positive(until, "the time until which to look")
    near = positive(tolerance, "a tolerance")
    return ask(_times_of_impact, a, b, TimeOfImpact.dtype, motions, end, near)


def time_of_impact(
    a: Body,
    b: Body,
    velocity_a: Sequence[float],
    velocity_b: Sequence[float] | None = None,
    spin_a: npt.ArrayLike | None = None,
    spin_b: npt.ArrayLike | None = None,
    until: float = math.inf,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """The first time up to `until` at which two bodies are within `tolerance` [length].

    It is never later than their first contact. It is 0 for bodies that overlap at the start, unless
    they only touch, to the tolerance, and surely part or slide along each other. Velocities [length
    per time]: without one, b is at rest. Spins [rad per time]: a number in 2D, a vector in 3D, or
    None. Two bodies that turn at different speeds within each other's reach need an `until`:
    without it, as with a very late one, 100,000 steps may not be enough. Then `finished` is False,
    and `toi` is only the time up to which nothing is met. The tolerance is a length: for bodies
    that are not much larger than it, give a smaller one.

    >>> from spheresim.convex import box
    >>> answer = time_of_impact(box((1, 1)), box((1, 1), position=(9, 1)), velocity_a=(2, 0))
    >>> round(float(answer.toi), 6), answer.normal.tolist(), answer.contact.round(6)[0].item()
    (3.5, [-1.0, 0.0, 0.0], 8.0)
    """
    one, other = pair(a, b)
    motions = np.zeros((1, 2, 2, 3))
    set_motion(motions, 0, one, needed(velocity_a, "velocity_a"), spin_a)
    if velocity_b is not None or spin_b is not None:
        set_motion(motions, 1, other, velocity_b, spin_b)
    return TimeOfImpact(_ask(one, other, motions, until, tolerance).reshape(()))


def time_of_impact_batch(
    a: ManyBodies,
    b: ManyBodies,
    velocities_a: RowsLike,
    velocities_b: RowsLike | None = None,
    spins_a: npt.ArrayLike | None = None,
    spins_b: npt.ArrayLike | None = None,
    until: float = math.inf,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """Times of impact of many pairs: row k is `time_of_impact` of a[k] and b[k].

    velocities, spins: (n, 3), or one row for all [length per time, rad per time].
    """
    those, others = pairs(a, b)
    motions = np.zeros((len(those.poses), 2, 2, 3))
    set_motions(motions[:, 0], those, needed(velocities_a, "velocities_a"), spins_a)
    set_motions(motions[:, 1], others, velocities_b, spins_b)
    return TimeOfImpact(_ask(those, others, motions, until, tolerance))
