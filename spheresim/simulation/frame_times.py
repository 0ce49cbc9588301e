"""When frames are taken, and the states of a recording."""

from collections.abc import Iterator

from spheresim.numerics.whole_steps import WHOLE


def frame_times(until: float, every: float, start: float = 0.0) -> Iterator[float]:
    """The times of all frames after the one at the start: each multiple of `every` later, and the
    end, unless that is the start.

    A multiple that differs from the end by no more than rounding is the end.
    """
    k = 1
    while start + k * every < until - WHOLE * (until - start):
        yield start + k * every
        k += 1
    if until > start:
        yield until
