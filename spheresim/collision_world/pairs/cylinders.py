"""A convex body and an infinite cylinder, which is a thin wall.

To a body whose middle is outside, the cylinder is a capsule so long that the body reaches neither
end. A body whose middle is inside is stopped by the point of it that is furthest from the axis; of
a convex body that is a corner, so each corner is a ball in a tube.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.pairs import bodies
from spheresim.collision_world.pairs.side import Impact, Nearest, Points, Side, impacts
from spheresim.collision_world.pairs.tubes import (
    Tubes,
    corners_at_the_wall,
    furthest_corners,
    leaving_times,
    turning_times,
)
from spheresim.collision_world.parts import CONVEX
from spheresim.convex.body import Bodies
from spheresim.convex.shapes import hull


class _Seen(NamedTuple):
    """inside, outside: which of the pairs, by the body's middle; tubes: of all pairs; reach: how
    far the furthest corner is from the axis, (m,), in which direction, and where it is, (m, 3)."""

    inside: Any
    outside: Any
    tubes: Tubes
    reach: Any
    direction: Any
    corner: Any


def _seen(a: Side, b: Side) -> _Seen:
    """How the bodies lie in or beside the cylinders."""
    own = np.array([solid.axis for solid in b.solids]).reshape(-1, 3)
    offsets = np.array([solid.point for solid in b.solids]).reshape(-1, 3)
    radii = np.array([solid.radius for solid in b.solids])
    tubes = Tubes(b.positions + b.to_world(offsets), b.to_world(own), radii)
    middle, reach = np.empty((2, len(radii)))
    direction, corner = np.empty((2, len(radii), 3))
    poses = np.ascontiguousarray(a.poses)
    furthest_corners(a.geometry, poses, tubes, middle, reach, direction, corner)
    is_inside = middle < radii
    chosen = np.flatnonzero(is_inside), np.flatnonzero(~is_inside)
    return _Seen(*chosen, tubes, reach, direction, corner)


def _pillars(a: Side, b: Side, dt: float) -> Side:
    """Cylinders as capsules that end further away than the bodies get in a step."""
    speed = np.linalg.norm(a.velocities - b.velocities, axis=1)
    away = np.linalg.norm(a.positions - b.positions, axis=1) + a.reaches + speed * dt
    rows, firsts, which = np.unique(b.row, return_index=True, return_inverse=True)
    capsules = []
    for row, first in zip(rows, firsts, strict=True):
        solid, pose = b.solids[first], b.poses[first]
        wide = 4.0 * (float(away[b.row == row].max()) + solid.radius + solid.point.mag())
        ends = [solid.point - solid.axis * wide, solid.point + solid.axis * wide]
        capsules.append(hull(ends, radius=solid.radius).at(pose[1:4], pose[4:].reshape(3, 3)))
    made = Bodies.of(capsules)[which.ravel()]
    motions = np.stack([b.velocities, _tilting(b)], axis=1)
    kinds = np.full(len(b.row), CONVEX)
    return Side(made.geometry, made.poses, motions, kinds, b.solids, b.row, b.piece)


def _tilting(b: Side) -> Any:
    """The spins of cylinders, (m, 3), without those that turn one about its own axis."""
    spins = b.motions[:, 1].copy()
    for k in np.flatnonzero(spins.any(axis=1)):
        solid = b.solids[k]
        if not any(solid.point):
            axis = b.poses[k, 4:].reshape(3, 3) @ np.array(solid.axis)
            size = np.linalg.norm(spins[k])
            if np.linalg.norm(np.cross(spins[k] / size, axis)) < 1e-14:
                spins[k] = 0.0
    return spins


def nearest(a: Side, b: Side) -> Nearest:
    """How far a body is from the wall, on the side on which its middle is."""
    seen = _seen(a, b)
    radii = a.radii
    gap = seen.tubes.radius - radii - seen.reach
    on_body = seen.corner + seen.direction * radii[:, None]
    answer = Nearest(gap, -seen.direction, on_body, on_body + seen.direction * gap[:, None])
    if len(seen.outside):
        one, other = a.taken(seen.outside), b.taken(seen.outside)
        found = bodies.nearest(one, _pillars(one, other, 0.0))
        for column, values in zip(answer, found, strict=True):
            column[seen.outside] = values
    return answer


def touch(a: Side, b: Side) -> Any:
    """Which bodies reach the wall."""
    seen = _seen(a, b)
    answer = seen.tubes.radius - a.radii - seen.reach <= 0.0  # as `nearest` rounds it
    if len(seen.outside):
        one, other = a.taken(seen.outside), b.taken(seen.outside)
        answer[seen.outside] = bodies.touch(one, _pillars(one, other, 0.0))
    return answer


def manifold(a: Side, b: Side) -> Points:
    """All points in which they lie against each other: inside, all corners at the wall."""
    seen = _seen(a, b)
    within = a.taken(seen.inside)
    corner, *columns = corners_at_the_wall(within.bodies, seen.tubes.taken(seen.inside))
    answer = Points(seen.inside[corner], *columns)
    if len(seen.outside) == 0:
        return answer
    one, other = a.taken(seen.outside), b.taken(seen.outside)
    found = bodies.manifold(one, _pillars(one, other, 0.0))
    found = found._replace(pair=seen.outside[found.pair])
    return Points(*(np.concatenate(columns) for columns in zip(answer, found, strict=True)))


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a body first reaches the wall: from outside as a capsule, see `bodies.sweep`; from
    inside exactly if neither turns."""
    answer, seen = impacts(len(a.row)), _seen(a, b)
    if len(seen.outside):
        one, other = a.taken(seen.outside), b.taken(seen.outside)
        _write(answer, seen.outside, bodies.sweep(one, _pillars(one, other, dt), dt, tolerance))
    if len(seen.inside):
        one, other = a.taken(seen.inside), b.taken(seen.inside)
        tubes = seen.tubes.taken(seen.inside)
        _write(answer, seen.inside, _sweep_inside(one, other, tubes, dt, tolerance))
    return answer


def _write(answer: Impact, rows: Any, found: Impact) -> None:
    """Write down what was found of some of the pairs."""
    for column, values in zip(answer, found, strict=True):
        column[rows] = values


def _sweep_inside(a: Side, b: Side, tubes: Tubes, dt: float, tolerance: float) -> Impact:
    """When bodies first reach the wall from inside."""
    answer, now = impacts(len(a.row)), nearest(a, b)
    turns = a.turning.any(axis=1) | _tilting(b).any(axis=1)
    begun = np.flatnonzero(now.gap <= 0.0)
    answer.toi[begun], answer.normal[begun] = 0.0, now.normal[begun]
    answer.point[begun] = 0.5 * (now.point_a + now.point_b)[begun]
    for is_turning, times in ((False, _straight), (True, _turning)):
        chosen = np.flatnonzero((now.gap > 0.0) & (turns == is_turning))
        if len(chosen):
            one, other = a.taken(chosen), b.taken(chosen)
            found = times(one, other, tubes.taken(chosen), dt, tolerance)
            met = np.flatnonzero(found.toi <= dt)
            _write(answer, chosen[met], Impact(*(column[met] for column in found)))
    return answer


def _straight(a: Side, b: Side, tubes: Tubes, dt: float, tolerance: float) -> Impact:
    """When bodies that do not turn reach the wall; however long the step."""
    del dt, tolerance
    found = impacts(len(a.row))
    speeds = np.ascontiguousarray(a.velocities), np.ascontiguousarray(b.velocities)
    leaving_times(a.geometry, np.ascontiguousarray(a.poses), speeds, tubes, *found)
    return found


def _turning(a: Side, b: Side, tubes: Tubes, dt: float, tolerance: float) -> Impact:
    """When bodies that turn, or in cylinders that tilt, reach the wall."""
    del tubes  # their capsules are moved instead
    found, walls = impacts(len(a.row)), _pillars(a, b, dt)
    motions = np.stack([a.velocities, a.turning], axis=1)[:, None]
    moving = (a.geometry, np.ascontiguousarray(a.poses), motions)
    turning_times(*moving, *walls[:2], walls.motions[:, None], dt, tolerance, *found)
    return found
