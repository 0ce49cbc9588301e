"""The events of one step, earliest first: a binary heap with at most one event a ball.

Ties are broken by kind (balls before obstacles), then by the lower index, then by the
other index: the total order of the whole package.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import comes_before
from spheresim.compiler.decorators import inlined, routine

EVENT_FIELDS = [
    ("time", "f8"),  # in the step
    ("kind", "i8"),  # BALL or OBSTACLE
    ("other", "i8"),  # the partner, or the obstacle's index
    ("other_stamp", "i8"),  # the partner's stamp when this was predicted
    ("place", "i8"),  # in the heap, or -1
]


class Calendar(NamedTuple):
    """size: (1,), events on it; heap: (n,), balls; event: (n,), `EVENT_FIELDS` of each ball."""

    size: Any
    heap: Any
    event: Any


def empty_calendar(n: int) -> Calendar:
    """A calendar for n balls without any event."""
    event = np.recarray(n, dtype=EVENT_FIELDS)
    event.fill(0)
    event.place = -1
    return Calendar(np.zeros(1, dtype=np.int64), np.zeros(n, dtype=np.int64), event)


@inlined
def _is_earlier(calendar: Calendar, i: int, j: int) -> bool:
    a, b = calendar.event[i], calendar.event[j]
    return comes_before(a.time, a.kind, i, a.other, b.time, b.kind, j, b.other)


@inlined
def _set(calendar: Calendar, place: int, ball: int) -> None:
    calendar.heap[place] = ball
    calendar.event[ball].place = place


@routine
def _rise(calendar: Calendar, place: int) -> None:
    ball = calendar.heap[place]
    while place > 0:
        parent = (place - 1) // 2
        if not _is_earlier(calendar, ball, calendar.heap[parent]):
            break
        _set(calendar, place, calendar.heap[parent])
        place = parent
    _set(calendar, place, ball)


@routine
def _sink(calendar: Calendar, place: int) -> None:
    ball = calendar.heap[place]
    size = calendar.size[0]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _is_earlier(
            calendar, calendar.heap[child + 1], calendar.heap[child]
        ):
            child += 1
        if not _is_earlier(calendar, calendar.heap[child], ball):
            break
        _set(calendar, place, calendar.heap[child])
        place = child
    _set(calendar, place, ball)


@routine
def cancel(calendar: Calendar, ball: int) -> None:
    """Take a ball's event out, if it has one."""
    place = calendar.event[ball].place
    if place < 0:
        return
    calendar.event[ball].place = -1
    calendar.size[0] -= 1
    last = calendar.heap[calendar.size[0]]
    if last != ball:
        _set(calendar, place, last)
        _rise(calendar, place)
        _sink(calendar, calendar.event[last].place)


@routine
def schedule(
    calendar: Calendar, ball: int, time: float, kind: int, other: int, other_stamp: int
) -> None:
    """Give a ball its event, in place of the one that it may have had."""
    cancel(calendar, ball)
    calendar.event[ball].time = time
    calendar.event[ball].kind = kind
    calendar.event[ball].other = other
    calendar.event[ball].other_stamp = other_stamp
    _set(calendar, calendar.size[0], ball)
    calendar.size[0] += 1
    _rise(calendar, calendar.size[0] - 1)
