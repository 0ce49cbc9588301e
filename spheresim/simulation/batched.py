"""A simulation that hands its impacts over in batches, as the loop of a run and saving need it."""

import copy
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from spheresim.analysis.crossings import Crossings
from spheresim.analysis.impact_counts import ImpactCounts
from spheresim.collision.flights import NO_FLIGHTS, Flights
from spheresim.collision.impacts import Impacts
from spheresim.engines.engine_protocol import Interrupt, never
from spheresim.numerics.arguments import finite_rows, number, whole_number
from spheresim.scene import Scene
from spheresim.simulation.observers import Observer
from spheresim.simulation.resumable import check_resumable
from spheresim.simulation.state import SimulationState


class BatchedSimulation(SimulationState):
    """The part of `Simulation` that goes on and hands its impacts over, instead of keeping them.

    scene: what it was made from, or None; toi: how impacts of two balls are found; keeps_impacts:
    whether impacts are kept that are not taken; counts: those of the scene, by name;
    observers: those that are given all impacts.
    """

    __slots__ = (
        *("_calls_observers", "_flights"),
        *("counts", "keeps_impacts", "observers", "scene", "toi"),
    )

    scene: Scene | None
    toi: str
    keeps_impacts: bool
    counts: dict[str, ImpactCounts | Crossings]
    observers: list[Observer]
    _flights: Flights
    _calls_observers: bool

    def __copy__(self) -> Self:
        """A copy with its own engine: two simulations cannot share one."""
        return copy.deepcopy(self)

    def __getstate__(self) -> object:
        """A copy is not in the middle of a run, also one that an observer makes."""
        of_dict, of_slots = cast(tuple[Any, dict[str, Any]], super().__getstate__())
        return of_dict, {**of_slots, "_calls_observers": False}

    def batches(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Iterator[Impacts]:
        """Simulate until a time, a number of impacts or an interrupt, and yield impacts in batches.

        Batches have some thousands of impacts, which are not kept. Views of the state are up to
        date when all batches were taken or the iterator is closed; RuntimeError if something is
        written into them before.
        """
        self._refuse_in_observer()
        until = self._no_earlier(until)
        batches = self._engine.state.guarded(self._engine.go_on(until, impacts, is_interrupted))
        return self._observed(lambda: batches, until) if self.observers else batches

    def advance(self, until: float, is_interrupted: Interrupt = never) -> list[Impacts]:
        """Simulate until a time or an interrupt; yield the impacts instead of keeping them."""
        return list(self.batches(until, is_interrupted=is_interrupted))

    def restore(
        self,
        time: float,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike,
        angular_velocity: npt.ArrayLike | None = None,
    ) -> None:
        """Set the simulation to a state that it had before or will have.

        Positions and velocities have the shape (n, 3). Spins stay as they are unless angular
        velocities, likewise, are given. From the start of a step the same steps
        follow, to the last bit (for the exact engine see `resume`); but meetings with the heat bath
        of a thermostat begin as in a new simulation. `impacts` is not changed, and `tally` counts
        on: a stretch that is simulated twice counts twice.
        """
        self._refuse_in_observer()
        time = number(time, "time")
        position = finite_rows(position, (len(self._balls), 3), "position")
        velocity = finite_rows(velocity, (len(self._balls), 3), "velocity")
        if angular_velocity is not None:
            self.angular_velocity = angular_velocity
        self._engine.restore(time, position, velocity)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state as arrays by name, for `resume`."""
        counted = {key: array.copy() for key, array in self._counted_so_far()}
        return {"engine": np.array(self.engine), **self._engine.save(), **counted}

    def resume(self, saved: dict[str, np.ndarray]) -> None:
        """Set the simulation to a result of `checkpoint`; the rest follows again, to the last bit.

        With the engine "steps" the checkpoint must have been made at the start of a step.
        ValueError if it is of another engine or scene.
        """
        self._refuse_in_observer()
        counted = dict(self._counted_so_far())
        check_resumable(saved, self.engine, counted)
        self._engine.resume(saved)
        for key, array in counted.items():
            np.copyto(array, saved[key])

    def _counted_so_far(self) -> Iterator[tuple[str, np.ndarray]]:
        """The arrays of the scene's counts, by the names that they have in a checkpoint."""
        for k, count in enumerate(self.counts.values()):
            for name, array in count.save().items():
                yield f"count.{k}.{name}", array

    def log_impacts(self, requested: bool, flights: bool = False) -> None:
        """Choose whether impacts, and flights that no impact determines, are reported from now on.

        Impacts are counted in any case, and reported to observers."""
        followed = any(isinstance(observer, Crossings) for observer in self.observers)
        self._engine.log_impacts(requested or bool(self.observers), flights or followed)

    def take_flights(self) -> Flights:
        """The flights that came with the last batch of impacts."""
        flights, self._flights = self._flights, NO_FLIGHTS
        return flights if self.observers else self._engine.take_flights()

    def use_threads(self, threads: int) -> str | None:
        """Use so many threads from now on; no result depends on their number.

        Returns None, or a sentence that says why fewer are used: several share only balls without
        gravity and contact that lasts, and only if there are enough of them to be faster than one.
        ValueError unless threads is at least 1.
        """
        return self._engine.use_threads(whole_number(threads, "threads", low=1))

    def compile(self) -> None:
        """Compile everything that a run needs, without advancing the time."""
        self._engine.compile()

    def _observed(
        self, batches: Callable[[], Iterable[Impacts]], until: float = math.inf
    ) -> Iterator[Impacts]:
        """The batches of a run to a time at the latest, each after the observers were given it.

        Where an observer raises an exception, the others, and the caller, get the batch before.
        """
        followers = [observer for observer in self.observers if isinstance(observer, Crossings)]
        if followers:
            engine = self._engine
            held = engine.asleep | engine.sliding
            for follower in followers:
                follower.begin(engine.state.current(), held, engine.origin, until)
        try:
            for batch in batches():
                self._flights = self._engine.take_flights() if self.observers else NO_FLIGHTS
                fault = self._give_to_observers(batch)
                yield batch
                if fault is not None:
                    raise fault
        finally:
            for follower in followers:
                follower.end(self._engine.state.current())

    def _give_to_observers(self, batch: Impacts) -> BaseException | None:
        """Give a batch to all observers; the first exception that one of them raises, or None."""
        fault = None
        self._calls_observers = True
        try:
            for observer in tuple(self.observers):
                try:
                    if isinstance(observer, Crossings):
                        observer.add(batch, self._flights)
                    else:
                        observer.add(batch)
                except BaseException as raised:
                    fault = raised if fault is None else fault
        finally:
            self._calls_observers = False
        return fault

    def _refuse_in_observer(self) -> None:
        """RuntimeError in a function of `on_impact`: the engine is in the middle of a run."""
        if self._calls_observers:
            raise RuntimeError(
                "a function of on_impact must not run or change the simulation, which is in the "
                "middle of a run: run(stop=f) calls f between two runs"
            )

    def _no_earlier(self, until: float) -> float:
        until = number(until, "until")
        if until < self.time:
            raise ValueError(f"until must be no earlier than now, {self.time!r}, not {until!r}")
        return until
