"""The fixed-timestep engine, for Python: advance, read the state, take the impacts."""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spheresim.collision.friction_and_restitution import Materials
from spheresim.collision.impacts import Impacts
from spheresim.compiler.decorators import specialised
from spheresim.contact.ball_state import ASLEEP, moves_in_contact
from spheresim.contact.contact_table import LastingContacts, with_owners
from spheresim.engines.base_engine import EVENTS_AT_ONCE, EngineBase, hands_over_all
from spheresim.engines.engine_protocol import Batches, Interrupt, never
from spheresim.engines.saved_shapes import check_shapes
from spheresim.engines.sleep_criterion import Sleepers, SleepState, can_sleep
from spheresim.engines.termination import Paths
from spheresim.engines.time_stepping.advance import advance, reinitialise, sample_state
from spheresim.engines.time_stepping.bounces import Bounces
from spheresim.engines.time_stepping.engine_state import EngineState, allocate
from spheresim.engines.time_stepping.sleeping import (
    kept,
    let_sleep,
    sliding_balls,
    take_kept,
    touched,
    update_sleep,
    wake_all,
)
from spheresim.engines.time_stepping.sustained_contact import SustainedContact
from spheresim.engines.time_stepping.thermostat import meet_heat_bath
from spheresim.model.force_field import Field, accelerations
from spheresim.model.state import State, World
from spheresim.model.thermostat import BATH, NEXT, Thermostat
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.records import array_of
from spheresim.numerics.whole_steps import NEVER, WHOLE, is_whole, whole_steps
from spheresim.obstacles.driven_walls.moving_walls import wall_records

_BALL_STEPS_AT_ONCE = 1_000_000
"""Steps of one ball between two moments at which Python can be interrupted."""

_WALLS = "walls"
"""The name of the records of walls among the arrays that are saved."""

_COUNTS, _MEASURES = "counts", "measures"
"""Among those arrays, what the tally counts: the steps, then `_COUNTED`; and `_MEASURED`."""

_WORK = "work"
"""Among those arrays, the record `EngineState.work`."""

_COUNTED = ("ball_impacts", "obstacle_impacts", "collapse_answers")
_MEASURED = ("deepest_overlap", "dissipated")

_PARTNERS = 8.0
"""How many other spheres a ball's sphere should touch: more are tested in vain, with
fewer the sphere is left too often. Measured best from packing fraction .05 to .45."""


class Stepping(EngineBase):
    """Advances a state by fixed steps: step k begins at k·step after the origin of time.

    What is written into `state` between two calls is adopted, and prediction starts anew.
    """

    name: ClassVar = "steps"

    def __init__(
        self,
        world: World,
        start: State,
        step: float,
        slices: int = 0,
        field: Field | None = None,
        thermostat: Thermostat | None = None,
    ) -> None:
        """Ball–ball impacts are found analytically, or by so many slices.

        field: accelerates balls beside gravity, at the start of each step. In a field nothing
        comes to rest, because an equilibrium could not be proved; nor does it with a thermostat,
        whose meetings are at the start of the steps in which they fall.
        """
        # Its kernels know no box: they would be compiled once more for each kind of box.
        super().__init__(world._replace(box=None), start, thermostat)
        skin, side = _skin_and_side(world, start)
        self._first_origin = float(start.time[0])
        self._field = field
        self._acceleration = np.zeros((len(world.radius), 3))  # by the field, in this step
        self._rests = field is None and thermostat is None and can_sleep(world)
        rule = (SustainedContact if self._rests else Bounces)(world.rest)
        has_materials = isinstance(world.materials, Materials)
        self._engine_state = allocate(
            *(start, side, rule, wall_records(world.walls), step, skin, slices),
            *(self._rests, has_materials, self.state.spin),
        )
        self.sleepers = Sleepers(world, world.rest)
        wake_all(self._engine_state, self._rests)
        self._steps_before = 0

    @property
    def step(self) -> float:
        """The length of a step."""
        return float(self._engine_state.timestep)

    @property
    def origin(self) -> float:
        """The time from which steps are counted."""
        return float(self._engine_state.measure.origin)

    def go_on(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Batches:
        """Go to a time, or to the last of so many impacts if that is before, batch by batch.

        To get to the time it takes whole steps, and where they do not fit a shorter last one.
        The state is up to date when the last batch has been taken, or the iterator is closed.
        Where `until` is inf it ends when no more impacts will ever come.
        """
        if until == self.state.now:
            return
        self._check_meetings(until)
        enough = self.impacts_done + impacts
        way, count = until - self.origin, self._engine_state.count
        whole = whole_steps(way / self.step) if until < math.inf else NEVER
        yield from self._extrapolate(whole, self.step, enough, is_interrupted)
        rest = until - (self.origin + whole * self.step)
        is_more = rest > WHOLE * min(self.step, way)  # more than rounding
        if is_more and count.step == whole and self.impacts_done < enough:
            try:
                yield from self._extrapolate(whole + 1, rest, enough, is_interrupted)
            finally:
                if count.step == whole + 1:  # what was predicted in steps of full length is void
                    self.state.current()
                    self._begin_step(0, until)

    def finish_step(self, is_interrupted: Interrupt = never) -> Batches:
        """Finish the step that has begun, or else go one whole step, batch by batch."""
        self._check_meetings(self.state.now + self.step)
        until = int(self._engine_state.count.step) + 1
        return self._extrapolate(until, self.step, is_interrupted=is_interrupted)

    def save(self) -> dict[str, np.ndarray]:
        """Copies of arrays by name: all that it takes to go on, from the start of a step."""
        self._adopt_edits()
        here = self.state.current()
        arrays = here._asdict()
        if here.angular_velocity is not None:
            arrays["angular_velocity"] = here.angular_velocity
        if self._world.has_walls:
            arrays[_WALLS] = self._engine_state.walls
        if self._thermostat is not None:
            arrays[BATH] = self._bath
        if self._rests:
            arrays |= kept(self._engine_state) | self.sleepers.save()
        count, measure = self._engine_state.count, self._engine_state.measure
        arrays[_COUNTS] = np.array([self._steps_begun(), *(int(count[name]) for name in _COUNTED)])
        arrays[_MEASURES] = np.array([float(measure[name]) for name in _MEASURED])
        arrays[_WORK] = array_of(self._engine_state.work)
        return {name: array.copy() for name, array in arrays.items()}

    def resume(self, saved: Mapping[str, np.ndarray]) -> None:
        """Go on from what `save` gave at the start of a step, to the last bit; ValueError if it is
        of another scene."""
        fresh = self.save().items()  # those of rest are as long as a list of contacts
        check_shapes(saved, {key: part for key, part in fresh if not key.startswith("rest.")})
        if self.state.spin is not None:
            np.copyto(self.state.spin, saved["angular_velocity"])
        self.restore(float(saved["time"][0]), saved["position"], saved["velocity"])
        if self._world.has_walls:
            np.copyto(self._engine_state.walls, saved[_WALLS])
        if self._thermostat is not None:
            np.copyto(self._bath, saved[BATH])
        if self._rests:
            take_kept(self._engine_state, saved)
            self.sleepers.resume(saved)
        count, measure = self._engine_state.count, self._engine_state.measure
        steps, *counts = saved[_COUNTS].tolist()
        self._steps_before = steps - int(count.step)
        for name, number in zip(_COUNTED, counts, strict=True):
            count[name] = number
        for name, number in zip(_MEASURED, saved[_MEASURES].tolist(), strict=True):
            measure[name] = number
        np.copyto(array_of(self._engine_state.work), saved[_WORK])

    def restore(self, time: float, position: Floats, velocity: Floats) -> None:
        """Go back, or on, to a state: from there everything comes out again to the last bit.

        A time that is a whole number of steps from the origin, to rounding, is the start of
        that step; at any other time a step begins there, and steps are counted from it.
        """
        self.state.replace(time, position, velocity)  # refuses what is out of range
        self._meet_anew(time)
        origins = [o for o in (self.origin, self._first_origin) if self._is_start(time - o)]
        origin = origins[0] if origins else time
        ball = self._engine_state.ball  # a step that was left in its middle did not clear these:
        ball.repeated[:] = ball.wedged[:] = 0
        self._forget_rest()
        self._begin_step(round((time - origin) / self.step), origin)

    def _is_start(self, since: float) -> bool:
        """Whether a step begins so long after an origin."""
        steps = since / self.step
        return steps > -0.5 and is_whole(steps)

    def compile(self) -> None:
        """Compile all kernels, without going on."""
        count = self._engine_state.count
        self._advance(self._world, self._engine_state, int(count.step), 1)
        here = self.state.current()
        self._sample(here.position.copy(), here.velocity.copy(), None)
        if not count.begun:
            self._begin()
        if self._thermostat is not None:
            _ = self._meet_before

    @cached_property
    def _advance(self) -> Any:
        return specialised(advance, self._world, self._engine_state, 0, 0)

    @cached_property
    def _sample_state(self) -> Any:
        rows = np.empty((1, 3))
        return specialised(sample_state, self._engine_state, 0, 0, rows, rows)

    @hands_over_all
    def _extrapolate(
        self,
        until: int,
        length: float,
        enough: float = math.inf,
        is_interrupted: Interrupt = never,
    ) -> Batches:
        """Go to the start of step `until`, or till there have been so many impacts in all."""
        count, done = self._engine_state.count, self.impacts_done
        if count.step >= until or done >= enough:
            return
        self._adopt_edits()
        self._set_length(length)
        silence, over = 0, until == NEVER and self._is_over()
        last = self._time()
        try:
            while count.step < until and done < enough and not (over or is_interrupted()):
                budget = int(min(enough - done, EVENTS_AT_ONCE))
                at_once = _BALL_STEPS_AT_ONCE
                if until == NEVER:  # pieces that double while nothing happens
                    at_once = min(at_once, 1000 << min(silence, 20))
                if self._field is not None:
                    at_once = 1
                    self._accelerate(self._field, length)
                target = min(
                    until, int(count.step) + max(1, at_once // self._engine_state.ball.size)
                )
                if self._thermostat is not None:
                    target = min(target, self._meet_heat_bath(length))
                self._advance(self._world, self._engine_state, target, budget)
                silence = silence + 1 if self.impacts_done == done else 0
                last = self._time() if silence == 0 else last
                done = self.impacts_done
                self.state.move_to(self._time())
                yield self.take_impacts()
                if count.proof_due and not count.begun:
                    yield self._update_sleep()
                if until == NEVER and silence > 0:
                    over = self._is_over() or self._is_silent(self._time() - last)
        finally:
            self.state.arrive(self._time())

    def _is_over(self) -> bool:
        """Whether no impact will ever come; with a heat bath that is never certain."""
        moves = self._rests and np.any(moves_in_contact(self._engine_state.ball.held))
        return self._thermostat is None and not moves and self._hits_nothing_more()

    def _paths(self) -> tuple[float, Paths]:
        n, acceleration = len(self._world.radius), self._gravity
        position, velocity = np.empty((n, 3)), np.empty((n, 3))
        self._sample_state(self._engine_state, 0, n, position, velocity)
        if self._rests:
            acceleration = acceleration * ~self.asleep[:, None]
        return self._time(), Paths(position, velocity, acceleration, self._world.radius)

    @cached_property
    def _gravity(self) -> Floats:
        """The acceleration of balls that do not sleep, (n, 3)."""
        return np.tile(np.array(self._world.gravity), (len(self._world.radius), 1))

    def _set_length(self, length: float) -> None:
        """Let the step that has begun, if one has, be so long, and not as long as it was to be."""
        measure = self._engine_state.measure
        if length == measure.length:
            return
        change, measure.length = length - float(measure.length), length
        if self._engine_state.count.begun:
            awake = (self._engine_state.ball.held != ASLEEP)[:, None]
            kick = awake * (np.array(self._world.gravity) + self._acceleration) * change
            if change > 0.0 or kick.any():
                self.state.kick(kick)
                self._begin()

    def _accelerate(self, field: Field, length: float) -> None:
        """Kick all balls by the field, if a step is to begin; as gravity does in the kernel."""
        if not self._engine_state.count.begun:
            state = self.state.current()
            self._acceleration = accelerations(field, self._time(), state.position, state.velocity)
            self.state.kick(self._acceleration * length)
            self._begin()

    def _meet_heat_bath(self, length: float) -> int:
        """Let balls meet the heat bath whose meetings are in the step that is to begin; the step of
        the next meeting."""
        now = int(self._engine_state.count.step)
        if not self._engine_state.count.begun:
            self._meet_before(*self._of_meetings(self._start_of(now) + length))
            self.state.move_to(self.state.now)
        step: int = math.floor((self._bath.item(0)[NEXT] - self.origin) / self.step)
        while self._bath.item(0)[NEXT] < self._start_of(step):
            step -= 1
        while self._bath.item(0)[NEXT] >= self._start_of(step + 1):
            step += 1
        return max(now + 1, step)

    def _start_of(self, step: int) -> float:
        return self.origin + step * self.step

    def _of_meetings(
        self, until: float
    ) -> tuple[EngineState, Thermostat | None, Records, Floats, float]:
        return self._engine_state, self._thermostat, self._bath, self._world.mass, until

    @cached_property
    def _meet_before(self) -> Any:
        return specialised(meet_heat_bath, *self._of_meetings(0.0))

    def _steps_begun(self) -> int:
        count = self._engine_state.count
        return self._steps_before + int(count.step) + int(count.begun)

    def _time(self) -> float:
        """The time that the engine is at."""
        now = float(self._engine_state.measure.now)
        return self.origin + (int(self._engine_state.count.step) * self.step + now)

    def _finish_rows(self, names: Integers, numbers: Floats) -> None:
        """Times: the journal has the step, and the time in it, which rounding keeps in the step."""
        step = self.step
        time = np.minimum(names[:, 3] * step + numbers[:, 0], (names[:, 3] + 1) * step)
        numbers[:, 0] = self.origin + time

    def _sample(self, position: Floats, velocity: Floats, ball: int | None) -> None:
        """Write where all balls are, or only one, into arrays of shape (n, 3)."""
        first, last = (0, len(position)) if ball is None else (ball, ball + 1)
        self._sample_state(self._engine_state, first, last, position, velocity)

    @property
    def asleep(self) -> Any:
        """Which balls rest: (n,) bool."""
        return self._engine_state.ball.held == ASLEEP

    def _carriers(self) -> LastingContacts:
        return self.sleepers.contacts

    def let_sleep(self, balls: SleepState) -> None:
        """See `Engine`."""
        if balls.asleep.any():
            self.sleepers.let_sleep(balls)
            let_sleep(self._engine_state, balls.asleep)

    @property
    def sliding(self) -> Any:
        """Which balls are held by contacts, and move: (n,) bool."""
        return sliding_balls(self._engine_state)

    @property
    def contacts(self) -> LastingContacts:
        """The contacts that hold balls now, with their forces."""
        found = touched(self._engine_state, self.sleepers)
        return with_owners(found, self._world.obstacles.owner)

    def _update_sleep(self) -> Impacts:
        """Put to sleep what can be proved to rest, and wake what can not."""
        return update_sleep(self._world, self._engine_state, self.sleepers, self._time())

    def _forget_rest(self) -> None:
        """Release all balls, and determine anew which rest."""
        self.sleepers.wake_all()
        wake_all(self._engine_state, self._rests)

    def _begin(self) -> None:
        """Predict everything from the state as it is, in a step that has begun as in a new one."""
        state = self.state.current()
        reinitialise(self._engine_state, state.position, state.velocity)

    def _begin_step(self, step: int, origin: float) -> None:
        """Be at the start of a step, counted from an origin, and predict everything anew."""
        count, measure = self._engine_state.count, self._engine_state.measure
        self._steps_before += int(count.step) + int(count.begun) - step
        count.step, count.begun = step, 0
        measure.now, measure.length, measure.origin = 0.0, self.step, origin
        self._engine_state.ball.candidate_step[:] = -1
        self._begin()
        self.state.arrive(self._time())


def _skin_and_side(world: World, state: State) -> tuple[float, float]:
    """How far a ball may stray in its sphere, and the width of the grid's finest cells."""
    radius = float(np.median(world.radius))
    extent = np.maximum(np.ptp(state.position, axis=0), 4.0 * radius)
    density = len(world.radius) / float(np.prod(extent))
    reach = 0.5 * (_PARTNERS / density * 0.75 / math.pi) ** (1.0 / 3.0)
    skin = max(reach - radius, 0.25 * radius)
    return skin, 2.0 * (float(world.radius.min()) + skin) * (1.0 + 1e-6)
