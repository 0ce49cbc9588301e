"""The flight of balls from impact to impact, by the formulas of the engines, without the physics.

A ball with the velocity v flies along x + v·t + ½·g·t², or, where time goes by steps, straight
within a step, with a kick g·h at its start. At an impact with the impulse J along the normal n its
velocity changes by J·n/m. So the rows of a run and a frame tell where each ball is.
"""

import math
from typing import Any, NamedTuple

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

_WHOLE = 1e-9
"""A time nearer than this to a whole number of steps, relatively, is the end of a step."""


class Clock(NamedTuple):
    """step: the timestep, 0 where balls fall along parabolas; end: the time of the run's end,
    where a last step may be shorter."""

    step: float
    end: float


@inlined
def kicks_until(time: float, clock: Clock) -> int:
    """How many steps have begun before a time: each begins with a kick."""
    steps = time / clock.step
    return math.ceil(steps - _WHOLE * max(1.0, steps))


@inlined
def velocity_after(v: TVector, g: TVector, start: float, stop: float, clock: Clock) -> TVector:
    """The velocity of a ball that flies from one time to another."""
    if clock.step == 0.0:
        return v + g * (stop - start)
    first, last = kicks_until(start, clock), kicks_until(stop, clock)
    if last == first:
        return v
    return v + g * ((last - 1 - first) * clock.step + last_step(last, clock))


@inlined
def last_step(number: int, clock: Clock) -> float:
    """The length of the step after which so many have begun."""
    return min(clock.step, clock.end - (number - 1) * clock.step)


@inlined
def position_after(
    x: TVector, v: TVector, g: TVector, start: float, stop: float, clock: Clock
) -> TVector:
    """The position of a ball that flies from one time to another."""
    if clock.step == 0.0:
        time = stop - start
        return x + v * time + g * (0.5 * time * time)
    first, last = kicks_until(start, clock), kicks_until(stop, clock)
    if last == first:
        return x + v * (stop - start)
    # What is left of the step that has begun, whole steps, and the last one up to the time.
    h, whole = clock.step, last - 1 - first
    x = x + v * (first * h - start)
    x = x + v * (whole * h) + g * (0.5 * h * h * whole * (whole + 1))
    v = v + g * (whole * h + last_step(last, clock))
    return x + v * (stop - (last - 1) * h)


@kernel
def fly(
    names: Any,
    numbers: Any,
    until: float,
    position: Any,
    velocity: Any,
    since: Any,
    first: Any,
    skipped: Any,
    mass: Any,
    g: TVector,
    clock: Clock,
) -> None:
    """Take all balls through the rows to a time.

    names, numbers: as in `Impacts`; since: (n,), from when each ball flies, which is overwritten;
    first: (n,), the first row that counts for it; skipped: (n,), balls that stay as they are.
    """
    for row in range(len(names)):
        t = numbers[row, 0]
        if t > until:
            break
        kind = names[row, 0]
        if kind > OBSTACLE:
            continue
        impulse = vector_at(numbers[:, 4:7], row) * numbers[row, 9]
        i, j = names[row, 1], names[row, 2]
        if row >= first[i] and not skipped[i]:
            _hit(i, t, impulse, position, velocity, since, mass, g, clock)
        if kind == BALL and row >= first[j] and not skipped[j]:
            _hit(j, t, impulse * -1.0, position, velocity, since, mass, g, clock)
    for i in range(len(mass)):
        if not skipped[i]:
            _move(i, until, position, velocity, since, g, clock)


@inlined
def _hit(
    i: int,
    time: float,
    impulse: TVector,
    position: Any,
    velocity: Any,
    since: Any,
    mass: Any,
    g: TVector,
    clock: Clock,
) -> None:
    """Take a ball to its impact, and give it the impulse."""
    _move(i, max(time, since[i]), position, velocity, since, g, clock)
    set_vector(velocity, i, vector_at(velocity, i) + impulse * (1.0 / mass[i]))


@inlined
def _move(
    i: int, time: float, position: Any, velocity: Any, since: Any, g: TVector, clock: Clock
) -> None:
    x, v = vector_at(position, i), vector_at(velocity, i)
    set_vector(position, i, position_after(x, v, g, since[i], time, clock))
    set_vector(velocity, i, velocity_after(v, g, since[i], time, clock))
    since[i] = time
