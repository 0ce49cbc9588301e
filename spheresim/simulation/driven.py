"""A simulation that is driven from outside: what the loop of a run, and saving, need of it."""

import math
from collections.abc import Iterator
from typing import Any

from spheresim.collision.flights import Flights
from spheresim.collision.impacts import Impacts
from spheresim.engines.engine import Interrupt, never
from spheresim.numerics.arguments import finite_rows, number
from spheresim.scene import Scene
from spheresim.simulation.state import SimulationState


class DrivenSimulation(SimulationState):
    """The part of `Simulation` that goes on and hands its impacts over, instead of keeping them.

    scene: what it was made from, or None; toi: how impacts of two balls are found; keeps_impacts:
    whether impacts are kept where nobody takes them.
    """

    __slots__ = ("keeps_impacts", "scene", "toi")

    scene: Scene | None
    toi: str
    keeps_impacts: bool

    def batches(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Iterator[Impacts]:
        """Go on to a time, for a number of impacts, or until interrupted, whichever is first.

        The impacts are handed over as they come, some thousands at a time, instead of being
        kept. Views of the state that somebody holds are up to date when all have been taken, or
        the iterator is closed; RuntimeError if something is written into them before that.
        """
        until = self._no_earlier(until)
        return self._engine.state.guarded(self._engine.go_on(until, impacts, is_interrupted))

    def advance(self, until: float, is_interrupted: Interrupt = never) -> list[Impacts]:
        """Go on to a time, or until interrupted; hand the impacts over instead of keeping them."""
        return list(self.batches(until, is_interrupted=is_interrupted))

    def restore(self, time: float, position: Any, velocity: Any) -> None:
        """Go back, or on, to a state of this simulation, from which it goes on as it did.

        Positions and velocities have the shape (n, 3); from the start of a step the same
        steps come out again, to the last bit (for the exact engine see `resume`).
        `impacts` keeps what was there, and `tally` goes on counting the work that is done:
        a stretch that is run twice counts twice.
        """
        time = number(time, "time")
        position = finite_rows(position, (len(self._balls), 3), "position")
        velocity = finite_rows(velocity, (len(self._balls), 3), "velocity")
        self._engine.restore(time, position, velocity)

    def checkpoint(self) -> dict[str, Any]:
        """Arrays by name: all that it takes to go on from here as it did, with `resume`."""
        return self._engine.save()

    def resume(self, saved: dict[str, Any]) -> None:
        """Go back, or on, to what `checkpoint` gave: all comes out again, to the last bit.

        With the engine "steps" it must have been saved at the start of a step.
        """
        self._engine.resume(saved)

    def log_impacts(self, wanted: bool, flights: bool = False) -> None:
        """Whether impacts are handed over from now on, and with them the flights that they do
        not imply. Impacts are counted in any case."""
        self._engine.log_impacts(wanted, flights)

    def take_flights(self) -> Flights:
        """The flights that came with the last batch of impacts."""
        return self._engine.take_flights()

    def compile(self) -> None:
        """Compile whatever a run needs, without going on."""
        self._engine.compile()

    def _no_earlier(self, until: float) -> float:
        until = number(until, "until")
        if until < self.time:
            raise ValueError(f"until must be no earlier than now, {self.time!r}, not {until!r}")
        return until
