"""What the balls of a fill are placed by: their radii, the room, and what is in it."""

from collections.abc import Sequence
from typing import NamedTuple

from numpy.random import Generator

from spheresim.numerics.arrays import Floats
from spheresim.scene.fill.properties import volume_of
from spheresim.scene.fill.room import Room
from spheresim.scene.fill.sides import OnRightSide
from spheresim.scene.fill.spheres import Spheres


class Placement(NamedTuple):
    """What is to be placed, and where: balls of the radii (n,) in a room, clear of other spheres.

    flat: the axes along which all centres are in the middle of the room; side: of points, whether
    they are on the right side of closed obstacles, None if there are none.
    """

    room: Room
    radius: Floats
    others: Spheres
    flat: Sequence[int]
    rng: Generator
    side: OnRightSide | None

    @property
    def packing_fraction(self) -> float:
        """The volume of the balls over that of the room, obstacles included."""
        return float(volume_of(self.radius).sum()) / self.room.volume
