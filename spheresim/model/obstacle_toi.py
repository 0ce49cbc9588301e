"""Times of impact of balls in straight flight and one obstacle that stands still.

A ball against an obstacle is a ray against the obstacle offset by the ball's radius. The rule for
balls that already touch or overlap is in `collision.toi`.
"""

import math

import numpy.typing as npt

from spheresim.collision.toi import MovingSphere, flight_of
from spheresim.model.convex_obstacles import as_shape
from spheresim.model.obstacle import Obstacle
from spheresim.numerics.arguments import length, place, shown
from spheresim.numerics.arrays import Floats
from spheresim.numerics.powers_of_two import times_power_of_two
from spheresim.numerics.ray import TRay, with_ordinary_velocity
from spheresim.obstacles.table import AnyShape


def obstacle_toi(ball: MovingSphere, obstacle: object) -> float:
    """Time at which a ball in straight flight touches an obstacle; inf if never.

    ball: anything with position, velocity and radius, such as a `Ball`; obstacle: a shape, a body
    of `spheresim.convex`, or an `Obstacle` that stands still, whose shape is used. The time is
    counted from now, and 0 if they touch or overlap and the ball approaches. TypeError for what is
    no moving sphere or no obstacle; ValueError for an obstacle with a motion, for values that are
    not finite, and for a position or a radius beyond 1e75, or a radius below 1e-75 that is not 0.

    It is the parameter at which a ray meets the obstacle grown by the ball's radius. The ray starts
    at the ball's centre, and its direction is the velocity. So the parameter is the tutorial's
    Tc = Dsc · T / Dst, where Dsc = t·|v| and Dst = T·|v|.

    >>> from spheresim import Ball, Plane
    >>> obstacle_toi(Ball((0, 3, 0), (0, -2, 0), radius=1), Plane((0, 0, 0), (0, 1, 0)))
    1.0
    """
    position, velocity, radius = flight_of(ball)
    shape = _still_shape(obstacle)
    if velocity == (0.0, 0.0, 0.0):
        return math.inf
    place(position, "a ball's position")
    length(radius, "a ball's radius", may_be_0=True)
    ray, exponent = with_ordinary_velocity(TRay(position, velocity))
    return times_power_of_two(shape.toi(ray, radius), exponent)


def obstacle_toi_batch(
    shape: object, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
) -> Floats:
    """Times at which many balls in straight flight touch an obstacle, (n,); inf for never.

    `shape`: a shape, a body of `spheresim.convex`, or an `Obstacle` that stands still, whose shape
    is used. Positions and velocities have the shape (n, 3), radii (n,); a single vector or number
    is used for all rows. Row k has the same bits as `obstacle_toi` of ball k. TypeError if `shape`
    is no obstacle; ValueError for an obstacle with a motion, arrays of other shapes, and numbers
    that `obstacle_toi` does not take.

    >>> from spheresim.obstacles.plane import Plane
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> obstacle_toi_batch(floor, [(0, 3, 0), (0, 5, 0)], (0, -2, 0), 1).tolist()
    [1.0, 2.0]
    """
    return _still_shape(shape).toi_batch(position, velocity, radius)


def _still_shape(given: object) -> AnyShape:
    """The shape of an obstacle; ValueError for one that moves, TypeError for what is none."""
    if not isinstance(given, Obstacle):
        return as_shape(given)
    if given.motion is not None:
        raise ValueError(
            "this time of impact is of an obstacle that stands still, not of one with the motion "
            f"{shown(given.motion)}: run a Simulation"
        )
    return given.shape
