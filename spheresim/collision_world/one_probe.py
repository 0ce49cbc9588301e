"""Questions with one convex body, straight to the kernels of `one_body`."""

from typing import Any

import numpy as np

from spheresim.collision_world.one_body import (
    ASK_ALL,
    first_part_met,
    nearest_part,
    overlapping_parts,
    room,
)
from spheresim.collision_world.parts import CONVEX, model_of
from spheresim.collision_world.queries import Surroundings
from spheresim.collision_world.shapes import Shapes
from spheresim.compiler.decorators import for_types_of
from spheresim.convex.body import Body
from spheresim.convex.coordinates import checked_position
from spheresim.convex.epa.polytope import room_for
from spheresim.convex.geometry.layout import pose_row
from spheresim.convex.geometry.rotation import rotation_matrix


class Probe:
    """A convex body in a place: its geometry, and a pose of this, (1, 13)."""

    __slots__ = ("geometry", "pose")

    def __init__(self, geometry: Any, pose: Any) -> None:
        self.geometry, self.pose = geometry, pose


def probe_of(shape: Any, position: Any, rotation: Any) -> Probe | None:
    """A shape in a place, without one where it was given; None, if it is not one convex body.

    TypeError or ValueError for what is no shape or no place.
    """
    if type(shape) is Body and shape.dimension == 3:
        geometry, own, turn = shape.geometry, shape.poses[0, 1:4], shape.rotation
    else:
        model = model_of(shape)
        part = model.parts[0]
        if len(model.parts) > 1 or part.kind > CONVEX:
            return None
        geometry, own, turn = part.solid.geometry, model.position, model.rotation
    where = checked_position(own if position is None else position, 3)
    turn = rotation_matrix(turn if rotation is None else rotation, 3)
    return Probe(geometry, pose_row(where, turn))


class OneProbe:
    """A world's shapes as one body meets them. Each answer is None where `queries` is to be asked:
    if an infinite cylinder, or a mesh or other surface that is near, is among the shapes."""

    def __init__(self, shapes: Shapes, around: Surroundings) -> None:
        self._shapes, self._around = shapes, around
        self._room = room()
        self._kernels: dict[Any, Any] = {}
        self.follow()

    def follow(self) -> None:
        """Shapes have been added, moved or removed, and the tree knows of it."""
        self._of_world = self._around.tree.nodes, self._shapes.arrays, self._around.planes

    def _ask(self, question: Any, probe: Probe, *given: Any) -> Any:
        """What a kernel of `one_body` answers about a body. Numba finds out the types of its
        arguments with the first question alone, for that takes longer than an answer."""
        asked = *self._of_world, probe.geometry, probe.pose, *given
        kernel = self._kernels.get(question)
        if kernel is None:
            kernel = self._kernels[question] = for_types_of(question, *asked)
        return kernel(*asked)

    def _is_hard(self, mask: int) -> bool:
        tubes = self._around.tubes
        if len(tubes) == 0:
            return False
        return bool((self._shapes.group[self._shapes.owner[tubes]] & mask).any())

    def overlaps(self, probe: Probe, mask: int) -> list[int] | None:
        """The handles of all shapes that a body has a point in common with, in order."""
        if self._is_hard(mask):
            return None
        count, found = 64, np.empty(64, np.int64)
        while True:
            count = self._ask(overlapping_parts, probe, mask, self._room, found)
            if count <= len(found):
                break
            found = np.empty(count, np.int64)
        if count == ASK_ALL:
            return None
        slots = self._shapes.owner[found[:count]]
        return sorted(set(self._shapes.slots.handle_of(slots).tolist()))

    def nearest(self, probe: Probe, mask: int, within: float) -> tuple[int, Any] | None:
        """The nearest shape up to a distance: its slot, −1 if there is none, and gap (in the first
        column), normal and points of both, (4, 3)."""
        if self._is_hard(mask):
            return None
        polytope, answer = self._polytope(probe), np.empty((4, 3))
        row = self._ask(nearest_part, probe, mask, within, self._room, polytope, answer)
        return self._slot_of(row, answer)

    def cast(self, probe: Probe, velocity: Any, until: float, mask: int) -> tuple[int, Any] | None:
        """The shape that a body first meets that moves without turning: its slot, −1 if none, and
        time (in the first column), normal and point, (3, 3)."""
        if self._is_hard(mask):
            return None
        velocities, answer = np.zeros((2, 1, 3)), np.empty((3, 3))
        velocities[0] = velocity
        given = velocities, until, mask, self._room, self._polytope(probe), answer
        return self._slot_of(self._ask(first_part_met, probe, *given), answer)

    def _polytope(self, probe: Probe) -> Any:
        return room_for(len(probe.geometry) + len(self._shapes.geometry))

    def _slot_of(self, row: int, answer: Any) -> tuple[int, Any] | None:
        if row == ASK_ALL:
            return None
        return (int(self._shapes.owner[row]) if row >= 0 else -1), answer
