"""Two convex bodies: every question is one of `spheresim.convex`."""

import numpy as np

from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    PairAnswers,
    Points,
    Side,
    impacts,
    impacts_within,
    write_hits,
    write_start,
)
from spheresim.convex.distance import gjk_batch
from spheresim.convex.manifold import manifold_batch
from spheresim.convex.overlap import bodies_overlap_batch
from spheresim.convex.query_arguments import headers_of
from spheresim.convex.swept_sat import swept_sat_batch
from spheresim.convex.swept_sphere import swept_sphere_batch
from spheresim.convex.time_of_impact import time_of_impact_batch
from spheresim.numerics.arrays import Booleans, Integers


def touch(a: Side, b: Side) -> Booleans:
    """Which of the pairs have a point in common, (m,) bool."""
    return bodies_overlap_batch(a.bodies, b.bodies)


def nearest(a: Side, b: Side) -> Nearest:
    """How far apart they are, or how deep in each other."""
    found = gjk_batch(a.bodies, b.bodies)
    return Nearest(found.gap, found.normal, found.point_a, found.point_b)


def manifold(a: Side, b: Side) -> Points:
    """All points in which they lie against each other."""
    found = manifold_batch(a.bodies, b.bodies)
    pair = np.repeat(np.arange(len(found.count)), found.count)
    within = np.arange(found.points.shape[1]) < found.count[:, None]
    return Points(pair, found.points[within], found.normal[pair], found.depth[within])


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """The time of first touch in a step.

    Exact if neither body turns and one is a sphere or neither is rounded; else the time at which
    they are within the tolerance, never late.
    """
    answer = impacts(len(a.row))
    ahead = np.flatnonzero(~_touch_at_start(a, b, answer))
    head_a, head_b = headers_of(a.bodies)[ahead], headers_of(b.bodies)[ahead]
    spins_a, spins_b = a.turning[ahead], b.turning[ahead]
    turns = (spins_a != 0.0).any(axis=1) | (spins_b != 0.0).any(axis=1)
    ball = (head_a[:, 0, 0] == 1.0) | (head_b[:, 0, 0] == 1.0)
    sharp = head_a[:, 1, 0] + head_b[:, 1, 0] == 0.0
    solid = head_a[:, 1, 1] + head_b[:, 1, 1] > 0.0
    ways = np.where(turns, 3, np.where(ball, 0, np.where(sharp, np.where(solid, 1, 2), 3)))
    for way, exact in enumerate((swept_sphere_batch, swept_sat_batch)):
        chosen = ahead[ways == way]
        if len(chosen):
            one, other = a.taken(chosen), b.taken(chosen)
            found = exact(one.bodies, other.bodies, one.velocities, other.velocities)
            # What began before the step, by rounding, touches at its start.
            begun = (found.enter < 0.0) & (found.leave >= 0.0)
            meets = (found.enter >= 0.0) & (found.enter <= dt)
            write_hits(answer, chosen, meets, found.enter, found)
            _write_start(a, b, chosen[begun], answer)
    _advance(a, b, ahead[ways == 3], dt, tolerance, answer)
    flat = ahead[ways == 2]
    if len(flat):
        for exponent, which in _by_size(a.taken(flat), b.taken(flat)):
            _advance(a, b, flat[which], dt, float(np.ldexp(_ROUNDING, exponent)), answer)
    return answer


_ROUNDING = 2.0**-42
"""Relative to size and distance of two bodies: they touch if they are nearer than this."""


def _by_size(a: Side, b: Side) -> list[tuple[int, Integers]]:
    """Pairs in groups by size and distance: the exponent of a power of two, and the indices."""
    away = np.linalg.norm(a.positions - b.positions, axis=1) + a.reaches + b.reaches
    exponent = np.frexp(away)[1]
    return [(int(each), np.flatnonzero(exponent == each)) for each in np.unique(exponent)]


def _advance(
    a: Side, b: Side, chosen: Integers, dt: float, tolerance: float, answer: Impact
) -> None:
    """Write when some pairs come within a tolerance, by conservative advancement.

    For flat bodies that do not turn, each step ends where the planes that separate them touch. So
    with the rounding as tolerance, a few steps give the exact time.
    """
    if len(chosen):
        one, other = a.taken(chosen), b.taken(chosen)
        moving = one.velocities, other.velocities, one.turning, other.turning
        bodies = one.bodies, other.bodies
        met = time_of_impact_batch(*bodies, *moving, until=dt, tolerance=tolerance)
        write_hits(answer, chosen, impacts_within(met, dt), met.toi, met)


def _touch_at_start(a: Side, b: Side, answer: Impact) -> Booleans:
    """Write the pairs that touch at the start; returns which these are, (m,) bool."""
    begun = touch(a, b)
    _write_start(a, b, np.flatnonzero(begun), answer)
    return begun


def _write_start(a: Side, b: Side, chosen: Integers, answer: Impact) -> None:
    """Write that some pairs touch at the start, and where."""
    if len(chosen):
        write_start(answer, chosen, nearest(a.taken(chosen), b.taken(chosen)))


BODY_ANSWERS = PairAnswers(touch, nearest, manifold, sweep, turning=True)
