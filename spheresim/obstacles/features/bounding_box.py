"""When a ball is near any feature at all, from the box around them, and how far to look at once."""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import Index


@routine
def times_in_reach(
    index: Index, x: TVector, v: TVector, g: TVector, reach: float
) -> tuple[float, float]:
    """A time before which a ball is near no feature, and one after which it is past all for good.

    The first is inf, or not before the second, where it never gets near them.
    """
    grown, box = reach * (1.0 + 1e-6), index.box
    first, last = 0.0, math.inf
    for axis in range(3):
        at = x.x if axis == 0 else x.y if axis == 1 else x.z
        speed = v.x if axis == 0 else v.y if axis == 1 else v.z
        pull = g.x if axis == 0 else g.y if axis == 1 else g.z
        low, high = box[0, axis] - grown - at, box[1, axis] + grown - at
        first = max(first, _first_time_between(low, high, speed, pull))
        last = min(last, _last_time_between(low, high, speed, pull))
    return first * (1.0 - 1e-9), max(0.0, last) * (1.0 + 1e-9)


@inlined
def _first_time_between(low: float, high: float, v: float, g: float) -> float:
    """The first t from 0 on at which v·t + g·t²/2 is from low to high; inf if never."""
    if low <= 0.0 <= high:
        return 0.0
    # Seen so that it is to rise to the nearer of the two.
    goal, push, pull = (low, v, g) if low > 0.0 else (-high, -v, -g)
    discriminant = push * push + 2.0 * pull * goal
    if discriminant < 0.0 or (push <= 0.0 and pull <= 0.0):
        return math.inf
    root = math.sqrt(discriminant)
    # The first positive root, in the form in which nothing cancels.
    return 2.0 * goal / (push + root) if push > 0.0 else (root - push) / pull


@inlined
def _last_time_between(low: float, high: float, v: float, g: float) -> float:
    """The last t at which v·t + g·t²/2 is from low to high; −inf if never, inf if always."""
    if g == 0.0:
        if v == 0.0:
            return math.inf if low <= 0.0 <= high else -math.inf
        return (high if v > 0.0 else low) / v
    # In the end it leaves through the side to which it is pulled.
    goal = high if g > 0.0 else low
    discriminant = v * v + 2.0 * g * goal
    if discriminant < 0.0:
        return -math.inf
    root = math.sqrt(discriminant)
    push, away = (v, root) if g > 0.0 else (-v, root)
    pull, far = abs(g), goal if g > 0.0 else -goal
    # The larger root of pull·t²/2 + push·t − far, in the form in which nothing cancels.
    return 2.0 * far / (push + away) if push > 0.0 else (away - push) / pull


@inlined
def first_stretch(index: Index, v: TVector, g: TVector, radius: float) -> float:
    """The time in which a ball goes about as far as a feature is large."""
    length, speed, pull = index.scale[0] + radius, v.mag(), g.mag()
    faster = speed + math.sqrt(speed * speed + 2.0 * pull * length)
    return 2.0 * length / faster if faster > 0.0 else math.inf
