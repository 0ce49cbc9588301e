"""Kicks of fixed steps: a step of length h begins with a kick g·h, and balls then fly straight."""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.numerics.rounding import ROUNDING
from spheresim.numerics.whole_steps import begun_steps


class Clock(NamedTuple):
    """step: the timestep, 0 where balls fall along parabolas; end: the time of the run's end,
    where a last step may be shorter; origin: the time from which steps are counted."""

    step: float
    end: float
    origin: float = 0.0


@inlined
def kicks_until(time: float, clock: Clock) -> int:
    """How many steps have begun before a time: each begins with a kick."""
    rounding = ROUNDING * (abs(time) + abs(clock.origin))
    return begun_steps((time - clock.origin - rounding) / clock.step)


@inlined
def step_start(number: int, clock: Clock) -> float:
    """The time at which the step with this number begins, counted from 1."""
    return clock.origin + (number - 1) * clock.step


@inlined
def step_length(number: int, clock: Clock) -> float:
    """The length of the step with this number, counted from 1."""
    return min(clock.step, clock.end - step_start(number, clock))
