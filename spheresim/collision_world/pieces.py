"""The mid phase: from pairs of shapes whose boxes meet to pairs of parts, and of triangles.

Boxes of parts, and of a mesh's triangles in the mesh's own frame, leave out what is not near.
"""

from typing import NamedTuple

import numpy as np

from spheresim.collision_world.nearest_triangles import nearest_triangles
from spheresim.collision_world.pairs.catalogue import is_never_asked
from spheresim.collision_world.pairs.side import Side
from spheresim.collision_world.parts import CONVEX, CYLINDER, MESH, PLANE
from spheresim.collision_world.shapes import Shapes
from spheresim.convex.geometry.posed_body import PosedBodies
from spheresim.numerics.arrays import Booleans, Floats, Integers


class PiecePairs(NamedTuple):
    """Pairs of parts: which pair of shapes each is of, (k,); the parts, and of meshes the
    triangles, −1 of others, of both sides, (k,) each."""

    pair: Integers
    row_a: Integers
    row_b: Integers
    piece_a: Integers
    piece_b: Integers

    def taken(self, which: np.ndarray) -> "PiecePairs":
        """The pairs with some indices."""
        return PiecePairs(*(column[which] for column in self))

    def swapped(self) -> "PiecePairs":
        """The same pairs, the sides the other way round."""
        return PiecePairs(self.pair, self.row_b, self.row_a, self.piece_b, self.piece_a)

    def sides(self, a: Shapes, b: Shapes) -> tuple[Side, Side]:
        """Both sides of all pairs, as `pairs.dispatch` takes them."""
        # Both worlds may be one: all geometries of triangles are made before any side is read.
        a.side(self.row_a, self.piece_a)
        other = b.side(self.row_b, self.piece_b)
        return a.side(self.row_a, self.piece_a), other


def piece_pairs(
    a: Shapes, slots_a: Integers, b: Shapes, slots_b: Integers, dt: float
) -> PiecePairs:
    """The pairs of parts of pairs of shapes, slots (m,) each, whose boxes meet."""
    pairs = _part_pairs(a, slots_a, b, slots_b)
    if a.unbounded[slots_a].any() or b.unbounded[slots_b].any():
        asked = ~is_never_asked(a.kind[pairs.row_a], b.kind[pairs.row_b])
        pairs = pairs.taken(np.flatnonzero(asked))
        pairs = pairs.taken(reach_unbounded(a, pairs.row_a, b, pairs.row_b, dt))
        pairs = pairs.taken(reach_unbounded(b, pairs.row_b, a, pairs.row_a, dt))
    is_mesh = (a.kind[pairs.row_a] == MESH) | (b.kind[pairs.row_b] == MESH)
    if not is_mesh.any():
        return pairs
    found = [pairs.taken(~is_mesh)]
    for k in np.flatnonzero(is_mesh):
        one, two = int(pairs.row_a[k]), int(pairs.row_b[k])
        piece_a, piece_b = _triangle_pairs(a, one, b, two, dt)
        many = len(piece_a)
        each = np.full(many, pairs.pair[k]), np.full(many, one), np.full(many, two)
        found.append(PiecePairs(*each, piece_a, piece_b))
    joined = PiecePairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
    return joined.taken(np.argsort(joined.pair, kind="stable"))


def _part_pairs(a: Shapes, slots_a: Integers, b: Shapes, slots_b: Integers) -> PiecePairs:
    """Every part of one shape with every part of the other, where their boxes meet."""
    count_a, count_b = a.parts[slots_a], b.parts[slots_b]
    first_a, first_b = a.first[slots_a], b.first[slots_b]
    many = count_a * count_b
    if (many == 1).all():
        none = np.full(len(many), -1)
        return PiecePairs(np.arange(len(many)), first_a, first_b, none, none)
    pair = np.repeat(np.arange(len(many)), many)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    row_a = first_a[pair] + within // count_b[pair]
    row_b = first_b[pair] + within % count_b[pair]
    meet = (a.low[row_a] <= b.high[row_b]) & (b.low[row_b] <= a.high[row_a])
    chosen = np.flatnonzero(meet.all(axis=1))
    none = np.full(len(chosen), -1)
    return PiecePairs(pair[chosen], row_a[chosen], row_b[chosen], none, none)


def _triangle_pairs(
    a: Shapes, row_a: int, b: Shapes, row_b: int, dt: float
) -> tuple[Integers, Integers]:
    """The triangles of two parts, of which one at least is a mesh, whose boxes meet."""
    if a.kind[row_a] != MESH:
        pieces, others = _triangle_pairs(b, row_b, a, row_a, dt)
        return others, pieces
    near = triangles_near(a, row_a, b, row_b, dt)
    if b.kind[row_b] != MESH:
        return near, np.full(len(near), -1)
    low, high = _boxes_in_world(a, row_a, near, dt)
    which, others = in_mesh_frame(b, row_b, low, high, dt)
    return near[which], others


def triangles_near(shapes: Shapes, mesh: int, others: Shapes, row: int, dt: float) -> Integers:
    """The triangles of a mesh whose boxes meet that of another part."""
    if others.kind[row] == PLANE:
        return _triangles_behind(shapes, mesh, others, row, dt)
    return in_mesh_frame(shapes, mesh, others.low[[row]], others.high[[row]], dt)[1]


def in_mesh_frame(
    shapes: Shapes, mesh: int, low: Floats, high: Floats, dt: float
) -> tuple[Integers, Integers]:
    """Which boxes of the world, (n, 3), meet which triangles of a mesh, in pairs."""
    triangles = shapes.solids[mesh]
    velocity, spin = shapes.motions[mesh, 0]
    if dt > 0.0 and spin.any():
        every = np.arange(len(triangles.corners))
        return np.repeat(np.arange(len(low)), len(every)), np.tile(every, len(low))
    # Seen from the mesh, the others also move against its own motion.
    way = -velocity * dt
    low, high = low + np.minimum(way, 0.0), high + np.maximum(way, 0.0)
    middle, half = _box_in_mesh_frame(shapes, mesh, low, high)
    which, items = triangles.tree.overlaps(middle - half, middle + half)
    return which, items


def _box_in_mesh_frame(
    shapes: Shapes, mesh: int, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Middles and half extents of boxes around boxes of the world, in a mesh's frame, (n, 3)."""
    rotation = shapes.poses[mesh, 4:].reshape(3, 3)
    with np.errstate(invalid="ignore"):
        middle = (0.5 * (low + high) - shapes.poses[mesh, 1:4]) @ rotation
        half = 0.5 * (high - low) @ np.abs(rotation)
        unbounded = ~np.isfinite(low + high).all(axis=1)
    half[unbounded], middle[unbounded] = np.inf, 0.0
    return middle, half + 2.0**-44 * (np.abs(middle) + np.abs(shapes.poses[mesh, 1:4]).max())


def _boxes_in_world(
    shapes: Shapes, mesh: int, pieces: Integers, dt: float
) -> tuple[Floats, Floats]:
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


def near_triangles(pairs: PiecePairs, a: Shapes, b: Shapes, reach: Floats | None) -> PiecePairs:
    """Pairs of parts as pairs of pieces; the nearest pieces within reach (k,) are among them.

    For a mesh and a body: the nearest triangle, or, where the body's core crosses triangles, all
    triangles whose boxes meet the body's. For other pairs with a mesh: the triangles whose boxes
    are within reach of the other part's box, or, if reach is None, the one with the nearest box.
    """
    mesh_a, mesh_b = a.kind[pairs.row_a] == MESH, b.kind[pairs.row_b] == MESH
    if not (mesh_a | mesh_b).any():
        return pairs
    far = np.full(len(pairs.pair), np.inf) if reach is None else reach
    descend_a = mesh_a & (b.kind[pairs.row_b] <= CONVEX)
    descend_b = mesh_b & (a.kind[pairs.row_a] <= CONVEX)
    found = [pairs.taken(~(mesh_a | mesh_b))]
    for which in (np.flatnonzero(descend_a), np.flatnonzero(descend_b)):
        if len(which):
            found.append(_nearest_pieces(pairs.taken(which), a, b, far[which]))
    for k in np.flatnonzero((mesh_a | mesh_b) & ~(descend_a | descend_b)):
        found.append(_pieces_in_reach(pairs, int(k), a, b, None if reach is None else reach[k]))
    return PiecePairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _nearest_pieces(pairs: PiecePairs, a: Shapes, b: Shapes, far: Floats) -> PiecePairs:
    """Of pairs of a mesh and a body, in this order or the other, the nearest triangles."""
    if a.kind[pairs.row_a[0]] != MESH:
        return _nearest_pieces(pairs.swapped(), b, a, far).swapped()
    piece = np.empty(len(pairs.pair), dtype=np.int64)
    crosses = np.empty(len(pairs.pair), dtype=bool)
    for row in np.unique(pairs.row_a):
        here = np.flatnonzero(pairs.row_a == row)
        triangles, poses = a.solids[row], _poses_in_frame(a, int(row), b.poses[pairs.row_b[here]])
        size = np.abs(poses[:, 1:4]).max(axis=1) + triangles.reach
        limit = far[here] * (1.0 + 1e-9) + 2.0**-40 * size
        bodies = PosedBodies(b.geometry, poses)
        of = triangles.tree.nodes, triangles.corners, bodies, limit
        piece[here], crosses[here] = nearest_triangles(*of)
    near = np.flatnonzero(piece >= 0)
    found = [pairs.taken(near)._replace(piece_a=piece[near])]
    for k in np.flatnonzero(crosses):
        found.append(_pieces_in_reach(pairs, int(k), a, b, 0.0))
    return PiecePairs(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _poses_in_frame(shapes: Shapes, row: int, poses: Floats) -> Floats:
    """Poses of bodies, (n, 13), as seen from a part's frame."""
    turn, seen = shapes.poses[row, 4:].reshape(3, 3), poses.copy()
    seen[:, 1:4] = (poses[:, 1:4] - shapes.poses[row, 1:4]) @ turn
    seen[:, 4:] = (turn.T @ poses[:, 4:].reshape(-1, 3, 3)).reshape(-1, 9)
    return seen


def _pieces_in_reach(
    pairs: PiecePairs, k: int, a: Shapes, b: Shapes, reach: float | None
) -> PiecePairs:
    """Of pair k the triangles whose boxes are within reach, or with the nearest box."""
    one, two = int(pairs.row_a[k]), int(pairs.row_b[k])
    low, high = a.low[[one]], a.high[[one]]
    piece_a = np.array([-1])
    if a.kind[one] == MESH:
        _, piece_a = _reached(a, one, b.low[[two]], b.high[[two]], reach)
        low, high = _boxes_in_world(a, one, piece_a, 0.0)
    which, piece_b = np.arange(len(piece_a)), np.full(len(piece_a), -1)
    if b.kind[two] == MESH:
        which, piece_b = _reached(b, two, low, high, reach)
    many = len(which)
    pair, row_a, row_b = np.full(many, pairs.pair[k]), np.full(many, one), np.full(many, two)
    return PiecePairs(pair, row_a, row_b, piece_a[which], piece_b)


def _reached(
    shapes: Shapes, mesh: int, low: Floats, high: Floats, reach: float | None
) -> tuple[Integers, Integers]:
    """Pairs of boxes of the world and triangles of a mesh, see `_pieces_in_reach`."""
    if reach is not None:
        return in_mesh_frame(shapes, mesh, low - reach, high + reach, 0.0)
    middle, half = _box_in_mesh_frame(shapes, mesh, low, high)
    items = shapes.solids[mesh].tree.nearest(middle - half, middle + half)
    return np.arange(len(low)), items


def _triangles_behind(shapes: Shapes, mesh: int, others: Shapes, plane: int, dt: float) -> Integers:
    """The triangles of a mesh that can reach behind a plane in a step; all, if either turns."""
    corners = shapes.solids[mesh].corners
    (velocity, spin), (other_velocity, other_spin) = (
        shapes.motions[mesh, 0],
        others.motions[plane, 0],
    )
    if dt > 0.0 and (spin.any() or other_spin.any()):
        return np.arange(len(corners))
    solid = others.solids[plane]
    turn, other_turn = shapes.poses[mesh, 4:].reshape(3, 3), others.poses[plane, 4:].reshape(3, 3)
    normal = turn.T @ (other_turn @ np.array(solid.normal))
    point = others.poses[plane, 1:4] + other_turn @ np.array(solid.point)
    heights = (corners @ normal).min(axis=1) - normal @ (turn.T @ (point - shapes.poses[mesh, 1:4]))
    slack = 2.0**-44 * (np.abs(corners).max() + np.abs(point).max())
    return np.flatnonzero(heights <= slack + np.linalg.norm(velocity - other_velocity) * dt)


# --- Planes and infinite cylinders, which have no boxes ---------------------------------


def reach_unbounded(
    a: Shapes, rows_a: Integers, b: Shapes, rows_b: Integers, dt: float, reach: float | Floats = 0.0
) -> Booleans:
    """Which pairs of parts may meet, (m,) bool; all pairs whose part of a is bounded.

    reach: distance [length] up to which a box counts as met, one or (m,).
    """
    possible = np.ones(len(rows_a), dtype=bool)
    kinds, reach = a.kind[rows_a], np.broadcast_to(reach, len(rows_a))
    for row in np.unique(rows_a[(kinds == PLANE) | (kinds == CYLINDER)]):
        velocity, spin = a.motions[row, 0]
        if dt > 0.0 and spin.any():
            continue
        pairs = np.flatnonzero(rows_a == row)
        low, high = b.low[rows_b[pairs]], b.high[rows_b[pairs]]
        low, high = low + np.minimum(-velocity * dt, 0.0), high + np.maximum(-velocity * dt, 0.0)
        possible[pairs] &= _box_reaches(a, int(row), low, high, reach[pairs])
    return possible


def _box_reaches(shapes: Shapes, row: int, low: Floats, high: Floats, reach: Floats) -> Booleans:
    """Which boxes are not wholly in front of a plane, or reach the surface of a cylinder."""
    shape, turn = shapes.solids[row], shapes.poses[row, 4:].reshape(3, 3)
    with np.errstate(invalid="ignore"):
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
    origin = shapes.poses[row, 1:4] + turn @ np.array(shape.point)
    slack = 2.0**-40 * (np.abs(middle).max(axis=1) + half.max(axis=1) + np.abs(origin).max())
    away, slack = middle - origin, slack + reach
    if shapes.kind[row] == PLANE:
        normal = turn @ np.array(shape.normal)
        return ~(away @ normal > half @ np.abs(normal) + slack)
    across = np.linalg.norm(np.cross(away, turn @ np.array(shape.axis)), axis=1)
    return ~(np.abs(across - shape.radius) > np.linalg.norm(half, axis=1) + slack)
