"""Axis-aligned boxes around parts, at rest and over a step of their motion."""

import math

import numpy as np

from spheresim.collision_world.parts import CONVEX, CYLINDER, PLANE, PartArrays
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.geometry.motion import bounding_radius, motion_at, moved
from spheresim.convex.geometry.posed_body import PosedBody, posed_body
from spheresim.convex.geometry.support import project
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector
from spheresim.obstacles.bounded import Bounded

_SLACK = 2.0**-44
"""Margin of boxes relative to their coordinates, so that parts that touch have boxes that touch."""


@routine
def body_box(body: PosedBody) -> Bounds:
    """The box around a body."""
    x, to_x = _extent(body, TVector(1.0, 0.0, 0.0))
    y, to_y = _extent(body, TVector(0.0, 1.0, 0.0))
    z, to_z = _extent(body, TVector(0.0, 0.0, 1.0))
    return Bounds(TVector(x, y, z), TVector(to_x, to_y, to_z))


@inlined
def _extent(body: PosedBody, along: TVector) -> tuple[float, float]:
    """Where a body begins and ends along an axis."""
    first, last = project(body, along)
    where = body.position.dot(along)
    return where + first - body.radius, where + last + body.radius


@routine
def _set_turned_box(parts: PartArrays, k: int) -> None:
    """Write the box around the box that part k has in its own frame."""
    poses, own = parts.poses, parts.own
    for axis in range(3):
        at = 4 + 3 * axis  # where the axis's row of the rotation matrix begins
        turned = poses[k, at] * own[k, 0] + poses[k, at + 1] * own[k, 1]
        middle = poses[k, 1 + axis] + (turned + poses[k, at + 2] * own[k, 2])
        half = abs(poses[k, at]) * own[k, 3] + abs(poses[k, at + 1]) * own[k, 4]
        half += abs(poses[k, at + 2]) * own[k, 5]
        parts.low[k, axis] = middle - half
        parts.high[k, axis] = middle + half


@routine
def _bounding_radius(parts: PartArrays, k: int) -> float:
    """The radius of the ball about the origin of part k that holds all of it."""
    if parts.kind[k] <= CONVEX:
        body = posed_body(parts.geometry, parts.poses, k)
        return bounding_radius(body) + body.radius
    own = parts.own
    x, y, z = abs(own[k, 0]) + own[k, 3], abs(own[k, 1]) + own[k, 4], abs(own[k, 2]) + own[k, 5]
    return math.sqrt(x * x + y * y + z * z)


@routine
def _extend_over_motion(parts: PartArrays, k: int, dt: float) -> None:
    """Make the box of part k large enough for all of its motion in a step."""
    motion = motion_at(parts.motions, k, 0)
    if motion.spin.mag_sqr() > 0.0:
        reach = _bounding_radius(parts, k)
        for axis in range(3):
            parts.low[k, axis] = parts.poses[k, 1 + axis] - reach
            parts.high[k, axis] = parts.poses[k, 1 + axis] + reach
    x, y, z = motion.velocity.x * dt, motion.velocity.y * dt, motion.velocity.z * dt
    for axis in range(3):
        way = x if axis == 0 else (y if axis == 1 else z)
        parts.low[k, axis] += min(0.0, way)
        parts.high[k, axis] += max(0.0, way)


@kernel
def bound_parts(rows: Integers, parts: PartArrays, dt: float) -> None:
    """Write the boxes of some parts over a step, slightly too large; unbounded ones get all space.

    rows: of the parts, (k,). `parts.own` holds the middle and half extents, in its own frame, of a
    part that is neither a body nor unbounded.
    """
    low, high = parts.low, parts.high
    for i in range(rows.size):
        k = rows[i]
        if (parts.kind[k] == PLANE) | (parts.kind[k] == CYLINDER):
            for axis in range(3):
                low[k, axis], high[k, axis] = -math.inf, math.inf
            continue
        if parts.kind[k] <= CONVEX:
            box = body_box(posed_body(parts.geometry, parts.poses, k))
            set_vector(low, k, box.low)
            set_vector(high, k, box.high)
        else:
            _set_turned_box(parts, k)
        if dt > 0.0:
            _extend_over_motion(parts, k, dt)
        for axis in range(3):
            slack = _SLACK * max(abs(low[k, axis]), abs(high[k, axis]))
            low[k, axis] -= slack
            high[k, axis] += slack


@kernel
def move_parts(rows: Integers, parts: PartArrays, dt: float) -> None:
    """Write the poses of some parts after a time; rows: of the parts, (k,)."""
    poses = parts.poses
    for i in range(rows.size):
        k = rows[i]
        body = moved(posed_body(parts.geometry, poses, k), motion_at(parts.motions, k, 0), dt)
        set_vector(poses[:, 1:4], k, body.position)
        set_vector(poses[:, 4:7], k, body.row_x)
        set_vector(poses[:, 7:10], k, body.row_y)
        set_vector(poses[:, 10:13], k, body.row_z)


def box_of_surface(shape: Bounded) -> Floats:
    """Middle and half extents of a bounded shape in its own frame, shape (6,)."""
    low, high = (np.array(corner) for corner in shape.bounds())
    return np.concatenate([0.5 * (low + high), 0.5 * (high - low)])
