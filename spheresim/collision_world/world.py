"""The collision world: shapes that a program moves, their contacts, and questions about them."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.catalogue import broad_phase
from spheresim.collision_world.contacts import Contact, Contacts
from spheresim.collision_world.cycle import ANSWERS, Cycle, run_phases
from spheresim.collision_world.events import Callbacks, OpenContacts
from spheresim.collision_world.handles import StaleHandle
from spheresim.collision_world.parts import Given, is_obstacle, model_of
from spheresim.collision_world.query_arguments import EVERY, group_bits, row_count
from spheresim.collision_world.world_queries import WorldQueries
from spheresim.convex.coordinates import checked_vector
from spheresim.convex.geometry.rotation import rotation_matrices, rotation_matrix
from spheresim.convex.query_arguments import each_of
from spheresim.numerics.arguments import number, positive, shown
from spheresim.numerics.arrays import Floats, Integers

Callback = Callable[[Contact], object]


class CollisionWorld(WorldQueries):
    """A world of shapes that a program moves: it finds contacts, and answers spatial queries.

    Shapes are obstacles (`Sphere`, `Cuboid`, `Plane`, `Mesh`, …), bodies of `spheresim.convex`, or
    lists of these. Spheres, capsules, cuboids, hulls and bodies are solid, a plane is solid behind;
    all others are thin surfaces. `add` returns a handle, a whole number that is never reused.

    `broad`: the name of a broad phase, see `spheresim.broadphase`; `tolerance`: the distance up to
    which moving shapes count as touching where no exact time is computed [length], see `cycle`.
    `on_begin`, `on_stay` and `on_end` are functions that `cycle` calls with a `Contact`; they may
    add, move and remove shapes.

    >>> from spheresim import Plane, Sphere
    >>> world = CollisionWorld()
    >>> floor, ball = world.add(Plane((0, 0, 0), (0, 0, 1))), world.add(Sphere((0, 0, 1.5), 1))
    >>> world.on_begin = lambda contact: print(contact.a, contact.b, contact.depth)
    >>> len(world.cycle().contacts)
    0
    >>> world.move(ball, (0, 0, 0.75))
    >>> found = world.cycle()
    0 1 0.25
    """

    __slots__ = (
        "_broad",
        "_in_callbacks",
        "_open",
        "contacts",
        "on_begin",
        "on_end",
        "on_stay",
        "tolerance",
    )

    def __init__(self, broad: str = "auto", tolerance: float = 1e-6) -> None:
        super().__init__()
        self.on_begin: Callback | None = None
        self.on_stay: Callback | None = None
        self.on_end: Callback | None = None
        self.contacts = Contacts.none()
        """The contacts of the last cycle."""
        self.tolerance = positive(tolerance, "a world's tolerance")
        self._broad = broad_phase(broad)
        self._open = OpenContacts()
        self._in_callbacks = False

    # --- Shapes ------------------------------------------------------------------------

    def add(
        self,
        shape: Given,
        position: npt.ArrayLike | None = None,
        rotation: npt.ArrayLike | None = None,
        group: int = 1,
        mask: int = EVERY,
        velocity: npt.ArrayLike | None = None,
        spin: npt.ArrayLike | None = None,
    ) -> int:
        """Put a shape into the world; returns its handle.

        position: (3,), moves the shape's own origin there [length]; rotation: as for `turn`;
        without them the shape stays where its fields say. `group`: bits of the groups to which it
        belongs; `mask`: bits of the groups with which it collides. Two shapes collide if the mask
        of each has a bit of the group of the other. `velocity` [length per time] and `spin` [rad
        per time], about its position, are used by `cycle(dt)`. TypeError or ValueError for an
        argument of the wrong kind or shape.
        """
        model = model_of(shape)
        place = model.position if position is None else checked_vector(position, 3)
        turn = model.rotation if rotation is None else rotation_matrix(rotation, 3)
        motion = [
            None if given is None else each_of(given, 1, 3, what)
            for given, what in ((velocity, "a velocity"), (spin, "a spin"))
        ]
        groups = group_bits(group, "a group"), group_bits(mask, "a mask")
        places = np.array([place], dtype=np.float64), np.array([turn])
        slots = self._shapes.add([shape], [model], *places, groups)
        if velocity is not None or spin is not None:
            self._shapes.set_motion(slots, *motion)
        return int(self._shapes.slots.handle_of(slots[0]))

    def add_many(
        self,
        shapes: Any,
        positions: npt.ArrayLike | None = None,
        rotations: npt.ArrayLike | None = None,
        group: int = 1,
        mask: int = EVERY,
        velocities: npt.ArrayLike | None = None,
        spins: npt.ArrayLike | None = None,
    ) -> Integers:
        """Put many shapes into the world; returns their handles, (n,), in order.

        `shapes`: a list of shapes or anything else that holds some, each of which gets a handle, or
        a single shape for all positions; a list in the list is one compound. `positions`: (n, 3);
        `rotations`: as `turn` takes them; `velocities`, `spins`: (n, 3), or one for all; the rest
        is as in `add`. If one of them is wrong, none is added.

        >>> from spheresim import Sphere
        >>> world = CollisionWorld()
        >>> world.add_many(Sphere((0, 0, 0), 1), [(0, 0, 0), (1.5, 0, 0)]).tolist()
        [0, 1]
        >>> len(world.cycle().contacts)
        1
        """
        if isinstance(shapes, Iterable) and not is_obstacle(shapes):
            given = list(shapes)
            models = [model_of(shape) for shape in given]
        else:
            many = row_count(positions, velocities, spins, turns=rotations)
            given, models = [shapes] * many, [model_of(shapes)] * many
        n = len(given)
        own = np.array([model.position for model in models], dtype=np.float64).reshape(-1, 3)
        where = own if positions is None else each_of(positions, n, 3, "positions")
        turns = [model.rotation for model in models] if rotations is None else rotations
        turned = rotation_matrices(np.array(turns) if rotations is None else turns, n)
        along, about = (
            None if each is None else each_of(each, n, 3, what)
            for each, what in ((velocities, "velocities"), (spins, "spins"))
        )
        groups = group_bits(group, "a group"), group_bits(mask, "a mask")
        slots = self._shapes.add(given, models, where, turned, groups)
        if along is not None or about is not None:
            self._shapes.set_motion(slots, along, about)
        return self._shapes.slots.handle_of(slots)

    def remove(self, handles: npt.ArrayLike) -> None:
        """Remove one shape, or many; their contacts end in the next cycle.

        StaleHandle if one is gone already; then none is removed.
        """
        if np.ndim(handles) == 0:
            self._shapes.remove(self._shapes.slots.slot_of(handles))
            return
        for slot in dict.fromkeys(self._slots(handles).tolist()):
            self._shapes.remove(slot)

    def move(
        self,
        handles: npt.ArrayLike,
        positions: npt.ArrayLike,
        rotations: npt.ArrayLike | None = None,
    ) -> None:
        """Move one shape to a position (3,), or many to positions (n, 3).

        `rotations`: as `turn` takes them; without any the shapes keep theirs.
        """
        slots = self._slots(handles)
        where = each_of(positions, len(slots), 3, "positions")
        turns = None if rotations is None else rotation_matrices(rotations, len(slots))
        self._shapes.place(slots, where, turns)

    def turn(self, handles: npt.ArrayLike, rotations: npt.ArrayLike) -> None:
        """Set the rotation of one shape, or of many, about their own positions.

        It replaces the rotation that a shape has. A rotation is a 3 × 3 matrix, a quaternion
        (x, y, z, w) or a scipy `Rotation`; for many shapes matrices (n, 3, 3), or a list of these.
        """
        slots = self._slots(handles)
        self._shapes.place(slots, None, rotation_matrices(rotations, len(slots)))

    def set_velocity(
        self, handles: npt.ArrayLike, velocities: npt.ArrayLike, spins: npt.ArrayLike | None = None
    ) -> None:
        """Set velocities [length per time] and spins [rad per time], (3,) or (n, 3) each.

        They are used by `cycle(dt)`.
        """
        slots = self._slots(handles)
        along = each_of(velocities, len(slots), 3, "velocities")
        about = None if spins is None else each_of(spins, len(slots), 3, "spins")
        self._shapes.set_motion(slots, along, about)

    def set_group(self, handles: npt.ArrayLike, group: int) -> None:
        """Set the bits of the groups to which one shape, or each of many, belongs."""
        self._shapes.set_groups(self._slots(handles), group_bits(group, "a group"), None)

    def set_mask(self, handles: npt.ArrayLike, mask: int) -> None:
        """Set the bits of the groups with which one shape, or many, collide."""
        self._shapes.set_groups(self._slots(handles), None, group_bits(mask))

    def __repr__(self) -> str:
        many = [(len(self), "shape"), (len(self.contacts), "contact")]
        shapes, contacts = (f"{count:,} {name}{'s' * (count != 1)}" for count, name in many)
        return f"<CollisionWorld of {shapes}, {contacts} in its last cycle>"

    def __len__(self) -> int:
        return len(self._shapes.used_slots)

    def __contains__(self, handle: object) -> bool:
        try:
            self._shapes.slots.slot_of(handle)
        except (TypeError, StaleHandle):
            return False
        return True

    @property
    def handles(self) -> Integers:
        """The handles of all shapes, (n,), in the order of their slots."""
        return self._shapes.slots.handle_of(self._shapes.used_slots)

    def shape(self, handle: int) -> Any:
        """The shape as it was given to `add`, not where it has been moved to."""
        return self._shapes.given[self._shapes.slots.slot_of(handle)]

    def position(self, handle: int) -> Floats:
        """The position of a shape's own origin, (3,) [length]."""
        return self._pose(handle)[1:4].copy()

    def rotation(self, handle: int) -> Floats:
        """The rotation of a shape, (3, 3); the columns are its own axes."""
        return self._pose(handle)[4:].reshape(3, 3).copy()

    def velocity(self, handle: int) -> Floats:
        """The velocity of a shape in `cycle(dt)`, (3,) [length per time]."""
        return self._motion(handle)[0].copy()

    def spin(self, handle: int) -> Floats:
        """The spin of a shape in `cycle(dt)`, (3,) [rad per time]."""
        return self._motion(handle)[1].copy()

    def group(self, handle: int) -> int:
        """The bits of the groups to which a shape belongs."""
        return int(self._shapes.group[self._shapes.slots.slot_of(handle)])

    def mask(self, handle: int) -> int:
        """The bits of the groups with which a shape collides."""
        return int(self._shapes.mask[self._shapes.slots.slot_of(handle)])

    def _motion(self, handle: int) -> Floats:
        return self._shapes.motions[self._shapes.first[self._shapes.slots.slot_of(handle)], 0]

    def _pose(self, handle: int) -> Floats:
        return self._shapes.poses[self._shapes.first[self._shapes.slots.slot_of(handle)]]

    def _slots(self, handles: npt.ArrayLike) -> Integers:
        return self._shapes.slots.slots_of(handles)

    # --- Contacts ----------------------------------------------------------------------

    def cycle(self, dt: float = 0.0, answer: str = "point") -> Cycle:
        """Find all contacts, and report which have begun, stay and have ended.

        With a `dt`, all shapes move by their velocities and spins for that time, and two shapes
        that touch at any time in it are in contact, so that nothing tunnels. The time of touch is
        exact if neither shape turns and one is a sphere or neither is rounded; else it is the time
        at which the two are within the world's tolerance, which is never late. Points and normals
        are those at the first touch.

        `answer`: "touch" finds no points, "point" the deepest of each pair of parts, "manifold" all
        corners in which faces lie against each other.

        Callbacks are called at the end, when the world is in its new state: `on_end` for all
        contacts that have ended, then `on_begin` and `on_stay`, each in the order of the handles.
        Their changes to the world count from the next cycle on; after one has removed a shape, no
        begins and stays of that shape are reported. Raises Unsupported if two shapes come near each
        other and their pair has no answer (see docs/collision_world.md).
        """
        if self._in_callbacks:
            raise RuntimeError("a callback must not call cycle(): it is called in one")
        step = number(dt, "a step", low=0.0)
        if answer not in ANSWERS:
            raise ValueError(f"an answer is one of {', '.join(ANSWERS)}, not {answer!r}")
        callbacks = Callbacks(self.on_begin, self.on_stay, self.on_end)
        for name, call in zip(callbacks._fields, callbacks, strict=True):
            if call is not None and not callable(call):
                raise TypeError(f"on_{name} must be a function of a contact, not {shown(call)}")
        if step > 0.0:
            self._shapes.refuse_overflow(step)
        contacts, watch = run_phases(self._shapes, self._broad, answer, step, self.tolerance)
        if step > 0.0:
            self._shapes.go_on(step)
        self.contacts = contacts
        changes = self._open.changes(contacts)
        self._in_callbacks = True
        try:
            self._open.report(contacts, changes, callbacks, self._shapes.slots.is_there)
        finally:
            self._in_callbacks = False
        watch.lap("events", len(changes.begun) + len(changes.ended))
        return Cycle(tuple(watch.phases), contacts, changes.begun, changes.stayed, changes.ended)
