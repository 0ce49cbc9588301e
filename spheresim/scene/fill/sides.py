"""On which side of closed obstacles a fill puts its balls.

As with cylinders: one that encloses more than half of the room is a room itself, any other keeps
balls out; of a compound each part by itself. What is solid is never a room.
"""

from collections.abc import Callable, Sequence

import numpy as np

from spheresim.model.obstacle import Obstacle
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.scene.fill.room import Room, points_in

OnRightSide = Callable[[Floats], Booleans]
"""Of points (n, 3), which are on the right side of all obstacles: (n,) bool."""


def right_side(room: Room, obstacles: Sequence[Obstacle]) -> OnRightSide | None:
    """What tells the right side of closed obstacles in a room; None if there are none."""
    shapes = [piece for obstacle in obstacles for piece in obstacle.shape.pieces]
    grid = points_in(room.low, room.high)
    sides = [(shape, not shape.is_solid and shape.is_tube_to_most(grid)) for shape in shapes]
    if not sides:
        return None

    def on_right_side(points: Floats) -> Booleans:
        right = np.ones(len(points), dtype=bool)
        for shape, is_room in sides:
            right &= shape.encloses(points) == is_room
        return right

    return on_right_side
