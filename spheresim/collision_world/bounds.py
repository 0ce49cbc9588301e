"""The boxes around parts and shapes, where they are and over all of a motion."""

import math
from typing import Any

import numpy as np

from spheresim.collision_world.parts import CONVEX, CYLINDER, PLANE
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.geometry.motion import Motion, bounding_radius, motion_at, moved
from spheresim.convex.geometry.posed_body import PosedBody, posed_body
from spheresim.convex.geometry.support import project
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector

_SLACK = 2.0**-44
"""Relative to a box's coordinates: what touches to rounding lies in boxes that touch."""


@routine
def body_box(body: PosedBody, k: int, low: Any, high: Any) -> None:
    """Write the box around a body into row k."""
    for axis in range(3):
        along = TVector(1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2))
        first, last = project(body, along)
        where = body.position.dot(along)
        low[k, axis], high[k, axis] = where + first - body.radius, where + last + body.radius


@inlined
def _row_dot(rows: Any, k: int, axis: int, x: float, y: float, z: float) -> float:
    """Row `axis` of the rotation matrix of pose k, times a vector."""
    at = 4 + 3 * axis
    return float(rows[k, at] * x + rows[k, at + 1] * y + rows[k, at + 2] * z)


@routine
def _turned_box(poses: Any, k: int, own: Any, low: Any, high: Any) -> None:
    """Write the box around a box of part k's own frame into row k."""
    mx, my, mz = own[k, 0], own[k, 1], own[k, 2]
    for axis in range(3):
        middle = poses[k, 1 + axis] + _row_dot(poses, k, axis, mx, my, mz)
        at = 4 + 3 * axis
        half = abs(poses[k, at]) * own[k, 3] + abs(poses[k, at + 1]) * own[k, 4]
        half += abs(poses[k, at + 2]) * own[k, 5]
        low[k, axis] = min(low[k, axis], middle - half)
        high[k, axis] = max(high[k, axis], middle + half)


@routine
def _far_reach(own: Any, k: int) -> float:
    """The radius of the ball about a part's origin that holds a box of its own frame."""
    x, y, z = abs(own[k, 0]) + own[k, 3], abs(own[k, 1]) + own[k, 4], abs(own[k, 2]) + own[k, 5]
    return math.sqrt(x * x + y * y + z * z)


@routine
def _over_motion(
    geometry: Any,
    poses: Any,
    k: int,
    is_body: bool,
    own: Any,
    motion: Motion,
    dt: float,
    low: Any,
    high: Any,
) -> None:
    """Make the box of part k large enough for all of its motion."""
    if motion.spin.mag_sqr() > 0.0:
        reach = _far_reach(own, k)
        if is_body:
            body = posed_body(geometry, poses, k)
            reach = bounding_radius(body) + body.radius
        for axis in range(3):
            low[k, axis] = poses[k, 1 + axis] - reach
            high[k, axis] = poses[k, 1 + axis] + reach
    x, y, z = motion.velocity.x * dt, motion.velocity.y * dt, motion.velocity.z * dt
    for axis in range(3):
        way = x if axis == 0 else (y if axis == 1 else z)
        low[k, axis] += min(0.0, way)
        high[k, axis] += max(0.0, way)


@kernel
def bound_parts(
    which: Any,
    kind: Any,
    geometry: Any,
    poses: Any,
    own: Any,
    motions: Any,
    dt: float,
    low: Any,
    high: Any,
) -> None:
    """Write the boxes of some parts over a step, and of those that never end all of space.

    own: the middle and half extents of what is no body in its own frame, shape (parts, 6);
    motions: of the parts, shape (parts, 1, 2, 3).
    """
    for i in range(which.size):
        k = which[i]
        is_body = kind[k] <= CONVEX
        for axis in range(3):
            low[k, axis], high[k, axis] = math.inf, -math.inf
        if (kind[k] == PLANE) | (kind[k] == CYLINDER):
            for axis in range(3):
                low[k, axis], high[k, axis] = -math.inf, math.inf
            continue
        if is_body:
            body_box(posed_body(geometry, poses, k), k, low, high)
        else:
            _turned_box(poses, k, own, low, high)
        motion = motion_at(motions, k, 0)
        if dt > 0.0:
            _over_motion(geometry, poses, k, is_body, own, motion, dt, low, high)
        for axis in range(3):
            slack = _SLACK * max(abs(low[k, axis]), abs(high[k, axis]))
            low[k, axis] -= slack
            high[k, axis] += slack


@kernel
def move_parts(which: Any, geometry: Any, poses: Any, motions: Any, dt: float) -> None:
    """Write the poses of some parts after a time."""
    for i in range(which.size):
        k = which[i]
        body = moved(posed_body(geometry, poses, k), motion_at(motions, k, 0), dt)
        set_vector(poses[:, 1:4], k, body.position)
        set_vector(poses[:, 4:7], k, body.row_x)
        set_vector(poses[:, 7:10], k, body.row_y)
        set_vector(poses[:, 10:13], k, body.row_z)


def box_of_surface(shape: Any) -> Any:
    """Middle and half extents of a bounded shape in its own frame, shape (6,)."""
    low, high = (np.array(corner) for corner in shape.bounds())
    return np.concatenate([0.5 * (low + high), 0.5 * (high - low)])
