"""A convex body and a ring, which is a torus: solid for a body whose middle is outside of it, and a
round tube for one whose middle is inside.

A ring is the union of balls about all points of a circle. Where ring and body overlap, the depth is
that of the deepest ball: moved that far along the normal, the body leaves this ball. If the circle
itself enters the body, the body may then still overlap other balls.
"""

import numpy as np

from spheresim.collision_world.pairs.ring_search import (
    RingPairs,
    RingScratch,
    ring_contacts,
    ring_impacts,
    ring_scratch,
)
from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    Side,
    answers_by_nearest,
    corners_of,
    impacts,
    seen_from,
    write_start,
)
from spheresim.convex.epa.polytope import empty_polytope
from spheresim.numerics.arrays import Floats


def _seen(a: Side, b: Side) -> tuple[RingPairs, Floats]:
    """Pairs as the rings see them, and the middles of the rings in the world, (m, 3)."""
    rings = np.array([[*s.axis, s.radius, s.thickness] for s in b.solids]).reshape(-1, 5)
    own = np.array([solid.center for solid in b.solids]).reshape(-1, 3)
    middles = b.positions + b.to_world(own)
    poses = seen_from(a, b, middles)
    corners = [corners_of(a.geometry, pose) for pose in poses]
    means = np.array([each.mean(axis=0) for each in corners]).reshape(-1, 3) + own
    within = [solid.encloses(means[k : k + 1])[0] for k, solid in enumerate(b.solids)]
    return RingPairs(a.geometry, poses, rings, np.array(within, dtype=bool)), middles


def _scratch_of(pairs: RingPairs) -> RingScratch:
    scratch = ring_scratch(None)
    return scratch._replace(polytope=empty_polytope(len(pairs.geometry) + len(scratch.geometry)))


def nearest(a: Side, b: Side) -> Nearest:
    """The gap of a body from a ring, or, from inside, from its wall; negative is a depth."""
    (pairs, middles), m = _seen(a, b), len(a.row)
    own = Nearest(np.empty(m), *np.empty((3, m, 3)))
    ring_contacts(pairs, _scratch_of(pairs), own)
    points = (middles + b.to_world(point) for point in (own.point_a, own.point_b))
    return Nearest(own.gap, b.to_world(own.normal), *points)


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a body first touches, to rounding; neither may turn."""
    del tolerance
    answer, now = impacts(len(a.row)), nearest(a, b)
    begun, ahead = np.flatnonzero(now.gap <= 0.0), np.flatnonzero(now.gap > 0.0)
    write_start(answer, begun, now.taken(begun))
    if len(ahead):
        one, other = a.taken(ahead), b.taken(ahead)
        (pairs, middles), found = _seen(one, other), impacts(len(ahead))
        relative = other.to_own(one.velocities - other.velocities)
        ring_impacts(pairs, relative, dt, _scratch_of(pairs), found)
        met = np.flatnonzero(found.toi <= dt)
        moved = other.velocities[met] * found.toi[met, None]
        answer.toi[ahead[met]] = found.toi[met]
        answer.normal[ahead[met]] = other.to_world(found.normal)[met]
        answer.point[ahead[met]] = (middles + other.to_world(found.point))[met] + moved
    return answer


RING_ANSWERS = answers_by_nearest(nearest, sweep)
