"""What balls hide of the sky: from the surfaces near them, and from each other.

Ambient occlusion tells at a glance how near things are. That of a sphere is a formula, cos θ (r/d)²
for a point at a distance d from its centre (I. Quilez, Sphere ambient occlusion, 2006), so it is
computed and not sampled. On surfaces `Blobs` draws it, where the ball is near; on balls, whose
neighbours may be anywhere, it is summed up here to a direction and a part of the sky.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim_viewer.stage.images import nearest_images
from spheresim_viewer.stage.stage import Stage

_NEAR = 3.0
"""Radii between a ball's centre and a surface, up to which it darkens it."""

_FEW = 60
"""Up to so many balls each darkens the floor below it, however high it is."""

_CROWD = 5_000
"""Of more balls than this, each is too small on the screen to show who is beside it."""

_LEVEL = 0.3
"""Least cosine of a floor's slope."""


class Nearness(NamedTuple):
    """What the picture needs, in stage units, float32.

    shadowing: (m, 4), centre and radius of a ball that darkens a surface; reach: (m, 4), centre
    and radius of where it does; normal: (m, 3), of the plane that it darkens, or 0;
    neighbours: (n, 4), how much of each ball's sky is hidden towards a side, and how much of it
    is open all round: 0, 0, 0, 1 for a ball that is alone.
    """

    shadowing: npt.NDArray[np.float32]
    reach: npt.NDArray[np.float32]
    normal: npt.NDArray[np.float32]
    neighbours: npt.NDArray[np.float32]


def nearness(stage: Stage, position: Floats, radius: Floats) -> Nearness:
    """What balls at positions (n, 3), with radii (n,), darken and are darkened by."""
    hidden = np.tile((0.0, 0.0, 0.0, 1.0), (len(position), 1))
    is_near_curved = np.zeros(len(position), np.bool_)
    parts = []
    for index, obstacle in enumerate(stage.obstacles):
        shape = obstacle.shape
        if isinstance(shape, Plane):
            parts.append(_on_plane(stage, shape, position, radius, hidden))
        elif isinstance(shape, Cylinder):
            is_near_curved |= _near_cylinder(stage, shape, position, radius, hidden)
        elif isinstance(shape, Bounded):
            is_near_curved |= _near_bounds(shape, position, radius, index in stage.tubes)
    chosen = np.flatnonzero(is_near_curved)
    parts.append((chosen, position[chosen], 3.6 * radius[chosen], np.zeros((len(chosen), 3))))
    if 1 < len(position) <= _CROWD:
        _add_each_other(position, radius, hidden)
    whose, at, wide, normal = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Nearness(
        _spheres(stage, position[whose], radius[whose]),
        _spheres(stage, at, wide),
        np.ascontiguousarray(normal, np.float32),
        np.ascontiguousarray(hidden, np.float32),
    )


def _spheres(stage: Stage, centre: Floats, radius: Floats) -> npt.NDArray[np.float32]:
    units = np.empty((len(centre), 4), np.float32)
    units[:, :3] = stage.to_units(centre)
    units[:, 3] = radius / stage.size
    return units


def _strength(between: Floats) -> Floats:
    """How much of the sky is hidden by a surface `between` radii away from the ball's."""
    return 0.75 * np.clip(1.0 - between / _NEAR, 0.0, 1.0) / (1.0 + between) ** 2


def _on_plane(
    stage: Stage, plane: Plane, position: Floats, radius: Floats, hidden: Floats
) -> tuple[Integers, Floats, Floats, Floats]:
    """The balls near a plane, or above a floor: which, where on it, how wide, and its normal."""
    gaps = plane.gaps(position)
    normal = np.array(plane.normal)
    near = np.flatnonzero((gaps > 0.0) & (gaps < (1.0 + _NEAR) * radius))
    strength = _strength(np.maximum(gaps[near] / radius[near] - 1.0, 0.0))
    hidden[near, :3] -= strength[:, None] * normal
    slope = float(normal @ stage.up)
    if slope < _LEVEL or len(position) > _FEW:
        at = position[near] - gaps[near, None] * normal
        return near, at, 2.7 * radius[near], np.broadcast_to(normal, (len(near), 3))
    above = np.flatnonzero(gaps > 0.0)
    at = position[above] - gaps[above, None] / slope * stage.up
    height = gaps[above] / radius[above]
    wide = np.where(height < 1.0 + _NEAR, 2.7, 1.4 + 0.14 * np.minimum(height, 8.0)) * radius[above]
    return above, at, wide / slope, np.broadcast_to(normal, (len(above), 3))


def _near_cylinder(
    stage: Stage, cylinder: Cylinder, position: Floats, radius: Floats, hidden: Floats
) -> Booleans:
    """Which balls are near a pillar or the wall of a tube; (n,) bool."""
    foot = np.array(cylinder.point)
    apart = nearest_images(position - foot, stage.box)
    gaps = cylinder.gaps(foot + apart)
    is_near: Booleans = np.abs(gaps) < (1.0 + _NEAR) * radius
    near = np.flatnonzero(is_near)
    axis = np.array(cylinder.axis)
    out = apart[near] - (apart[near] @ axis)[:, None] * axis
    out /= np.maximum(np.linalg.norm(out, axis=1), 1e-300)[:, None]
    strength = _strength(np.maximum(np.abs(gaps[near]) / radius[near] - 1.0, 0.0))
    hidden[near, :3] -= (np.sign(gaps[near]) * strength)[:, None] * out
    return is_near


def _near_bounds(shape: Bounded, position: Floats, radius: Floats, inside: bool) -> Booleans:
    """Which balls are near the box around an obstacle, or anywhere inside it; (n,) bool."""
    low, high = (np.array(corner) for corner in shape.bounds())
    margin = (1.0 + (0.0 if inside else _NEAR)) * radius[:, None]
    return np.all((position > low - margin) & (position < high + margin), axis=1)


def _add_each_other(position: Floats, radius: Floats, hidden: Floats) -> None:
    """Add what each ball's neighbours hide of its sky."""
    from scipy.spatial import cKDTree  # slow to import

    reach = 4.0 * float(np.median(radius))
    pairs = cKDTree(position).query_pairs(reach, output_type="ndarray")
    if len(pairs) == 0:
        return
    i, j = np.concatenate([pairs, pairs[:, ::-1]]).T
    apart = position[j] - position[i]
    distance = np.linalg.norm(apart, axis=1)
    surface = np.maximum(distance - radius[i], radius[j])
    window = np.clip((reach - distance) / reach * 2.0, 0.0, 1.0)
    strength = 0.7 * window * (radius[j] / surface) ** 2
    towards = apart / np.maximum(distance, 1e-300)[:, None]
    for axis in range(3):
        hidden[:, axis] += np.bincount(i, strength * towards[:, axis], len(position))
    hidden[:, 3] -= np.minimum(0.06 * np.bincount(i, strength, len(position)), 0.35)
