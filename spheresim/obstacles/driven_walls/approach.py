"""A ball as an obstacle sees it: where it is, how it moves, and the normal.

An obstacle that stands still sees it as it is. In the frame of one that moves, contact is contact
with an obstacle at rest, and the motion of the obstacle is one more acceleration of the ball.
"""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.driven_walls.frame import Frame
from spheresim.obstacles.table import Obstacles, bend, normal_at


class Approach(NamedTuple):
    """Place, velocity and acceleration of a ball in the obstacle's frame, and the normal towards
    the ball, in that frame and in the world."""

    x: TVector
    v: TVector
    a: TVector
    seen_normal: TVector
    normal: TVector


@inlined
def approach(frame: Frame, obstacles: Obstacles, k: int, path: BallPath) -> Approach:
    """How row k, at the time of this frame of it, sees a ball on a path."""
    seen = frame.path(path.x, path.v, path.a)
    n = normal_at(obstacles, k, seen.x)
    return Approach(seen.x, seen.v, seen.a, n, frame.turned(n))


@inlined
def parting_acceleration(obstacles: Obstacles, k: int, seen: Approach) -> float:
    """The second time derivative of the gap between a ball and row k."""
    return seen.a.dot(seen.seen_normal) + bend(obstacles, k, seen.x, seen.v)
