"""The shapes of a world as arrays: their parts, positions, motions, groups and boxes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.collision_world.bounds import bound_parts, box_of_surface, move_parts
from spheresim.collision_world.geometry_table import GeometryTable, TriangleTable
from spheresim.collision_world.handles import Slots, grown
from spheresim.collision_world.marked_rows import MarkedRows
from spheresim.collision_world.pairs.side import Side
from spheresim.collision_world.parts import (
    CONVEX,
    CYLINDER,
    MESH,
    PLANE,
    RING,
    ROUND,
    Given,
    Model,
    Part,
    PartArrays,
)
from spheresim.convex.coordinates import LARGEST
from spheresim.convex.geometry.layout import POSE_SIZE
from spheresim.convex.shapes import sphere
from spheresim.numerics.arrays import Booleans, Floats, Integers

_OF_SHAPES = {
    "first": ((), np.int64),
    "parts": ((), np.int64),
    "group": ((), np.int64),
    "mask": ((), np.int64),
    "unbounded": ((), bool),
}
_OF_PARTS = {
    "kind": ((), np.int64),
    "owner": ((), np.int64),
    "poses": ((POSE_SIZE,), np.float64),
    "motions": ((1, 2, 3), np.float64),
    "own": ((6,), np.float64),
    "low": ((3,), np.float64),
    "high": ((3,), np.float64),
}


class Shapes:
    """All shapes of a world.

    For each slot: first, parts: its first row among the parts, and how many rows it has; group,
    mask: bits; unbounded: whether it has no box.

    For each part: kind; owner: its slot, −1 if the row is free; poses: as of bodies, (parts, 13);
    motions: velocity and spin, (parts, 1, 2, 3); own: in its own frame the box of a bounded
    surface, or a plane's point and normal, (parts, 6); low, high: its box in the world over the
    last step.
    """

    first: Integers
    parts: Integers
    group: Integers
    mask: Integers
    unbounded: Booleans
    kind: Integers
    owner: Integers
    poses: Floats
    motions: Floats
    own: Floats
    low: Floats
    high: Floats

    def __init__(self) -> None:
        self.slots = Slots()
        self.given: list[Any] = []
        """The shape that was given for each slot."""
        self.solids: list[Any] = []
        """The body or other shape of each part."""
        self.changes = 0
        """Grows whenever anything is added, removed or moved."""
        self._geometry = GeometryTable()
        self._geometry.start_of(sphere(0.0).geometry)
        self._free: dict[int, list[int]] = {}
        self._triangles = TriangleTable(self._geometry)
        self._count = 0
        for name, (shape, dtype) in (_OF_SHAPES | _OF_PARTS).items():
            setattr(self, name, np.zeros((16, *shape), dtype=dtype))
        self._stale, self._changed = MarkedRows(), MarkedRows()
        self._boxes_over = 0.0

    # --- Adding and removing -----------------------------------------------------------

    def add(
        self,
        given: Sequence[Given],
        models: list[Model],
        positions: Floats,
        rotations: Floats,
        groups: tuple[int, int],
    ) -> Integers:
        """Put shapes in free slots, (n,), which are returned.

        given: what they were given as; positions (n, 3), rotations (n, 3, 3); groups: the bits of
        their group and of the groups that they meet. Equal models in a row are laid out once.
        """
        slots = np.array([self.slots.take() for _ in models], dtype=np.int64)
        for name in _OF_SHAPES:
            setattr(self, name, grown(getattr(self, name), self.slots.count))
        self.given += [None] * (self.slots.count - len(self.given))
        self.group[slots], self.mask[slots] = groups
        first = 0
        while first < len(slots):
            model, many = models[first], 1
            while first + many < len(slots) and models[first + many] is model:
                many += 1
            self._lay_out(model, slots[first : first + many])
            first += many
        for slot, what in zip(slots.tolist(), given, strict=True):
            self.given[slot] = what
        if len(slots):
            self.place(slots, positions, rotations)
        return slots

    def _lay_out(self, model: Model, slots: Integers) -> None:
        """Write the parts of as many equal shapes as there are slots, (k,)."""
        count = len(model.parts)
        firsts = self._room_for(count, len(slots))
        self.first[slots], self.parts[slots] = firsts, count
        self.unbounded[slots] = any(part.kind in {PLANE, CYLINDER} for part in model.parts)
        for k, part in enumerate(model.parts):
            rows = firsts + k
            self.kind[rows], self.owner[rows], self.motions[rows] = part.kind, slots, 0.0
            self.poses[rows, 0] = self._hold(part.kind, part.solid, len(rows))
            self.own[rows] = _own_numbers(part)
            for row in rows.tolist():
                self.solids[row] = part.solid

    def _hold(self, kind: int, solid: Any, times: int) -> int:
        """Count `times` more uses of a part's geometry; returns its first row, 0 if it has none."""
        if kind == MESH:
            self._triangles.hold(solid, times)
        return self._geometry.start_of(solid.geometry, times) if kind <= CONVEX else 0

    def _room_for(self, count: int, many: int) -> Integers:
        """The first rows of `many` blocks of `count` free rows of parts, (many,)."""
        free = self._free.get(count, [])
        old = [free.pop() for _ in range(min(many, len(free)))]
        first, new = self._count, many - len(old)
        self._count += new * count
        if self._count > len(self.kind):
            for name in _OF_PARTS:
                setattr(self, name, grown(getattr(self, name), self._count))
        self.solids += [None] * (self._count - len(self.solids))
        return np.concatenate([np.array(old, np.int64), first + count * np.arange(new)])

    def remove(self, slot: int) -> None:
        """Free a slot and its parts."""
        first, count = int(self.first[slot]), int(self.parts[slot])
        for k in range(first, first + count):
            if self.kind[k] <= CONVEX:
                self._geometry.drop(self.solids[k].geometry)
            if self.kind[k] == MESH:
                self._triangles.drop(self.solids[k])
            self.owner[k], self.solids[k] = -1, None
        self._changed.mark(np.arange(first, first + count), self._count)
        self._free.setdefault(count, []).append(first)
        self.given[slot] = None
        self.slots.give_back(slot)
        self.changes += 1
        if self._geometry.is_mostly_waste():
            self._compact()

    def _compact(self) -> None:
        moved = self._geometry.compact()
        bodies = np.flatnonzero(self.is_used & (self.kind[: self._count] <= CONVEX))
        self.poses[bodies, 0] = moved(self.poses[bodies, 0].astype(np.int64))
        self._triangles.follow(moved)

    # --- Places ------------------------------------------------------------------------

    def rows_of(self, slots: Integers) -> tuple[Integers, Integers]:
        """The parts of slots (n,), and to which of these each belongs, (m,) both."""
        counts = self.parts[slots]
        if (counts == 1).all():
            return self.first[slots], np.arange(len(slots))
        which = np.repeat(np.arange(len(slots)), counts)
        within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[slots][which] + within, which

    def place(self, slots: Integers, positions: Floats | None, rotations: Floats | None) -> None:
        """Set positions (n, 3) and rotations (n, 3, 3) of shapes, or None to keep them."""
        rows, which = self.rows_of(slots)
        if positions is not None:
            self.poses[rows, 1:4] = positions[which]
        if rotations is not None:
            self.poses[rows, 4:] = rotations.reshape(-1, 9)[which]
        self._touch(rows)

    def set_motion(self, slots: Integers, velocities: Floats | None, spins: Floats | None) -> None:
        """Set velocities and spins, (n, 3) each, or None to keep them."""
        rows, which = self.rows_of(slots)
        if velocities is not None:
            self.motions[rows, 0, 0] = velocities[which]
        if spins is not None:
            self.motions[rows, 0, 1] = spins[which]
        self._touch(rows)

    def set_groups(self, slots: Integers, group: int | None, mask: int | None) -> None:
        """Set the bits of groups and of the groups that are met, or None to keep them."""
        if group is not None:
            self.group[slots] = group
        if mask is not None:
            self.mask[slots] = mask
        self._touch(self.rows_of(slots)[0])

    def _moving(self) -> Integers:
        return np.flatnonzero(self.motions[: self._count].any(axis=(1, 2, 3)) & self.is_used)

    def refuse_overflow(self, dt: float) -> None:
        """Raise ValueError if a step would move or turn a shape beyond the largest length."""
        moving = self._moving()
        with np.errstate(over="ignore"):
            ways = np.abs(self.motions[moving, 0]) * dt
            ways[:, 0] += np.abs(self.poses[moving, 1:4])
        far = np.flatnonzero(~(ways <= LARGEST).all(axis=(1, 2)))
        if len(far):
            handle = self.slots.handle_of(self.owner[moving[far[0]]])
            raise ValueError(f"in a step of {dt:g} shape {handle} moves further than {LARGEST:g}")

    def go_on(self, dt: float) -> None:
        """Move all shapes by their velocities and spins for a time."""
        moving = self._moving()
        if len(moving):
            move_parts(moving, self.arrays, dt)
            self._touch(moving)

    def _touch(self, rows: Integers) -> None:
        self._stale.mark(rows, self._count)
        self._changed.mark(rows, self._count)
        self.changes += 1

    def changed_parts(self) -> Integers:
        """The rows of parts that were added, moved or removed since this was last asked, (k,)."""
        return self._changed.take()

    # --- Reading -----------------------------------------------------------------------

    @property
    def geometry(self) -> Floats:
        """The geometries of all bodies."""
        return self._geometry.rows

    @property
    def arrays(self) -> PartArrays:
        """All parts, as kernels read them."""
        return PartArrays(
            self.kind,
            self.owner,
            self.group,
            self.geometry,
            self.poses,
            self.motions,
            self.own,
            self.low,
            self.high,
        )

    @property
    def is_used(self) -> Booleans:
        """Which rows of parts are in use."""
        return self.owner[: self._count] >= 0

    @property
    def used_slots(self) -> Integers:
        """The slots that are taken, in order."""
        return np.flatnonzero(self.slots.is_taken[: self.slots.count])

    def side(self, rows: Integers, pieces: Integers | None = None) -> Side:
        """Some parts as one side of pairs; of meshes the triangles `pieces`, else −1, (m,)."""
        kind, poses = self.kind[rows], self.poses[rows]
        if pieces is None:
            pieces = np.full(len(rows), -1)
        for row in np.unique(rows[kind == MESH]):
            here = np.flatnonzero(rows == row)
            poses[here, 0] = self._triangles.starts_of(self.solids[row], pieces[here])
        solids = np.empty(len(rows), dtype=object)
        for k in np.flatnonzero(kind > MESH):
            solids[k] = self.solids[rows[k]]
        return Side(self.geometry, poses, self.motions[rows, 0], kind, solids, rows, pieces)

    def bound(self, dt: float) -> None:
        """Bring the parts' boxes up to date, around their motion in a step of dt."""
        rows = self._stale.take()
        rows = (
            rows[self.owner[rows] >= 0] if dt == self._boxes_over else np.flatnonzero(self.is_used)
        )
        if len(rows):
            bound_parts(rows, self.arrays, dt)
        self._boxes_over = dt

    def boxes(self, slots: Integers) -> tuple[Floats, Floats]:
        """The boxes of shapes, (n, 3) each; of all their parts together."""
        first, counts = self.first[slots], self.parts[slots]
        if (counts == 1).all():
            return self.low[first], self.high[first]
        rows, _ = self.rows_of(slots)
        starts = np.cumsum(counts) - counts
        return (
            np.minimum.reduceat(self.low[rows], starts),
            np.maximum.reduceat(self.high[rows], starts),
        )


def _own_numbers(part: Part) -> Floats:
    """The row of `own` of a part, (6,): zeros for bodies."""
    if part.kind in {MESH, ROUND, RING}:
        return box_of_surface(part.solid)
    if part.kind == PLANE:
        return np.array([*part.solid.point, *part.solid.normal])
    return np.zeros(6)
