"""How tangential impulses change angular velocities."""

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats


def twists(rows: Impacts) -> Floats:
    """J × n of each row, (m, 3): of the tangential impulse on ball i and the normal towards it."""
    return np.cross(rows.tangential, rows.normal)


def spun(angular_velocity: Floats, rows: Impacts, world: World) -> Floats:
    """Angular velocities (n, 3) after the impacts of some rows, from those before.

    Impacts alone change them: by r·(J × n)/I of the tangential impulse J, for both balls alike.
    """
    after = angular_velocity.copy()
    torque, lever = twists(rows), world.radius / world.inertia
    for side, ball in ((rows.kind <= OBSTACLE, rows.i), (rows.kind == BALL, rows.other)):
        np.add.at(after, ball[side], torque[side] * lever[ball[side], None])
    return after
