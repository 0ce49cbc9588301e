"""The mid phase: from pairs of shapes whose boxes meet to pairs of parts, and of triangles.

Boxes of parts, and of a mesh's triangles in the mesh's own frame, leave out what is not near.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.endless import reach_endless
from spheresim.collision_world.pairs.side import Side
from spheresim.collision_world.pairs.table import is_never_asked
from spheresim.collision_world.parts import MESH, PLANE
from spheresim.collision_world.shapes import Shapes


class PiecePairs(NamedTuple):
    """Pairs of parts: which pair of shapes each is of, (k,); the parts, and of meshes the
    triangles, −1 of others, of both sides, (k,) each."""

    pair: Any
    row_a: Any
    row_b: Any
    piece_a: Any
    piece_b: Any

    def taken(self, which: Any) -> "PiecePairs":
        """Some of the pairs."""
        return PiecePairs(*(column[which] for column in self))

    def sides(self, shapes: Shapes) -> tuple[Side, Side]:
        """Both sides, as questions take them; the geometries of all pieces must be there first."""
        shapes.side(self.row_a, self.piece_a)
        b = shapes.side(self.row_b, self.piece_b)
        return shapes.side(self.row_a, self.piece_a), b


def piece_pairs(shapes: Shapes, slots_a: Any, slots_b: Any, dt: float) -> PiecePairs:
    """The pairs of parts of pairs of shapes, (m,) each, whose boxes meet."""
    pairs = _part_pairs(shapes, slots_a, slots_b)
    kind_a, kind_b = shapes.kind[pairs.row_a], shapes.kind[pairs.row_b]
    endless = shapes.endless[slots_a] | shapes.endless[slots_b]
    if endless.any():
        asked = np.flatnonzero(~is_never_asked(kind_a, kind_b))
        pairs = pairs.taken(asked)
        pairs = pairs.taken(reach_endless(shapes, pairs.row_a, pairs.row_b, dt))
    is_mesh = (shapes.kind[pairs.row_a] == MESH) | (shapes.kind[pairs.row_b] == MESH)
    if not is_mesh.any():
        return pairs
    found = [pairs.taken(~is_mesh)]
    for k in np.flatnonzero(is_mesh):
        one, two = int(pairs.row_a[k]), int(pairs.row_b[k])
        a, b = _triangle_pairs(shapes, one, two, dt)
        same = np.full(len(a), pairs.pair[k])
        found.append(PiecePairs(same, np.full(len(a), one), np.full(len(a), two), a, b))
    joined = PiecePairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
    return joined.taken(np.argsort(joined.pair, kind="stable"))


def _part_pairs(shapes: Shapes, slots_a: Any, slots_b: Any) -> PiecePairs:
    """Every part of one shape with every part of the other, where their boxes meet."""
    count_a, count_b = shapes.parts[slots_a], shapes.parts[slots_b]
    first_a, first_b = shapes.first[slots_a], shapes.first[slots_b]
    many = count_a * count_b
    if (many == 1).all():
        none = np.full(len(many), -1)
        return PiecePairs(np.arange(len(many)), first_a, first_b, none, none)
    pair = np.repeat(np.arange(len(many)), many)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    row_a = first_a[pair] + within // count_b[pair]
    row_b = first_b[pair] + within % count_b[pair]
    meet = (shapes.low[row_a] <= shapes.high[row_b]) & (shapes.low[row_b] <= shapes.high[row_a])
    chosen = np.flatnonzero(meet.all(axis=1))
    none = np.full(len(chosen), -1)
    return PiecePairs(pair[chosen], row_a[chosen], row_b[chosen], none, none)


def _triangle_pairs(shapes: Shapes, row_a: int, row_b: int, dt: float) -> tuple[Any, Any]:
    """The triangles of two parts, of which one at least is a mesh, whose boxes meet."""
    if shapes.kind[row_a] != MESH:
        b, a = _triangle_pairs(shapes, row_b, row_a, dt)
        return a, b
    near = triangles_near(shapes, row_a, row_b, dt)
    if shapes.kind[row_b] != MESH:
        return near, np.full(len(near), -1)
    low, high = _boxes_in_world(shapes, row_a, near, dt)
    which, others = _in_mesh_frame(shapes, row_b, low, high, dt)
    return near[which], others


def triangles_near(shapes: Shapes, mesh: int, other: int, dt: float) -> Any:
    """The triangles of a mesh whose boxes meet that of another part."""
    if shapes.kind[other] == PLANE:
        return _triangles_behind(shapes, mesh, other, dt)
    return _in_mesh_frame(shapes, mesh, shapes.low[[other]], shapes.high[[other]], dt)[1]


def _in_mesh_frame(shapes: Shapes, mesh: int, low: Any, high: Any, dt: float) -> tuple[Any, Any]:
    """Which boxes of the world, (n, 3), meet which triangles of a mesh, in pairs."""
    triangles = shapes.solids[mesh]
    velocity, spin = shapes.motions[mesh, 0]
    if dt > 0.0 and spin.any():
        every = np.arange(len(triangles.corners))
        return np.repeat(np.arange(len(low)), len(every)), np.tile(every, len(low))
    # Seen from the mesh, the others also move against its own motion.
    way = -velocity * dt
    low, high = low + np.minimum(way, 0.0), high + np.maximum(way, 0.0)
    rotation = shapes.poses[mesh, 4:].reshape(3, 3)
    with np.errstate(invalid="ignore"):
        middle = (0.5 * (low + high) - shapes.poses[mesh, 1:4]) @ rotation
        half = 0.5 * (high - low) @ np.abs(rotation)
    endless = ~np.isfinite(low + high).all(axis=1)
    half[endless], middle[endless] = np.inf, 0.0
    half += 2.0**-44 * (np.abs(middle) + np.abs(shapes.poses[mesh, 1:4]).max())
    which, items = triangles.tree.overlaps(middle - half, middle + half)
    return which, items


def _boxes_in_world(shapes: Shapes, mesh: int, pieces: Any, dt: float) -> tuple[Any, Any]:
    """The boxes of some triangles over a step, (n, 3) each."""
    velocity, spin = shapes.motions[mesh, 0]
    if dt > 0.0 and spin.any():
        each = np.ones((len(pieces), 1))
        return shapes.low[mesh] * each, shapes.high[mesh] * each
    corners = shapes.solids[mesh].corners[pieces]
    rotation = shapes.poses[mesh, 4:].reshape(3, 3)
    corners = corners @ rotation.T + shapes.poses[mesh, 1:4]
    way = velocity * dt
    slack = 2.0**-44 * np.abs(corners).max(initial=0.0)
    low = corners.min(axis=1) + np.minimum(way, 0.0) - slack
    return low, corners.max(axis=1) + np.maximum(way, 0.0) + slack


def _triangles_behind(shapes: Shapes, mesh: int, plane: int, dt: float) -> Any:
    """The triangles of a mesh that reach behind a plane; all of them where anything moves."""
    corners = shapes.solids[mesh].corners
    if dt > 0.0:
        return np.arange(len(corners))
    solid = shapes.solids[plane]
    turn, other_turn = (shapes.poses[k, 4:].reshape(3, 3) for k in (mesh, plane))
    normal = turn.T @ (other_turn @ np.array(solid.normal))
    point = shapes.poses[plane, 1:4] + other_turn @ np.array(solid.point)
    heights = (corners @ normal).min(axis=1) - normal @ (turn.T @ (point - shapes.poses[mesh, 1:4]))
    slack = 2.0**-44 * (np.abs(corners).max() + np.abs(point).max())
    return np.flatnonzero(heights <= slack)
