"""The methods that every engine has."""

import math
from collections.abc import Callable, Generator, Mapping
from typing import ClassVar, Protocol

import numpy as np

from spheresim.collision.flights import Flights
from spheresim.collision.impacts import Impacts, Tally
from spheresim.contact.contact_table import LastingContacts
from spheresim.engines.sleep_criterion import SleepState
from spheresim.model.lazy_state import LiveState
from spheresim.numerics.arrays import Booleans, Floats, Records

Batches = Generator[Impacts, None, None]

Interrupt = Callable[[], bool]
"""Asked now and then, at least once a second: whether to stop."""


def never() -> bool:
    """The interrupt that never comes."""
    return False


class Engine(Protocol):
    """Moves the balls of a world, and hands over the impacts that happen on the way.

    What is written into its `state` between two calls is adopted by the next.
    """

    name: ClassVar[str]
    """As in the table of engines, `ENGINE_KINDS`."""
    state: LiveState

    @property
    def step(self) -> float:
        """How far `finish_step` goes: one timestep."""

    @property
    def origin(self) -> float:
        """The time from which steps are counted; 0 where there are none."""

    @property
    def tally(self) -> Tally:
        """What has been counted since the engine was made."""

    @property
    def impacts_done(self) -> int:
        """Impacts of two balls and on obstacles, so far."""

    @property
    def fault(self) -> str | None:
        """Why it cannot go on, or None."""

    @property
    def snapshots(self) -> Floats | None:
        """Running sums for the figures of a gas, see `analysis`; None if it keeps none."""

    def go_on(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Batches:
        """Go to a time, or to the last of so many impacts if that is before, batch by batch.

        The state is up to date when the last batch has been taken, or the iterator is closed.
        Where `until` is inf it ends when no more impacts are to be expected. Before it raises an
        exception, an interrupt or one of a field, it hands over the impacts so far.
        """

    def finish_step(self, is_interrupted: Interrupt = never) -> Batches:
        """Go on by one step, or finish the one that has begun, batch by batch."""

    @property
    def asleep(self) -> Booleans:
        """Which balls rest, in a pile or on obstacles: (n,) bool."""

    @property
    def sleep_state(self) -> SleepState:
        """The balls that rest, and were not written into; and what carries them."""

    def let_sleep(self, balls: SleepState) -> None:
        """Let these balls, which another engine had at rest, sleep on: what cannot rest any more
        wakes as soon as this one goes on."""

    @property
    def sliding(self) -> Booleans:
        """Which balls are held by obstacles along which they move: (n,) bool."""

    @property
    def contacts(self) -> LastingContacts:
        """The contacts that hold balls now, with their forces."""

    @property
    def walls(self) -> Records:
        """The records of the obstacles that move or are warm, see `WALL_FIELDS`: a copy."""

    def take_walls(self, records: Records) -> None:
        """Go on with the records of another engine for the same obstacles."""

    @property
    def heat_bath(self) -> Records:
        """The record of the thermostat's heat bath, see `BATH_FIELDS`: a copy; (0,) without one."""

    def take_heat_bath(self, record: Records) -> None:
        """Go on with the record of another engine with the same thermostat."""

    def log_impacts(self, requested: bool, flights: bool = False) -> None:
        """Whether impacts are handed over, which are counted in any case, and with them flights."""

    def take_flights(self) -> Flights:
        """The flights that came with the last batch of impacts: those of which impacts do not tell.

        There are such in the exact engine alone, where something holds or pushes balls.
        """

    def save(self) -> dict[str, np.ndarray]:
        """Copies of arrays by name: all that it takes to go on from here, with `resume`."""

    def resume(self, saved: Mapping[str, np.ndarray]) -> None:
        """Go on from what `save` gave, to the last bit; ValueError if it is of another scene."""

    def restore(self, time: float, position: Floats, velocity: Floats) -> None:
        """Go on from another time and other places and velocities, each (n, 3)."""

    def use_threads(self, threads: int) -> str | None:
        """Use so many threads from now on, which changes no result; a sentence that says why if it
        uses fewer, else None."""

    @property
    def threads(self) -> int:
        """How many threads it uses."""

    def compile(self) -> None:
        """Compile all kernels, without going on."""
