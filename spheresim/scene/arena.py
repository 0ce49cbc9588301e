"""Where the balls of a scene fly."""

from collections.abc import Sequence
from typing import NamedTuple

from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box


class Arena(NamedTuple):
    """Obstacles, and a box, or None in open space."""

    obstacles: Sequence[Obstacle]
    box: Box | None
