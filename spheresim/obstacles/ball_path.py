"""The path of a ball between impacts: a parabola, or straight."""

from typing import NamedTuple

from spheresim.numerics.vector import TVector


class BallPath(NamedTuple):
    """Position, velocity and acceleration of a ball: in the world, or as an obstacle sees it."""

    x: TVector
    v: TVector
    a: TVector
