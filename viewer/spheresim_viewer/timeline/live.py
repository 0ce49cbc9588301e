"""A course that is simulated as far as was asked for, by the engine's own whole steps."""

import math
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from spheresim.analysis.energy import Drift
from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.engines.options import ENGINE_KINDS, TOI_METHODS
from spheresim.engines.whole_steps import is_whole
from spheresim.model.state import State
from spheresim.numerics.vector import TVector
from spheresim.record.layout import RunError
from spheresim.scene import Scene
from spheresim.simulation import Simulation
from spheresim_viewer.timeline.between import Knot
from spheresim_viewer.timeline.course import Cast, Settings
from spheresim_viewer.timeline.energies import Energies, energies, state_of
from spheresim_viewer.timeline.history import LIMITS, History, Limits, Stretch, freeze
from spheresim_viewer.timeline.impact_rows import joined

_STEP_BY_STEP = 8
"""The last steps to a knot are taken one by one, for the picture needs their borders."""

_BACKWARDS = 256

_SAVED = 600
"""Bytes a ball that the exact engine keeps beside the state, about."""

_AT_ONCE = 0.004
"""Seconds of work between two looks at the clock."""


class Live:
    """Knot k is the state at the start of step k; whatever the order in which knots are asked
    for, they are what a run without a pause gives, to the last bit."""

    last = math.inf

    def __init__(
        self,
        cast: Cast,
        settings: Settings,
        start: State,
        step: float,
        limits: Limits = LIMITS,
    ) -> None:
        """From a state on, whose time is the start of a whole step or of steps of its own."""
        if settings.engine not in ENGINE_KINDS or settings.toi not in TOI_METHODS:
            raise ValueError(f"there is no engine {settings.engine!r} with {settings.toi!r}")
        self.cast = cast
        self.settings = settings
        self.world = cast.world(settings)
        self.step = self.engine_step = step
        self.falling = not ENGINE_KINDS[settings.engine].has_fixed_step
        saved = _SAVED if ENGINE_KINDS[settings.engine].has_checkpoints else 0
        self.history = History(len(cast.radius), limits, saved)
        self._begin(start)
        self._simulation: Simulation | None = None
        self._at = 0
        self._impacts = 0
        self._dissipated = 0.0
        self._seconds_a_step = _AT_ONCE

    @classmethod
    def of_scene(
        cls,
        scene: Scene,
        engine: str | None = None,
        toi: str | None = None,
        slices: int | None = None,
        limits: Limits = LIMITS,
    ) -> "Live":
        """A scene from its beginning; what is given here replaces what the scene says."""
        position = np.array(scene.balls.position)
        velocity = np.array(scene.balls.velocity)
        gravity = TVector(scene.gravity)
        settings = Settings(
            *(gravity, None, engine or scene.engine, toi or scene.toi, slices or scene.slices)
        )
        start = State(np.zeros(1), position, velocity)
        return cls(Cast.of_scene(scene), settings, start, scene.step, limits)

    def _begin(self, start: State) -> None:
        """As the engine does: a time that is a whole number of steps is counted from 0."""
        begins = float(start.time[0])
        steps = begins / self.step
        self._origin, self._first = (0.0, round(steps)) if is_whole(steps) else (begins, 0)
        position, velocity = start.position.copy(), start.velocity.copy()
        freeze(position, velocity)
        knot = Knot(0, self.time_of(0), position, velocity, 0)
        self._remember(knot, joined([]), 0)

    @cached_property
    def drift(self) -> Drift:
        """Energy and momentum at the start, to hold later ones against."""
        return Drift(self.world, state_of(self.history.states.at_or_before(0)))

    @property
    def furthest(self) -> int:
        """The last knot that was computed so far."""
        return self.history.furthest

    @property
    def figures(self) -> list[Energies]:
        """Energies evenly apart, so far."""
        return self.history.figures.entries

    def impacts_till(self, times: Any) -> Any:
        return self.history.ticks.till(times)

    def compile(self) -> None:
        """Make the simulation and compile its kernels."""
        self._made().compile()

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
        self._set_out_for(k)
        while self._at < k:
            self._go_on(k)
            if perf_counter() >= until:
                break
        return self._at

    def knot(self, k: int) -> Knot:
        knot = self.history.knot(k)
        if knot is None:
            self.reach(k, math.inf)
            knot = self.history.knot(k)
        assert knot is not None
        return knot

    def impacts_in(self, k: int) -> Impacts:
        self.reach(k + 1, math.inf)
        stretch = self.history.stretch(k)  # the last steps to a knot were taken one by one
        assert stretch is not None
        return stretch.impacts

    def stretch(self, k: int) -> Stretch:
        known = self.history.stretch(k)
        if known is None:
            self._place_at(k)
            self._go_on(k + 2**40)
            known = self.history.stretch(k)
        assert known is not None
        return known

    def stretch_before(self, k: int, seconds: float) -> Stretch | None:
        known = self.history.stretch_before(k)
        if known is not None:
            return known
        base = self.history.states.at_or_before(k - 1)
        if (k - base.number) * self._seconds_a_step > seconds:
            return None
        self._made()
        self._put(base)
        batches = []
        while self._at < k:
            batches.append(self._go_on(k))
        return Stretch(base.number, k, joined(batches))

    def base(self, k: int) -> int:
        return self.history.states.at_or_before(k - 1).number

    def _is_known(self, k: int) -> bool:
        """Whether knot k is there, and the way to it from the one before."""
        if k == 0:
            return True
        before = self.history.stretch(k - 1)
        return (
            before is not None
            and before.last == k
            and self.history.knot(k) is not None
            and self.history.knot(k - 1) is not None
        )

    def _made(self) -> Simulation:
        """The simulation, at knot `_at`."""
        if self._simulation is None:
            start = self.history.states.at_or_before(0)
            self._simulation = Simulation(
                self.cast.balls(self.world, start.position, start.velocity),
                self.cast.placed_obstacles(self.world),
                self.world.gravity,
                step=self.step,
                engine=self.settings.engine,
                toi=self.settings.toi,
                slices=self.settings.slices,
                box=self.world.box,
                check=False,  # somebody may have put a ball into another
            )
            self._put(start)
        return self._simulation

    def land(self, limits: Limits | None = None) -> None:
        """Give back what only going on needs, and where asked remember less."""
        self._simulation = None
        if limits is not None:
            self.history.shrink(limits)

    def _put(self, knot: Knot) -> None:
        assert self._simulation is not None
        if knot.saved is None:
            self._simulation.restore(knot.time, knot.position, knot.velocity)
        else:
            self._simulation.resume(knot.saved)
        self._at, self._impacts = knot.number, knot.impacts
        self._dissipated = knot.dissipated or 0.0

    def _set_out_for(self, k: int) -> None:
        """Go back to a state from which knot k − 1 and the way from there to k can be had."""
        self._made()
        base = self.history.states.at_or_before(max(0, k - 1))
        if not base.number <= self._at <= k - 1:
            self._put(base)

    def _place_at(self, k: int) -> None:
        """Let the simulation be at knot k."""
        self._made()
        if self._at == k:
            return
        if not ENGINE_KINDS[self.settings.engine].has_checkpoints:  # the state is all there is
            self._put(self.knot(k))
            return
        self._set_out_for(k + 1)
        while self._at < k:
            self._advance(self._at + 1)

    def _go_on(self, k: int) -> Impacts:
        """Some steps towards knot k, at least one."""
        one_by_one = _STEP_BY_STEP
        if k <= self.furthest:  # on the way back, the picture will ask for those before, too
            one_by_one = max(one_by_one, min(_BACKWARDS, self.history.capacity // 2))
        if k - self._at <= one_by_one:
            return self._advance(self._at + 1)
        steps = max(1, int(_AT_ONCE / max(self._seconds_a_step, 1e-9)))
        until = min(self._at + steps, k - one_by_one)
        if self._at >= self.furthest:
            until = min(until, self.history.next_kept(self._at))
        elif until > self.furthest:  # what is new is counted, what was is not counted twice
            until = self.furthest
        return self._advance(until)

    def _advance(self, k: int) -> Impacts:
        """Go on to knot k at once, and remember it."""
        started, first = perf_counter(), self._at
        simulation = self._made()
        dissipated = simulation.tally.dissipated
        impacts = joined(simulation.advance(self.time_of(k)))
        if simulation.fault is not None:
            raise RunError(simulation.fault)
        self._at = k
        self._impacts += int(np.count_nonzero(impacts.kind <= OBSTACLE))
        position, velocity = simulation.position.copy(), simulation.velocity.copy()
        freeze(position, velocity)
        self._dissipated += simulation.tally.dissipated - dissipated
        saved = self._saved(k)
        knot = Knot(
            *(k, simulation.time, position, velocity, self._impacts, saved, self._dissipated)
        )
        self._remember(knot, impacts, first)
        seconds = (perf_counter() - started) / (k - first)
        self._seconds_a_step += 0.3 * (seconds - self._seconds_a_step)
        return impacts

    def _saved(self, k: int) -> Any:
        """What the exact engine knows beside the state, where the state is kept for good."""
        saves = ENGINE_KINDS[self.settings.engine].has_checkpoints
        if not (saves and self.history.wants(k)):
            return None
        return self._made().save()

    def _remember(self, knot: Knot, impacts: Impacts, first: int) -> None:
        history = self.history
        if history.figures.wants(knot.number):
            history.figures.add(knot.number, energies(self.world, knot))
        history.add(knot, impacts, first)
