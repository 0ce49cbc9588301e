"""A convex body and a plane, which is solid behind: the body's lowest point decides."""

from typing import NamedTuple

import numpy as np

from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    Points,
    Side,
    answers_by_nearest,
    impacts,
    impacts_within,
    write_hits,
    written_points,
)
from spheresim.compiler.decorators import inlined, kernel
from spheresim.convex.body import Bodies, Body
from spheresim.convex.geometry.posed_body import PosedBodies, PosedBody, point_at, posed_body
from spheresim.convex.geometry.support import support
from spheresim.convex.shapes import box, hull
from spheresim.convex.time_of_impact import time_of_impact_batch
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.plane import Plane


class Planes(NamedTuple):
    """Planes in the world: points and normals, (m, 3) each."""

    point: Floats
    normal: Floats


def planes_of(b: Side) -> Planes:
    """The planes of one side."""
    own = np.array([plane.normal for plane in b.solids]).reshape(-1, 3)
    offsets = np.array([plane.point for plane in b.solids]).reshape(-1, 3)
    return Planes(b.positions + b.to_world(offsets), b.to_world(own))


@inlined
def _plane_at(planes: Planes, k: int) -> Plane:
    return Plane(vector_at(planes.point, k), vector_at(planes.normal, k))


@inlined
def lowest_point(body: PosedBody, plane: Plane) -> TVector:
    """The point of a body's core that is furthest behind a plane, or nearest before it."""
    return body.position + point_at(body, support(body, -plane.normal))


@kernel
def _deepest(bodies: PosedBodies, planes: Planes, gap: Floats, deepest: Floats) -> None:
    """Write the gap of each body over its plane, and the body's lowest point."""
    for k in range(len(gap)):
        body, plane = posed_body(bodies.geometry, bodies.poses, k), _plane_at(planes, k)
        core = lowest_point(body, plane)
        gap[k] = plane.gap(core) - body.radius
        set_vector(deepest, k, core - plane.normal * body.radius)


@kernel
def _below(bodies: PosedBodies, planes: Planes, found: Points) -> int:
    """Write the points behind the planes, see `written_points`."""
    count = 0
    for k in range(len(bodies.poses)):
        body, plane = posed_body(bodies.geometry, bodies.poses, k), _plane_at(planes, k)
        for i in range(body.normals - body.points):
            core = body.position + point_at(body, i)
            gap = plane.gap(core) - body.radius
            if gap <= 0.0:
                if count < len(found.pair):
                    found.pair[count], found.depth[count] = k, -gap
                    middle = core - plane.normal * (body.radius + 0.5 * gap)
                    set_vector(found.point, count, middle)
                    set_vector(found.normal, count, plane.normal)
                count += 1
    return count


def nearest(a: Side, b: Side) -> Nearest:
    """The gap of a body in front of a plane, negative if it reaches behind."""
    planes, gap, deepest = planes_of(b), np.empty(len(a.row)), np.empty((len(a.row), 3))
    _deepest(a.posed, planes, gap, deepest)
    return Nearest(gap, planes.normal, deepest, deepest - gap[:, None] * planes.normal)


def manifold(a: Side, b: Side) -> Points:
    """All corners of bodies that are behind planes."""
    return written_points(_below, 8 * len(a.row), a.posed, planes_of(b))


def touching_times(now: Nearest, a: Side, b: Side) -> Floats:
    """When a plane and what does not turn touch, (m,): 0 if they overlap, inf if never."""
    closing = -np.einsum("ki,ki->k", a.velocities - b.velocities, now.normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(now.gap <= 0.0, 0.0, np.where(closing > 0.0, now.gap / closing, np.inf))


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a body first reaches a plane: exactly if neither turns."""
    now, answer = nearest(a, b), impacts(len(a.row))
    turns, time = a.turning.any(axis=1) | b.turning.any(axis=1), touching_times(now, a, b)
    hits = (time <= dt) & (~turns | (now.gap <= 0.0))
    answer.toi[hits], answer.normal[hits] = time[hits], now.normal[hits]
    answer.point[hits] = now.point_a[hits] + a.velocities[hits] * time[hits, None]
    chosen = np.flatnonzero(turns & (now.gap > 0.0))
    if len(chosen):
        _turning_sweep(a.taken(chosen), b.taken(chosen), dt, tolerance, chosen, answer)
    return answer


def _turning_sweep(
    a: Side, b: Side, dt: float, tolerance: float, chosen: Integers, answer: Impact
) -> None:
    """The same of bodies or planes that turn, by conservative advancement.

    A plane stands for a block behind it, so wide that in a step no body gets past its sides.
    """
    speed = np.linalg.norm(a.velocities - b.velocities, axis=1)
    away = np.linalg.norm(a.positions - b.positions, axis=1)
    wide = 8.0 * float((a.reaches + speed * dt + away).max())
    rows, which = np.unique(b.row, return_inverse=True)
    firsts = [int(np.flatnonzero(b.row == row)[0]) for row in rows]
    blocks = Bodies.of([_block(b.solids[k], wide, b.poses[k]) for k in firsts])[which.ravel()]
    found = time_of_impact_batch(
        a.bodies,
        blocks,
        a.velocities,
        b.velocities,
        a.turning,
        b.turning,
        until=dt,
        tolerance=tolerance,
    )
    write_hits(answer, chosen, impacts_within(found, dt), found.toi, found)


def _block(plane: Plane, wide: float, pose: Floats) -> Body:
    """A block behind a plane in a pose, which turns about the plane's own origin."""
    normal, across = plane.normal, plane.normal.perpendicular()
    frame = np.column_stack([across, normal.cross(across), normal])
    behind = box((wide, wide, wide), plane.point - normal * wide, frame)
    return hull(behind.world_points).at(pose[1:4], pose[4:].reshape(3, 3))


PLANE_ANSWERS = answers_by_nearest(nearest, sweep)._replace(manifold=manifold, turning=True)
