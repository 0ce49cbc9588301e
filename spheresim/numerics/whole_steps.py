"""When a time counts as a whole number of steps although rounding made it a little more or less."""

import math

from spheresim.compiler.decorators import inlined

WHOLE = 1e-9
"""What is nearer than this to a whole number of steps, relatively, is one."""

NEVER = 2**62
"""A number of steps that is never reached."""

_MOST = 1e-3
"""But nothing further than this from a whole number of steps is one, however many they are."""


@inlined
def _rounding(steps: float) -> float:
    return min(WHOLE * abs(steps), _MOST)


@inlined
def is_whole(steps: float) -> bool:
    """Whether a number of steps is whole, to rounding.

    >>> is_whole(0.3 / 0.1), is_whole(2.5), is_whole(1e-9)
    (True, False, False)
    """
    return abs(steps - round(steps)) <= _rounding(steps)


@inlined
def whole_steps(steps: float) -> int:
    """How many whole steps a number of steps holds; one that is whole to rounding holds itself.

    >>> whole_steps(0.3 / 0.1), whole_steps(2.5), whole_steps(1e-9)
    (3, 2, 0)
    """
    return math.floor(steps + _rounding(steps))


@inlined
def begun_steps(steps: float) -> int:
    """How many steps have begun when a number of steps has passed; a last one that is rounding
    alone has not.

    >>> begun_steps(0.3 / 0.1), begun_steps(2.5), begun_steps(1e-9)
    (3, 3, 1)
    """
    return math.ceil(steps - _rounding(steps))
