"""A convex body and a disc or capped cylinder, both of which are convex themselves.

A capped cylinder is solid for a body whose middle is outside of it. A body whose middle is inside
is stopped by the walls, which its corners reach first: each corner is a ball in a drum.
"""

import numpy as np

from spheresim.collision_world.pairs.round_gjk import (
    RoundContacts,
    RoundScratch,
    round_contacts,
    round_impacts,
    round_scratch,
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
from spheresim.convex.epa.polytope import empty_polytope
from spheresim.convex.geometry.posed_body import PosedBodies
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.capped_cylinder import CappedCylinder
from spheresim.obstacles.disc import Disc


class _Seen:
    """Pairs as the round shapes see them.

    bodies: with poses, (m, 13), from the shapes' middles; rounds: axis, radius and half the
    length, (m, 5); velocities: of the bodies relative to the shapes, (m, 3); inside: the pairs
    whose body's middle (the mean of its corners) is in a capped cylinder; outside: the others.
    """

    def __init__(self, a: Side, b: Side) -> None:
        self._side = b
        shapes = [_round_of(solid) for solid in b.solids]
        self.rounds = np.array([row for _, row in shapes]).reshape(-1, 5)
        self.middles = b.positions + b.to_world(np.array([m for m, _ in shapes]).reshape(-1, 3))
        self.bodies = PosedBodies(a.geometry, seen_from(a, b, self.middles))
        self.velocities = b.to_own(a.velocities - b.velocities)
        self.radii = a.radii
        self.corners = [corners_of(a.geometry, pose) for pose in self.bodies.poses]
        self.is_inside = np.array([self._holds(k) for k in range(len(self.corners))], dtype=bool)

    def _holds(self, k: int) -> bool:
        along, across = self.cylindrical(k, self.corners[k].mean(axis=0))
        return bool(np.linalg.norm(across) < self.rounds[k, 3] and abs(along) < self.rounds[k, 4])

    def cylindrical(self, k: int, points: Floats) -> tuple[Floats, Floats]:
        """How far points, (…, 3), are along an axis, (…), and their ways across it, (…, 3)."""
        axis = self.rounds[k, :3]
        along = points @ axis
        return along, points - along[..., None] * axis

    def scratch(self) -> RoundScratch:
        """Room for all questions about these."""
        return round_scratch(empty_polytope(len(self.bodies.geometry) + 200))

    def to_world(self, points: Floats) -> Floats:
        """Places that the shapes see, (m, 3), in the world."""
        return self.middles + self._side.to_world(points)


def _round_of(shape: CappedCylinder | Disc) -> tuple[Floats, Floats]:
    """The middle of a disc or capped cylinder, (3,), and its axis, radius and half length, (5,)."""
    if isinstance(shape, Disc):
        return np.array(shape.center), np.array([*shape.normal, shape.radius, 0.0])
    way = shape.b - shape.a
    middle = np.array((shape.a + shape.b) * 0.5)
    return middle, np.array([*way.unit(), shape.radius, 0.5 * way.mag()])


def nearest(a: Side, b: Side) -> Nearest:
    """The gap of a body from a round shape, or, inside, from its walls; negative is a depth."""
    seen, m = _Seen(a, b), len(a.row)
    found = RoundContacts(np.empty(m), *np.empty((2, m, 3)))
    round_contacts(seen.bodies, seen.rounds, seen.scratch(), found)
    gap, normal, point = found
    for k in np.flatnonzero(seen.is_inside).tolist():
        gap[k], normal[k], point[k] = _at_the_wall(seen, k, seen.corners[k])
    turned, there = b.to_world(normal), seen.to_world(point)
    return Nearest(gap, turned, there, there - gap[:, None] * turned)


def _at_the_wall(seen: _Seen, k: int, corners: Floats) -> tuple[float, Floats, Floats]:
    """Gap, inward normal, and the body's point nearest to a wall, inside a capped cylinder."""
    axis, radius, half = seen.rounds[k, :3], seen.rounds[k, 3], seen.rounds[k, 4]
    along, across = seen.cylindrical(k, corners)
    wide = np.linalg.norm(across, axis=1)
    side, top, bottom = int(wide.argmax()), int(along.argmax()), int(along.argmin())
    outwards = across[side] / wide[side] if wide[side] > 0.0 else np.roll(axis, 1)
    gaps = [radius - wide[side], half - along[top], half + along[bottom]]
    which = int(np.argmin(gaps))
    normal = (-outwards, -axis, axis)[which]
    point = corners[(side, top, bottom)[which]] - normal * seen.radii[k]
    return float(gaps[which]) - seen.radii[k], normal, point


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a body first touches, to rounding; neither may turn."""
    del tolerance
    answer, seen, m = impacts(len(a.row)), _Seen(a, b), len(a.row)
    normal, point = np.zeros((2, m, 3))
    arrays = seen.bodies.poses, seen.rounds, seen.velocities
    outside = np.flatnonzero(~seen.is_inside)
    found = impacts(len(outside))
    poses, rounds, moving = (np.ascontiguousarray(column[outside]) for column in arrays)
    bodies = PosedBodies(seen.bodies.geometry, poses)
    round_impacts(bodies, rounds, moving, dt, seen.scratch(), found)
    answer.toi[outside], normal[outside], point[outside] = found
    for k in np.flatnonzero(seen.is_inside).tolist():
        answer.toi[k] = time = _wall_time(seen, k)
        if time <= dt:
            there = seen.corners[k] + seen.velocities[k] * time
            _, normal[k], point[k] = _at_the_wall(seen, k, there)
    met = np.flatnonzero(answer.toi <= dt)
    answer.toi[answer.toi > dt] = np.inf
    ahead = b.velocities[met] * answer.toi[met, None]
    answer.normal[met] = b.to_world(normal)[met]
    answer.point[met] = seen.to_world(point)[met] + ahead
    return answer


def _wall_time(seen: _Seen, k: int) -> float:
    """When the first corner of a body inside a capped cylinder reaches a wall."""
    gap, _, _ = _at_the_wall(seen, k, seen.corners[k])
    if gap <= 0.0:
        return 0.0
    inner_radius, end = seen.rounds[k, 3] - seen.radii[k], seen.rounds[k, 4] - seen.radii[k]
    along, across = seen.cylindrical(k, seen.corners[k])
    rise, way = seen.cylindrical(k, seen.velocities[k])
    times = [np.inf]
    if rise != 0.0:
        times.append(float(((end - np.sign(rise) * along) / abs(rise)).min()))
    square = float(way @ way)
    if square > 0.0:
        closing, left = (
            across @ way,
            inner_radius * inner_radius - np.einsum("ij,ij->i", across, across),
        )
        root = np.sqrt(closing * closing + square * left)
        # The larger root of square·t² + 2·closing·t − left, in the form in which nothing cancels.
        later = np.where(closing > 0.0, left / (closing + root), (root - closing) / square)
        times.append(float(later.min()))
    return min(times)


ROUND_ANSWERS = answers_by_nearest(nearest, sweep)
