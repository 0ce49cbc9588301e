"""The exact engine, for Python: advance, read the state, take the impacts."""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import cells_along
from spheresim.collision.gas_sums import STRESS_COMPONENTS
from spheresim.collision.impacts import Impacts
from spheresim.compiler.decorators import specialised
from spheresim.contact.contact_table import LastingContacts, joined_contacts, with_owners
from spheresim.engines.base_engine import EVENTS_AT_ONCE, EngineBase, hands_over_all, longer_wait
from spheresim.engines.engine_protocol import Batches, Interrupt, never
from spheresim.engines.event_driven.advance import ARRIVED, STEP_DUE, advance
from spheresim.engines.event_driven.bounces import Bounces
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    accelerations_of,
    since_epoch,
)
from spheresim.engines.event_driven.growth import Growth, NoGrowth
from spheresim.engines.event_driven.lasting_contact.contact_views import (
    energy_under_way,
    island_contacts,
    resting_balls,
    sliding_balls,
    support_contacts,
)
from spheresim.engines.event_driven.lasting_contact.flight_log import Slides
from spheresim.engines.event_driven.lasting_contact.island_step import step_islands
from spheresim.engines.event_driven.lasting_contact.sustained_contact import SustainedContact
from spheresim.engines.event_driven.layout import (
    allocate,
    can_fall,
    centre_of_mass_velocity,
    common_velocity,
    density,
    has_lasting_contact,
    laid_out,
    margins,
    may_change_density,
    order,
    shear_of,
)
from spheresim.engines.event_driven.lees_edwards import stress_so_far
from spheresim.engines.event_driven.motion import Falling, Trapped, motion_of
from spheresim.engines.event_driven.reinitialise import reinitialise, renew_neighbourhoods
from spheresim.engines.event_driven.sleeping import (
    Moment,
    force_sleep,
    let_sleep,
    schedule_first_proof,
    update_sleep,
)
from spheresim.engines.event_driven.statistics import snapshots
from spheresim.engines.event_driven.thermostat import meet_heat_bath
from spheresim.engines.event_driven.threads.crew import Crew
from spheresim.engines.event_driven.threads.shareable import shared_among
from spheresim.engines.event_driven.trajectory import sample_state
from spheresim.engines.event_driven.trapped_toi import NoTrap, Trap
from spheresim.engines.event_driven.validation import check_saved, lasting, saved_layout
from spheresim.engines.sleep_criterion import Sleepers, SleepState, can_sleep
from spheresim.engines.termination import Paths, passes_by
from spheresim.model.force_field import ConstantAccelerations, HarmonicTrap
from spheresim.model.periodic_space import Periodic, space_of
from spheresim.model.state import State, World
from spheresim.model.thermostat import BATH, NEXT, NO_THERMOSTAT, Thermostat
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.vector import ZERO

_STEPS_PER_CALL = 100
"""Steps of islands between two moments at which Python can be interrupted."""

_MEETINGS_PER_CALL = 1000
"""The same, of meetings with a heat bath."""


class Events(EngineBase):
    """Advances a state from impact to impact.

    What is written into `state` between two calls is adopted, and prediction starts anew.
    `step` is only what `finish_step` goes on by. With `growth` radii grow to those of the world;
    that must be elastic and without gravity, and its obstacles planes and cylinders.
    """

    name: ClassVar = "events"

    def __init__(
        self,
        world: World,
        start: State,
        step: float,
        field: HarmonicTrap | ConstantAccelerations | None = None,
        growth: Growth | None = None,
        thermostat: Thermostat | None = None,
    ) -> None:
        if thermostat is not None and field is None and any(world.gravity):
            # As in a field, nothing lies still: each meeting would have to wake what does.
            field = ConstantAccelerations(np.zeros_like(start.position))
        falls = can_fall(world)
        motion, self._acceleration = motion_of(field, world.gravity, falls)
        trap = Trap(motion.centre, motion.frequency) if isinstance(motion, Trapped) else NoTrap()
        if field is not None:  # which has taken in gravity
            world = world._replace(gravity=ZERO)
        super().__init__(world, start, thermostat)
        if thermostat is not None and has_lasting_contact(world):
            raise ValueError(NO_THERMOSTAT)
        self._keeps_frame = field is not None or thermostat is not None
        self._bends = field is not None or falls
        self._step = step
        self._threads = 1
        lasts, limits = has_lasting_contact(world), world.rest
        space = space_of(world.box)
        if growth is not None:
            space = Periodic(*space)  # of no axis, in a closed room: one kernel serves both
        self._environment = Environment(
            world.obstacles,
            space,
            shear_of(world),
            motion,
            trap,
            (SustainedContact if lasts else Bounces)(*limits),
            world.materials,
            NoGrowth() if growth is None else growth,
            world.walls,
            # These two follow from the density: `_lay_out`.
            lead_fraction=0.0,
            rebuild_threshold=0.0,
        )
        dense = density(world, start.position)
        reach = world.radius + margins(world, dense)
        along = order(start.position, 2.0 * float(np.median(reach)))
        self.sleepers = Sleepers(world, limits)
        self._engine_state = allocate(world, along, isinstance(motion, Falling), self.state.spin)
        self._engine_state.measure.scale = 1.0 if growth is None else growth.scale
        self._engine_state.count.layout_wait = 1
        self._engine_state.count.layout_in = 0 if may_change_density(world) else -1
        self._lay_out(dense, start.position)
        self._predict_all()
        self._engine_state.block[0] = self.snapshots[-1]

    def use_threads(self, threads: int) -> str | None:
        """See `Engine`, and `threads.window` for why the bits stay the same."""
        self._dismiss_crew()
        self._threads, reason = (
            (1, None)
            if threads == 1
            else shared_among(
                self._environment, self._engine_state, threads, self._thermostat is not None
            )
        )
        return reason

    @property
    def threads(self) -> int:
        """How many threads it uses."""
        return self._threads

    @property
    def step(self) -> float:
        """How far `finish_step` goes."""
        return self._step

    @property
    def scale(self) -> float:
        """The radii now, as a fraction of those of the world, to which they grow."""
        now = since_epoch(self._engine_state, self.state.now)
        growth, measure = self._environment.growth, self._engine_state.measure
        return float(growth.radius_at(measure, 1.0, now))

    @property
    def fault(self) -> str | None:
        """Why it cannot go on, or None."""
        jammed = int(self._engine_state.count.jammed) - 1
        if jammed < 0:
            return None
        return (
            f"ball {jammed} is jammed at t = {self.state.now!r}: it is hit again "
            "and again without any time between, and there is no room into which it could move"
        )

    @hands_over_all
    def go_on(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Batches:
        """Go to a time, or to the last of so many impacts if that is before, batch by batch.

        The state is up to date when the last batch has been taken, or the iterator is closed.
        It stays at the last impact where it is interrupted, cannot go on, or where `until` is
        inf and no more impacts will ever come.
        """
        self._adopt_edits()
        self._check_meetings(until)
        # Without an end: test now and then whether more will come, each time after twice as long.
        ahead = self._time_scale if until == math.inf else 0.0
        horizon = self.state.now + ahead if until == math.inf else until
        done, arrived = self.impacts_done, False
        enough = done + impacts
        try:
            while done < enough and not (arrived or self.fault is not None or is_interrupted()):
                left = int(min(enough - done, EVENTS_AT_ONCE))
                arrived = self._advance_with_meetings(horizon, left)
                done = self.impacts_done
                self.state.move_to(self._last_moment())
                yield self.take_impacts()
                may_lie = can_sleep(self._world) and not self._world.has_walls
                if self._engine_state.count.jammed and may_lie:
                    yield self._force_sleep()
                if self._engine_state.count.proof_due:
                    yield self._update_sleep()
                if arrived and until == math.inf:
                    arrived = self._is_over()
                    horizon, ahead = horizon + ahead, 2.0 * ahead
        finally:
            is_there = arrived and until < math.inf
            self.state.arrive(until if is_there else self._last_moment())

    def finish_step(self, is_interrupted: Interrupt = never) -> Batches:
        """Go on by one step, batch by batch."""
        return self.go_on(self.state.now + self._step, is_interrupted=is_interrupted)

    def compile(self) -> None:
        """Compile all kernels, without going on."""
        self._advance(self._environment, self._engine_state, self.state.now, 0, 0)
        if self._threads > 1:
            _ = self._crew
        if self._tests_rest:
            _ = self._step_islands
        if self._thermostat is not None:
            _ = self._meet_heat_bath
        if may_change_density(self._world):
            _ = self._renew_neighbourhoods
        here = self.state.current()
        self._sample(here.position.copy(), here.velocity.copy(), None)

    def _advance_with_meetings(self, horizon: float, impacts: int) -> bool:
        """Go on to a time, with the meetings with the heat bath; False if it stopped before."""
        bath, enough = self._bath, self.impacts_done + impacts
        if self._thermostat is None:
            return self._advance_with_steps(horizon, impacts)
        for _ in range(_MEETINGS_PER_CALL):
            time = min(horizon, bath.item(0)[NEXT])
            if not self._advance_with_steps(time, enough - self.impacts_done):
                return False
            if time < bath.item(0)[NEXT]:
                return True
            self._meet_heat_bath(*self._of_meetings)
        return False

    @property
    def _of_meetings(
        self,
    ) -> tuple[Environment, EngineState, Thermostat | None, Records, Floats, Integers]:
        where = self._environment, self._engine_state
        return (*where, self._thermostat, self._bath, self._world.mass, self._slot_of)

    @cached_property
    def _meet_heat_bath(self) -> Any:
        return specialised(meet_heat_bath, *self._of_meetings)

    def _advance_with_steps(self, horizon: float, impacts: int) -> bool:
        """Go on to a time, step by step of islands; False if it stopped before."""
        if self._threads > 1:
            return self._advance_together(horizon, impacts)
        enough, count = self.impacts_done + impacts, self._engine_state.count
        for k in range(_STEPS_PER_CALL + 1):
            events = EVENTS_AT_ONCE if k < _STEPS_PER_CALL else 1
            came = self._advance(self._environment, self._engine_state, horizon, enough, events)
            if came == STEP_DUE and k < _STEPS_PER_CALL:
                self._step_islands(self._environment, self._engine_state)
            elif count.layout_due:
                self._follow_density()
            else:
                break
        return bool(came == ARRIVED)

    def _advance_together(self, horizon: float, impacts: int) -> bool:
        """Go on to a time with several threads; False if it stopped before."""
        enough, count = self.impacts_done + impacts, self._engine_state.count
        while True:
            if missing := len(self._margin) - count.first_predicted:
                self._advance(self._environment, self._engine_state, horizon, enough, missing)
            arrived = self._crew.advance(horizon, enough)
            if not count.layout_due:
                return arrived
            self._follow_density()

    @cached_property
    def _crew(self) -> Crew:
        return Crew(self._environment, self._engine_state, self._threads)

    def _dismiss_crew(self) -> None:
        """Let one thread go on alone, or new ones."""
        if crew := self.__dict__.pop("_crew", None):
            crew.leave()

    def __getstate__(self) -> dict[str, Any]:
        self._dismiss_crew()
        return super().__getstate__()

    def _follow_density(self) -> None:
        """Lay cells and neighbourhoods out anew if the density is half or twice what it was."""
        engine_state, count = self._engine_state, self._engine_state.count
        count.layout_due = 0
        position = self._at_last_event().position
        dense = density(self._world, position)
        if 0.5 < dense / engine_state.measure.density < 2.0:
            count.layout_wait = longer_wait(count.layout_wait)
        else:
            count.layout_wait = 1
            self._lay_out(dense, position)
            self._renew_neighbourhoods(self._environment, self._engine_state, self._margin)
        count.layout_in = count.layout_wait

    def _lay_out(self, dense: float, position: Floats, counts: Any = None) -> None:
        """Margins, and cells that are empty, for balls of a density; counts: see `grids`."""
        self._dismiss_crew()
        here = self._environment, self._engine_state
        self._environment, self._engine_state, self._margin = laid_out(
            self._world, *here, dense, self._bends, position, counts
        )

    @cached_property
    def _step_islands(self) -> Any:
        return specialised(step_islands, self._environment, self._engine_state)

    @cached_property
    def _renew_neighbourhoods(self) -> Any:
        environment, engine_state = self._environment, self._engine_state
        return specialised(renew_neighbourhoods, environment, engine_state, self._margin)

    @cached_property
    def _advance(self) -> Any:
        return specialised(advance, self._environment, self._engine_state, 0.0, 0, 0)

    @cached_property
    def _sample_state(self) -> Any:
        rows = np.empty((1, 3))
        return specialised(
            sample_state, self._environment, self._engine_state, 0.0, 0, 0, rows, rows
        )

    @property
    def _logs_flights(self) -> bool:
        turns_velocities = self._world.turns_velocities or self._thermostat is not None
        return has_lasting_contact(self._world) or turns_velocities

    def slides(self) -> Slides:
        """Balls of its world that slide once more; the engine must do nothing else from then on."""
        return Slides(self._environment, self._engine_state)

    @property
    def snapshots(self) -> Floats:
        """Rows of running sums, see `statistics` for the columns; the last is of now."""
        here = self._environment, self._engine_state
        return snapshots(self._world, *here, self.state.current())

    def _work_of_shear(self) -> float:
        box = self._world.box
        if box is None or not box.is_sheared:
            return 0.0
        stress = stress_so_far(self._world, self._environment, self._engine_state, self.state.now)
        return -box.shear_rate * float(stress[STRESS_COMPONENTS.index("xy")])

    def save(self) -> dict[str, np.ndarray]:
        """Copies of arrays by name: all that it takes to go on from here, with `resume`."""
        self._adopt_edits()
        self._dismiss_crew()
        arrays = {**self._lasting(), "time": self.state.time}
        kept = self.sleepers.save()
        return {**{name: array.copy() for name, array in arrays.items()}, **kept}

    def _lasting(self) -> dict[str, np.ndarray]:
        """All arrays that hold something between two calls, by name."""
        bath = {} if self._thermostat is None else {BATH: self._bath}
        return {**dict(lasting(self._engine_state)), **bath}

    def restore(self, time: float, position: Floats, velocity: Floats) -> None:
        """Go on from another state: all is predicted anew, so later digits may differ."""
        self.state.replace(time, position, velocity)
        self._meet_anew(time)
        self._begin()
        self.state.arrive(time)

    def resume(self, saved: Mapping[str, np.ndarray]) -> None:
        """Go on from what `save` gave, to the last bit; ValueError if it is of another scene."""
        self._dismiss_crew()
        is_laid_out_anew = self._lay_out_as(saved)
        arrays = self._lasting()
        obstacles = len(self._world.obstacles.kind)
        try:
            check_saved(saved, {**arrays, "time": self.state.time}, obstacles)
        except ValueError:
            if is_laid_out_anew:
                self._begin()
            raise
        for name, array in arrays.items():
            np.copyto(array, saved[name])
        self.sleepers.resume(saved)
        self._forget_cached()
        self.state.arrive(float(saved["time"][0]))

    def _lay_out_as(self, saved: Mapping[str, np.ndarray]) -> bool:
        """Lay everything out as it was when arrays were saved; whether that is another layout."""
        layout = saved_layout(saved, len(self._margin))
        if layout is None:
            return False
        dense, counts = layout
        engine_state = self._engine_state
        is_same = np.array_equal(counts, cells_along(engine_state.cells.level))
        if is_same and dense == engine_state.measure.density:
            return False
        self._lay_out(dense, self.state.current().position, counts)
        return True

    def _force_sleep(self) -> Impacts:
        """Let a jammed ball rest, which has lost what it had: the others go on."""
        return force_sleep(self._world, self._engine_state, self.sleepers, self._at_last_event())

    def _at_last_event(self) -> Moment:
        """The balls at the time of the last event."""
        engine_state, n = self._engine_state, len(self._margin)
        position, velocity = np.empty((n, 3)), np.empty((n, 3))
        time = float(absolute(engine_state, engine_state.measure.now))
        self._sample_state(self._environment, engine_state, time, 0, n, position, velocity)
        return Moment(self._slot_of, time, position, velocity)

    def _update_sleep(self) -> Impacts:
        """Put to sleep what can be proved to rest, and wake what can not."""
        return update_sleep(self._world, self._engine_state, self.sleepers, self._at_last_event())

    @property
    def asleep(self) -> Any:
        """Which balls rest: (n,) bool."""
        return resting_balls(self._engine_state, self._slot_of)

    def _carriers(self) -> LastingContacts:
        return joined_contacts(self.sleepers.contacts, self._on_obstacles())

    def let_sleep(self, balls: SleepState) -> None:
        """See `Engine`."""
        if balls.asleep.any() and self._tests_rest:
            self.sleepers.let_sleep(balls)
            let_sleep(self._world, self._engine_state, balls.asleep, self._at_last_event())

    @property
    def sliding(self) -> Any:
        """Which balls move in contact: (n,) bool."""
        return sliding_balls(self._engine_state, self._slot_of)

    @property
    def contacts(self) -> LastingContacts:
        """The contacts that hold balls now, with their forces."""
        piled = island_contacts(self._engine_state)
        touched = joined_contacts(self.sleepers.contacts, self._on_obstacles(), piled)
        return with_owners(touched, self._world.obstacles.owner)

    def _on_obstacles(self) -> LastingContacts:
        """The contacts of balls that lie or slide on obstacles alone."""
        position = self.state.current().position
        return support_contacts(self._world, self._engine_state, self._slot_of, position)

    def _last_moment(self) -> float:
        """The time of the last impact, or of the state if that is later."""
        return max(self.state.now, float(self._engine_state.measure.last_impact))

    def _is_over(self) -> bool:
        """Whether no impact will ever come, or none is to be expected."""
        engine_state = self._engine_state
        if (engine_state.hold.rest_at < math.inf).any() or engine_state.count.members:
            return False  # a row is still to come, or a step of islands
        now, ball = absolute(engine_state, engine_state.measure.now), engine_state.ball
        silent = float(now - engine_state.measure.last_impact)
        velocity = np.stack([ball.vx, ball.vy, ball.vz])
        can_tell = not self._environment.growth.grows()
        if self._thermostat is None and (
            (can_tell and self._hits_nothing_more()) or passes_by(self._world, velocity, silent)
        ):
            return True
        return self._is_silent(silent)

    def _paths(self) -> tuple[float, Paths]:
        now, ball = self._at_last_event(), self._engine_state.ball
        acceleration = np.zeros_like(now.position)
        if can_fall(self._world):
            acceleration = accelerations_of(ball)[self._slot_of]
        return now.time, Paths(now.position, now.velocity, acceleration, self._world.radius)

    def _under_way(self) -> tuple[float, Floats | float]:
        """What contact has done to balls in islands since their clocks."""
        if not self._engine_state.count.members:
            return super()._under_way()
        current = self.state.current()
        position, time = current.position, float(current.time[0])
        return energy_under_way(self._world, self._engine_state, self._slot_of, position, time)

    def _finish_rows(self, names: Integers, numbers: Floats) -> None:
        """Contact points: those of the journal drift along with what positions count from."""
        if self._is_drifting:
            numbers[:, 1:4] += np.outer(numbers[:, 0] - self._drift_from, self._drift)

    @property
    def _drift(self) -> Any:
        """The velocity of the point from which the engine counts positions, shape (3,)."""
        measure = self._engine_state.measure
        return np.array([measure.drift_x, measure.drift_y, measure.drift_z])

    @property
    def _drift_from(self) -> float:
        return float(self._engine_state.measure.drift_from)

    @cached_property
    def _is_drifting(self) -> bool:
        return bool(self._drift.any())

    @cached_property
    def _slot_of(self) -> Integers:
        """Of each ball, the place of its record."""
        return np.argsort(self._engine_state.body.name)

    def _sample(self, position: Floats, velocity: Floats, ball: int | None) -> None:
        """Write where all balls are, or only one, into arrays of shape (n, 3)."""
        time = self.state.now
        rows, first, last = slice(None), 0, len(position)
        if ball is not None:
            rows, first = slice(ball, ball + 1), int(self._slot_of[ball])
            last = first + 1
        self._sample_state(
            self._environment, self._engine_state, time, first, last, position, velocity
        )
        if self._is_drifting:
            position[rows] += self._drift * (time - self._drift_from)
            velocity[rows] += self._drift

    def _begin(self) -> None:
        """Lay everything out for the state as it is, and predict it."""
        position = self.state.current().position
        self._lay_out(density(self._world, position), position)
        self._predict_all()

    def _predict_all(self) -> None:
        """Predict everything from the state as it is, in cells that are empty."""
        engine_state = self._engine_state
        state = self.state.current()
        engine_state.count.jammed = 0
        time = float(state.time[0])
        engine_state.measure.drift_from = time
        if not self._keeps_frame:
            drift, measure = common_velocity(self._world, state.velocity), engine_state.measure
            measure.drift_x, measure.drift_y, measure.drift_z = drift
            whole = centre_of_mass_velocity(self._world, state.velocity)
            measure.whole_x, measure.whole_y, measure.whole_z = whole
        self._forget_cached()
        self.sleepers.wake_all()
        schedule_first_proof(engine_state, self._tests_rest)
        velocity = state.velocity - self._drift
        reinitialise(self._environment, engine_state, time, state.position, velocity, self._margin)
        if self._acceleration is not None:
            own = self._acceleration[engine_state.body.name]
            for name, column in zip("xyz", own.T, strict=True):
                engine_state.ball[f"acceleration_{name}"] = column

    @property
    def _tests_rest(self) -> bool:
        """Whether there are islands, and so equilibrium tests: a single ball on obstacles without
        motion only lies, which needs no proof, nor the library for one."""
        return can_sleep(self._world) and (len(self._margin) > 1 or self._world.has_walls)

    def _forget_cached(self) -> None:
        """Another state has another drift, and so on."""
        for name in ("_is_drifting", "_time_scale", "_slot_of"):
            self.__dict__.pop(name, None)
