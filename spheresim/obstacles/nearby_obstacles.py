"""Going through the obstacles that may reach into a box."""

from spheresim.compiler.decorators import inlined
from spheresim.obstacles.features.index import SweptBounds
from spheresim.obstacles.table import Obstacles


@inlined
def next_place(obstacles: Obstacles, place: int, bounds: SweptBounds) -> int:
    """The next place of what may reach into a box, after another one or from the start, -1; -1 if
    there is none.

    Places are those of planes and cylinders in `infinite`, all of them, and behind these the
    leaves of the index of features.
    """
    many = obstacles.unbounded.size
    if place + 1 < many:
        return place + 1
    leaf = obstacles.features.leaf_after(max(0, place - many), bounds)
    return int(many + leaf) if leaf > 0 else -1


@inlined
def row_at(obstacles: Obstacles, place: int) -> int:
    """The row at a place."""
    many = obstacles.unbounded.size
    return int(
        obstacles.unbounded[place] if place < many else obstacles.features.feature_at(place - many)
    )
