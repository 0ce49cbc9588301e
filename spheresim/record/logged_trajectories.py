"""The trajectories that a run has logged because impacts do not imply them, ball by ball."""

from functools import cached_property

import numpy as np

from spheresim.collision.flights import Flights
from spheresim.engines.event_driven.engine import Events
from spheresim.engines.event_driven.lasting_contact.flight_log import Slides
from spheresim.model.state import State, World
from spheresim.numerics.arrays import Floats, Integers


class LoggedTrajectories:
    """Which flight each ball is in at a time, and where that leads.

    row, (m,): the flights sorted by ball, as numbers of rows of `flights`; those of ball i are from
    `first[i]` to before `first[i + 1]` of it.
    """

    def __init__(self, flights: Flights, world: World, start: State) -> None:
        self.flights = flights
        self._world, self._start = world, start
        n = len(world.radius)
        self.row = np.argsort(flights.ball, kind="stable")
        self.first = np.searchsorted(flights.ball[self.row], np.arange(n + 1))

    def all_last(self, time: float) -> Integers:
        """The row of the last flight of each ball that has begun by a time, (n,); -1 for none."""
        begun = self.flights.ball[: np.searchsorted(self.flights.t, time, side="right")]
        last = np.full(len(self._world.radius), -1)
        last[begun] = np.arange(len(begun))  # of several the last one stays
        return last

    def at(self, row: int, time: float) -> tuple[Floats, Floats]:
        """Position and velocity of the ball of a flight at a time in it, if it is held."""
        flight = self.flights.numbers[row]
        if self.slides(row):
            names = self.flights.names[row]
            place = self._slides.at(int(names[1]), flight, int(names[3]), time)
            return place[0], place[1]
        return led_to(flight, time)

    def mark(self, row: int) -> None:
        """The time at which a flight was computed last is near the next one."""
        self._slides.mark(int(self.flights.names[row, 1]))

    def slides(self, row: int) -> bool:
        """Whether the ball of a flight slides along what bends, for which there is no formula."""
        return bool(self.flights.names[row, 3])

    @cached_property
    def _slides(self) -> Slides:
        return Events(self._world, self._start, 0.0).slides()


def led_to(flight: Floats, time: float) -> tuple[Floats, Floats]:
    """Position and velocity to which a row of `Flights.numbers` leads by a time."""
    s, v, a = time - flight[0], flight[4:7], flight[7:10]
    return flight[1:4] + (v + a * (0.5 * s)) * s, v + a * s
