"""The calendar: which ball's event is next?

Each ball has one event. Time from the epoch on is cut into buckets of equal width, about as
many as balls, so that the cost of an event does not grow with their number (G. Paul, A
complexity O(1) priority queue for event driven molecular dynamics simulations, Journal of
Computational Physics 221, 2007). Only the bucket that is open is in order: it is a binary
heap. An entry is never removed from a bucket, which would touch memory far away; one that is
stale, because its ball has another event now, is dropped when the bucket opens.

An event whose bucket is full goes into the heap at once and waits there until its time is
that of the open bucket: in any other bucket it would fire at a wrong time. An event beyond
the last bucket is not on the calendar before the next turn, when all buckets have been opened:
then the epoch is moved along and all events are entered again.

An impact whose partner has another trajectory by now is stale, too: `advance` sees it by the
stamp of the partner that `predict` wrote.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision.event_order import ScheduledImpact, comes_before
from spheresim.collision.impacts import BALL
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine, value
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.engines.heap import remove_at, rise
from spheresim.numerics.arrays import Records
from spheresim.numerics.records import zero_record

ROOM = 15
"""Events in a bucket: with their number, 64 bytes, one cache line."""

PER_BUCKET = 2.0
"""Events aimed at that fire in a bucket: from 1 to 4 the speed differs by 3 %."""

_OVERFULL = 6.0
"""Events fired per bucket above which the buckets are too wide, and a turn is due at once: too
many events find their bucket full, and the heap that takes them outgrows the cache."""

# An event's `bucket` if it is in none, or in the heap.
NONE, HEAP = -1, -2


class Turn:
    """The fields of `Calendar.turn`."""

    buckets: int  # events beyond the last of them are in none
    open_bucket: int
    heap_size: int
    fired: int  # events
    width: float  # of a bucket
    inverse_width: float


@by_reference
class Calendar(NamedTuple):
    """row: (buckets, 1 + ROOM), the number of events and their balls; heap: (n,), balls; turn: one
    record."""

    row: npt.NDArray[np.uint32]
    heap: npt.NDArray[np.uint32]
    turn: Turn


def empty_calendar(n: int) -> Calendar:
    """A calendar for n balls."""
    calendar = empty_heap(n)
    calendar.turn.buckets = buckets = max(64, n)
    return calendar._replace(row=cache_aligned_zeros((buckets, 1 + ROOM), np.uint32))


def empty_heap(n: int) -> Calendar:
    """A calendar without buckets, for at most n events, which are all in its heap."""
    turn = zero_record(Turn)
    turn.width = turn.inverse_width = 1.0
    row = np.zeros((0, 1 + ROOM), dtype=np.uint32)
    return Calendar(row, np.zeros(n, dtype=np.uint32), turn)


class _HeapArrays(NamedTuple):
    heap: npt.NDArray[np.uint32]
    event: Records
    body: Records


@value
class _Heap(_HeapArrays):
    """The calendar's heap, as `heap` sees it."""

    __slots__ = ()

    def is_earlier(self, i: int, j: int) -> bool:
        """Whether ball i's event is before ball j's."""
        a, b = self.event[i], self.event[j]
        if a.time != b.time:
            return bool(a.time < b.time)
        return _wins_tie(self.event, self.body, i, j)

    def set_place(self, place: int, i: int) -> None:
        """Write ball i into a place of the heap, and the place into its event."""
        self.heap[place] = i
        self.event[i].heap_place = place


@routine
def _wins_tie(event: Records, body: Records, i: int, j: int) -> bool:
    """The package's order of events at the same time, by the names of balls outside the engine."""
    a, b = event[i], event[j]
    other_a, other_b = int(a.other), int(b.other)
    if a.kind == BALL:
        other_a = int(body[a.other].name)
    if b.kind == BALL:
        other_b = int(body[b.other].name)
    return comes_before(
        ScheduledImpact(0.0, int(a.kind), int(body[i].name), other_a),
        ScheduledImpact(0.0, int(b.kind), int(body[j].name), other_b),
    )


@inlined
def bucket_of(calendar: Calendar, time: float) -> int:
    """The bucket of a time; the number of buckets for what lies beyond the last."""
    buckets = calendar.turn.buckets
    q = time * calendar.turn.inverse_width
    return int(q) if q < buckets else buckets


@inlined
def enter(calendar: Calendar, event: Records, body: Records, i: int) -> None:
    """Enter ball i's event, in place of the one that it may have had."""
    take_out(calendar, event, body, i)
    bucket = bucket_of(calendar, event[i].time)
    if bucket >= calendar.turn.buckets:
        event[i].bucket = NONE
        return
    if bucket > calendar.turn.open_bucket:
        taken = calendar.row[bucket, 0]
        if taken < ROOM:
            calendar.row[bucket, 0] = taken + 1
            calendar.row[bucket, taken + 1] = i
            event[i].bucket = bucket
            return
    _push(calendar, event, body, i)


@inlined
def take_out(calendar: Calendar, event: Records, body: Records, i: int) -> None:
    """Take ball i's event out of the heap, if it is there; in a bucket it stays, and is stale."""
    if event[i].bucket == HEAP:
        _remove_from_heap(calendar, event, body, i)


@inlined
def is_ready(calendar: Calendar, event: Records) -> bool:
    """Whether the heap's first event is the next one of all."""
    if calendar.turn.heap_size == 0:
        return False
    bucket = bucket_of(calendar, event[calendar.heap[0]].time)
    return bool(bucket <= calendar.turn.open_bucket)


@inlined
def has_earlier_root(one: Calendar, other: Calendar, event: Records, body: Records) -> bool:
    """Whether the first event in one calendar's heap is before the first in another's."""
    return bool(_Heap(one.heap, event, body).is_earlier(one.heap[0], other.heap[0]))


@inlined
def open_next(calendar: Calendar, event: Records, body: Records) -> bool:
    """Open the next bucket; False if there is none, so that a turn is due."""
    if calendar.turn.open_bucket + 1 >= calendar.turn.buckets:
        return False
    calendar.turn.open_bucket += 1
    _open(calendar, event, body, calendar.turn.open_bucket)
    return True


@inlined
def passed(calendar: Calendar, now: float) -> int:
    """How many buckets have passed at the time of the last event.

    Not how many are open, which depends on how far ahead the next event was sought.
    """
    return max(0, bucket_of(calendar, now))


@inlined
def buckets_overfull(calendar: Calendar, now: float, fired: int) -> bool:
    """Whether the buckets are too wide, as so many events fired in this turn: judged after a
    sixteenth of it at the earliest."""
    return bool(fired > _OVERFULL * (passed(calendar, now) + calendar.turn.buckets / 16.0))


@inlined
def better_width(calendar: Calendar, before: int) -> float:
    """The bucket width that the number of events fired in this turn, which ends in the bucket
    after so many others, suggests for the next."""
    factor = PER_BUCKET * (1.0 + before) / max(1.0, float(calendar.turn.fired))
    width: float = calendar.turn.width * min(max(factor, 0.125), 8.0)
    return width


@inlined
def upcoming(calendar: Calendar, ahead: int) -> tuple[int, int]:
    """The bucket that opens after `ahead` others, and its number of entries; 0 if there is none."""
    bucket = calendar.turn.open_bucket + ahead
    if bucket >= calendar.turn.buckets:
        return 0, 0
    return bucket, int(calendar.row[bucket, 0])


@inlined
def take_next(calendar: Calendar, event: Records, body: Records) -> Any:
    """Remove the heap's first event, and return its ball."""
    i = calendar.heap[0]
    _remove_from_heap(calendar, event, body, i)
    calendar.turn.fired += 1
    return i


@inlined
def _open(calendar: Calendar, event: Records, body: Records, bucket: int) -> None:
    """Push the events of a bucket into the heap, but for those that are stale."""
    for k in range(calendar.row[bucket, 0]):
        i = calendar.row[bucket, k + 1]
        if event[i].bucket == bucket:
            _push(calendar, event, body, i)
    calendar.row[bucket, 0] = 0


@routine
def clear(calendar: Calendar, event: Records, width: float) -> None:
    """Start a turn at the epoch, with buckets of this width and no event entered."""
    for i in range(len(event)):
        event[i].bucket = NONE
    empty_turn(calendar, width)


@inlined
def clear_heap(calendar: Calendar, event: Records) -> None:
    """Take all events out of the heap."""
    for place in range(calendar.turn.heap_size):
        event[calendar.heap[place]].bucket = NONE
    calendar.turn.heap_size = 0


@inlined
def empty_turn(calendar: Calendar, width: float) -> None:
    """Start a turn of buckets of this width, which are empty."""
    for bucket in range(len(calendar.row)):
        calendar.row[bucket, 0] = 0
    calendar.turn.heap_size = 0
    calendar.turn.open_bucket = 0
    calendar.turn.fired = 0
    calendar.turn.width = width
    calendar.turn.inverse_width = 1.0 / width


@inlined
def _push(calendar: Calendar, event: Records, body: Records, i: int) -> None:
    event[i].bucket = HEAP
    place = calendar.turn.heap_size
    calendar.turn.heap_size += 1
    rise(_Heap(calendar.heap, event, body), place, i)


@inlined
def _remove_from_heap(calendar: Calendar, event: Records, body: Records, i: int) -> None:
    event[i].bucket = NONE
    calendar.turn.heap_size -= 1
    size = calendar.turn.heap_size
    remove_at(_Heap(calendar.heap, event, body), int(event[i].heap_place), size)
