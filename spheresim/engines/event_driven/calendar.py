"""The calendar: who is next?

Each ball has one event. Time from the epoch on is cut into buckets of equal width, about
as many as balls, so that the cost of an event does not grow with their number (G. Paul,
A complexity O(1) priority queue for event driven molecular dynamics simulations, Journal
of Computational Physics 221, 2007). Only the bucket that is open is in order: it is a
binary heap. An entry of a bucket is never taken out, which would touch memory far away:
one that is stale, its ball having got another event, is dropped when the bucket opens.

What finds its bucket full goes to the heap at once and waits there until its time is
that of the open bucket: put into any bucket but its own, it would fire at a wrong time.
What lies beyond the last bucket is not on the calendar until its next turn, when the
epoch is moved along and all events are entered anew.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import comes_before
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import cache_aligned_zeros

ROOM = 15
"""Events in a bucket: with their number, 64 bytes, one line of the cache."""

PER_BUCKET = 2.0
"""Events that fire in a bucket, aimed at: from 1 to 4 it makes a difference of 3 %."""

_CRAMMED = 6.0
"""Events fired per bucket from which on the buckets are too wide, and a turn is due at once:
what finds its bucket full goes to the heap, which then grows and is far from the processor."""

# An event's `bucket` if that is none.
NONE, HEAP = -1, -2

# Places in `Calendar.count`.
OPEN_BUCKET, HEAP_SIZE, FIRED = range(3)
# Places in `Calendar.width`.
WIDTH, INVERSE = range(2)


class Calendar(NamedTuple):
    """row: (buckets, 1 + ROOM), how many and who; heap: (n,); count, width: see above."""

    row: Any
    heap: Any
    count: Any
    width: Any


def empty_calendar(n: int) -> Calendar:
    """A calendar for n balls."""
    buckets = max(64, n)
    return Calendar(
        cache_aligned_zeros((buckets, 1 + ROOM), np.uint32),
        np.zeros(n, dtype=np.uint32),
        np.zeros(3, dtype=np.int64),
        np.ones(2),
    )


@inlined
def bucket_of(calendar: Calendar, time: float) -> int:
    """The bucket of a time; the number of buckets for what lies beyond the last."""
    buckets = len(calendar.row)
    q = time * calendar.width[INVERSE]
    return int(q) if q < buckets else buckets


@inlined
def enter(calendar: Calendar, event: Any, body: Any, i: int) -> None:
    """Enter ball i's event, in place of the one that it may have had."""
    if event[i].bucket == HEAP:
        _take_out(calendar, event, body, i)
    bucket = bucket_of(calendar, event[i].time)
    if bucket >= len(calendar.row):
        event[i].bucket = NONE
        return
    if bucket > calendar.count[OPEN_BUCKET]:
        taken = calendar.row[bucket, 0]
        if taken < ROOM:
            calendar.row[bucket, 0] = taken + 1
            calendar.row[bucket, taken + 1] = i
            event[i].bucket = bucket
            return
    _push(calendar, event, body, i)


@inlined
def is_ready(calendar: Calendar, event: Any) -> bool:
    """Whether the heap's first event is the next one of all."""
    if calendar.count[HEAP_SIZE] == 0:
        return False
    bucket = bucket_of(calendar, event[calendar.heap[0]].time)
    return bool(bucket <= calendar.count[OPEN_BUCKET])


@inlined
def open_next(calendar: Calendar, event: Any, body: Any) -> bool:
    """Open the next bucket; False if there is none, and a turn is due."""
    if calendar.count[OPEN_BUCKET] + 1 >= len(calendar.row):
        return False
    calendar.count[OPEN_BUCKET] += 1
    _open(calendar, event, body, calendar.count[OPEN_BUCKET])
    return True


@inlined
def buckets_overfull(calendar: Calendar) -> bool:
    """Whether the buckets are too wide, judged after a sixteenth of a turn at the earliest."""
    opened = calendar.count[OPEN_BUCKET] + len(calendar.row) / 16.0
    return bool(calendar.count[FIRED] > _CRAMMED * opened)


@inlined
def better_width(calendar: Calendar) -> float:
    """A width for as many events in a bucket as are aimed at, by what has fired in this turn."""
    opened = 1.0 + calendar.count[OPEN_BUCKET]
    wanted = PER_BUCKET * opened / max(1.0, float(calendar.count[FIRED]))
    width: float = calendar.width[WIDTH] * min(max(wanted, 0.125), 8.0)
    return width


@inlined
def upcoming(calendar: Calendar, ahead: int) -> tuple[int, int]:
    """The bucket that will open after `ahead` others, and how many entries it has; 0 if none."""
    bucket = calendar.count[OPEN_BUCKET] + ahead
    if bucket >= len(calendar.row):
        return 0, 0
    return bucket, int(calendar.row[bucket, 0])


@inlined
def take_next(calendar: Calendar, event: Any, body: Any) -> Any:
    """Take the heap's first event out; its ball."""
    i = calendar.heap[0]
    _take_out(calendar, event, body, i)
    calendar.count[FIRED] += 1
    return i


@inlined
def _open(calendar: Calendar, event: Any, body: Any, bucket: int) -> None:
    for k in range(calendar.row[bucket, 0]):
        i = calendar.row[bucket, k + 1]
        if event[i].bucket == bucket:  # else it is stale
            _push(calendar, event, body, i)
    calendar.row[bucket, 0] = 0


@routine
def clear(calendar: Calendar, event: Any, width: float) -> None:
    """Begin again at the epoch, with buckets of this width and nobody's event entered."""
    for i in range(len(event)):
        event[i].bucket = NONE
    for bucket in range(len(calendar.row)):
        calendar.row[bucket, 0] = 0
    calendar.count[HEAP_SIZE] = 0
    calendar.count[OPEN_BUCKET] = 0
    calendar.count[FIRED] = 0
    calendar.width[WIDTH] = width
    calendar.width[INVERSE] = 1.0 / width


@inlined
def _is_earlier(event: Any, body: Any, i: int, j: int) -> bool:
    a, b = event[i], event[j]
    if a.time != b.time:
        return bool(a.time < b.time)
    return _is_first_of_equals(event, body, i, j)


@routine
def _is_first_of_equals(event: Any, body: Any, i: int, j: int) -> bool:
    """The package's order of events at the same time, by the names that balls have outside."""
    a, b = event[i], event[j]
    other_a, other_b = int(a.other), int(b.other)
    if a.kind == 0:
        other_a = int(body[a.other].name)
    if b.kind == 0:
        other_b = int(body[b.other].name)
    return comes_before(
        *(0.0, int(a.kind), int(body[i].name), other_a),
        *(0.0, int(b.kind), int(body[j].name), other_b),
    )


@inlined
def _set(calendar: Calendar, event: Any, place: int, i: int) -> None:
    calendar.heap[place] = i
    event[i].heap_place = place


@inlined
def _push(calendar: Calendar, event: Any, body: Any, i: int) -> None:
    event[i].bucket = HEAP
    place = calendar.count[HEAP_SIZE]
    calendar.count[HEAP_SIZE] += 1
    _rise(calendar, event, body, place, i)


@inlined
def _rise(calendar: Calendar, event: Any, body: Any, place: int, i: int) -> None:
    while place > 0:
        parent = (place - 1) >> 1
        if not _is_earlier(event, body, i, calendar.heap[parent]):
            break
        _set(calendar, event, place, calendar.heap[parent])
        place = parent
    _set(calendar, event, place, i)


@inlined
def _take_out(calendar: Calendar, event: Any, body: Any, i: int) -> None:
    """Fill ball i's place in the heap with the last entry, and put that right."""
    event[i].bucket = NONE
    place = int(event[i].heap_place)
    size = calendar.count[HEAP_SIZE] - 1
    calendar.count[HEAP_SIZE] = size
    last = calendar.heap[size]
    if place == size:
        return
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _is_earlier(
            event, body, calendar.heap[child + 1], calendar.heap[child]
        ):
            child += 1
        if not _is_earlier(event, body, calendar.heap[child], last):
            break
        _set(calendar, event, place, calendar.heap[child])
        place = child
    _rise(calendar, event, body, place, last)
