"""What is remembered of a course, in bounded memory.

Some states are kept for good, so that what lies between them can be computed again: every
one at first, and whenever there are too many, every second is forgotten. Beside them the
newest states and impacts are kept as they came, for the picture needs them all the time.
"""

from bisect import bisect_right
from collections import OrderedDict
from typing import Any, Generic, NamedTuple, TypeVar

from spheresim.collision.impacts import Impacts
from spheresim_viewer.timeline.energies import Energies
from spheresim_viewer.timeline.impact_counts import ImpactCounts
from spheresim_viewer.timeline.impact_rows import size_in_bytes
from spheresim_viewer.timeline.interpolation import Keyframe

Entry = TypeVar("Entry")

_OVERHEAD = 1000
"""Bytes that an entry takes beside its arrays, about."""


class Limits(NamedTuple):
    """What may be remembered: bytes in all, and states or energies kept for good."""

    bytes: int = 200_000_000
    kept: int = 4000


LIMITS = Limits()


class Thinned(Generic[Entry]):
    """Entries by number, evenly spaced; when full, every second one is dropped."""

    def __init__(self, at_most: int) -> None:
        self.at_most = max(2, at_most)
        self.spacing = 1
        self._numbers: list[int] = []
        self.entries: list[Entry] = []

    def wants(self, number: int) -> bool:
        """Whether an entry of this number belongs here, and is not here yet."""
        return number % self.spacing == 0 and (not self._numbers or number > self._numbers[-1])

    def add(self, number: int, entry: Entry) -> None:
        """Take in an entry that is wanted, numbered higher than all before."""
        self._numbers.append(number)
        self.entries.append(entry)
        self.thin()

    def thin(self, at_most: int | None = None) -> None:
        """Drop every second entry, until there are not too many."""
        self.at_most = self.at_most if at_most is None else max(2, at_most)
        while len(self._numbers) > self.at_most:
            self.spacing *= 2
            kept = [k for k, number in enumerate(self._numbers) if number % self.spacing == 0]
            self._numbers = [self._numbers[k] for k in kept]
            self.entries = [self.entries[k] for k in kept]

    def at_or_before(self, number: int) -> Entry:
        """The last entry no later than a number; the first is always there."""
        return self.entries[bisect_right(self._numbers, number) - 1]


class ImpactBatch(NamedTuple):
    """The impacts from knot `first` to knot `last`."""

    first: int
    last: int
    impacts: Impacts


class Recent(Generic[Entry]):
    """The newest entries by number, up to so many bytes; a few are always kept."""

    FEWEST = 4

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes = 0
        self._entries: OrderedDict[int, tuple[Entry, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, number: int) -> Entry | None:
        """What is kept of a number."""
        found = self._entries.get(number)
        return found[0] if found else None

    def add(self, number: int, entry: Entry, size: int) -> None:
        """Take in an entry, as the newest, and let the oldest go."""
        self.drop(number)
        self._entries[number] = entry, size + _OVERHEAD
        self.bytes += size + _OVERHEAD
        while self.bytes > self.limit and len(self._entries) > self.FEWEST:
            self.drop(next(iter(self._entries)))

    def drop(self, number: int) -> None:
        """Forget an entry, if it is there."""
        _, size = self._entries.pop(number, (None, 0))
        self.bytes -= size


class History:
    """What is known of a course: see the module."""

    def __init__(self, n: int, limits: Limits, saved: int = 0) -> None:
        """Of n balls, for each of which so many bytes are saved beside the state."""
        self._n = n
        self._kept = (48 + saved) * n + _OVERHEAD
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
        """What it takes up, about."""
        states = len(self.states.entries) * self._kept
        return (
            states
            + self._keyframes.bytes
            + self._from.bytes
            + self._to.bytes
            + self.impact_counts.bytes
        )

    def shrink(self, limits: Limits) -> None:
        """Live with less from now on."""
        self.states.thin(self._states(limits))
        self._keyframes = Recent(limits.bytes // 4)
        self._from = Recent(limits.bytes // 16)
        self._to = Recent(limits.bytes // 16)

    @property
    def spacing(self) -> int:
        """From how many steps to how many something is kept for good."""
        return min(self.states.spacing, self.figures.spacing)

    def next_kept(self, number: int) -> int:
        """The next number after this one of which something is kept for good."""
        return (number // self.spacing + 1) * self.spacing

    def add(self, keyframe: Keyframe, impacts: Impacts, first: int) -> None:
        """Remember a state, and the impacts on the way to it from knot `first`."""
        self._keyframes.add(keyframe.number, keyframe, 48 * self._n)
        if first < keyframe.number:
            batch = ImpactBatch(first, keyframe.number, impacts)
            self._from.add(first, batch, size_in_bytes(impacts))
            self._to.add(keyframe.number, batch, size_in_bytes(impacts))
        if keyframe.number > self.furthest:
            self.furthest = keyframe.number
            self.impact_counts.add(impacts.t)
            if self.states.wants(keyframe.number):
                self.states.add(keyframe.number, keyframe)

    def keyframe(self, number: int) -> Keyframe | None:
        """The state of this number, if it is remembered."""
        found = self._keyframes.get(number)
        if found is None and self.states.entries:
            kept = self.states.at_or_before(number)
            found = kept if kept.number == number else None
        return found

    def batch_from(self, first: int) -> ImpactBatch | None:
        """The impacts from this knot on, as far as they were computed at once."""
        return self._from.get(first)

    def batch_before(self, last: int) -> ImpactBatch | None:
        """The impacts on the way to this knot, as far back as they were computed at once."""
        return self._to.get(last)

    def wants(self, number: int) -> bool:
        """Whether a state of this number will be kept for good."""
        return number > self.furthest and self.states.wants(number)

    @property
    def capacity(self) -> int:
        """How many of the newest states can be remembered, about."""
        return max(Recent.FEWEST, self._keyframes.limit // (48 * self._n + _OVERHEAD))


def make_read_only(*arrays: Any) -> None:
    """See to it that what is remembered is not written into."""
    for array in arrays:
        array.flags.writeable = False
