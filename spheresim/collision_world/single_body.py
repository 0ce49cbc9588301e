"""One convex body among a world's parts, in one call: what it overlaps, is nearest to, or meets.

The answers are those of `queries`, which works on whole arrays and takes some hundred microseconds
for a single body. Here one kernel of `single_body_kernels` answers. Where it cannot, its answer is
ASK_ALL: the question then goes to `queries`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.collision_world.parts import CONVEX, Given, model_of
from spheresim.collision_world.shape_queries import WorldSnapshot
from spheresim.collision_world.shapes import Shapes
from spheresim.collision_world.single_body_kernels import (
    ASK_ALL,
    Buffers,
    World,
    first_part_met,
    nearest_part,
    new_buffers,
    overlapping_parts,
)
from spheresim.compiler.decorators import for_types_of
from spheresim.convex.body import Body
from spheresim.convex.coordinates import checked_vector
from spheresim.convex.epa.polytope import empty_polytope
from spheresim.convex.geometry.layout import pose_row
from spheresim.convex.geometry.posed_body import PosedBodies
from spheresim.convex.geometry.rotation import rotation_matrix
from spheresim.convex.pair_query import Scratch
from spheresim.numerics.arrays import Floats


def placed_body(
    shape: Given, position: npt.ArrayLike | None, rotation: npt.ArrayLike | None
) -> PosedBodies | None:
    """A shape as a body at a position with a rotation; None if it is not a single convex body.

    Without a position or rotation, the shape's own. TypeError or ValueError for what is no shape,
    position or rotation.
    """
    if type(shape) is Body and shape.dimension == 3:
        geometry, own, turn = shape.geometry, shape.poses[0, 1:4], shape.rotation
    else:
        model = model_of(shape)
        part = model.parts[0]
        if len(model.parts) > 1 or part.kind > CONVEX:
            return None
        geometry, own, turn = part.solid.geometry, model.position, model.rotation
    where = checked_vector(own if position is None else position, 3)
    turn = rotation_matrix(turn if rotation is None else rotation, 3)
    return PosedBodies(geometry, pose_row(where, turn))


class SingleBodyQueries:
    """Questions about one convex body in a world.

    An answer is None where the question has to go to `queries`: if an infinite cylinder is among
    the shapes, or a mesh or other surface is near.
    """

    def __init__(self, shapes: Shapes, snapshot: WorldSnapshot) -> None:
        self._shapes, self._snapshot = shapes, snapshot
        self._buffers, self._rows = new_buffers(), 0
        self._kernels: dict[Callable[..., int], Callable[..., int]] = {}
        self.follow()

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled kernels, which cannot be pickled: a copy looks them up again."""
        return {**vars(self), "_kernels": {}}

    def follow(self) -> None:
        """Take note that shapes have been added, moved or removed; the tree is up to date."""
        snapshot = self._snapshot
        self._world = World(snapshot.tree.nodes, self._shapes.arrays, snapshot.planes)

    def _ask(self, question: Callable[..., int], body: PosedBodies, *given: object) -> int:
        """The answer of a kernel about a body.

        Only the first call looks at the types of the arguments, which takes longer than an answer.
        """
        asked = self._world, body, *given
        kernel = self._kernels.get(question)
        if kernel is None:
            kernel = self._kernels[question] = for_types_of(question, *asked)
        return kernel(*asked)

    def _is_hard(self, mask: int) -> bool:
        tubes = self._snapshot.tubes
        if len(tubes) == 0:
            return False
        return bool((self._shapes.group[self._shapes.owner[tubes]] & mask).any())

    def overlaps(self, body: PosedBodies, mask: int) -> list[int] | None:
        """The handles, in order, of all shapes that have a point in common with a body."""
        if self._is_hard(mask):
            return None
        count, found = 64, np.empty(64, np.int64)
        while True:
            count = self._ask(overlapping_parts, body, mask, self._buffers, found)
            if count <= len(found):
                break
            found = np.empty(count, np.int64)
        if count == ASK_ALL:
            return None
        slots = self._shapes.owner[found[:count]]
        return sorted(set(self._shapes.slots.handle_of(slots).tolist()))

    def nearest(self, body: PosedBodies, mask: int, within: float) -> tuple[int, Floats] | None:
        """The nearest shape up to a distance: its slot, −1 if there is none, and rows (4, 3).

        The rows: gap (in the first column), normal, point of the body, point of the shape.
        """
        if self._is_hard(mask):
            return None
        answer = np.empty((4, 3))
        row = self._ask(nearest_part, body, mask, within, self._buffers_for(body), answer)
        return self._slot_of(row, answer)

    def cast(
        self, body: PosedBodies, velocity: Floats, until: float, mask: int
    ) -> tuple[int, Floats] | None:
        """The shape that a body first meets as it moves without turning.

        Returns the slot, −1 if there is none, and time (in the first column), normal and point,
        (3, 3).
        """
        if self._is_hard(mask):
            return None
        velocities, answer = np.zeros((2, 1, 3)), np.empty((3, 3))
        velocities[0] = velocity
        given = velocities, until, mask, self._buffers_for(body), answer
        return self._slot_of(self._ask(first_part_met, body, *given), answer)

    def _buffers_for(self, body: PosedBodies) -> Buffers:
        """The buffers, with a polytope for this body and any of the world."""
        rows = len(body.geometry) + len(self._shapes.geometry)
        if rows != self._rows:  # to make it anew each time takes a tenth of a question
            scratch = Scratch(self._buffers.scratch.simplices, empty_polytope(rows))
            self._rows, self._buffers = rows, self._buffers._replace(scratch=scratch)
        return self._buffers

    def _slot_of(self, row: int, answer: Floats) -> tuple[int, Floats] | None:
        if row == ASK_ALL:
            return None
        return (int(self._shapes.owner[row]) if row >= 0 else -1), answer
