"""A convex body and a ring, which is a torus: solid to a body whose middle is outside, and a round
tube to one whose middle is inside.

Where they overlap, the depth is that of the deepest of the balls of which the ring consists: moved
that far along the normal, the body leaves this ball. If the circle in the middle of the ring is in
the body itself, others may then still be in it.
"""

import numpy as np

from spheresim.collision_world.pairs.ring_search import (
    RingRoom,
    ring_contacts,
    ring_impacts,
    ring_room,
)
from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    Side,
    answers_by_nearest,
    corners_of,
    impacts,
    seen_from,
)
from spheresim.convex.epa.polytope import room_for


class _Seen:
    """Pairs as the rings see them.

    middles: of the rings in the world, (m, 3); rings: axis, radius and thickness, (m, 5); poses: of
    the bodies, (m, 13); is_inside: which bodies have their middle, the mean of their corners, in a
    ring, (m,).
    """

    def __init__(self, a: Side, b: Side) -> None:
        self.geometry = a.geometry
        self.rings = np.array([[*s.axis, s.radius, s.thickness] for s in b.solids]).reshape(-1, 5)
        own = np.array([solid.center for solid in b.solids]).reshape(-1, 3)
        self.middles = b.positions + b.to_world(own)
        self.poses = seen_from(a, b, self.middles)
        corners = [corners_of(a.geometry, pose) for pose in self.poses]
        means = np.array([each.mean(axis=0) for each in corners]).reshape(-1, 3) + own
        within = [solid.encloses(means[k : k + 1])[0] for k, solid in enumerate(b.solids)]
        self.is_inside = np.array(within, dtype=bool)

    def room(self) -> RingRoom:
        """Room for all questions about these."""
        room = ring_room(None)
        return room._replace(polytope=room_for(len(self.geometry) + len(room.geometry)))


def nearest(a: Side, b: Side) -> Nearest:
    """How far a body is from a ring, or how deep in it, or in its wall."""
    seen, m = _Seen(a, b), len(a.row)
    gap, (normal, on_body, on_ring) = np.empty(m), np.empty((3, m, 3))
    pairs = seen.geometry, seen.poses, seen.rings, seen.is_inside
    ring_contacts(*pairs, seen.room(), gap, normal, on_body, on_ring)
    points = (seen.middles + b.to_world(own) for own in (on_body, on_ring))
    return Nearest(gap, b.to_world(normal), *points)


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a body first touches, to rounding; neither may turn."""
    del tolerance
    answer, now = impacts(len(a.row)), nearest(a, b)
    begun, ahead = np.flatnonzero(now.gap <= 0.0), np.flatnonzero(now.gap > 0.0)
    answer.toi[begun], answer.normal[begun] = 0.0, now.normal[begun]
    answer.point[begun] = 0.5 * (now.point_a + now.point_b)[begun]
    if len(ahead):
        one, other = a.taken(ahead), b.taken(ahead)
        seen, found = _Seen(one, other), impacts(len(ahead))
        pairs = seen.geometry, seen.poses, seen.rings, seen.is_inside
        ring_impacts(
            *pairs, other.to_own(one.velocities - other.velocities), dt, seen.room(), *found
        )
        met = np.flatnonzero(found.toi <= dt)
        moved = other.velocities[met] * found.toi[met, None]
        answer.toi[ahead[met]] = found.toi[met]
        answer.normal[ahead[met]] = other.to_world(found.normal)[met]
        answer.point[ahead[met]] = (seen.middles + other.to_world(found.point))[met] + moved
    return answer


RING_ANSWERS = answers_by_nearest(nearest, sweep)
