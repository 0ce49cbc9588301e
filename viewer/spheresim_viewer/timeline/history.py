"""The keyframes and impacts of a playback that are kept, in bounded memory.

Evenly spaced keyframes are kept for good, so that all between two of them can be computed
again: at first every keyframe, and whenever there are too many, every second one is dropped.
In addition the newest keyframes and impacts are cached, because every picture needs them.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from spheresim.collision.impacts import OBSTACLE, Impacts, joined, nothing
from spheresim_viewer.timeline.energies import Energies
from spheresim_viewer.timeline.impact_counts import ImpactCounts
from spheresim_viewer.timeline.interpolation import Keyframe

Entry = TypeVar("Entry")

_OVERHEAD = 1000
"""Approximate bytes of an entry in addition to its arrays."""

_STATE = 49
"""Bytes per ball of a keyframe: position, velocity, and whether it flies, slides or rests."""


class Limits(NamedTuple):
    """Bounds of a history: bytes in total, and keyframes or energies kept for good."""

    bytes: int = 200_000_000
    kept: int = 4000


LIMITS = Limits()


class Thinned(Generic[Entry]):
    """Entries with evenly spaced numbers; when there are too many, every second one is dropped."""

    def __init__(self, at_most: int) -> None:
        self.at_most = max(2, at_most)
        self.spacing = 1
        self._numbers: list[int] = []
        self.entries: list[Entry] = []

    def wants(self, number: int) -> bool:
        """Whether an entry of this number is to be added."""
        return number % self.spacing == 0 and (not self._numbers or number > self._numbers[-1])

    def add(self, number: int, entry: Entry) -> None:
        """Add an entry that is requested. Its number must be higher than all before."""
        self._numbers.append(number)
        self.entries.append(entry)
        self.thin()

    def thin(self, at_most: int | None = None) -> None:
        """Drop every second entry until there are at most `at_most` of them."""
        self.at_most = self.at_most if at_most is None else max(2, at_most)
        while len(self._numbers) > self.at_most:
            self.spacing *= 2
            kept = [k for k, number in enumerate(self._numbers) if number % self.spacing == 0]
            self._numbers = [self._numbers[k] for k in kept]
            self.entries = [self.entries[k] for k in kept]

    def at_or_before(self, number: int) -> Entry:
        """The last entry with at most this number. The first entry is never dropped."""
        return self.entries[bisect_right(self._numbers, number) - 1]


class ImpactBatch(NamedTuple):
    """The impacts between the keyframes numbered `first` and `last`."""

    first: int
    last: int
    impacts: Impacts


class Recent(Generic[Entry]):
    """A cache of the newest entries by number, with a bound in bytes; a few are always kept."""

    FEWEST = 4

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes = 0
        self._entries: OrderedDict[int, tuple[Entry, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, number: int) -> Entry | None:
        """The entry of a number, or None."""
        found = self._entries.get(number)
        return found[0] if found else None

    def add(self, number: int, entry: Entry, size: int) -> None:
        """Add an entry as the newest, and drop the oldest ones beyond the bound."""
        self.drop(number)
        self._entries[number] = entry, size + _OVERHEAD
        self.bytes += size + _OVERHEAD
        while self.bytes > self.limit and len(self._entries) > self.FEWEST:
            self.drop(next(iter(self._entries)))

    def drop(self, number: int) -> None:
        """Drop an entry, if it is there."""
        _, size = self._entries.pop(number, (None, 0))
        self.bytes -= size


class History:
    """Keyframes, impacts and energies of a playback: see the module."""

    def __init__(self, n: int, limits: Limits, saved: int = 0) -> None:
        """For n balls; `saved` bytes per ball are kept in addition to position and velocity."""
        self._n = n
        self._kept = (_STATE + saved) * n + _OVERHEAD
        self.states: Thinned[Keyframe] = Thinned(self._states(limits))
        self.figures: Thinned[Energies] = Thinned(limits.kept)
        self.impact_counts = ImpactCounts()
        self.furthest = -1
        self._keyframes: Recent[Keyframe] = Recent(limits.bytes // 4)
        self._from: Recent[ImpactBatch] = Recent(limits.bytes // 16)
        self._to: Recent[ImpactBatch] = Recent(limits.bytes // 16)

    def _states(self, limits: Limits) -> int:
        return min(limits.kept, limits.bytes * 5 // 8 // self._kept)

    @property
    def bytes(self) -> int:
        """Approximate memory in use."""
        states = len(self.states.entries) * self._kept
        return (
            states
            + self._keyframes.bytes
            + self._from.bytes
            + self._to.bytes
            + self.impact_counts.bytes
        )

    def shrink(self, limits: Limits) -> None:
        """Keep to tighter bounds from now on."""
        self.states.thin(self._states(limits))
        self._keyframes = Recent(limits.bytes // 4)
        self._from = Recent(limits.bytes // 16)
        self._to = Recent(limits.bytes // 16)

    @property
    def spacing(self) -> int:
        """The number of steps between two entries that are kept for good."""
        return min(self.states.spacing, self.figures.spacing)

    def next_kept(self, number: int) -> int:
        """The next number after this one that is kept for good."""
        return (number // self.spacing + 1) * self.spacing

    def add(self, keyframe: Keyframe, impacts: Impacts, first: int) -> None:
        """Add a keyframe, and the impacts that led to it from the keyframe numbered `first`."""
        self._keyframes.add(keyframe.number, keyframe, _STATE * self._n)
        if first < keyframe.number:
            batch = ImpactBatch(first, keyframe.number, impacts)
            size = impacts.names.nbytes + impacts.numbers.nbytes
            self._from.add(first, batch, size)
            self._to.add(keyframe.number, batch, size)
        if keyframe.number > self.furthest:
            self.furthest = keyframe.number
            self.impact_counts.add(impacts.t[impacts.kind <= OBSTACLE])
            if self.states.wants(keyframe.number):
                self.states.add(keyframe.number, keyframe)

    def keyframe(self, number: int) -> Keyframe | None:
        """The keyframe of this number, or None if it is not kept."""
        found = self._keyframes.get(number)
        if found is None and self.states.entries:
            kept = self.states.at_or_before(number)
            found = kept if kept.number == number else None
        return found

    def batch_from(self, first: int) -> ImpactBatch | None:
        """The cached batch of impacts that starts at a keyframe, or None."""
        return self._from.get(first)

    def batch_before(self, last: int) -> ImpactBatch | None:
        """The cached batch of impacts that ends at a keyframe, or None."""
        return self._to.get(last)

    def wants(self, number: int) -> bool:
        """Whether a keyframe of this number will be kept for good."""
        return number > self.furthest and self.states.wants(number)

    @property
    def capacity(self) -> int:
        """Approximately how many keyframes fit into the cache."""
        return max(Recent.FEWEST, self._keyframes.limit // (_STATE * self._n + _OVERHEAD))


def concatenated(batches: Sequence[Impacts]) -> Impacts:
    """Several tables of impacts one after another as one, which may be empty."""
    filled = [batch for batch in batches if len(batch.names)]
    if len(filled) < 2:
        return filled[0] if filled else nothing()
    return joined(filled)


def make_read_only(*arrays: np.ndarray) -> None:
    """Make arrays read-only, so that nobody changes what is kept."""
    for array in arrays:
        array.flags.writeable = False
