"""Search for the next or previous impact, in small pieces of work."""

import math
from collections.abc import Iterator

import numpy as np

from spheresim_viewer.timeline.playback import Playback
from spheresim_viewer.timeline.segments import Segments

# Each `yield` is a pause after a small piece of work, at which the caller may stop.


def next_impact(
    segments: Segments, after: float, until: float = math.inf
) -> Iterator[float | None]:
    """Yields None while it searches, then the time of the first impact after a time, if any.

    until: the time at which it gives up.
    """
    at = segments.all.index(segments.segment_at(after))
    for segment in segments.all[at:]:
        playback = segment.playback
        k = playback.number_at(max(after, segment.start))
        while k < playback.last and playback.time_of(k) <= min(segment.end, until):
            while playback.reach(k, 0.0) < k:
                yield None
            batch = playback.batch_from(k)
            t = batch.impacts.t
            t = t[(t > after) & (t <= segment.end) & (t <= until)]
            if len(t):
                yield float(t.min())
                return
            k = batch.last
            yield None


def previous_impact(segments: Segments, before: float) -> Iterator[float | None]:
    """Yields None while it searches, then the time of the last impact before a time, if any."""
    at = segments.all.index(segments.segment_at(before))
    for segment in reversed(segments.all[: at + 1]):
        playback = segment.playback
        top = playback.number_at(min(before, segment.end))
        if playback.time_of(top) < min(before, segment.end) and top < playback.last:
            top += 1
        while top > 0:
            base = playback.base(top)
            found = -np.inf
            for t in _times(playback, base, top):
                if t is not None:
                    earlier = t[(t < before) & (t <= segment.end)]
                    found = max(found, earlier.max(initial=-np.inf))
                yield None
            if found > -np.inf:
                yield float(found)
                return
            top = base


def _times(playback: Playback, k: int, top: int) -> Iterator[np.ndarray | None]:
    """The times of the impacts between keyframes k and top, batch by batch; None while it works."""
    while k < top:
        while playback.reach(k, 0.0) < k:
            yield None
        batch = playback.batch_from(k)
        yield batch.impacts.t
        k = batch.last
