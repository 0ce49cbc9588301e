"""The events of one step, earliest first: a binary heap with at most one event a ball.

Events at the same time are ordered by kind (balls before obstacles), then by the lower index,
then by the other index: the total order of the whole package (`comes_before`).
"""

from typing import NamedTuple

import numpy as np

from spheresim.collision.event_order import ScheduledImpact, comes_before
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import routine, value
from spheresim.engines.heap import remove_at, rise
from spheresim.numerics.arrays import Integers, Records

EVENT_FIELDS = [
    ("time", "f8"),  # in the step
    ("kind", "i8"),  # BALL or OBSTACLE
    ("other", "i8"),  # the partner, or the obstacle's index
    ("other_stamp", "i8"),  # the partner's stamp when this was predicted
    ("place", "i8"),  # in the heap, or -1
]


@by_reference
class Calendar(NamedTuple):
    """size: (1,), the number of events; heap: (n,), balls; event: (n,), `EVENT_FIELDS` each."""

    size: Integers
    heap: Integers
    event: Records


def empty_calendar(n: int) -> Calendar:
    """A calendar for n balls without any event."""
    event = np.recarray(n, dtype=EVENT_FIELDS)
    event.fill(0)
    event.place = -1
    return Calendar(np.zeros(1, dtype=np.int64), np.zeros(n, dtype=np.int64), event)


class _HeapArrays(NamedTuple):
    heap: Integers
    event: Records


@value
class _Heap(_HeapArrays):
    """The calendar's heap, as `heap` sees it."""

    __slots__ = ()

    def is_earlier(self, i: int, j: int) -> bool:
        """Whether ball i's event is before ball j's."""
        a, b = self.event[i], self.event[j]
        return comes_before(
            ScheduledImpact(a.time, a.kind, i, a.other), ScheduledImpact(b.time, b.kind, j, b.other)
        )

    def set_place(self, place: int, i: int) -> None:
        """Write ball i into a place of the heap, and the place into its event."""
        self.heap[place] = i
        self.event[i].place = place


@routine
def cancel(calendar: Calendar, ball: int) -> None:
    """Remove a ball's event, if it has one."""
    place = calendar.event[ball].place
    if place < 0:
        return
    calendar.event[ball].place = -1
    calendar.size[0] -= 1
    remove_at(_Heap(calendar.heap, calendar.event), place, calendar.size[0])


@routine
def schedule(calendar: Calendar, impact: ScheduledImpact, other_stamp: int) -> None:
    """Give a ball its event, in place of the one that it may have had."""
    cancel(calendar, impact.i)
    event = calendar.event[impact.i]
    event.time, event.kind = impact.time, impact.kind
    event.other, event.other_stamp = impact.other, other_stamp
    calendar.size[0] += 1
    rise(_Heap(calendar.heap, calendar.event), calendar.size[0] - 1, impact.i)
