"""When a time counts as a whole number of steps although rounding made it a little more or less."""

import math

WHOLE = 1e-9
"""What is nearer than this to a whole number of steps, relatively, is one."""

NEVER = 2**62
"""A number of steps that is never reached."""

_MOST = 1e-3
"""But nothing further than this from a whole number of steps is one, however many they are."""


def _tolerance(steps: float) -> float:
    return min(WHOLE * max(1.0, steps), _MOST)


def is_whole(steps: float) -> bool:
    """Whether a number of steps is whole, to rounding.

    >>> is_whole(0.3 / 0.1), is_whole(2.5)
    (True, False)
    """
    return abs(steps - round(steps)) <= _tolerance(steps)


def whole_steps(steps: float) -> int:
    """How many whole steps a number of steps holds; one that is whole to rounding holds itself.

    >>> whole_steps(0.3 / 0.1), whole_steps(2.5)
    (3, 2)
    """
    return math.floor(steps + _tolerance(steps))
