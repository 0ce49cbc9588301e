"""Looking for impacts in time, a little at a time."""

from collections.abc import Iterator

import numpy as np

from spheresim_viewer.timeline.playback import Course
from spheresim_viewer.timeline.segments import Segments

# Each `yield` is a pause after a little work: whoever looks on may stop there.


def next_impact(segments: Segments, after: float) -> Iterator[float | None]:
    """The time of the first impact after a time, as the last thing yielded; None: not yet."""
    at = segments.all.index(segments.segment_at(after))
    for segment in segments.all[at:]:
        course = segment.course
        k = course.number_at(max(after, segment.start))
        while k < course.last and course.time_of(k) <= segment.end:
            while course.reach(k, 0.0) < k:
                yield None
            stretch = course.stretch(k)
            t = stretch.impacts.t
            t = t[(t > after) & (t <= segment.end)]
            if len(t):
                yield float(t.min())
                return
            k = stretch.last
            yield None


def previous_impact(segments: Segments, before: float) -> Iterator[float | None]:
    """The time of the last impact before a time, as the last thing yielded; None: not yet."""
    at = segments.all.index(segments.segment_at(before))
    for segment in reversed(segments.all[: at + 1]):
        course = segment.course
        top = course.number_at(min(before, segment.end))
        if course.time_of(top) < min(before, segment.end) and top < course.last:
            top += 1
        while top > 0:
            base = course.base(top)
            found = -np.inf
            for t in _times(course, base, top):
                if t is not None:
                    earlier = t[(t < before) & (t <= segment.end)]
                    found = max(found, earlier.max(initial=-np.inf))
                yield None
            if found > -np.inf:
                yield float(found)
                return
            top = base


def _times(course: Course, k: int, top: int) -> Iterator[np.ndarray | None]:
    """The times of impacts from knot k to knot `top`, batch by batch; None: not yet."""
    while k < top:
        while course.reach(k, 0.0) < k:
            yield None
        stretch = course.stretch(k)
        yield stretch.impacts.t
        k = stretch.last
