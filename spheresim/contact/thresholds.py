"""When a contact that bounces becomes one that lasts: lengths and speeds that nobody sees.

All are heights: how high a ball would rise, in units of its radius, against what presses it
onto the contact. So they hold for any radius and any gravity.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector


class Thresholds(NamedTuple):
    """rest_height: a ball that would bounce no higher than this lies on the obstacle from then on;
    soft_height: balls that hit each other again and again, and would part no faster than after a
    fall over this height, stay in contact; wake_height: an impact harder than after such a fall
    wakes a ball that is asleep; sleep_height: balls in contact fall asleep with less energy than
    for this height, where their rest can be proved."""

    rest_height: float = 1e-6
    soft_height: float = 1e-3
    wake_height: float = 1e-4
    sleep_height: float = 1e-5


RAPID_BOUNCES = 4
RAPID_PATH = 0.1
"""Two balls hit each other again and again once each had so many impacts in a row after paths of
less than this part of its radius."""


PARTING = 1e-8
"""What a soft impact leaves of speed, in units of √(g·r), so that it is over: an energy of
5e-17·m·g·r."""


@inlined
def elastic_rest_height(x: TVector, radius: float) -> float:
    """What stands for rest_height where nothing is lost in bounces: some hundred units in the last
    place of where the ball is, so that only one stays that starts at rest."""
    return 256.0 * ROUNDING * (1.0 + manhattan_norm(x) / radius)


@inlined
def rising_speed(acceleration: float, radius: float, height: float) -> float:
    """The speed with which a ball rises by a height, in units of its radius."""
    return math.sqrt(2.0 * acceleration * height * radius)
