"""Handles: whole numbers that name the shapes of a world, each given only once.

A handle is a slot and the number of shapes that occupied the slot before (its generation). Slots
are used again, handles are not. A handle is an integer of 64 bits, so that arrays can hold it; the
first shapes of a world are 0, 1, 2, …
"""

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arguments import shown
from spheresim.numerics.arrays import Booleans, Integers

_SLOT_BITS = 32
_SLOT_MASK = (1 << _SLOT_BITS) - 1


class StaleHandle(LookupError):  # noqa: N818 - what it is, not what it does
    """Raised for a handle whose shape has been removed, or that `add` never returned."""


class Slots:
    """Which slots are taken, and the generation of each."""

    def __init__(self) -> None:
        self.generation = np.zeros(16, dtype=np.int64)
        self.is_taken = np.zeros(16, dtype=bool)
        self.count = 0
        """How many slots have ever been taken: those in use are below it."""
        self._free: list[int] = []

    def take(self) -> int:
        """A free slot; the one that was given back last comes first."""
        if self._free:
            slot = self._free.pop()
        else:
            slot, self.count = self.count, self.count + 1
            self.generation, self.is_taken = (
                grown(self.generation, self.count),
                grown(self.is_taken, self.count),
            )
        self.is_taken[slot] = True
        return slot

    def give_back(self, slot: int) -> None:
        """Free a slot: its handle is stale from now on."""
        self.is_taken[slot] = False
        self.generation[slot] += 1
        self._free.append(slot)

    def handle_of(self, slots: Any) -> Any:
        """The handles of slots, one or many."""
        return self.generation[slots] << _SLOT_BITS | slots

    def is_valid(self, handles: Integers) -> Booleans:
        """Which of the handles name a shape that is there, (n,) bool."""
        slots = handles & _SLOT_MASK
        known = (handles >= 0) & (slots < self.count)
        slots = np.where(known, slots, 0)
        if self.count == 0:
            return known
        return known & self.is_taken[slots] & (self.generation[slots] == handles >> _SLOT_BITS)

    def is_there(self, handle: int) -> bool:
        """Whether a handle that was once given still names a shape."""
        slot = handle & _SLOT_MASK
        return bool(self.is_taken[slot]) and int(self.generation[slot]) == handle >> _SLOT_BITS

    def slot_of(self, handle: Any) -> int:
        """The slot of one handle; StaleHandle if its shape is gone."""
        try:
            number = operator.index(handle)
        except TypeError:
            number = None
        if number is None or isinstance(handle, bool):
            raise TypeError(f"a handle is the whole number that add() gave, not {shown(handle)}")
        slot = number & _SLOT_MASK
        if number < 0 or slot >= self.count or number > int(self.handle_of(slot)):
            raise StaleHandle(f"this world has never had a shape with the handle {number}")
        if not self.is_taken[slot] or self.handle_of(slot) != number:
            raise StaleHandle(f"the shape with the handle {number} has been removed")
        return slot

    def slots_of(self, handles: npt.ArrayLike) -> Integers:
        """The slots of many handles; StaleHandle if a shape is gone."""
        given = np.atleast_1d(np.asarray(handles))
        if given.ndim != 1 or (given.dtype.kind not in "iu" and len(given)):
            raise TypeError(f"handles are whole numbers in a row, not {shown(handles)}")
        handles = given.astype(np.int64)
        wrong = np.flatnonzero(~self.is_valid(handles))
        if len(wrong):
            self.slot_of(int(given[wrong[0]]))
        return handles & _SLOT_MASK


def grown(array: np.ndarray, count: int) -> np.ndarray:
    """An array with room for `count` rows at least, twice as long if it is too short."""
    if count <= len(array):
        return array
    longer = np.zeros((max(count, 2 * len(array)), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
