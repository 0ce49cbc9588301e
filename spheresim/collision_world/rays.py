"""Rays against all shapes of a world: the first hit of each, or all.

Spheres and convex bodies are found in one tree, the triangles of each mesh in its own; planes,
infinite cylinders and surfaces are asked one by one. Rays are worked on in the order in which they
enter the tree's box, so that neighbours read the same nodes one after the other.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.box_tree import BoxTree
from spheresim.collision_world.parts import CONVEX, MESH, SPHERE
from spheresim.collision_world.ray_kernels import (
    Search,
    cast_at_bodies,
    cast_at_triangles,
    entry_keys,
    meet_bodies,
)
from spheresim.collision_world.ray_tree import RAY_STACK, RayNodes, ray_nodes
from spheresim.collision_world.shapes import Shapes
from spheresim.compiler.ray_boxes import BOXES
from spheresim.convex.body import Bodies
from spheresim.convex.geometry.layout import HEADER
from spheresim.convex.ray_cast import ray_cast_batch
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector

_NOT_A_PART = np.iinfo(np.int64).max
"""In place of the part of a hit, where there is none: any part comes before it."""


class RayHits(NamedTuple):
    """Of n rays. handle: of the shape that is hit, −1 if none is, (n,); distance [length], inf if
    none; point; normal: unit, towards the side from which the ray comes, zeros if none, (n, 3)."""

    handle: Any
    distance: Any
    point: Any
    normal: Any

    @property
    def hits(self) -> Any:
        """Which rays hit anything, (n,) bool."""
        return self.handle >= 0


class RayHit(NamedTuple):
    """The same of one ray that hits."""

    handle: int
    distance: float
    point: Any
    normal: Any


class _Found(NamedTuple):
    """Of each ray the time of its first hit; the part; the triangle, if that is a mesh."""

    times: Any
    part: Any
    piece: Any


class RayScene:
    """A world's shapes as they are now, made ready for rays."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        used = np.flatnonzero(shapes.is_used)
        kinds = shapes.kind[used]
        self._bodies = used[kinds <= CONVEX]
        self._others = used[kinds > CONVEX]
        self._groups = np.zeros(max(1, len(shapes.is_used)), dtype=np.int64)
        self._groups[used] = shapes.group[shapes.owner[used]]
        self._search = Search(
            np.empty(RAY_STACK, np.int64), np.empty(RAY_STACK), np.empty(BOXES, np.float32)
        )
        self._nodes: RayNodes | None = None
        if len(self._bodies):
            tree = BoxTree(shapes.low[self._bodies], shapes.high[self._bodies])
            self._nodes = ray_nodes(tree)
        self._balls = self._as_balls()

    def _as_balls(self) -> Any:
        """Centre and radius of the bodies, as if all were spheres, (n, 4)."""
        rows = self._bodies
        poses, geometry = self._shapes.poses[rows], self._shapes.geometry
        starts = poses[:, 0].astype(np.int64)
        turned = np.einsum("kij,kj->ki", poses[:, 4:].reshape(-1, 3, 3), geometry[starts + HEADER])
        return np.column_stack([poses[:, 1:4] + turned, geometry[starts + 1, 0]])

    # --- First hits ----------------------------------------------------------------------

    def first(self, origins: Any, directions: Any, mask: int, furthest: float) -> RayHits:
        """The first hit of each ray, up to a distance; origins, directions: (n, 3)."""
        n, lengths = len(origins), np.linalg.norm(directions, axis=1)
        found = _Found(np.full(n, np.inf), np.full(n, _NOT_A_PART), np.full(n, -1))
        found.times[:] = furthest / lengths
        if self._nodes is not None and n:
            turns = _turns(self._nodes, origins, directions)
            shapes = self._shapes
            cast_at_bodies(
                self._nodes, self._bodies, self._balls, shapes.geometry, shapes.poses, shapes.kind,
                self._groups, mask, origins, directions, turns, found.times, found.part,
                self._search,
            )  # fmt: skip
        for row in self._others:
            if self._groups[row] & mask:
                self._cast_at(int(row), origins, directions, found)
        return self._answer(found, origins, directions, lengths)

    def _cast_at(self, row: int, origins: Any, directions: Any, found: _Found) -> None:
        """Rays against one part that is no body."""
        own_origins, own_directions = self._in_own_frame(row, origins, directions)
        if self._shapes.kind[row] == MESH:
            faces = self._shapes.solids[row].faces
            times, pieces = found.times.copy(), np.full(len(origins), _NOT_A_PART)
            turns = _turns(faces.nodes, own_origins, own_directions)
            cast_at_triangles(
                faces.nodes, faces.table, own_origins, own_directions, turns, times, pieces,
                self._search,
            )  # fmt: skip
            better = (times < found.times) | ((times == found.times) & (row < found.part))
            better &= pieces < _NOT_A_PART
            found.piece[better] = pieces[better]
        else:
            times = self._times_at(row, own_origins, own_directions)
            better = (times < found.times) | ((times == found.times) & (row < found.part))
            better &= times < np.inf
        found.times[better], found.part[better] = times[better], row

    def _times_at(self, row: int, origins: Any, directions: Any) -> Any:
        """When rays of a part's own frame meet it, (n,)."""
        shape = self._shapes.solids[row]
        rays = zip(origins, directions, strict=True)
        return np.array([shape.toi(TRay(o, d), 0.0) for o, d in rays]).reshape(-1)

    def _in_own_frame(self, row: int, origins: Any, directions: Any) -> tuple[Any, Any]:
        pose = self._shapes.poses[row]
        turn = pose[4:].reshape(3, 3)
        return (
            np.ascontiguousarray((origins - pose[1:4]) @ turn),
            np.ascontiguousarray(directions @ turn),
        )

    def _answer(self, found: _Found, origins: Any, directions: Any, lengths: Any) -> RayHits:
        """Handles, points and normals of what was found."""
        hits = found.part < _NOT_A_PART
        times = np.where(hits, found.times, np.inf)
        handle = np.full(len(times), -1)
        slots = self._shapes.owner[found.part[hits]]
        handle[hits] = self._shapes.slots.handle_of(slots)
        point, normal = np.zeros((len(times), 3)), np.zeros((len(times), 3))
        point[hits] = origins[hits] + directions[hits] * times[hits, None]
        kinds = self._shapes.kind[np.where(hits, found.part, 0)]
        round_ones = np.flatnonzero(hits & (kinds == SPHERE))
        if len(round_ones):
            normal[round_ones] = self._ball_normals(found.part[round_ones], point[round_ones])
        solid = np.flatnonzero(hits & (kinds == CONVEX))
        if len(solid):
            bodies = self._side(found.part[solid])
            normal[solid] = ray_cast_batch(bodies, origins[solid], directions[solid]).normal
        for row in self._others:
            here = np.flatnonzero(found.part == row)
            if len(here):
                seen = origins[here], point[here], found.piece[here]
                normal[here] = self._normals_at(int(row), *seen)
        # Towards the side from which the ray comes.
        behind = np.einsum("ki,ki->k", normal, directions) > 0.0
        normal[behind] = 0.0 - normal[behind]
        return RayHits(handle, times * lengths, point, normal)

    def _side(self, rows: Any) -> Bodies:
        return Bodies(self._shapes.geometry, self._shapes.poses[rows])

    def _ball_normals(self, parts: Any, points: Any) -> Any:
        """The outward normals of spheres."""
        away = points - self._balls[np.searchsorted(self._bodies, parts), :3]
        length = np.linalg.norm(away, axis=1)[:, None]
        return away / np.where(length > 0.0, length, 1.0)

    def _normals_at(self, row: int, origins: Any, points: Any, pieces: Any) -> Any:
        """The normals of one part that is no body."""
        turn = self._shapes.poses[row, 4:].reshape(3, 3)
        shape = self._shapes.solids[row]
        if self._shapes.kind[row] == MESH:
            return shape.normals[pieces] @ turn.T
        own, _ = self._in_own_frame(row, points, origins)
        eyes, _ = self._in_own_frame(row, origins, origins)
        normals = [
            shape.normal_at(TVector(p), seen_from=TVector(e))
            for p, e in zip(own, eyes, strict=True)
        ]
        return np.array(normals) @ turn.T

    # --- All hits ------------------------------------------------------------------------

    def every(
        self, origins: Any, directions: Any, mask: int, furthest: float
    ) -> tuple[Any, RayHits]:
        """The first hit of each ray on each shape that it meets: the rays, (k,), and the hits,
        sorted by ray, then distance, then handle."""
        rays, parts = self._meetings(origins, directions)
        keep = (self._groups[parts] & mask) != 0
        rays, parts = rays[keep], parts[keep]
        found = ray_cast_batch(self._side(parts), origins[rays], directions[rays])
        met = np.flatnonzero(found.hits)
        handles = self._shapes.slots.handle_of(self._shapes.owner[parts[met]])
        columns = [(rays[met], handles, found.distance[met], found.point[met], found.normal[met])]
        for row in self._others:
            if self._groups[row] & mask:
                columns.append(self._all_at(int(row), origins, directions))
        ray, *hits = (np.concatenate(column) for column in zip(*columns, strict=True))
        near = np.flatnonzero(hits[1] <= furthest)
        order = near[np.lexsort((hits[0][near], hits[1][near], ray[near]))]
        # Of a shape of several parts the nearest.
        pairs = np.column_stack([ray[order], hits[0][order]])
        _, firsts = np.unique(pairs, axis=0, return_index=True)
        order = order[np.sort(firsts)]
        return ray[order], RayHits(*(column[order] for column in hits))

    def _all_at(self, row: int, origins: Any, directions: Any) -> tuple[Any, ...]:
        """All rays' first hits on one part that is no body."""
        n = len(origins)
        found = _Found(np.full(n, np.inf), np.full(n, _NOT_A_PART), np.full(n, -1))
        self._cast_at(row, origins, directions, found)
        answer = self._answer(found, origins, directions, np.linalg.norm(directions, axis=1))
        met = np.flatnonzero(answer.hits)
        return met, *(column[met] for column in answer)

    def _meetings(self, origins: Any, directions: Any) -> tuple[Any, Any]:
        """The pairs of rays and bodies whose boxes they meet."""
        if self._nodes is None or len(origins) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        room = 64 + 8 * len(origins)
        while True:
            found = np.empty((room, 2), dtype=np.int64)
            count = meet_bodies(self._nodes, self._bodies, origins, directions, found, self._search)
            if count <= room:
                return found[:count, 0], found[:count, 1]
            room = count


_FEW = 64
"""So many rays are not sorted."""


def _turns(nodes: RayNodes, origins: Any, directions: Any) -> Any:
    """The order in which rays are worked on: along Morton's curve through where they enter."""
    if len(origins) < _FEW:
        return np.arange(len(origins))
    keys = np.empty(len(origins), dtype=np.uint32)
    entry_keys(nodes, origins, directions, keys)
    return np.argsort(keys)
