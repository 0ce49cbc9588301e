"""Questions with a shape: what it overlaps, what is nearest to it, what it meets as it moves.

The query shape is not in the world, and may be asked about in many places at once. A tree finds
the world's shapes whose boxes are near, `pieces` finds their parts, and `pairs.dispatch` answers
for pairs of parts.
"""

from typing import NamedTuple

import numpy as np

from spheresim.aabb_tree.dynamic_tree import DynamicTree
from spheresim.aabb_tree.tree import AabbTree
from spheresim.collision_world.containment import contains
from spheresim.collision_world.pairs import dispatch
from spheresim.collision_world.pairs.catalogue import is_never_asked
from spheresim.collision_world.pairs.side import Nearest, Side
from spheresim.collision_world.parts import CYLINDER, PLANE, Given, Model
from spheresim.collision_world.pieces import (
    PiecePairs,
    near_triangles,
    piece_pairs,
    reach_unbounded,
)
from spheresim.collision_world.shapes import Shapes
from spheresim.numerics.arrays import Booleans, Floats, Integers


class Impacts(NamedTuple):
    """Of n moving queried. handle: what each first meets, −1 if nothing, (n,); time: when, inf if
    never, (n,); point; normal: unit, from what is met towards the probe, zeros if none, (n, 3)."""

    handle: Integers
    time: Floats
    point: Floats
    normal: Floats


class Impact(NamedTuple):
    """What one moving shape first meets; the fields are those of `Impacts`."""

    handle: int
    time: float
    point: Floats
    normal: Floats


class Neighbours(NamedTuple):
    """Of n queried. handle: the nearest shape, −1 if there is none, (n,); gap: how far [length],
    negative if they overlap, inf if none, (n,); point: of the probe, and other: of the shape, the
    nearest or deepest ones; normal: unit, from the shape towards the probe, (n, 3)."""

    handle: Integers
    gap: Floats
    point: Floats
    other: Floats
    normal: Floats


class Neighbour(NamedTuple):
    """The nearest shape of one query shape; the fields are those of `Neighbours`."""

    handle: int
    gap: float
    point: Floats
    other: Floats
    normal: Floats


class QueryShapes:
    """One shape in many places: positions (n, 3), rotations (n, 3, 3), which may move."""

    def __init__(self, given: Given, model: Model, positions: Floats, rotations: Floats) -> None:
        self.shapes = Shapes()
        n = len(positions)
        self.slots = self.shapes.add([given] * n, [model] * n, positions, rotations, (0, 0))

    def set_motion(self, velocities: Floats, spins: Floats) -> None:
        """Let them move: velocities and spins, (n, 3) each."""
        self.shapes.set_motion(self.slots, velocities, spins)

    def bound(self, dt: float) -> tuple[Floats, Floats]:
        """Their boxes over a motion, (n, 3) each."""
        self.shapes.bound(dt)
        return self.shapes.boxes(self.slots)


class WorldSnapshot:
    """The shapes of a world as they are now, found by a tree of their parts' boxes."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self.tree = DynamicTree()
        self.planes = self.tubes = np.zeros(0, np.int64)
        """The unbounded parts, which have no boxes: planes, (p,), and infinite cylinders, (c,)."""

    def follow(self, changed: Integers) -> None:
        """Take note that some parts, (k,), have been added, moved or removed."""
        shapes = self._shapes
        is_used, kind = shapes.owner[changed] >= 0, shapes.kind[changed]
        has_end = (kind != PLANE) & (kind != CYLINDER)
        self.tree.update(changed, is_used & has_end, shapes.low, shapes.high)
        if len(self.planes) + len(self.tubes) or not has_end.all():
            self.planes = _followed(self.planes, changed, is_used & (kind == PLANE))
            self.tubes = _followed(self.tubes, changed, is_used & (kind == CYLINDER))

    def _near(self, low: Floats, high: Floats, mask: int) -> tuple[Integers, Integers]:
        """Pairs of boxes, (n, 3), and slots of this world that may meet, sorted."""
        shapes = self._shapes
        is_open: Booleans = ~np.all(np.isfinite(low) & np.isfinite(high), axis=1)
        query, item = self.tree.overlaps(np.where(is_open[:, None], np.inf, low), high)
        found = [np.column_stack([query, shapes.owner[item]])]
        if len(self.planes) + len(self.tubes):
            slots = np.unique(shapes.owner[np.concatenate([self.planes, self.tubes])])
            found.append(_every_pair(np.arange(len(low)), slots))
        if is_open.any():
            found.append(_every_pair(np.flatnonzero(is_open), shapes.used_slots))
        joined = np.concatenate(found)
        joined = joined[(shapes.group[joined[:, 1]] & mask) != 0]
        joined = joined[np.lexsort((joined[:, 1], joined[:, 0]))]
        is_first = np.ones(len(joined), dtype=bool)
        is_first[1:] = (joined[1:] != joined[:-1]).any(axis=1)
        return joined[is_first, 0], joined[is_first, 1]

    def _sides(self, queried: QueryShapes, pairs: PiecePairs) -> tuple[Side, Side]:
        a, b = pairs.sides(queried.shapes, self._shapes)
        return a, b._replace(motions=np.zeros_like(b.motions))

    # --- Overlap -------------------------------------------------------------------------

    def overlaps(self, queried: QueryShapes, mask: int) -> tuple[Integers, Integers]:
        """Which query shapes overlap which shapes: pairs (query, slot), sorted."""
        query, slots = self._near(*queried.bound(0.0), mask)
        pairs = piece_pairs(queried.shapes, queried.slots[query], self._shapes, slots, 0.0)
        touching = dispatch.touch(*self._sides(queried, pairs))
        met = np.unique(pairs.pair[touching])
        return query[met], slots[met]

    def containing(self, queried: QueryShapes, mask: int) -> tuple[Integers, Integers]:
        """Which shapes hold which points: pairs (point, slot), sorted."""
        low, high = queried.bound(0.0)
        query, slots = self._near(low, high, mask)
        pairs = _all_parts(queried.shapes, queried.slots[query], self._shapes, slots)
        points = queried.shapes.poses[pairs.row_a, 1:4]
        inside = contains(points, pairs, queried.shapes, self._shapes)
        met = np.unique(pairs.pair[inside])
        return query[met], slots[met]

    # --- Casts ---------------------------------------------------------------------------

    def cast(
        self, queried: QueryShapes, until: float, mask: int, tolerance: float
    ) -> tuple[Integers, Floats, Floats, Floats]:
        """What moving query shapes first meet: slots (−1 if nothing), times, points, normals."""
        query, slots = self._near(*queried.bound(until), mask)
        pairs = piece_pairs(queried.shapes, queried.slots[query], self._shapes, slots, until)
        a, b = self._sides(queried, pairs)
        found = dispatch.sweep(a, b, until, tolerance)
        first = _firsts(query[pairs.pair], found.toi, len(queried.slots))
        met_slots, time = np.full(len(first), -1), np.full(len(first), np.inf)
        point, normal = np.zeros((len(first), 3)), np.zeros((len(first), 3))
        met = np.flatnonzero(first >= 0)
        met = met[found.toi[first[met]] < np.inf]
        best = first[met]
        met_slots[met], time[met] = slots[pairs.pair[best]], found.toi[best]
        point[met], normal[met] = found.point[best], found.normal[best]
        return met_slots, time, point, normal

    # --- Nearest -------------------------------------------------------------------------

    def nearest(
        self, queried: QueryShapes, mask: int, within: float
    ) -> tuple[Integers, Floats, Floats, Floats, Floats]:
        """The nearest shape of each query shape, up to a distance.

        Returns slot (−1 if there is none), gap, points of both and normal.

        The shape with the nearest box comes first: nothing further away than it matters.
        """
        low, high = queried.bound(0.0)
        n = len(low)
        reach = np.full(n, within)
        if not np.isfinite(within):
            reach = self._first_gaps(queried, low, high, mask)
        query, slots, pairs, found = self._gaps(queried, low, high, mask, reach)
        first = _firsts(query[pairs.pair], found.gap, n)
        nearest, gap = np.full(n, -1), np.full(n, np.inf)
        points, others, normals = np.zeros((3, n, 3))
        met = np.flatnonzero(first >= 0)
        met = met[found.gap[first[met]] <= within]
        best = first[met]
        nearest[met], gap[met] = slots[pairs.pair[best]], found.gap[best]
        points[met], others[met] = found.point_a[best], found.point_b[best]
        normals[met] = found.normal[best]
        return nearest, gap, points, others, normals

    def all_within(
        self, queried: QueryShapes, mask: int, reach: float
    ) -> tuple[Integers, Floats, Floats, Floats, Floats]:
        """All shapes up to a distance from one query shape, the nearest first: slot, gap, points of
        both, normal."""
        low, high = queried.bound(0.0)
        _, slots, pairs, found = self._gaps(queried, low, high, mask, np.array([reach]))
        first = _firsts(pairs.pair, found.gap, len(slots))
        asked = np.flatnonzero(first >= 0)
        asked = asked[found.gap[first[asked]] <= reach]
        asked = asked[np.lexsort((slots[asked], found.gap[first[asked]]))]
        best = first[asked]
        return (
            slots[asked],
            found.gap[best],
            found.point_a[best],
            found.point_b[best],
            found.normal[best],
        )

    def reach_of_nearest(self, queried: QueryShapes, mask: int, count: int) -> float:
        """A distance from one query shape within which there are at least `count` shapes.

        inf if there are fewer, or where no distance can be given, as with planes.
        """
        low, high = queried.bound(0.0)
        shapes, rows = self._shapes, self._rows_asked(mask)
        away = np.maximum(shapes.high[rows] - low, high - shapes.low[rows])
        least = np.full(len(shapes.first), np.inf)
        np.minimum.at(least, shapes.owner[rows], np.linalg.norm(away, axis=1))
        if count > len(least):
            return np.inf
        return float(np.partition(least, count - 1)[count - 1]) * (1.0 + 1e-9)

    def _gaps(
        self, queried: QueryShapes, low: Floats, high: Floats, mask: int, reach: Floats
    ) -> tuple[Integers, Integers, PiecePairs, Nearest]:
        """Which queried, and slots, could be within reach (n,); their parts, and how far those are
        apart."""
        grown = reach[:, None] * (1.0 + 1e-9) + 2.0**-40 * np.abs(low)
        query, slots = self._near(low - grown, high + grown, mask)
        pairs = self._within(queried, query, slots, reach)
        return query, slots, pairs, dispatch.nearest(*self._sides(queried, pairs))

    def _rows_asked(self, mask: int) -> Integers:
        """The parts in the groups of a mask that have boxes, (k,)."""
        shapes = self._shapes
        rows = np.flatnonzero(shapes.is_used)
        rows = rows[(shapes.kind[rows] != PLANE) & (shapes.kind[rows] != CYLINDER)]
        return rows[(shapes.group[shapes.owner[rows]] & mask) != 0]

    def _first_gaps(self, queried: QueryShapes, low: Floats, high: Floats, mask: int) -> Floats:
        """The gap of each query shape from the shape with the nearest box; inf if there is none."""
        shapes, reach = self._shapes, np.full(len(low), np.inf)
        asked = self._rows_asked(mask)
        if len(asked) == 0:
            return reach
        if len(asked) == len(self.tree):
            near = self.tree.nearest(low, high)
        else:
            near = asked[AabbTree(shapes.low[asked], shapes.high[asked]).nearest(low, high)]
        query, slots = np.arange(len(low)), shapes.owner[near]
        pairs = self._one_piece_each(queried, query, slots)
        gaps = dispatch.nearest(*self._sides(queried, pairs)).gap
        np.minimum.at(reach, pairs.pair, np.maximum(gaps, 0.0))
        return reach

    def _one_piece_each(self, queried: QueryShapes, query: Integers, slots: Integers) -> PiecePairs:
        """All parts of both; of a mesh the triangle with the nearest box."""
        pairs = _all_parts(queried.shapes, queried.slots[query], self._shapes, slots)
        return near_triangles(pairs, queried.shapes, self._shapes, None)

    def _within(
        self, queried: QueryShapes, query: Integers, slots: Integers, reach: Floats
    ) -> PiecePairs:
        """All parts of both, and of meshes the triangles within reach."""
        pairs = _all_parts(queried.shapes, queried.slots[query], self._shapes, slots)
        far = reach[query]
        near = (self._shapes, pairs.row_b, queried.shapes, pairs.row_a, 0.0, far[pairs.pair])
        pairs = pairs.taken(np.flatnonzero(reach_unbounded(*near)))
        return near_triangles(pairs, queried.shapes, self._shapes, far[pairs.pair])


def _followed(rows: Integers, changed: Integers, are_in: Booleans) -> Integers:
    """Sorted rows after a change: rows `changed`, (k,), are in it now if `are_in`, (k,) bool."""
    return np.union1d(np.setdiff1d(rows, changed), changed[are_in])


def _every_pair(queries: Integers, slots: Integers) -> Integers:
    """Each query with each slot, (n, 2)."""
    return np.stack(np.meshgrid(queries, slots, indexing="ij"), axis=-1).reshape(-1, 2)


def _all_parts(a: Shapes, slots_a: Integers, b: Shapes, slots_b: Integers) -> PiecePairs:
    """Every part of one shape with every part of the other, except pairs that are never tested."""
    count_a, count_b = a.parts[slots_a], b.parts[slots_b]
    many = count_a * count_b
    pair = np.repeat(np.arange(len(many)), many)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    row_a = a.first[slots_a][pair] + within // count_b[pair]
    row_b = b.first[slots_b][pair] + within % count_b[pair]
    keep = np.flatnonzero(~is_never_asked(a.kind[row_a], b.kind[row_b]))
    none = np.full(len(keep), -1)
    return PiecePairs(pair[keep], row_a[keep], row_b[keep], none, none)


def _firsts(query: Integers, value: Floats, count: int) -> Integers:
    """For each of `count` queries the index of its least value, the first of equals; −1 if none."""
    order = np.lexsort((np.arange(len(query)), value, query))
    firsts = np.full(count, -1)
    distinct, starts = np.unique(query[order], return_index=True)
    firsts[distinct] = order[starts]
    return firsts
