"""The order of events that happen at the same time: ties are decided here alone."""

from spheresim.collision.impacts import BALL
from spheresim.compiler.decorators import inlined


@inlined
def comes_before(
    time: float, kind: int, i: int, other: int, time_2: float, kind_2: int, i_2: int, other_2: int
) -> bool:
    """The total order of impacts, each named by time, kind, ball, and partner or obstacle."""
    if time != time_2:
        return time < time_2
    if kind != kind_2:
        return kind < kind_2
    if kind == BALL:
        lower, lower_2 = min(i, other), min(i_2, other_2)
        if lower != lower_2:
            return lower < lower_2
        return max(i, other) < max(i_2, other_2)
    return i < i_2 if i != i_2 else other < other_2
