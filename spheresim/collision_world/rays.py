"""Rays against all shapes of a world: the first hit of each, or all.

Spheres and convex bodies are found in one tree, the triangles of each mesh in its own; planes,
infinite cylinders and surfaces are tested one by one. Many rays are processed in the order in which
they enter the tree's box, so that neighbouring rays read the same nodes one after the other.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim.aabb_tree.dynamic_tree import DynamicTree
from spheresim.aabb_tree.ray_nodes import RayNodes, ray_nodes
from spheresim.aabb_tree.ray_search import new_search
from spheresim.aabb_tree.search import STACK
from spheresim.aabb_tree.tree import AabbTree
from spheresim.collision_world.handles import grown
from spheresim.collision_world.marked_rows import MarkedRows
from spheresim.collision_world.parts import CONVEX, MESH, SPHERE
from spheresim.collision_world.ray_kernels import (
    BodyTree,
    FirstHits,
    Frame,
    MeshRays,
    RayItems,
    Rays,
    cast_at_bodies,
    cast_at_tree,
    cast_at_triangles,
    entry_keys,
    gather_rays,
    meet_bodies,
    write_mesh_hits,
)
from spheresim.collision_world.shapes import Shapes
from spheresim.compiler.decorators import for_types_of
from spheresim.convex.body import Bodies
from spheresim.convex.geometry.layout import HEADER
from spheresim.convex.geometry.posed_body import PosedBodies
from spheresim.convex.ray_cast import ray_cast_batch
from spheresim.numerics.arrays import Booleans, Floats, Integers

_FEW_RAYS = 64
_FEW_ITEMS = 30_000
"""Fewer rays, or fewer bodies, are not sorted: they fit into the processor's cache anyway."""

_FEW_OF_WIDE = 8
"""Bodies per ray above which making wide nodes takes longer than casting without them."""

_NOT_A_PART = np.iinfo(np.int64).max
"""The part of a ray without a hit: larger than the number of any part."""


class RayHits(NamedTuple):
    """The first hits of n rays.

    handle: of the shape that is hit, −1 without a hit, (n,); distance: [length], inf without a hit,
    (n,); point: (n, 3); normal: unit, towards the side from which the ray comes, zeros without a
    hit, (n, 3); triangle: row of the mesh's `triangles`, −1 for any other shape, (n,).
    """

    handle: Integers
    distance: Floats
    point: Floats
    normal: Floats
    triangle: Integers

    @property
    def hits(self) -> Booleans:
        """Which rays have a hit, (n,) bool."""
        return self.handle >= 0


class RayHit(NamedTuple):
    """The first hit of one ray; the fields are those of `RayHits`."""

    handle: int
    distance: float
    point: Floats
    normal: Floats
    triangle: int


def _no_hits(n: int) -> FirstHits:
    """The records of n rays that hit nothing."""
    nothing = np.full(n, _NOT_A_PART), np.full(n, np.inf), np.full(n, -1), np.full(n, np.inf)
    return FirstHits(*nothing, np.zeros((n, 3)), np.zeros((n, 3)), np.full(n, -1))


_NO_HIT = _no_hits(1)
"""Copied for each single ray: making it anew takes ten times as long."""


class RayScene:
    """The shapes of a world as they are now, prepared for rays.

    Few rays descend the binary tree that follows each change; many descend a tree of eight-wide
    nodes, which is built when there are enough rays to make up for it.
    """

    def __init__(self, shapes: Shapes, tree: DynamicTree) -> None:
        self._shapes, self._tree = shapes, tree
        self._others: list[int] = []
        self._search, self._stack = new_search(), np.empty(STACK, np.int64)
        self._wide: BodyTree | None = None
        self._rows, self._balls = np.arange(0), np.zeros((0, 4))
        self._handle = np.zeros(0, np.int64)
        self._changed = MarkedRows()
        self._cast: Callable[..., None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled kernel, which cannot be pickled: a copy looks it up again."""
        return {**vars(self), "_cast": None}

    def follow(self, changed: Integers) -> None:
        """Take note that some parts, (k,), have been added, moved or removed."""
        self._wide = None
        self._changed.mark(changed, len(self._shapes.kind))

    def _catch_up(self) -> None:
        """Bring the data of changed parts up to date, before the next ray."""
        shapes, changed = self._shapes, self._changed.take()
        if len(changed) == 0:
            return
        rows = len(shapes.kind)
        self._balls, self._handle = grown(self._balls, rows), grown(self._handle, rows)
        self._rows = self._rows if len(self._rows) == rows else np.arange(rows)
        here = changed[shapes.owner[changed] >= 0]
        others = shapes.kind[here] > CONVEX
        bodies = here[~others]
        self._balls[bodies] = self._centres_and_radii(bodies)
        self._handle[here] = shapes.slots.handle_of(shapes.owner[here])
        if self._others or others.any():
            left = set(self._others).difference(changed.tolist())
            self._others = sorted(left.union(here[others].tolist()))

    def _wide_tree(self) -> BodyTree | None:
        """The tree of wide nodes; None without bodies."""
        if self._wide is None:
            shapes = self._shapes
            rows = np.flatnonzero(shapes.is_used)
            rows = rows[shapes.kind[rows] <= CONVEX]
            if len(rows) == 0:
                return None
            nodes = ray_nodes(AabbTree(shapes.low[rows], shapes.high[rows]))
            rows = rows[nodes.order]
            items = RayItems(rows, self._balls[rows], self._handle[rows])
            self._wide = BodyTree(nodes, items, shapes.group[shapes.owner[rows]])
        return self._wide

    def _centres_and_radii(self, rows: Integers) -> Floats:
        """Centres and radii of bodies, radii of all but spheres −1, (n, 4)."""
        poses, geometry = self._shapes.poses[rows], self._shapes.geometry
        starts = poses[:, 0].astype(np.int64)
        turned = np.einsum("kij,kj->ki", poses[:, 4:].reshape(-1, 3, 3), geometry[starts + HEADER])
        radii = np.where(self._shapes.kind[rows] == SPHERE, geometry[starts + 1, 0], -1.0)
        return np.column_stack([poses[:, 1:4] + turned, radii])

    def _handles(self, rows: Integers) -> Integers:
        return self._handle[rows]

    def _is_asked(self, row: int, mask: int) -> bool:
        return bool(self._shapes.group[self._shapes.owner[row]] & mask)

    # --- First hits ----------------------------------------------------------------------

    def first(self, rays: Rays, mask: int, until: float) -> RayHits:
        """The first hit of each ray, up to a distance."""
        self._catch_up()
        n = len(rays.origins)
        found = _NO_HIT.copied() if n == 1 else _no_hits(n)
        if until < np.inf:
            found.times[:] = until / np.linalg.norm(rays.directions, axis=1)
        if self._wide is None and _FEW_OF_WIDE * n < len(self._tree):
            self._cast_at_tree(rays, mask, found)
        elif (wide := self._wide_tree()) is not None:
            self._cast_at_bodies(wide, rays, mask, found)
        for row in self._others:
            if self._is_asked(row, mask):
                self._cast_at(int(row), rays, found)
        return RayHits(*found[2:])

    def _cast_at_tree(self, rays: Rays, mask: int, found: FirstHits) -> None:
        items = RayItems(self._rows, self._balls, self._handle)
        asked = self._tree.nodes, self._stack, items, self._shapes.arrays, mask, rays, found
        if self._cast is None:
            self._cast = for_types_of(cast_at_tree, *asked)
        self._cast(*asked)

    def _bodies(self) -> PosedBodies:
        return PosedBodies(self._shapes.geometry, self._shapes.poses)

    def _cast_at_bodies(self, tree: BodyTree, rays: Rays, mask: int, found: FirstHits) -> None:
        turns = self._turns(tree.nodes, -1, rays)
        ordered = found
        if turns is not None:
            ordered = FirstHits._make(column[turns] for column in found)
            rays = Rays(*(column[turns] for column in rays))
        cast_at_bodies(tree, self._bodies(), mask, rays, ordered, self._search)
        if turns is not None:
            for column, values in zip(found, ordered, strict=True):
                column[turns] = values

    def _cast_at(self, row: int, rays: Rays, found: FirstHits) -> None:
        """Rays against one part that is no body."""
        if self._shapes.kind[row] == MESH:
            self._cast_at_mesh(row, rays, found)
            return
        origins, directions = rays
        pose = self._shapes.poses[row]
        turn, shape = pose[4:].reshape(3, 3), self._shapes.solids[row]
        hits = shape.hit_batch((origins - pose[1:4]) @ turn, directions @ turn)
        times = hits.distance / np.linalg.norm(directions, axis=1)
        better = (times < found.times) | ((times == found.times) & (row < found.part))
        here = np.flatnonzero(better & (times < np.inf))
        found.part[here], found.times[here] = row, times[here]
        found.handle[here] = self._handles(np.array([row]))
        found.distance[here] = hits.distance[here]
        found.point[here] = origins[here] + directions[here] * times[here, None]
        found.normal[here] = hits.normal[here] @ turn.T
        found.triangle[here] = -1

    def _cast_at_mesh(self, row: int, rays: Rays, found: FirstHits) -> None:
        """Rays against a mesh's triangles, in the mesh's frame."""
        shapes, n = self._shapes, len(rays.origins)
        triangles, frame = shapes.solids[row], Frame(self._bodies(), row)
        nodes, table = triangles.faces
        turns = self._turns(nodes, row, rays)
        turns = np.arange(n) if turns is None else turns
        own = MeshRays(turns, Rays(*np.empty((2, n, 3))), np.empty(n), np.empty(n, dtype=np.int64))
        gather_rays(frame, rays, found.times, own)
        cast_at_triangles(nodes, table, own, self._search)
        handle = int(shapes.slots.handle_of(shapes.owner[row]))
        write_mesh_hits(frame, rays, handle, triangles.normals, own, found)

    def _turns(self, nodes: RayNodes, row: int, rays: Rays) -> Integers | None:
        """The order in which rays are processed, (n,), or None for the order as given.

        It is that of Morton's curve through the points where the rays enter the tree's box; the
        tree is in the frame of part `row`, or, for row −1, in the world's.
        """
        if len(rays.origins) < _FEW_RAYS or len(nodes.order) < _FEW_ITEMS:
            return None
        keys = np.empty(len(rays.origins), dtype=np.uint32)
        entry_keys(nodes, Frame(self._bodies(), row), rays, keys)
        return np.argsort(keys)

    # --- All hits ------------------------------------------------------------------------

    def every(self, rays: Rays, mask: int, until: float) -> tuple[Integers, RayHits]:
        """The first hit of each ray on each shape: the rays, (k,), and the hits.

        Sorted by ray, then distance, then handle.
        """
        self._catch_up()
        which, parts = self._meetings(rays)
        keep = (self._shapes.group[self._shapes.owner[parts]] & mask) != 0
        which, parts = which[keep], parts[keep]
        bodies = Bodies(self._shapes.geometry, self._shapes.poses[parts])
        found = ray_cast_batch(bodies, rays.origins[which], rays.directions[which])
        met = np.flatnonzero(found.hits)
        hits = found.distance[met], found.point[met], found.normal[met], np.full(len(met), -1)
        columns = [(which[met], self._handles(parts[met]), *hits)]
        for row in self._others:
            if self._is_asked(row, mask):
                columns.append(self._all_at(int(row), rays))
        ray, *every = (np.concatenate(column) for column in zip(*columns, strict=True))
        near = np.flatnonzero(every[1] <= until)
        order = near[np.lexsort((every[0][near], every[1][near], ray[near]))]
        # Of a shape of several parts the nearest.
        pairs = np.column_stack([ray[order], every[0][order]])
        _, firsts = np.unique(pairs, axis=0, return_index=True)
        order = order[np.sort(firsts)]
        return ray[order], RayHits(*(column[order] for column in every))

    def _all_at(
        self, row: int, rays: Rays
    ) -> tuple[Integers, Integers, Floats, Floats, Floats, Integers]:
        """All rays' first hits on one part that is no body."""
        found = _no_hits(len(rays.origins))
        self._cast_at(row, rays, found)
        met = np.flatnonzero(found.handle >= 0)
        return (
            met,
            found.handle[met],
            found.distance[met],
            found.point[met],
            found.normal[met],
            found.triangle[met],
        )

    def _meetings(self, rays: Rays) -> tuple[Integers, Integers]:
        """The pairs of rays and bodies whose boxes they meet."""
        wide = self._wide_tree() if len(rays.origins) else None
        if wide is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        capacity = 64 + 8 * len(rays.origins)
        while True:
            found = np.empty((capacity, 2), dtype=np.int64)
            count = meet_bodies(wide.nodes, wide.items, rays, found, self._search)
            if count <= capacity:
                return found[:count, 0], found[:count, 1]
            capacity = count
