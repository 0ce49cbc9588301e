"""The state that an engine moves: copied out when it is read, with edits taken over.

An engine keeps positions in a form of its own: the arrays of shape (n, 3) that programs read
have to be written from it, which for 100,000 balls takes a thousand times as long as to go
on by one impact. So they are written only when they are read.
"""

import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spheresim.model.state import State, check_range
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import read_only

T = TypeVar("T")

Sample = Callable[[Floats, Floats, "int | None"], None]
"""Writes where all balls are, or only that ball, into positions and velocities, (n, 3)."""


class Row(NamedTuple):
    """A ball's position and velocity, each of shape (3,)."""

    position: Floats
    velocity: Floats


class _SharedArray:
    """An array, and whether a view of it is in use.

    A view in use is the one that `view` returned, or was made from it and keeps it alive: a row, a
    slice, a memoryview. So a weak reference shows whether there is one.
    """

    __slots__ = ("_reported", "_view", "array", "is_given")

    def __init__(self, array: Floats) -> None:
        self.array = array
        self.is_given = False
        self._reported: Floats | None = None
        self._view: Callable[[], Floats | None] = lambda: None

    def __getstate__(self) -> tuple[Floats, bool, Floats | None]:
        """A copy has no view of its own yet; an edit that is not adopted yet stays one."""
        return self.array, self.is_given, self._reported

    def __setstate__(self, state: tuple[Floats, bool, Floats | None]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        self.is_given, self._reported = state[1:]

    def view(self) -> Floats:
        """The array for reading and writing; it must be up to date."""
        view = self._view()
        if view is None:
            # Where a view is made of a view, numpy refers to the array at the end of the chain,
            # unless what comes next in it is no array: then this view is what all refer to.
            view = np.asarray(self.array.data)
            self._view = weakref.ref(view)
        if not self.is_given:
            self.is_given = True
            self.report()
        return view

    def is_held(self) -> bool:
        """Whether it can still be read or written from outside."""
        return self._view() is not None

    def report(self) -> None:
        """Keep a copy, to detect later whether it was written into."""
        if self._reported is None:
            self._reported = np.empty_like(self.array)
        np.copyto(self._reported, self.array)

    def is_edited(self) -> bool:
        """Whether it was written into since the last `report`."""
        if not self.is_given:
            return False
        return self._reported is None or not np.array_equal(self._reported, self.array)


class LiveState:
    """Time, positions and velocities of balls, up to date whenever they are read.

    So are angular velocities where spins are followed. Nothing changes them between impacts, so
    the engine works on this very array (`spin`).

    `position` and `velocity` are views for reading and writing. As long as one of them, or anything
    made from one, is in use, it is written anew after each call of the engine and compared before
    the next; a view that is no longer in use is compared once more. If no view was made since the
    last call, neither is done.
    """

    __slots__ = ("_is_current", "_position", "_sample", "_spin", "_time", "_velocity", "time")

    def __init__(self, start: State, sample: Sample) -> None:
        self._time = start.time.copy()
        self._position = _SharedArray(np.array(start.position, order="C"))
        self._velocity = _SharedArray(np.array(start.velocity, order="C"))
        self._spin = (
            None
            if start.angular_velocity is None
            else _SharedArray(np.array(start.angular_velocity, order="C"))
        )
        self._sample = sample
        self._is_current = True
        self.time = read_only(self._time)
        """The time, shape (1,); it cannot be written to."""

    def __getstate__(self) -> tuple[object, ...]:
        """All but the view of the time, which a copy makes of its own."""
        return (
            *(self._time, self._position, self._velocity, self._spin),
            *(self._sample, self._is_current),
        )

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._time, self._position, self._velocity, self._spin, *others = state
        self._sample, self._is_current = others
        self.time = read_only(self._time)

    # --- For readers ---------------------------------------------------------------

    @property
    def now(self) -> float:
        """The time."""
        return self._time.item()

    @property
    def position(self) -> Floats:
        """Centres, shape (n, 3)."""
        self.current()
        return self._position.view()

    @property
    def velocity(self) -> Floats:
        """Velocities, shape (n, 3)."""
        self.current()
        return self._velocity.view()

    @property
    def angular_velocity(self) -> Floats | None:
        """Angular velocities, shape (n, 3); None where spins are not followed."""
        return None if self._spin is None else self._spin.view()

    def shown(self) -> State:
        """Time, positions and velocities, as views that stay up to date."""
        return State(self.time, self.position, self.velocity, self.angular_velocity)

    def ball(self, i: int) -> Row:
        """Where ball i is, for reading and at once: no other ball need be looked at."""
        if self._position.is_given or self._velocity.is_given:
            self.current()
        elif not self._is_current:
            self._sample(self._position.array, self._velocity.array, i)
        return Row(self._position.array[i], self._velocity.array[i])

    def guarded(self, batches: Generator[T, None, None]) -> Iterator[T]:
        """What an engine yields while it advances; RuntimeError if the state is changed then."""
        with closing(batches):
            for batch in batches:
                yield batch
                if self.is_edited():
                    raise RuntimeError(
                        "positions and velocities can be written after a run, not while it hands "
                        "over its impacts: run(impacts=1) ends at the next one"
                    )

    # --- For the engine -------------------------------------------------------------------

    @property
    def spin(self) -> Floats | None:
        """The array of angular velocities itself, or None: the engine writes into it."""
        return None if self._spin is None else self._spin.array

    @property
    def _shared(self) -> tuple[_SharedArray, ...]:
        moving = (self._position, self._velocity)
        return moving if self._spin is None else (*moving, self._spin)

    def current(self) -> State:
        """The arrays themselves, up to date; they are for reading, and not to be kept."""
        if not self._is_current:
            self._sample(self._position.array, self._velocity.array, None)
            self._is_current = True
            self.adopt()
        return State(self._time, self._position.array, self._velocity.array, self.spin)

    def is_edited(self) -> bool:
        """Whether there were writes into what `position`, `velocity` or `angular_velocity` gave."""
        return any(shared.is_edited() for shared in self._shared)

    def adopt(self) -> None:
        """What stands in the arrays now is no edit, or one that the engine has taken over."""
        for shared in self._shared:
            if shared.is_given:
                shared.report()

    def kick(self, change: Floats) -> None:
        """Add to the velocities, (3,) or (n, 3), as the engine's own doing: no edit."""
        velocity = self.current().velocity
        np.add(velocity, change, out=velocity)
        self.adopt()

    def move_to(self, time: float) -> None:
        """The engine has gone on to a time: from now on the arrays are out of date."""
        self._time[0] = time
        self._is_current = False
        if self._spin is not None and self._spin.is_given:  # the engine wrote into it, nothing else
            self._spin.report()

    def arrive(self, time: float) -> None:
        """The engine has gone on to a time, and its state is visible in all views."""
        self.move_to(time)
        for shared in self._shared:
            shared.is_given = shared.is_held()
        if any(shared.is_given for shared in self._shared):
            self.current()

    def replace(self, time: float, position: Floats, velocity: Floats) -> None:
        """Put all balls elsewhere, whatever was written before; see `check_range`."""
        check_range(State(self._time, position, velocity))
        self._time[0] = time
        self._position.array[:] = position
        self._velocity.array[:] = velocity
        self._is_current = True
