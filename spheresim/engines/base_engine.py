"""What both engines do alike around their kernels: the journal, the counts, edits."""

import math
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, ClassVar, ParamSpec

import numpy as np

from spheresim.collision.constants import MOST_BALLS_IN_ALL_PAIRS
from spheresim.collision.flights import NO_FLIGHTS, Flights, flights_of
from spheresim.collision.impacts import BALL, FLIGHT, OBSTACLE, Impacts, Tally, Work
from spheresim.collision.journal import TANGENTIAL, WITH_FLIGHTS
from spheresim.compiler.decorators import specialised
from spheresim.contact.contact_table import NO_CONTACTS, LastingContacts
from spheresim.engines.engine_protocol import Batches, Interrupt, never
from spheresim.engines.sleep_criterion import SleepState
from spheresim.engines.termination import Paths, Surroundings, nothing_meets
from spheresim.model.lazy_state import LiveState
from spheresim.model.periodic_space import Periodic, space_of
from spheresim.model.state import State, World, check_range
from spheresim.model.thermostat import Thermostat, bath_record, fault_of_rate
from spheresim.numerics.arrays import Booleans, Floats, Integers, Records
from spheresim.obstacles.driven_walls.moving_walls import longest_period
from spheresim.obstacles.driven_walls.report import energy_given

P = ParamSpec("P")

_ONE_THREAD = 'several are for the engine "events" alone'

EVENTS_AT_ONCE = 100_000
"""What is done between two moments at which Python can be interrupted: less than a second."""

_SILENT_TIMES = 1000.0
"""Periods of the slowest obstacle, or flights of the fastest ball across all."""

_LONGEST_WAIT = 64
"""Of `longer_wait`: so rare that a try costs little, so often that what has changed is found."""


def longer_wait(wait: int) -> int:
    """The next wait after a try in vain, in units of the first wait: twice as long, up to a bound.

    >>> longer_wait(1), longer_wait(64)
    (2, 64)
    """
    return min(2 * wait, _LONGEST_WAIT)


def hands_over_all(go_on: Callable[P, Batches]) -> Callable[P, Batches]:
    """Let a method that goes on batch by batch hand over what is in the journal before it raises:
    an interrupt, when a kernel returns, or the exception of a user's function."""

    @wraps(go_on)
    def batches(*arguments: P.args, **keywords: P.kwargs) -> Batches:
        try:
            yield from go_on(*arguments, **keywords)
        except GeneratorExit:
            raise
        except BaseException:
            engine: Any = arguments[0]
            if engine.has_impacts:
                yield engine.take_impacts()
            raise

    return batches


class EngineBase:
    """An engine of kernels that write impacts into a journal, which is emptied between them."""

    name: ClassVar[str]
    snapshots: Any = None
    _flights = NO_FLIGHTS
    _given_before = _heat_before = 0.0
    _engine_state: Any

    def __init__(self, world: World, start: State, thermostat: Thermostat | None = None) -> None:
        self._world = world
        self._thermostat = thermostat
        self._bath = bath_record(thermostat, len(world.radius), float(start.time[0]))
        self.state = LiveState(start, self._sample)

    def __getstate__(self) -> dict[str, Any]:
        """All but what it makes again when it needs it, such as kernels for its arrays."""
        made = {
            name
            for name in vars(self)
            if isinstance(getattr(type(self), name, None), cached_property)
        }
        return {name: value for name, value in vars(self).items() if name not in made}

    def go_on(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Batches:
        """See `Engine`."""
        raise NotImplementedError

    def use_threads(self, threads: int) -> str | None:
        """See `Engine`."""
        return None if threads == 1 else f"one thread is used, not {threads}: {_ONE_THREAD}"

    @property
    def threads(self) -> int:
        """See `Engine`."""
        return 1

    def run(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> list[Impacts]:
        """Go on, and hand over all batches of impacts together."""
        return list(self.go_on(until, impacts, is_interrupted))

    def finish_step(self, is_interrupted: Interrupt = never) -> Batches:
        """See `Engine`."""
        raise NotImplementedError

    def step_once(self) -> list[Impacts]:
        """Go on by one step, and hand over all batches of impacts together."""
        return list(self.finish_step())

    @property
    def fault(self) -> str | None:
        """Why it cannot go on, or None."""
        return None

    @property
    def tally(self) -> Tally:
        """Steps begun, impacts, answers by the collapse rule, deepest overlap at an impact."""
        count, measure = self._engine_state.count, self._engine_state.measure
        lost, work = self._under_way()
        return Tally(
            self._steps_begun(),
            int(count.ball_impacts),
            int(count.obstacle_impacts),
            int(count.collapse_answers),
            max(0.0, float(measure.deepest_overlap)),
            float(measure.dissipated) + lost,
            Work(*self._engine_state.work.tolist()),
            energy_given(self._walls_with(work)) - self._given_before + self._heat_taken(),
            self._work_of_shear(),
        )

    @property
    def walls(self) -> Any:
        """The records of the obstacles that move or are warm, see `WALL_FIELDS`: a copy."""
        return self._walls_with(self._under_way()[1])

    def _walls_with(self, work: Floats | float) -> Any:
        """The records of the walls, with the work that contacts have done since."""
        records = self._engine_state.walls.copy()
        records.work += work
        return records

    def take_walls(self, records: Records) -> None:
        """Go on with the records of another engine for the same obstacles."""
        np.copyto(self._engine_state.walls, records)
        self._given_before = energy_given(records)

    @property
    def heat_bath(self) -> Records:
        """The record of the thermostat's heat bath, see `BATH_FIELDS`: a copy; (0,) without one."""
        return self._bath.copy()

    def take_heat_bath(self, record: Records) -> None:
        """Go on with the record of another engine with the same thermostat."""
        np.copyto(self._bath, record)
        self._heat_before = float(record.heat.sum())

    def _meet_anew(self, time: float) -> None:
        """Let the meetings with the heat bath begin at a time, as in a new simulation."""
        for row in self._bath:
            row.meetings = 0
            row.next = bath_record(self._thermostat, len(self._world.radius), time).next[0]

    def _heat_taken(self) -> float:
        """The heat that balls have taken from the bath since the engine was made."""
        return float(self._bath.heat.sum()) - self._heat_before

    @property
    def impacts_done(self) -> int:
        """Impacts of two balls and on obstacles, so far."""
        count = self._engine_state.count
        return int(count.ball_impacts + count.obstacle_impacts)

    def log_impacts(self, requested: bool, flights: bool = False) -> None:
        """Whether impacts are handed over, which are counted in any case, and with them flights."""
        both = requested and flights and self._logs_flights
        self._engine_state.count.recording = WITH_FLIGHTS if both else int(requested)

    def take_flights(self) -> Flights:
        """The flights that came with the last batch of impacts; see `Flights`."""
        flights, self._flights = self._flights, NO_FLIGHTS
        return flights

    @property
    def origin(self) -> float:
        """The time from which steps are counted; 0 where there are none."""
        return 0.0

    @property
    def _logs_flights(self) -> bool:
        """Whether it logs flights that no impact implies."""
        return False

    @property
    def asleep(self) -> Booleans:
        """Which balls rest, (n,) bool: none, where an engine has no contacts that last."""
        return np.zeros(len(self._world.radius), dtype=bool)

    @property
    def sliding(self) -> Booleans:
        """Which balls slide, (n,) bool: likewise none."""
        return np.zeros(len(self._world.radius), dtype=bool)

    @property
    def contacts(self) -> LastingContacts:
        """The contacts that hold balls now: likewise none."""
        return NO_CONTACTS

    @property
    def sleep_state(self) -> SleepState:
        """See `Engine`."""
        asleep = self.asleep
        if not asleep.any():
            return SleepState(asleep, NO_CONTACTS)
        here = self.state.current()
        position, velocity = np.empty_like(here.position), np.empty_like(here.velocity)
        self._sample(position, velocity, None)
        same = np.all((position == here.position) & (velocity == here.velocity), axis=1)
        number = np.where(same, np.arange(len(same)), -1)
        return SleepState(asleep, self._carriers()).renumbered(number, len(number))

    def _carriers(self) -> LastingContacts:
        """The contacts that carry balls at rest: likewise none."""
        return NO_CONTACTS

    def let_sleep(self, balls: SleepState) -> None:
        """See `Engine`: where no balls rest none sleeps on."""

    @property
    def has_impacts(self) -> bool:
        """Whether there are rows in the journal."""
        return bool(self._engine_state.count.recorded > 0)

    def take_impacts(self) -> Impacts:
        """Empty the journal."""
        engine_state = self._engine_state
        recorded = int(engine_state.count.recorded)
        names, numbers = engine_state.names[:recorded], engine_state.numbers[:recorded].copy()
        if self._world.has_spin:
            numbers[names[:, 0] > OBSTACLE, TANGENTIAL:] = 0.0  # left over from other rows
        else:
            numbers = numbers[:, :TANGENTIAL]
        if engine_state.count.recording == WITH_FLIGHTS:
            self._flights = flights_of(names, numbers)
            is_impact = names[:, 0] != FLIGHT
            names, numbers = names[is_impact], numbers[is_impact]
        self._finish_rows(names, numbers)
        impacts = self._of_obstacles(Impacts(names[:, :3].copy(), numbers))
        engine_state.count.recorded = 0  # at last: an interrupt before loses nothing
        return impacts

    def _of_obstacles(self, impacts: Impacts) -> Impacts:
        """The rows with the obstacle to which each feature that was hit belongs."""
        if not self._world.obstacles.features.has_any():
            return impacts
        owner = self._world.obstacles.owner
        hit = (impacts.kind != BALL) & (impacts.other >= 0)
        impacts.names[hit, 2] = owner[impacts.other[hit]]
        return impacts

    def _adopt_edits(self) -> None:
        """Predict anew if the state was written into."""
        if self.state.is_edited():
            check_range(self.state.current())
            asleep = self.sleep_state
            self.state.adopt()
            self._forget_rest()
            self._begin()
            self.let_sleep(asleep)

    def _sample(self, position: Floats, velocity: Floats, ball: int | None) -> None:
        """Write where all balls are, or only one, into arrays of shape (n, 3)."""
        raise NotImplementedError

    def _forget_rest(self) -> None:
        """Determine anew which balls rest, after a change of the state from outside."""

    def _begin(self) -> None:
        """Predict everything from the state as it is."""
        raise NotImplementedError

    @cached_property
    def _time_scale(self) -> float:
        """How long it takes a fast ball to cross what the balls take up, about."""
        state, world = self.state.current(), self._world
        length = float(np.ptp(state.position, axis=0).max() + 2.0 * world.radius.max())
        speed = float(np.abs(state.velocity).max()) + math.sqrt(world.gravity.mag() * length)
        return length / speed if speed > 0.0 else 1.0

    def _hits_nothing_more(self) -> bool:
        """Whether it is certain that no impact will ever come; it is not tested for very many
        balls."""
        if len(self._world.radius) > MOST_BALLS_IN_ALL_PAIRS:
            return False
        return bool(self._nothing_meets(*self._ahead()))

    @cached_property
    def _nothing_meets(self) -> Any:
        return specialised(nothing_meets, *self._ahead())

    def _ahead(self) -> tuple[Surroundings, Paths]:
        """What balls may hit from now on, and how they fly."""
        world, (time, paths) = self._world, self._paths()
        space, places = Periodic(*space_of(world.box)), self._engine_state.walls
        slides = world.box is not None and world.box.is_sheared
        return Surroundings(world.obstacles, space, world.walls, places, time, slides), paths

    def _paths(self) -> tuple[float, Paths]:
        """The time that the engine is at, and the paths of all balls from then on."""
        raise NotImplementedError

    def _check_meetings(self, until: float) -> None:
        """Raise ValueError if balls meet the heat bath too often to be simulated until a time; if
        that is inf, for the time in which a fast ball crosses all."""
        duration = self._time_scale if until == math.inf else until - self.state.now
        fault = fault_of_rate(self._thermostat, len(self._world.radius), duration)
        if fault is not None:
            raise ValueError(f"a thermostat's rate {fault}")

    def _is_silent(self, since: float) -> bool:
        """Whether nothing is awaited any more after a time without an impact, where an obstacle
        vibrates or turns, or balls meet a heat bath: no formula gives whether a ball is ever hit.
        """
        period = longest_period(self._world.walls)
        if self._thermostat is not None:
            period = max(period, 1.0 / self._thermostat.rate)
        return period > 0.0 and since > _SILENT_TIMES * max(period, self._time_scale)

    def _under_way(self) -> tuple[float, Floats | float]:
        """What contacts have done since balls last changed their flight: the energy that they have
        taken, and what each wall has given, (w,)."""
        return 0.0, 0.0

    def _work_of_shear(self) -> float:
        """Energy that the flow of a sheared box has given: there is none."""
        return 0.0

    def _finish_rows(self, names: Integers, numbers: Floats) -> None:
        """Complete rows of the journal by what kernels do not know, in `numbers`."""

    def _steps_begun(self) -> int:
        return 0
