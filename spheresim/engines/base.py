"""What both engines do alike around their kernels: the journal, the counts, edits."""

import math
from typing import Any, ClassVar, NamedTuple

from spheresim.collision.impacts import Impacts, Tally, recorded_impacts
from spheresim.engines.engine import Batches, Interrupt, never
from spheresim.model.live_state import LiveState
from spheresim.model.state import State, World, check_range


class Places(NamedTuple):
    """Where an engine's arrays `count` (the first four) and `measure` hold what both count."""

    recorded: int
    ball_impacts: int
    obstacle_impacts: int
    collapse_answers: int
    deepest_overlap: int
    dissipated: int


class EngineBase:
    """An engine of kernels that write impacts into a journal, which is emptied between them."""

    name: ClassVar[str]
    snapshots: Any = None
    _places: ClassVar[Places]
    _engine_state: Any

    def __init__(self, world: World, start: State) -> None:
        self._world = world
        self.state = LiveState(start, self._sample)
        self._logs_impacts = True

    def go_on(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Batches:
        """See `Engine`."""
        raise NotImplementedError

    def run(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> list[Impacts]:
        """Go on, and hand over all batches of impacts together."""
        return list(self.go_on(until, impacts, is_interrupted))

    def next_impact(self, before: float) -> list[Impacts]:
        """Go to the next impact and stop there, or at a time."""
        return self.run(before, 1)

    @property
    def fault(self) -> str | None:
        """Why it cannot go on, or None."""
        return None

    @property
    def tally(self) -> Tally:
        """Steps begun, impacts, answers by the collapse rule, deepest overlap at an impact."""
        count, measure, places = self._engine_state.count, self._engine_state.measure, self._places
        return Tally(
            self._steps_begun(),
            int(count[places.ball_impacts]),
            int(count[places.obstacle_impacts]),
            int(count[places.collapse_answers]),
            max(0.0, float(measure[places.deepest_overlap])),
            float(measure[places.dissipated]),
        )

    @property
    def impacts_done(self) -> int:
        """Impacts of two balls and on obstacles, so far."""
        count, places = self._engine_state.count, self._places
        done: int = count.item(places.ball_impacts) + count.item(places.obstacle_impacts)
        return done

    def log_impacts(self, wanted: bool) -> None:
        """Whether impacts are handed over; they are counted in any case."""
        self._logs_impacts = wanted

    def _take_impacts(self) -> Impacts:
        """Empty the journal."""
        engine_state = self._engine_state
        recorded = int(engine_state.count[self._places.recorded])
        engine_state.count[self._places.recorded] = 0
        if not self._logs_impacts:
            recorded = 0
        names = engine_state.names[:recorded].copy()
        return self._impacts(names, engine_state.numbers[:recorded].copy())

    def _adopt_edits(self) -> None:
        """Predict anew if somebody wrote into the state."""
        if self.state.is_edited():
            check_range(self.state.current())
            self._begin()

    def _sample(self, position: Any, velocity: Any, ball: int | None) -> None:
        """Write where all balls are, or only one, into arrays of shape (n, 3)."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Predict everything from the state as it is."""
        raise NotImplementedError

    def _impacts(self, names: Any, numbers: Any) -> Impacts:
        """A batch from rows of the journal."""
        return recorded_impacts(numbers[:, 0], names, numbers[:, 1:])

    def _steps_begun(self) -> int:
        return 0
