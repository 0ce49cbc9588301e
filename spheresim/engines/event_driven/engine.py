"""The exact engine as Python sees it: go on, look, take the impacts out."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from spheresim.broadphase.cells import clear
from spheresim.collision.impacts import Impacts, Tally, recorded_impacts
from spheresim.collision.journal import (
    BALL_IMPACTS,
    COLLAPSE_ANSWERS,
    DEEPEST_OVERLAP,
    DISSIPATED,
    NOW,
    OBSTACLE_IMPACTS,
    RECORDED,
    RECORDING,
)
from spheresim.engines.event_driven.advance import advance, reinitialise, sample_state
from spheresim.engines.event_driven.engine_state import (
    BLOCKS,
    DRIFT_FROM,
    DRIFT_X,
    DRIFT_Z,
    JAMMED,
    LAST_IMPACT,
    ROW,
    VIRIAL,
    EngineState,
    Environment,
    absolute,
)
from spheresim.engines.event_driven.layout import allocate, density, lead_and_early, margins, order
from spheresim.engines.event_driven.motion import Falling, Straight
from spheresim.engines.event_driven.space import space_of
from spheresim.engines.event_driven.statistics import (
    BALLS_SO_FAR,
    KINETIC,
    OBSTACLES_SO_FAR,
    SPEEDS,
    TIME,
    VIRIAL_SO_FAR,
)
from spheresim.engines.event_driven.termination import is_over
from spheresim.engines.event_driven.validation import strays
from spheresim.model.state import State, World, check_range

_EVENTS_AT_ONCE = 100_000
"""What is done between two moments at which Python can be interrupted: less than a second."""

_MEAN_FREE_TIMES = 1000.0
"""Without an impact, after which none is to be expected any more."""

_SHARED = 8.0
"""Of what balls move by themselves, from which on what they share is worth to be taken out."""

_PASSING = ("found", "lanes", "names", "numbers")


class Events:
    """Advances a state from impact to impact.

    The state's arrays are the caller's: what is written into them between two calls is
    adopted, and prediction starts anew. `step` is only what `step_once` goes on by.
    """

    def __init__(self, world: World, state: State, step: float) -> None:
        self._world = world
        self._state = state
        self._step = step
        dense = density(world, state)
        margin = margins(world, dense)
        gravity = world.gravity.mag_sqr() > 0.0
        centre_ahead, rebuild_threshold = lead_and_early(world, dense)
        self._around = Environment(
            world.obstacles,
            space_of(world.box),
            (Falling if gravity else Straight)(world.gravity),
            # Under gravity some of the margin is left for the bend of the path.
            centre_ahead * (0.7 if gravity else 1.0),
            rebuild_threshold,
        )
        along = order(state.position, 2.0 * float(np.median(world.radius + margin)))
        self._margin = margin[along]
        self._engine_state = allocate(world, state, along, self._margin)
        self._shown = state.position.copy(), state.velocity.copy()
        self._begin()
        self._engine_state.block[0] = self.snapshots[-1]

    @property
    def step(self) -> float:
        """How far `step_once` goes."""
        return self._step

    @property
    def tally(self) -> Tally:
        """Impacts, answers by the collapse rule, deepest overlap at an impact; no steps."""
        count = self._engine_state.count
        return Tally(
            0,
            int(count[BALL_IMPACTS]),
            int(count[OBSTACLE_IMPACTS]),
            int(count[COLLAPSE_ANSWERS]),
            max(0.0, float(self._engine_state.measure[DEEPEST_OVERLAP])),
            float(self._engine_state.measure[DISSIPATED]),
        )

    @property
    def fault(self) -> str | None:
        """Why it cannot go on, or None."""
        jammed = int(self._engine_state.count[JAMMED]) - 1
        if jammed < 0:
            return None
        return (
            f"ball {jammed} is jammed at t = {float(self._state.time[0])!r}: it is hit again "
            "and again without any time between, and there is no room into which it could move"
        )

    def go_on(
        self,
        until: float,
        impacts: float = math.inf,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[Impacts]:
        """Go to a time, or to the last of so many impacts if that is before, batch by batch.

        The state is brought up to date when the last batch has been taken, or the iterator is
        closed. It stays at the last impact where it is interrupted, cannot go on, or where
        `until` is inf and no more impacts will ever come.
        """
        self._adopt_edits()
        enough, arrived = self._impacts_done() + impacts, False
        ahead = self._time_scale()
        horizon = float(self._state.time[0]) + ahead if until == math.inf else until
        try:
            while not arrived and self.fault is None and not is_interrupted():
                if self._impacts_done() >= enough:
                    break
                left = int(min(enough - self._impacts_done(), _EVENTS_AT_ONCE))
                arrived = advance(self._around, self._engine_state, horizon, left, _EVENTS_AT_ONCE)
                yield self._take_impacts()
                if arrived and until == math.inf:  # on, twice as far each time
                    arrived = self._is_over()
                    horizon, ahead = horizon + ahead, 2.0 * ahead
        finally:
            is_there = arrived and until < math.inf
            past = float(self._engine_state.measure[LAST_IMPACT])
            self._show(until if is_there else max(float(self._state.time[0]), past))

    def run(
        self, until: float, is_interrupted: Callable[[], bool] = lambda: False
    ) -> list[Impacts]:
        """Go to a time; it stays before it where it is interrupted, or cannot go on."""
        return list(self.go_on(until, is_interrupted=is_interrupted))

    def run_impacts(
        self, impacts: int, before: float, is_interrupted: Callable[[], bool] = lambda: False
    ) -> list[Impacts]:
        """Go on for so many impacts, and stop at the last; or at a time, if that is before."""
        return list(self.go_on(before, impacts, is_interrupted))

    def next_impact(self, before: float) -> list[Impacts]:
        """Go to the next impact and stop there, or at a time."""
        return list(self.go_on(before, 1))

    def step_once(self) -> list[Impacts]:
        """Go on by one step."""
        return list(self.go_on(float(self._state.time[0]) + self._step))

    def compile(self) -> None:
        """Compile all kernels, without going on."""
        advance(self._around, self._engine_state, float(self._state.time[0]), 0, 0)
        self._show(float(self._state.time[0]))

    @property
    def snapshots(self) -> Any:
        """Rows of running sums, see `statistics` for the columns; the last is of now."""
        engine_state, state, world = self._engine_state, self._state, self._world
        kept = engine_state.block[: engine_state.count[BLOCKS]]
        speed = np.sqrt((state.velocity**2).sum(axis=1))
        now = np.zeros((1, kept.shape[1]))
        now[0, TIME] = state.time[0]
        now[0, BALLS_SO_FAR] = engine_state.count[BALL_IMPACTS]
        now[0, OBSTACLES_SO_FAR] = engine_state.count[OBSTACLE_IMPACTS]
        now[0, VIRIAL_SO_FAR] = engine_state.measure[VIRIAL]
        now[0, KINETIC] = 0.5 * float(world.mass @ speed**2)
        now[0, SPEEDS] = float(speed.sum())
        return np.concatenate([kept, now])

    def save(self) -> dict[str, Any]:
        """All that it takes to go on from here, as arrays by name."""
        return {**dict(_lasting(self._engine_state)), "time": self._state.time}

    def restore(self, time: float, position: Any, velocity: Any) -> None:
        """Go on from another state: all is predicted anew, so later digits may differ."""
        state = self._state
        state.time[0] = time
        state.position[:] = position
        state.velocity[:] = velocity
        self._begin()
        self._show(time)

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `save` gave, to the last bit; ValueError if it is of another scene."""
        arrays = dict(_lasting(self._engine_state))
        for name, array in {**arrays, "time": self._state.time}.items():
            if name not in saved or saved[name].shape != array.shape:
                raise ValueError(f"it does not fit the scene, which has another {name}")
            if saved[name].dtype != array.dtype:
                raise ValueError(f"it is of another version of the engine: {name} differs")
        if not np.array_equal(saved["body"]["mass"], arrays["body"]["mass"]):
            raise ValueError("it does not fit the scene, whose balls have other masses")
        if stray := strays(saved, arrays):
            raise ValueError(f"it is of no run: its {stray} leads nowhere")
        for name, array in arrays.items():
            np.copyto(array, saved[name])
        self._show(float(saved["time"][0]))

    def record(self, wanted: bool) -> None:
        """Whether impacts are written down, and handed over by `run`."""
        self._engine_state.count[RECORDING] = int(wanted)

    def _impacts_done(self) -> int:
        count = self._engine_state.count
        return int(count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS])

    def _time_scale(self) -> float:
        """How long it takes a fast ball to cross what the balls take up, about."""
        state, world = self._state, self._world
        length = float(np.ptp(state.position, axis=0).max() + 2.0 * world.radius.max())
        speed = float(np.abs(state.velocity).max()) + math.sqrt(world.gravity.mag() * length)
        return length / speed if speed > 0.0 else 1.0

    def _is_over(self) -> bool:
        """Whether no impact will ever come, or none is to be expected."""
        return is_over(self._around, self._engine_state) or self._passes_by()

    def _passes_by(self) -> bool:
        """Whether, on periodic axes, a thousand mean free times have gone by without an impact.

        What goes round without end may pass by for ever, which no formula tells. A mean free
        time is taken for the smallest two balls, at the mean speed, in the volume of the box.
        """
        box, engine_state = self._world.box, self._engine_state
        if box is None or not any(box.periodic):
            return False
        v = np.stack([engine_state.ball.vx, engine_state.ball.vy, engine_state.ball.vz])
        cross_section = math.pi * (2.0 * float(self._world.radius.min())) ** 2
        swept = float(np.sqrt((v**2).sum(axis=0)).mean()) * cross_section
        silent = (
            absolute(engine_state, engine_state.measure[NOW]) - engine_state.measure[LAST_IMPACT]
        )
        return bool(silent * swept > _MEAN_FREE_TIMES * math.prod(box.size))

    def _take_impacts(self) -> Impacts:
        count = self._engine_state.count
        recorded = int(count[RECORDED])
        count[RECORDED] = 0
        names = self._engine_state.names[:recorded].copy()
        numbers = self._engine_state.numbers[:recorded].copy()
        if self._drift.any():
            numbers[:, 1:4] += np.outer(numbers[:, 0] - self._drift_from, self._drift)
        return recorded_impacts(numbers[:, 0], names, numbers[:, 1:])

    @property
    def _drift(self) -> Any:
        """The velocity of the point from which the engine counts positions, shape (3,)."""
        return self._engine_state.measure[DRIFT_X : DRIFT_Z + 1]

    @property
    def _drift_from(self) -> float:
        return float(self._engine_state.measure[DRIFT_FROM])

    def _show(self, time: float) -> None:
        """Let the state say where everything is at a time."""
        state = self._state
        sample_state(self._around, self._engine_state, time, state.position, state.velocity)
        if self._drift.any():
            state.position[:] += self._drift * (time - self._drift_from)
            state.velocity[:] += self._drift
        state.time[0] = time
        for copy, array in zip(self._shown, (state.position, state.velocity), strict=True):
            np.copyto(copy, array)

    def _adopt_edits(self) -> None:
        state = self._state
        if all(map(np.array_equal, self._shown, (state.position, state.velocity))):
            return
        check_range(state)
        self._begin()

    def _begin(self) -> None:
        """Predict everything from the state as it is."""
        state, engine_state, cells = self._state, self._engine_state, self._engine_state.cells
        engine_state.row.reshape(-1, ROW)[:, 0] = 0
        engine_state.row.reshape(-1, ROW)[:, 1:] = np.arange(len(engine_state.ball))[:, np.newaxis]
        clear(cells)
        engine_state.count[JAMMED] = 0
        time = float(state.time[0])
        engine_state.measure[DRIFT_FROM], self._drift[:] = time, self._common_velocity()
        velocity = state.velocity - self._drift
        reinitialise(self._around, engine_state, time, state.position, velocity, self._margin)

    def _common_velocity(self) -> Any:
        """A velocity that all balls share, by far more than what they have of their own, else 0.

        Where there is nothing else, only their relative motion counts, and counted from a point
        that moves along with them nobody leaves a neighbourhood for it. It has few digits, so
        that what is left of a velocity is exact.
        """
        world, velocity = self._world, self._state.velocity
        if world.obstacles.kind.size or world.gravity.mag_sqr() > 0.0:
            return np.zeros(3)
        mean = velocity.mean(axis=0)
        own = math.sqrt(float(((velocity - mean) ** 2).sum(axis=1).mean()))
        if not float(np.linalg.norm(mean)) > _SHARED * own:
            return np.zeros(3)
        digits, exponent = np.frexp(mean)
        return np.ldexp(np.round(digits * 2.0**20), exponent - 20)


def _arrays(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All arrays in nested named tuples, by path."""
    for name, part in tree._asdict().items():
        if hasattr(part, "_asdict"):
            yield from _arrays(part, f"{path}{name}.")
        else:
            yield path + name, part


def _lasting(engine_state: EngineState) -> Iterator[tuple[str, Any]]:
    """All arrays but those that hold nothing between two calls."""
    return ((name, part) for name, part in _arrays(engine_state) if name not in _PASSING)
