"""A playback that is simulated on demand, always in whole steps of the engine."""

import math
from functools import cached_property
from time import perf_counter

import numpy as np

from spheresim.analysis.drift import Drift
from spheresim.collision.impacts import OBSTACLE, Impacts, nothing
from spheresim.engines.catalogue import ENGINE_KINDS, TOI_METHODS
from spheresim.engines.sleep_criterion import can_sleep
from spheresim.model.state import State
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.vector import TVector
from spheresim.numerics.whole_steps import is_whole
from spheresim.record.files_and_columns import RunError
from spheresim.scene import Scene
from spheresim.simulation import Simulation
from spheresim_viewer.timeline.energies import Energies, energies, state_of
from spheresim_viewer.timeline.history import (
    LIMITS,
    History,
    ImpactBatch,
    Limits,
    concatenated,
    make_read_only,
)
from spheresim_viewer.timeline.interpolation import Keyframe, interpolate
from spheresim_viewer.timeline.orientation import Turning, turned, unturned
from spheresim_viewer.timeline.population import Population, Settings
from spheresim_viewer.timeline.rest import states_of

_STEP_BY_STEP = 8
"""The last steps to a keyframe are taken one by one: pictures interpolate between them."""

_BACKWARDS = 256
"""On the way back so many are taken one by one: they will be asked for next."""

_SAVED = 600
"""Approximate bytes per ball of a saved state of the exact engine; another saves less."""

_AT_ONCE = 0.004
"""Seconds of computing between two looks at the clock."""


class Live:
    """Keyframe k is the state at the start of step k.

    In whatever order keyframes are asked for, each has the same bits as in an uninterrupted run.
    """

    last = math.inf
    has_all_impacts = True

    def __init__(
        self,
        population: Population,
        settings: Settings,
        start: State,
        step: float,
        limits: Limits = LIMITS,
        orientation: Floats | None = None,
        walls: Records | None = None,
    ) -> None:
        """Start from a state. Steps count from its time if that is no whole number of steps.

        orientation: how the balls are turned then, (n, 4); None as they are at the start of time;
        walls: the records of obstacles that move or are warm, if they are not those of t = 0.
        """
        if settings.engine not in ENGINE_KINDS or settings.toi not in TOI_METHODS:
            raise ValueError(f"there is no engine {settings.engine!r} with {settings.toi!r}")
        self.population = population
        self.settings = settings
        self.world = population.world(settings)
        self.step = self.engine_step = step
        self.falling = not ENGINE_KINDS[settings.engine].has_fixed_step
        lasts = can_sleep(self.world) or self.world.has_walls or population.thermostat is not None
        saves = ENGINE_KINDS[settings.engine].has_checkpoints or lasts
        self.history = History(len(population.radius), limits, _SAVED if saves else 0)
        self._orientation: Floats | None = None
        if start.angular_velocity is not None:
            count = len(start.position)
            self._orientation = unturned(count) if orientation is None else orientation
        self._begin(start, walls)
        self._simulation: Simulation | None = None
        self._at = 0
        self._impacts = 0
        self._dissipated = self._given = 0.0
        self._seconds_a_step = _AT_ONCE

    @classmethod
    def of_scene(
        cls,
        scene: Scene,
        engine: str | None = None,
        toi: str | None = None,
        slices: int | None = None,
        limits: Limits = LIMITS,
        begins: float = 0.0,
    ) -> "Live":
        """A scene from its beginning; arguments that are given replace the scene's values.

        begins: the time at which it begins [time].
        """
        balls, spin = scene.balls, None
        if scene.has_spin:
            spin = np.array(balls.angular_velocity)
        start = State(np.full(1, begins), np.array(balls.position), np.array(balls.velocity), spin)
        method = engine or scene.engine, toi or scene.toi, slices or scene.slices
        settings = Settings(TVector(scene.gravity), None, *method)
        return cls(Population.of_scene(scene), settings, start, scene.step, limits)

    def _begin(self, start: State, walls: Records | None) -> None:
        """Count steps from time 0 if the start is a whole number of steps, as the engine does."""
        begins = float(start.time[0])
        steps = begins / self.step
        self._origin, self._first = (0.0, round(steps)) if is_whole(steps) else (begins, 0)
        here = _kept(start)
        keyframe = Keyframe(
            *(0, self.time_of(0), here.position, here.velocity, 0),
            angular_velocity=here.angular_velocity,
            orientation=self._orientation,
            walls=walls,
        )
        self._remember(keyframe, nothing(), 0)

    @cached_property
    def drift(self) -> Drift:
        """Energy and momentum at the start, with which later ones are compared."""
        start = state_of(self.history.states.at_or_before(0))
        return Drift(self.world, start, self.population.field)

    @property
    def furthest(self) -> int:
        """The last keyframe computed so far."""
        return self.history.furthest

    @property
    def figures(self) -> list[Energies]:
        """Energies of evenly spaced keyframes, so far."""
        return self.history.figures.entries

    def impacts_until(self, times: Floats) -> Floats:
        return self.history.impact_counts.count_until(times)

    def compile(self) -> None:
        """Create the simulation and compile its kernels."""
        self._ready_simulation().compile()

    def time_of(self, k: int) -> float:
        return self._origin + (self._first + k) * self.step

    def number_at(self, time: float) -> int:
        k = max(0, math.floor((time - self._origin) / self.step) - self._first)
        while self.time_of(k + 1) <= time:
            k += 1
        while k > 0 and self.time_of(k) > time:
            k -= 1
        return k

    def reach(self, k: int, seconds: float) -> int:
        if self._is_known(k):
            return k
        until = perf_counter() + seconds
        self._rewind_to_reach(k)
        while self._at < k:
            self._advance_towards(k)
            if perf_counter() >= until:
                break
        return self._at

    def keyframe(self, k: int) -> Keyframe:
        keyframe = self.history.keyframe(k)
        if keyframe is None:
            self.reach(k, math.inf)
            keyframe = self.history.keyframe(k)
        assert keyframe is not None
        return keyframe

    def between(self, k: int, time: float) -> tuple[Floats, Floats]:
        start, end = self.keyframe(k), self.keyframe(k + 1)
        pull = self.population.accelerations(self.world, state_of(start))
        return interpolate(time, start, end, self.impacts_in(k), self.world, self.falling, pull)

    def impacts_in(self, k: int) -> Impacts:
        self.reach(k + 1, math.inf)
        batch = self.history.batch_from(k)  # the last steps to a keyframe are taken one by one
        assert batch is not None
        return batch.impacts

    def batch_from(self, k: int) -> ImpactBatch:
        known = self.history.batch_from(k)
        if known is None:
            self._move_simulation_to(k)
            self._advance_towards(k + 2**40)
            known = self.history.batch_from(k)
        assert known is not None
        return known

    def batch_before(self, k: int, seconds: float) -> ImpactBatch | None:
        known = self.history.batch_before(k)
        if known is not None:
            return known
        base = self.history.states.at_or_before(k - 1)
        if (k - base.number) * self._seconds_a_step > seconds:
            return None
        self._ready_simulation()
        self._restore(base)
        batches = []
        while self._at < k:
            batches.append(self._advance_towards(k))
        return ImpactBatch(base.number, k, concatenated(batches))

    def base(self, k: int) -> int:
        return self.history.states.at_or_before(k - 1).number

    def _is_known(self, k: int) -> bool:
        """Whether keyframe k is kept, and the one before, and the impacts between them."""
        if k == 0:
            return True
        before = self.history.batch_from(k - 1)
        return (
            before is not None
            and before.last == k
            and self.history.keyframe(k) is not None
            and self.history.keyframe(k - 1) is not None
        )

    def _ready_simulation(self) -> Simulation:
        """The simulation, at keyframe `_at`; created if there is none."""
        if self._simulation is None:
            start = self.history.states.at_or_before(0)
            self._simulation = Simulation(
                self.population.balls(
                    self.world, start.position, start.velocity, start.angular_velocity
                ),
                self.population.placed_obstacles(self.world),
                self.world.gravity,
                step=self.step,
                engine=self.settings.engine,
                toi=self.settings.toi,
                slices=self.settings.slices,
                box=self.world.box,
                rest=self.world.rest,
                surfaces=self.population.surfaces(self.settings),
                field=self.population.trap,
                thermostat=self.population.thermostat,
                check=False,  # a ball may have been dragged into another
            )
            self._restore(start)
        return self._simulation

    def release_simulation(self, limits: Limits | None = None) -> None:
        """Free the simulation, which only computing further needs; optionally keep less."""
        self._simulation = None
        if limits is not None:
            self.history.shrink(limits)

    def _restore(self, keyframe: Keyframe) -> None:
        assert self._simulation is not None
        if keyframe.saved is None:
            self._simulation.restore(
                *(keyframe.time, keyframe.position, keyframe.velocity, keyframe.angular_velocity)
            )
            if keyframe.walls is not None:
                self._simulation.take_walls(keyframe.walls)
        else:
            self._simulation.resume(keyframe.saved)
        self._at, self._impacts = keyframe.number, keyframe.impacts
        self._orientation = keyframe.orientation
        self._dissipated, self._given = keyframe.dissipated or 0.0, keyframe.given or 0.0

    def _rewind_to_reach(self, k: int) -> None:
        """Rewind, if necessary, to a kept keyframe from which keyframes k − 1 and k follow."""
        self._ready_simulation()
        base = self.history.states.at_or_before(max(0, k - 1))
        if not base.number <= self._at <= k - 1:
            self._restore(base)

    def _move_simulation_to(self, k: int) -> None:
        """Bring the simulation to keyframe k."""
        self._ready_simulation()
        if self._at == k:
            return
        if not self._saves_more:
            self._restore(self.keyframe(k))
            return
        self._rewind_to_reach(k + 1)
        while self._at < k:
            self._advance(self._at + 1)

    def _advance_towards(self, k: int) -> Impacts:
        """Take some steps towards keyframe k, at least one; the impacts of these steps."""
        # One step at a time near the end
        one_by_one = _STEP_BY_STEP
        if k <= self.furthest:  # on the way back, the steps before are asked for next
            one_by_one = max(one_by_one, min(_BACKWARDS, self.history.capacity // 2))
        if k - self._at <= one_by_one:
            return self._advance(self._at + 1)
        # Else as many as take a few milliseconds, with a stop at what is kept for good
        steps = max(1, int(_AT_ONCE / max(self._seconds_a_step, 1e-9)))
        until = min(self._at + steps, k - one_by_one)
        if self._at >= self.furthest:
            until = min(until, self.history.next_kept(self._at))
        elif until > self.furthest:  # beyond it impacts are new, and are to be counted
            until = self.furthest
        return self._advance(until)

    def _advance(self, k: int) -> Impacts:
        """Advance to keyframe k in one call, and add it to the history; the impacts on the way."""
        # Simulate
        started, first = perf_counter(), self._at
        simulation = self._ready_simulation()
        tally = simulation.tally
        before = simulation.current()
        start = simulation.time
        spin = None if before.angular_velocity is None else before.angular_velocity.copy()
        impacts = concatenated(simulation.advance(self.time_of(k)))
        if simulation.fault is not None:
            raise RunError(simulation.fault)
        self._at = k
        self._impacts += int(np.count_nonzero(impacts.kind <= OBSTACLE))
        # Keep the state, with all that was counted until then
        here = _kept(simulation.current())
        if spin is not None and self._orientation is not None:
            self._orientation = turned(
                Turning(self._orientation, spin, start), simulation.time, impacts, self.world
            )
        self._dissipated += simulation.tally.dissipated - tally.dissipated
        self._given += simulation.tally.given - tally.given
        is_kept = self._saves_more and self.history.wants(k)
        saved = simulation.checkpoint() if is_kept else None
        keyframe = Keyframe(
            *(k, simulation.time, here.position, here.velocity, self._impacts, saved),
            *(self._dissipated, states_of(simulation), here.angular_velocity, self._orientation),
            *(simulation.wall_records, self._given),
        )
        self._remember(keyframe, impacts, first)
        # Learn what a step costs
        seconds = (perf_counter() - started) / (k - first)
        self._seconds_a_step += 0.3 * (seconds - self._seconds_a_step)
        return impacts

    @cached_property
    def _saves_more(self) -> bool:
        """Whether it takes more to go on: what was predicted, or who lies on what."""
        state = {*State._fields, "angular_velocity", "engine"}
        return not self._ready_simulation().checkpoint().keys() <= state

    def _remember(self, keyframe: Keyframe, impacts: Impacts, first: int) -> None:
        history = self.history
        if history.figures.wants(keyframe.number):
            history.figures.add(
                keyframe.number, energies(self.world, keyframe, self.population.field)
            )
        history.add(keyframe, impacts, first)


def _kept(state: State) -> State:
    """A state to be kept: copies that cannot be written to."""
    kept = state.copy()
    make_read_only(*kept)
    if kept.angular_velocity is not None:
        make_read_only(kept.angular_velocity)
    return kept
