"""The time of impact of bodies that turn as well as move: asking `advance`.

Velocities [length per time] are of the position, spins [rad per time] about it; both stay
as they are. Signs: `normal` is a unit vector from b towards a.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.convex.body import Body, Placing, asked
from spheresim.convex.conservative_advancement import first_meeting, pair_of
from spheresim.convex.epa.polytope import scratch as polytope_scratch
from spheresim.convex.geometry.motion import motion_at, put_motion, put_motions
from spheresim.convex.geometry.posed_body import placed
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS
from spheresim.convex.query_arguments import Many, pair, pairs
from spheresim.convex.query_result import Answers
from spheresim.numerics.arguments import positive

_TOI, _GAP, _NORMAL, _CONTACT, _STEPS, _FINISHED, _WIDTH = 0, 1, 2, 5, 8, 9, 10


class TimeOfImpact(Answers):
    """Of one pair, or with a leading axis of many."""

    __slots__ = ()

    @property
    def toi(self) -> Any:
        """When the gap is within the tolerance; inf if it is not by the time given."""
        return self.column(_TOI)

    @property
    def gap(self) -> Any:
        """At `toi`, or where the search ended; if they overlap at the start, minus the depth."""
        return self.column(_GAP)

    @property
    def normal(self) -> np.ndarray:
        """At `toi`, or where the search ended; unit, from b towards a."""
        return self.vector(_NORMAL)

    @property
    def contact(self) -> np.ndarray:
        """Where they meet at `toi`, in the world: between their nearest points; inf if never."""
        return self.vector(_CONTACT)

    @property
    def steps(self) -> Any:
        """How often the distance was asked; 0 if the balls around them never meet."""
        return self.column(_STEPS)

    @property
    def finished(self) -> Any:
        """False if too many steps were needed: then nothing is met before `toi`, no more."""
        return self.column(_FINISHED) == 1.0


@kernel
def _times(
    forms_a: Any,
    places_a: Any,
    forms_b: Any,
    places_b: Any,
    motions: Any,
    until: float,
    tolerance: float,
    simplex: Any,
    polytope: Any,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        pair = pair_of(a, b, motion_at(motions, k, 0), motion_at(motions, k, 1))
        found = first_meeting(pair, until, tolerance, simplex, polytope)
        rows[k, _TOI], rows[k, _GAP] = found.toi, found.separation + 0.0
        for i in range(3):
            rows[k, _NORMAL + i] = found.normal[i] + 0.0  # no -0.0
            rows[k, _CONTACT + i] = found.place[i] + 0.0
        rows[k, _STEPS], rows[k, _FINISHED] = found.steps, found.finished


def _ask(a: Placing, b: Placing, motions: np.ndarray, until: Any, tolerance: Any) -> np.ndarray:
    rows = np.empty((asked(a, b), _WIDTH))
    _times(
        a.forms,
        a.places,
        b.forms,
        b.places,
        motions,
        math.inf if until == math.inf else positive(until, "the time until which to look"),
        positive(tolerance, "a tolerance"),
        np.empty((2, CORNERS, COLUMNS)),
        polytope_scratch(len(a.forms) + len(b.forms)),
        rows,
    )
    return rows


def time_of_impact(
    a: Body,
    b: Body,
    velocity_a: Sequence[float],
    velocity_b: Sequence[float] | None = None,
    spin_a: Any = None,
    spin_b: Any = None,
    until: float = math.inf,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """The first time up to `until` at which two bodies are within `tolerance` [length].

    It is never after their first contact. Bodies that overlap at the start: 0, unless they
    only touch, within the tolerance, and surely part or slide along each other. Without a
    velocity b is at rest. A spin is a number in 2D and a vector in 3D, or None. Two bodies
    that turn at unlike speeds in places within each other's reach need an `until`: else the
    search may end with `finished` False.

    >>> from spheresim.convex import box
    >>> answer = time_of_impact(box((1, 1)), box((1, 1), position=(9, 1)), velocity_a=(2, 0))
    >>> round(float(answer.toi), 6), answer.normal.tolist(), answer.contact.round(6)[0].item()
    (3.5, [-1.0, 0.0, 0.0], 8.0)
    """
    one, other = pair(a, b)
    motions = np.zeros((1, 2, 2, 3))
    put_motion(motions[0, 0], one, velocity_a, spin_a)
    if velocity_b is not None or spin_b is not None:
        put_motion(motions[0, 1], other, velocity_b, spin_b)
    return TimeOfImpact(_ask(one, other, motions, until, tolerance)[0])


def time_of_impact_batch(
    a: Many,
    b: Many,
    velocities_a: Any,
    velocities_b: Any = None,
    spins_a: Any = None,
    spins_b: Any = None,
    until: float = math.inf,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """`time_of_impact` of a[k] and b[k] for all k; velocities, spins: each its own, or one."""
    those, others = pairs(a, b)
    motions = np.zeros((len(those.places), 2, 2, 3))
    put_motions(motions[:, 0], those, velocities_a, spins_a)
    put_motions(motions[:, 1], others, velocities_b, spins_b)
    return TimeOfImpact(_ask(those, others, motions, until, tolerance))
