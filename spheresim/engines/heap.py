"""A binary heap of balls, the one with the earliest event at its root, for either engine.

An engine's heap is a `@value` class with the fields of its calendar that it needs. Each ball's
event records its place in the heap, so that it can be removed from there.
"""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined


class EventHeap(Protocol):
    """What the functions below need of a heap."""

    @property
    def heap(self) -> npt.NDArray[np.integer]:
        """The balls in the heap, shape (n,); the calendar keeps the number in use."""
        ...

    def is_earlier(self, i: int, j: int) -> bool:
        """Whether ball i's event is before ball j's, in the total order of events."""
        ...

    def set_place(self, place: int, i: int) -> None:
        """Write ball i into a place of the heap, and the place into its event."""
        ...


@inlined
def rise(queue: EventHeap, place: int, i: int) -> None:
    """Put ball i into the heap, at an empty place or further up, where it belongs in the order."""
    while place > 0:
        parent = (place - 1) >> 1
        if not queue.is_earlier(i, queue.heap[parent]):
            break
        queue.set_place(place, queue.heap[parent])
        place = parent
    queue.set_place(place, i)


@inlined
def remove_at(queue: EventHeap, place: int, size: int) -> None:
    """Fill a place with the heap's last entry; `size` is the number of entries afterwards."""
    last = queue.heap[size]
    if place == size:
        return
    # Move the hole down to where neither child is earlier than the last entry.
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and queue.is_earlier(queue.heap[child + 1], queue.heap[child]):
            child += 1
        if not queue.is_earlier(queue.heap[child], last):
            break
        queue.set_place(place, queue.heap[child])
        place = child
    # The last entry may be earlier than the parents of the hole.
    rise(queue, place, last)
