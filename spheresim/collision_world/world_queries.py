"""Questions to a collision world: rays, casts, overlaps, the nearest; single or many at once."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.collision_world.parts import Given
from spheresim.collision_world.query_arguments import (
    DIRECTIONS,
    EVERY,
    POINT,
    STARTS,
    group_bits,
    is_point,
    one_query_shape,
    one_row,
    query_shapes,
    rays_of,
    reach_of,
    row_count,
)
from spheresim.collision_world.query_lock import QueryLock
from spheresim.collision_world.ray_kernels import Rays
from spheresim.collision_world.rays import RayHit, RayHits, RayScene
from spheresim.collision_world.shape_queries import (
    Impact,
    Impacts,
    Neighbour,
    Neighbours,
    WorldSnapshot,
)
from spheresim.collision_world.shapes import Shapes
from spheresim.collision_world.single_body import SingleBodyQueries, placed_body
from spheresim.convex.body import Body
from spheresim.convex.geometry.posed_body import PosedBodies
from spheresim.convex.query_arguments import each_of
from spheresim.numerics.arguments import positive, whole_number
from spheresim.numerics.arrays import Floats, Integers, RowsLike
from spheresim.numerics.ray import ordinary_directions


class WorldQueries:
    """Questions about the shapes of a world that belong to the groups of `mask` (bits).

    Answers are in an order that depends on the world alone. Unsupported is raised if a shape is
    near enough to matter and its pair has no answer (see docs/collision_world.md).

    Several threads may ask; each waits for the others. None may change the world meanwhile.
    """

    __slots__ = ("_lock", "_scene", "_seen", "_shapes", "_single", "_snapshot")

    tolerance: float
    _shapes: Shapes

    def __init__(self) -> None:
        self._shapes = Shapes()
        self._snapshot = WorldSnapshot(self._shapes)
        self._scene = RayScene(self._shapes, self._snapshot.tree)
        self._single = SingleBodyQueries(self._shapes, self._snapshot)
        self._seen = 0
        # Held by a query from before it brings the world up to date until it has its answer:
        # trees, triangles of meshes and buffers are made and used as queries need them.
        self._lock = QueryLock()

    def _ready(self) -> tuple[RayScene, WorldSnapshot]:
        """Rays and snapshot, brought up to date if the world has changed since the last call.

        For a query that holds the lock.
        """
        if self._seen != self._shapes.changes:
            self._shapes.bound(0.0)
            changed = self._shapes.changed_parts()
            self._snapshot.follow(changed)
            self._scene.follow(changed)
            self._single.follow()
            self._seen = self._shapes.changes
        return self._scene, self._snapshot

    # --- Rays --------------------------------------------------------------------------

    def ray_cast(
        self,
        origin: npt.ArrayLike,
        direction: npt.ArrayLike,
        mask: int = EVERY,
        until: float = math.inf,
    ) -> RayHit | None:
        """The first shape that a ray from `origin` along `direction` hits, or None.

        `direction`: of any length but zero; `until`: the ray's length; `mask`: bits of groups.
        Surfaces are hit from both sides, solids from inside too, a plane from its front.
        """
        starts = each_of(origin, 1, 3, STARTS)
        along = ordinary_directions(each_of(direction, 1, 3, DIRECTIONS, math.inf))
        bits, reach = group_bits(mask), reach_of(until)
        with self._lock:
            scene, _ = self._ready()
            found = scene.first(Rays(starts, along), bits, reach)
        return RayHit(*_of_one(found)) if found.handle[0] >= 0 else None

    def ray_cast_batch(
        self,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        mask: int = EVERY,
        until: float = math.inf,
    ) -> RayHits:
        """`ray_cast` of many rays: origins and directions (n, 3), or one of either for all."""
        rays, bits, reach = rays_of(origins, directions), group_bits(mask), reach_of(until)
        with self._lock:
            scene, _ = self._ready()
            return scene.first(rays, bits, reach)

    def ray_cast_all(
        self,
        origin: Any,
        direction: Any,
        mask: int = EVERY,
        until: float = math.inf,
    ) -> list[RayHit]:
        """All shapes that a ray hits, each at the ray's first hit on it, the nearest first."""
        _, found = self.ray_cast_all_batch([origin], [direction], mask, until)
        every = zip(*found, strict=True)
        return [RayHit(int(h), float(d), p, n, int(t)) for h, d, p, n, t in every]

    def ray_cast_all_batch(
        self,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        mask: int = EVERY,
        until: float = math.inf,
    ) -> tuple[Integers, RayHits]:
        """`ray_cast_all` of many rays: the number of the ray of each hit, (k,), and the hits."""
        rays, bits, reach = rays_of(origins, directions), group_bits(mask), reach_of(until)
        with self._lock:
            scene, _ = self._ready()
            return scene.every(rays, bits, reach)

    # --- Shapes ------------------------------------------------------------------------

    def shape_cast(
        self,
        shape: Body,
        velocity: npt.ArrayLike,
        spin: npt.ArrayLike | None = None,
        until: float = 1.0,
        mask: int = EVERY,
        position: npt.ArrayLike | None = None,
        rotation: npt.ArrayLike | None = None,
    ) -> Impact | None:
        """The first shape that a moving shape meets, and when; None if it meets none.

        `velocity` [length per time]; `spin` [rad per time], about its position; `until`: the time
        at which the motion ends, finite. The shapes of the world stand still. The time is exact, or
        within the world's tolerance and never late, as in `cycle`. It is 0 for a shape that
        overlaps or touches the moving one at the start, even if the two part: in a world they are
        in contact.
        """
        if spin is None and (body := placed_body(shape, position, rotation)) is not None:
            end = positive(until, "the time until which a shape moves")
            along, bits = each_of(velocity, 1, 3, "velocities"), group_bits(mask)
            with self._lock:
                self._ready()
                met = self._single.cast(body, along, end, bits)
            if met is not None:
                slot, (first, normal, point) = met
                return (
                    Impact(self._handle(slot), float(first[0]), point, normal)
                    if slot >= 0
                    else None
                )
        there = one_row(position), one_row(rotation)
        found = self.shape_cast_batch(shape, [velocity], spin, until, mask, *there)
        return Impact(*_of_one(found)) if found.handle[0] >= 0 else None

    def shape_cast_batch(
        self,
        shape: Body,
        velocities: RowsLike,
        spins: npt.ArrayLike | None = None,
        until: float = 1.0,
        mask: int = EVERY,
        positions: npt.ArrayLike | None = None,
        rotations: npt.ArrayLike | None = None,
    ) -> Impacts:
        """`shape_cast` with many motions, or from many positions: (n, 3) each, or one for all."""
        end = positive(until, "the time until which a shape moves")
        count = row_count(velocities, positions, spins, turns=rotations)
        along = each_of(velocities, count, 3, "velocities")
        about = np.zeros((count, 3)) if spins is None else each_of(spins, count, 3, "spins")
        queried = query_shapes(shape, positions, rotations, count)
        queried.set_motion(along, about)
        bits = group_bits(mask)
        with self._lock:
            _, snapshot = self._ready()
            found = snapshot.cast(queried, end, bits, self.tolerance)
        return Impacts(self._handles(found[0]), *found[1:])

    def overlap(
        self,
        shape: Body,
        position: npt.ArrayLike | None = None,
        rotation: npt.ArrayLike | None = None,
        mask: int = EVERY,
    ) -> list[int]:
        """The handles, in order, of all shapes that have a point in common with a shape."""
        body, bits = placed_body(shape, position, rotation), group_bits(mask)
        handles = None if body is None else self._single_overlaps(body, bits)
        if handles is not None:
            return handles
        _, found = self.overlap_batch(shape, one_row(position), one_row(rotation), mask)
        return sorted(found.tolist())

    def _single_overlaps(self, body: PosedBodies, bits: int) -> list[int] | None:
        """The handles of all shapes that a body overlaps; None if that takes a batch to answer."""
        with self._lock:
            self._ready()
            return self._single.overlaps(body, bits)

    def overlap_batch(
        self,
        shape: Body,
        positions: npt.ArrayLike | None = None,
        rotations: npt.ArrayLike | None = None,
        mask: int = EVERY,
    ) -> tuple[Integers, Integers]:
        """`overlap` of one shape at many positions, (n, 3).

        Returns the index of a position and the handle of a shape overlapped there, (k,) each.
        """
        queried = query_shapes(shape, positions, rotations, row_count(positions, turns=rotations))
        bits = group_bits(mask)
        with self._lock:
            _, snapshot = self._ready()
            query, slots = snapshot.overlaps(queried, bits)
        return query, self._handles(slots)

    def nearest(self, to: Any, mask: int = EVERY, within: float = math.inf) -> Neighbour | None:
        """The shape nearest to a point or a shape, or None.

        `within`: only shapes with a gap up to this [length]. Where shapes overlap, their gap is
        negative, so the one of the deepest overlap is the nearest.
        """
        shape, place = (POINT, to) if is_point(to) else (to, None)
        body, bits, reach = placed_body(shape, place, None), group_bits(mask), reach_of(within)
        near = None
        if body is not None:
            with self._lock:
                self._ready()
                near = self._single.nearest(body, bits, reach)
        if near is not None:
            slot, (first, normal, point, other) = near
            if slot < 0:
                return None
            return Neighbour(self._handle(slot), float(first[0]), point, other, normal)
        found = self.nearest_batch(shape, one_row(place), None, mask, within)
        return Neighbour(*_of_one(found)) if found.handle[0] >= 0 else None

    def k_nearest(
        self, to: Any, k: int, mask: int = EVERY, within: float = math.inf
    ) -> list[Neighbour]:
        """The k shapes nearest to a point or a shape, up to a distance, the nearest first.

        Fewer than k if fewer are within that distance.
        """
        count, reach, bits = whole_number(k, "how many", low=1), reach_of(within), group_bits(mask)
        query = one_query_shape(to)
        with self._lock:
            _, snapshot = self._ready()
            reach = min(reach, snapshot.reach_of_nearest(query, bits, count))
            found = snapshot.all_within(query, bits, reach)
        return self._neighbours(found)[:count]

    def all_within(self, to: Any, distance: float, mask: int = EVERY) -> list[Neighbour]:
        """All shapes within a distance [length] of a point or a shape, the nearest first."""
        reach, bits, query = reach_of(distance), group_bits(mask), one_query_shape(to)
        with self._lock:
            _, snapshot = self._ready()
            found = snapshot.all_within(query, bits, reach)
        return self._neighbours(found)

    def furthest(self, to: Any, mask: int = EVERY) -> Neighbour | None:
        """The shape with the largest gap from a point or a shape; None if there is none."""
        found = self.all_within(to, math.inf, mask)
        return found[-1] if found else None

    def _neighbours(
        self, found: tuple[Integers, Floats, Floats, Floats, Floats]
    ) -> list[Neighbour]:
        slots, *columns = found
        handles, (gap, *vectors) = self._handles(slots).tolist(), columns
        every = zip(handles, gap.tolist(), *vectors, strict=True)
        return [Neighbour(*each) for each in every]

    def nearest_batch(
        self,
        shape: Given,
        positions: npt.ArrayLike | None = None,
        rotations: npt.ArrayLike | None = None,
        mask: int = EVERY,
        within: float = math.inf,
    ) -> Neighbours:
        """`nearest` of one shape at many positions, (n, 3); for points the shape is `sphere(0)`."""
        queried = query_shapes(shape, positions, rotations, row_count(positions, turns=rotations))
        bits, reach = group_bits(mask), reach_of(within)
        with self._lock:
            _, snapshot = self._ready()
            found = snapshot.nearest(queried, bits, reach)
        return Neighbours(self._handles(found[0]), *found[1:])

    def inside(self, point: Any, mask: int = EVERY) -> list[int]:
        """The handles, in order, of all shapes that hold a point.

        A solid holds its inside and its surface, a plane all that is behind it, and a closed
        surface what it encloses. A mesh holds nothing unless it is closed and its triangles are all
        oriented alike (`Mesh.is_closed`).
        """
        body, bits = placed_body(POINT, point, None), group_bits(mask)
        handles = None if body is None else self._single_overlaps(body, bits)
        if handles is not None:
            return handles
        _, found = self.inside_batch([point], mask)
        return sorted(found.tolist())

    def inside_batch(self, points: npt.ArrayLike, mask: int = EVERY) -> tuple[Integers, Integers]:
        """`inside` of many points, (n, 3).

        Returns the index of a point, and the handle of a shape that holds it, (k,) each.
        """
        queried = query_shapes(POINT, points, None, row_count(points))
        bits = group_bits(mask)
        with self._lock:
            _, snapshot = self._ready()
            query, slots = snapshot.containing(queried, bits)
        return query, self._handles(slots)

    def _handle(self, slot: int) -> int:
        """The handle of one slot."""
        return int(self._shapes.slots.handle_of(slot))

    def _handles(self, slots: Integers) -> Integers:
        """Handles of slots; −1 stays."""
        known = slots >= 0
        return np.where(known, self._shapes.slots.handle_of(np.where(known, slots, 0)), -1)


def _of_one(found: Impacts | Neighbours | RayHits) -> tuple[Any, ...]:
    """The fields of a batch of one answer."""
    return tuple(column[0].item() if column[0].ndim == 0 else column[0] for column in found)
