"""The order of events that happen at the same time: ties are decided here alone."""

from typing import NamedTuple

from spheresim.collision.impacts import BALL
from spheresim.compiler.decorators import inlined


class ScheduledImpact(NamedTuple):
    """What decides the order of an impact: time, kind, ball, and the other ball or the obstacle."""

    time: float
    kind: int
    i: int
    other: int


@inlined
def comes_before(a: ScheduledImpact, b: ScheduledImpact) -> bool:
    """The total order of impacts."""
    if a.time != b.time:
        return a.time < b.time
    if a.kind != b.kind:
        return a.kind < b.kind
    if a.kind == BALL:
        lower_a, lower_b = min(a.i, a.other), min(b.i, b.other)
        if lower_a != lower_b:
            return lower_a < lower_b
        return max(a.i, a.other) < max(b.i, b.other)
    return a.i < b.i if a.i != b.i else a.other < b.other
