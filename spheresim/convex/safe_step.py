"""The lecture slides' world-wide largest safe step: how far time may go without any contact.

It is the smallest d / μ of all pairs, see `conservative_advancement`.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import kernel, routine
from spheresim.convex.geometry.motion import (
    Motion,
    bounding_radius,
    closing_bound,
    motion_at,
)
from spheresim.convex.geometry.posed_body import MinkowskiDifference, PosedBody, posed_body
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.convex.query_arguments import ManyBodies, needed, set_motions, several
from spheresim.numerics.arrays import Floats, Integers, RowsLike


class _MovingBody(NamedTuple):
    """A body and its motion."""

    body: PosedBody
    motion: Motion


@kernel
def _safe_step(
    geometry: Floats, poses: Floats, motions: Floats, simplex: Floats, pair: Integers
) -> float:
    smallest = math.inf
    for i in range(len(poses)):
        a = _MovingBody(posed_body(geometry, poses, i), motion_at(motions, i, 0))
        for j in range(i + 1, len(poses)):
            b = _MovingBody(posed_body(geometry, poses, j), motion_at(motions, j, 0))
            step = _pair_step(a, b, smallest, simplex)
            if step < smallest:
                smallest = step
                pair[0], pair[1] = i, j
    return smallest


@routine
def _pair_step(
    moving_a: _MovingBody, moving_b: _MovingBody, enough: float, simplex: Floats
) -> float:
    """How long two bodies surely do not meet; ends early once that is known to be `enough`."""
    a, motion_a = moving_a
    b, motion_b = moving_b
    reach_a, reach_b = bounding_radius(a), bounding_radius(b)
    radii = a.radius + b.radius
    offset = b.position - a.position
    apart = offset.mag() - (reach_a + reach_b + radii)
    if apart > 0.0:
        # By the balls around the two, whose turning changes nothing.
        closing = offset.dot(motion_a.velocity - motion_b.velocity) / offset.mag()
        if closing <= 0.0 or apart / closing >= enough:
            return enough
    simplex[0, 0, INDEX_A] = -1.0
    found = closest(MinkowskiDifference(a, b, offset), simplex, 0, LIMIT, NEVER_ENOUGH)
    distance = found.point.mag()
    if found.overlapping or distance <= radii:
        return 0.0
    bound = closing_bound(found.point / distance, motion_a, motion_b, reach_a, reach_b)
    return (distance - radii) / bound if bound > 0.0 else math.inf


class SafeStep(NamedTuple):
    """The answer of `safe_step`.

    step: a time in which no two bodies meet, inf if none ever meet; pair: the indices (i, j) of the
    two bodies that limit it, or None.
    """

    step: float
    pair: tuple[int, int] | None


def safe_step(
    bodies: ManyBodies, velocities: RowsLike, spins: npt.ArrayLike | None = None
) -> SafeStep:
    """A time step in which surely no two of n bodies meet; returns a `SafeStep`.

    It is 0 if two bodies overlap, and inf if no two can meet. velocities: (n, 3) [length per time];
    spins [rad per time]: (n, 3), in 2D (n,), or None. It is the smallest of distance / bound on the
    approach speed over all pairs, as in the slides on conservative advancement.

    >>> from spheresim.convex import box, sphere
    >>> world = [box((1, 1, 1)), sphere(1, (6, 0, 0)), sphere(1, (0, 9, 0))]
    >>> safe_step(world, [(1, 0, 0), (-1, 0, 0), (0, 0, 0)])
    SafeStep(step=2.0, pair=(0, 1))
    """
    pair = np.full(2, -1, dtype=np.int64)
    simplex = np.empty((1, CORNERS, COLUMNS))
    those = several(bodies)
    motions = np.zeros((len(those.poses), 1, 2, 3))
    set_motions(motions[:, 0], those, needed(velocities, "velocities"), spins)
    step = float(_safe_step(those.geometry, those.poses, motions, simplex, pair))
    return SafeStep(step, (int(pair[0]), int(pair[1])) if pair[0] >= 0 else None)
