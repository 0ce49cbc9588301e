"""Logged trajectories: flights that no impact implies, beside the impacts of the exact engine.

A ball that nothing holds flies under gravity, and the impulse of an impact implies how it goes on.
Contact that lasts (obstacles that the ball lies on, an island, sleep) changes its trajectory
without an impulse: then its position, velocity and acceleration are logged, and again when it is
free.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import FLIGHT
from spheresim.numerics.arrays import Booleans, Floats, Integers

NUMBERS = 10
"""In a row of `Flights.numbers`."""


class Flights(NamedTuple):
    """Flights in order of time, a row each in two arrays.

    names: (m, 4), whole numbers: how many rows of impacts came before, the ball, 1 if something
    holds it and 0 if it flies freely from then on, and the supports along which it slides
    (`packed_supports` of the engine; 0 if none of them bends);
    numbers: (m, 10): time, position, velocity, acceleration.

    Of a ball that is held a flight lasts until its next row. One that flies freely is hit, too.
    """

    names: Integers
    numbers: Floats

    @property
    def after(self) -> Integers:
        """How many rows of impacts came before, (m,)."""
        return self.names[:, 0]

    @property
    def ball(self) -> Integers:
        """The balls, (m,)."""
        return self.names[:, 1]

    @property
    def is_held(self) -> Booleans:
        """Whether something holds the ball, (m,)."""
        return self.names[:, 2] != 0

    @property
    def supports(self) -> Integers:
        """What the ball slides along, (m,)."""
        return self.names[:, 3]

    @property
    def t(self) -> Floats:
        """Times, (m,)."""
        return self.numbers[:, 0]


NO_FLIGHTS = Flights(np.zeros((0, 4), dtype=np.int64), np.zeros((0, NUMBERS)))


def flights_of(names: Integers, numbers: Floats) -> Flights:
    """The flights among rows of the journal; of those of a ball at one time only the last.

    What was before it at the same time lasted for no time.
    """
    is_flight = names[:, 0] == FLIGHT
    if not is_flight.any():
        return NO_FLIGHTS
    rows = np.flatnonzero(is_flight)
    before = np.cumsum(~is_flight)[rows]
    told = np.column_stack([before, names[rows, 1:4]])
    ball, time = told[:, 1], numbers[rows, 0]
    order = np.lexsort((np.arange(len(rows)), time, ball))
    is_last = np.ones(len(rows), dtype=np.bool_)
    same = (ball[order][1:] == ball[order][:-1]) & (time[order][1:] == time[order][:-1])
    is_last[:-1] = ~same
    kept = np.sort(order[is_last])
    return Flights(told[kept], numbers[rows[kept], :NUMBERS].copy())


def joined_flights(parts: Sequence[Flights]) -> Flights:
    """Several batches as one."""
    if not parts:
        return NO_FLIGHTS
    return Flights(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
