"""The fixed-timestep engine as Python sees it: go on, look, take the impacts out."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from spheresim.collision.impacts import Impacts, Tally, recorded_impacts
from spheresim.collision.journal import (
    BALL_IMPACTS,
    COLLAPSE_ANSWERS,
    DEEPEST_OVERLAP,
    DISSIPATED,
    NOW,
    OBSTACLE_IMPACTS,
    RECORDED,
)
from spheresim.engines.time_stepping.advance import advance, reinitialise, sample_state
from spheresim.engines.time_stepping.engine_state import BEGUN, STEP, StepParameters, allocate
from spheresim.engines.time_stepping.termination import is_over
from spheresim.model.state import State, World, check_range

WHOLE = 1e-9
"""What is nearer than this to a whole number of steps, relatively, is one."""

_FOREVER = 2**62
"""A number of steps that is never reached."""

_IMPACTS_AT_ONCE = 100_000
_BALL_STEPS_AT_ONCE = 1_000_000
"""What is done between two moments at which Python can be interrupted."""

_PARTNERS = 8.0
"""How many other spheres a ball's sphere should touch: more are tested in vain, with
fewer the sphere is left too often. Measured best from packing fraction .05 to .45."""


class Stepping:
    """Advances a state by fixed steps: step k begins at k·step after the origin of time.

    The state's arrays are the caller's: what is written into them between two calls is
    adopted, and prediction starts anew.
    """

    def __init__(self, world: World, state: State, step: float, slices: int = 0) -> None:
        """Ball–ball impacts are found analytically, or by so many slices."""
        skin, side = _skin_and_side(world, state)
        self._world = world
        self._state = state
        self._parameters = StepParameters(step, skin, slices)
        self._origin = self._first_origin = float(state.time[0])
        self._engine_state = allocate(state.position, state.velocity, side)
        self._shown = state.position.copy(), state.velocity.copy()
        self._steps_before = 0
        self._length = step  # of the step that has begun

    @property
    def tally(self) -> Tally:
        """Steps begun, impacts, answers by the collapse rule, deepest overlap at an impact."""
        count = self._engine_state.count
        return Tally(
            self._steps_before + int(count[STEP]) + int(count[BEGUN]),
            int(count[BALL_IMPACTS]),
            int(count[OBSTACLE_IMPACTS]),
            int(count[COLLAPSE_ANSWERS]),
            max(0.0, float(self._engine_state.measure[DEEPEST_OVERLAP])),
            float(self._engine_state.measure[DISSIPATED]),
        )

    def step_once(self) -> list[Impacts]:
        """Finish the step that has begun, or else go one whole step."""
        return list(self._advance(int(self._engine_state.count[STEP]) + 1))

    @property
    def step(self) -> float:
        """The length of a step."""
        return float(self._parameters.step)

    def go_on(
        self,
        until: float,
        impacts: float = math.inf,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[Impacts]:
        """Go to a time, or to the last of so many impacts if that is before, batch by batch.

        To get to the time it takes whole steps, and where they do not fit a shorter last one.
        The state is brought up to date when the last batch has been taken, or the iterator is
        closed. Where `until` is inf it ends when no more impacts will ever come.
        """
        if until == self._state.time[0]:
            return
        enough = self._impacts_done() + impacts
        whole = self._whole_steps(until) if until < math.inf else _FOREVER
        yield from self._advance(whole, self.step, enough, is_interrupted)
        rest = until - (self._origin + whole * self.step)
        count = self._engine_state.count
        if rest > WHOLE * self.step and count[STEP] == whole and self._impacts_done() < enough:
            yield from self._advance(whole + 1, rest, enough, is_interrupted)
            if count[STEP] == whole + 1:
                self._count_steps_anew(until)

    def run(
        self, until: float, is_interrupted: Callable[[], bool] = lambda: False
    ) -> list[Impacts]:
        """Go to a time; inside a step it stays where it is interrupted."""
        return list(self.go_on(until, is_interrupted=is_interrupted))

    def next_impact(self, before: float) -> list[Impacts]:
        """Go to the next impact and stop there, or at a time."""
        return list(self.go_on(before, 1))

    def restore(self, time: float, position: Any, velocity: Any) -> None:
        """Go back, or on, to a state: from there everything comes out again to the last bit.

        A time that is a whole number of steps from the origin, to rounding, is the start of
        that step; at any other time a step begins there, and steps are counted from it.
        """
        engine_state, state = self._engine_state, self._state
        origins = [o for o in (self._origin, self._first_origin) if self._is_whole(time - o)]
        self._origin = origins[0] if origins else time
        step = round((time - self._origin) / self.step)
        self._steps_before += int(engine_state.count[STEP]) + int(engine_state.count[BEGUN]) - step
        engine_state.count[STEP] = step
        engine_state.count[BEGUN] = 0
        for field in ("rapid", "stuck"):  # a step that was left in its middle did not clear them
            engine_state.ball[field] = 0
        engine_state.ball[:].candidate_step = -1
        state.position[:] = position
        state.velocity[:] = velocity
        self._begin_anew(self.step)
        self._show()

    def _is_whole(self, time: float) -> bool:
        """Whether a time since an origin is so many steps, to rounding."""
        steps = time / self.step
        return steps > -0.5 and abs(steps - round(steps)) <= min(WHOLE * max(1.0, steps), 1e-3)

    def compile(self) -> None:
        """Compile all kernels, without going on."""
        engine_state, state = self._engine_state, self._state
        advance(
            self._world, engine_state, self._parameters, int(engine_state.count[STEP]), self.step, 1
        )
        sample_state(engine_state, *map(np.empty_like, (state.position, state.velocity)))
        if not engine_state.count[BEGUN]:
            self._begin_anew(self.step)

    def _whole_steps(self, until: float) -> int:
        """How many steps from the origin end by a time."""
        steps = (until - self._origin) / self.step
        return math.floor(steps + min(WHOLE * max(1.0, steps), 1e-3))

    def _advance(
        self,
        until: int,
        length: float | None = None,
        enough: float = math.inf,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[Impacts]:
        """Go to the start of step `until`, or till there have been so many impacts in all."""
        length = self.step if length is None else length
        count, done = self._engine_state.count, self._impacts_done()
        if count[STEP] >= until or done >= enough:
            return
        self._adopt_edits(length)
        self._let_last(length)
        silence, over = 0, until == _FOREVER and self._is_over()
        try:
            while count[STEP] < until and done < enough and not (over or is_interrupted()):
                budget = int(min(enough - done, _IMPACTS_AT_ONCE))
                at_once = _BALL_STEPS_AT_ONCE
                if until == _FOREVER:  # pieces that double while nothing happens
                    at_once = min(at_once, 1000 << min(silence, 20))
                target = min(
                    until, int(count[STEP]) + max(1, at_once // self._engine_state.ball.size)
                )
                advance(self._world, self._engine_state, self._parameters, target, length, budget)
                silence = silence + 1 if self._impacts_done() == done else 0
                done = self._impacts_done()
                yield self._take_impacts()
                if until == _FOREVER and silence > 0:
                    over = self._is_over()
        finally:
            self._show()

    def _is_over(self) -> bool:
        """Whether no impact will ever come."""
        return bool(is_over(self._world, self._engine_state, self._parameters))

    def _let_last(self, length: float) -> None:
        """Let the step that has begun, if one has, be so long, and not as long as it was to be."""
        if self._engine_state.count[BEGUN] and length != self._length:
            kick = np.array(self._world.gravity) * (length - self._length)
            self._state.velocity[:] += kick
            if length > self._length or kick.any():
                self._begin_anew(length)
        self._length = length

    def _impacts_done(self) -> int:
        count = self._engine_state.count
        return int(count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS])

    def _take_impacts(self) -> Impacts:
        count = self._engine_state.count
        recorded = int(count[RECORDED])
        count[RECORDED] = 0
        names = self._engine_state.names[:recorded].copy()
        numbers = self._engine_state.numbers[:recorded].copy()
        t = self._origin + (names[:, 3] * self._parameters.step + numbers[:, 0])
        return recorded_impacts(t, names, numbers[:, 1:])

    def _show(self) -> None:
        """Let the state say where everything is now."""
        engine_state, state = self._engine_state, self._state
        sample_state(engine_state, state.position, state.velocity)
        now = engine_state.measure[NOW] if engine_state.count[BEGUN] else 0.0
        state.time[0] = self._origin + (engine_state.count[STEP] * self._parameters.step + now)
        for copy, array in zip(self._shown, (state.position, state.velocity), strict=True):
            np.copyto(copy, array)

    def _adopt_edits(self, length: float) -> None:
        state = self._state
        if all(map(np.array_equal, self._shown, (state.position, state.velocity))):
            return
        check_range(state)
        self._begin_anew(length)

    def _begin_anew(self, length: float) -> None:
        state = self._state
        reinitialise(
            self._world,
            self._engine_state,
            self._parameters,
            state.position,
            state.velocity,
            length,
        )

    def _count_steps_anew(self, origin: float) -> None:
        """After a step shorter than the others, predictions counted in steps are void."""
        self._steps_before += int(self._engine_state.count[STEP])
        self._engine_state.count[STEP] = 0
        self._engine_state.ball[:].candidate_step = -1
        self._origin = origin
        self._state.time[0] = origin
        self._begin_anew(self.step)


def _skin_and_side(world: World, state: State) -> tuple[float, float]:
    """How far a ball may stray in its sphere, and the width of the grid's finest cells."""
    radius = float(np.median(world.radius))
    extent = np.maximum(np.ptp(state.position, axis=0), 4.0 * radius)
    density = len(world.radius) / float(np.prod(extent))
    reach = 0.5 * (_PARTNERS / density * 0.75 / math.pi) ** (1.0 / 3.0)
    skin = max(reach - radius, 0.25 * radius)
    return skin, 2.0 * (float(world.radius.min()) + skin) * (1.0 + 1e-6)
