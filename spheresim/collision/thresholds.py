"""When a contact that bounces becomes one that lasts: lengths and speeds that nobody sees.

All are heights: how high a ball would rise, in units of its radius, against what presses it
onto the contact. So they hold for any radius and any gravity.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined


class Thresholds(NamedTuple):
    """rest_height: a ball that would bounce no higher than this lies on the obstacle from then on;
    hop_height: balls that touch, and are not known to come to rest there, go on with hops about
    so high, in which no energy is lost; wake_height: an impact harder than after such a fall
    wakes a ball that is asleep; calm_height: balls with less energy than for this height, whose
    rest can be proved about where they are, stop hopping; sleep_height: with less than for this
    they fall asleep."""

    rest_height: float = 1e-6
    hop_height: float = 1e-4
    wake_height: float = 1e-4
    calm_height: float = 1e-3
    sleep_height: float = 1e-5


ELASTIC_REST_HEIGHT = 1e-14
"""In place of rest_height where nothing is lost in bounces: only a ball that starts at rest."""

LEAST_HOP = 3e-5
"""The slowest speed of a hop, in units of √(g·r): what has no speed of approach gets this one.
The energy of such a hop is 5e-10·m·g·r."""

RAPID_HOPS = 4
RAPID_HOP_PATH = 0.1
"""Two balls slide along each other once each had so many impacts in a row after paths of less
than this part of its radius."""


NO_ROOM = 8
"""After so many impacts in a row without moving at all, a ball has no room to hop."""

MOST_HOPS = 8
"""A ball that another has hit hops on so many times off obstacles, in case it is hit again."""

LIES_BELOW = 0.1
"""A ball among hopping ones lies down on an obstacle only if it hops less than this part."""


@inlined
def rising_speed(acceleration: float, radius: float, height: float) -> float:
    """The speed with which a ball rises by a height, in units of its radius."""
    return math.sqrt(2.0 * acceleration * height * radius)


@inlined
def least_hop(acceleration: float, radius: float) -> float:
    """The speed of the slowest hop against what presses a ball on."""
    return LEAST_HOP * math.sqrt(acceleration * radius)


@inlined
def vn_after_soft_impact(w: float, restitution: float, hop: float) -> float:
    """The normal velocity after an impact with the approach w > 0.

    Impacts slower than a hop lose nothing, and none gets slower than a hop: so there are never
    infinitely many in finite time, and never more energy than before (the TC model of S. Luding
    and S. McNamara, Granular Matter 1, 1998, with a speed in place of its time).
    """
    return max(restitution * w, min(w, hop))
