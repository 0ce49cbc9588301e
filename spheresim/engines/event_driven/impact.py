"""Impacts as the rules of contact receive them: of two balls, and of a ball on an obstacle."""

from typing import NamedTuple

from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.frame import Frame


class PairImpact(NamedTuple):
    """An impact of balls a and b.

    n: the normal from b to a; vn: the relative normal velocity before, negative approaching;
    restitution: that of the collapse rule.
    """

    a: int
    b: int
    n: TVector
    vn: float
    restitution: float


class ObstacleImpact(NamedTuple):
    """An impact of a ball on obstacle k.

    frame: of the obstacle, now; there: the ball as the obstacle sees it; v: its velocity before,
    relative to the obstacle; n: the normal towards the ball.
    """

    k: int
    frame: Frame
    there: TVector
    v: TVector
    n: TVector


class Rebound(NamedTuple):
    """What an impact on obstacle k leads to: the normal n towards the ball, the normal velocity vn
    after the impact, and the restitution of the surfaces."""

    k: int
    n: TVector
    vn: float
    restitution: float
