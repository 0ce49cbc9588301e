"""Times of impact of two balls whose accelerations differ: one rests on a plane, one falls."""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.roots import Polynomial, contact_quartic, first_contact_root
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector

IDLE = 1e-12
"""Accelerations towards a surface below this, beside gravity, neither press nor leave."""

IDLE_PAIR = 1e-7
"""The same for two balls: they may press each other where neither has any room to move."""


@inlined
def stay_apart(d: TVector, w: TVector, acceleration: TVector, s: float, horizon: float) -> bool:
    """Whether it is certain, and quickly seen, that two balls do not touch within a time.

    Their distance is at least what it is along the line through them, a parabola of time.
    """
    distance = d.mag()
    gap, speed, rate = distance - s, w.dot(d), acceleration.dot(d)
    if horizon == math.inf or not gap > ROUNDING * (manhattan_norm(d) + s):
        return False
    if rate > 0.0 and -speed < rate * horizon:
        lowest = gap * distance - (0.5 * speed * speed / rate if speed < 0.0 else 0.0)
    else:
        lowest = min(gap, gap + (speed + 0.5 * rate * horizon) * horizon / distance) * distance
    return bool(lowest > 1e-3 * gap * distance)


@routine
def parting_pair_toi(
    d: TVector, w: TVector, acceleration: TVector, s: float, gravity: float, horizon: float
) -> float:
    """When two balls touch again that touch now, without any approach.

    Now, if what pulls on them presses them together; if it does neither, never as far as is seen.
    """
    quartic = contact_quartic(d, w, acceleration, 0.0)
    rate = quartic.c2 / s
    if rate < -IDLE_PAIR * gravity:
        return 0.0
    if rate <= IDLE_PAIR * gravity:
        return math.inf
    return first_contact_root(Polynomial(0.0, 0.0, quartic.c2, quartic.c3, quartic.c4), horizon)


@routine
def falling_pair_toi(
    d: TVector, w: TVector, acceleration: TVector, s: float, horizon: float
) -> float:
    """When two balls touch whose accelerations differ: one falls, the other lies on a plane."""
    return first_contact_root(contact_quartic(d, w, acceleration, d.mag_sqr() - s * s), horizon)
