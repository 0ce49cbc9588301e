"""Heights to which balls could rise, the speeds that go with them, and the clearance in islands.

Heights are in units of the ball's radius, unless it says otherwise.
"""

import math

from spheresim.compiler.decorators import inlined
from spheresim.contact.tolerances import (
    CLEARANCE_PER_SPEED,
    LIFTING_FRACTION,
    MOST_CLEARANCE,
    MOST_LIFTING,
)
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector


@inlined
def speed_unit(acceleration: float, radius: float) -> float:
    """The unit √(g·r) of the speeds in `tolerances`."""
    return math.sqrt(acceleration * radius)


@inlined
def slowed(work: float, energy: float) -> float:
    """Factor on the speeds of balls with this energy that takes a smaller work from them."""
    return math.sqrt(1.0 - work / energy)


@inlined
def clearance_at(height: float) -> float:
    """The clearance of a large island whose balls could rise to this mean height, in radii."""
    return min(CLEARANCE_PER_SPEED * math.sqrt(height), MOST_CLEARANCE)


@inlined
def clearance_of_large_island(members: int, rising: float, above: float, least: float) -> float:
    """The clearance between the balls of a large island, in radii.

    rising: the sum of the heights, in radii, to which the balls could rise; above: the sum of their
    heights above the lowest ball, in radii, where a gap comes every two radii; least: the clearance
    of a small island.
    """
    clearance = clearance_at(rising / members)
    if above > 0.0:
        clearance = min(clearance, 2.0 * LIFTING_FRACTION * rising / above)
    return max(clearance, least)


@inlined
def lasting_height(height: float, restitution: float, x: TVector, radius: float) -> float:
    """The height up to which a bounce of a ball at x ends in contact. Without loss of energy it is
    rounding, so that only a ball that starts at rest stays."""
    return height if restitution < 1.0 else rounding_of_place(x, radius)


@inlined
def rounding_of_place(x: TVector, radius: float) -> float:
    """Some hundred units in the last place of the coordinates of a ball at x, in radii."""
    return 256.0 * ROUNDING * (1.0 + manhattan_norm(x) / radius)


@inlined
def height_against(gravity: TVector, x: TVector) -> float:
    """The height of x, as a length; 0 without gravity."""
    g = gravity.mag()
    return -x.dot(gravity) / g if g > 0.0 else 0.0


@inlined
def lifting_work(clearance: float, lifting: float, owed: float) -> float:
    """The work that forces may do for the sake of a clearance.

    lifting: the sum of the work that lifts each ball to its height, and by its radius; owed: work
    that they have done and that is not paid back.
    """
    return max(MOST_LIFTING * clearance * lifting - max(owed, 0.0), 0.0)


@inlined
def rising_speed(acceleration: float, radius: float, height: float) -> float:
    """The speed with which a ball rises by a height, in radii, against an acceleration."""
    return math.sqrt(2.0 * acceleration * height * radius)


@inlined
def rising_height(acceleration: float, radius: float, speed_sqr: float) -> float:
    """The height, in radii, to which a ball with this speed, squared, rises against an
    acceleration; inf if there is none."""
    return speed_sqr / (2.0 * acceleration * radius) if acceleration > 0.0 else math.inf
