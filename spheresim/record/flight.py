"""The flight of balls from impact to impact, by the formulas of the engines, without the physics.

A ball with the velocity v flies along x + v·t + ½·g·t², or on an ellipse in a trap, or, where time
goes by steps, straight within a step, with a kick g·h at its start. At an impact with the impulse J
along the normal n its velocity changes by J·n/m; on rough surfaces a tangential impulse is added to
J·n. So where each ball is follows from a frame and the rows of a run.
"""

from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import impulse_on
from spheresim.collision.step_kicks import Clock, kicks_until, step_length, step_start
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.trapped_toi import trapped_position, trapped_velocity
from spheresim.model.force_field import Field, HarmonicTrap, own_accelerations
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO, TVector


class Pull(NamedTuple):
    """What accelerates balls: each by a constant, (n, 3), or all by the trap with this frequency,
    which is 0 where there is none, and centre. Gravity is part of it."""

    acceleration: Floats
    frequency: float
    centre: TVector


def pull_of(gravity: TVector, field: Field | None, balls: int) -> Pull:
    """The pull of gravity and of a `HarmonicTrap` or `ConstantAccelerations`."""
    constant = np.tile(np.array(gravity), (balls, 1))
    if isinstance(field, HarmonicTrap):
        trap = field.with_gravity(gravity)
        return Pull(np.zeros((balls, 3)), trap.frequency, trap.centre)
    return Pull(constant + own_accelerations(field, balls), 0.0, ZERO)


class BallsInFlight(NamedTuple):
    """position, velocity: (n, 3); since: (n,), from when each ball flies; stays: (n,), balls that
    stay as they are; radius, mass: (n,)."""

    position: Floats
    velocity: Floats
    since: Floats
    stays: Booleans
    radius: Floats
    mass: Floats


class Flown(NamedTuple):
    """Where a ball is after a flight."""

    position: TVector
    velocity: TVector


@inlined
def flown(
    x: TVector, v: TVector, pull: Pull, i: int, start: float, stop: float, clock: Clock
) -> Flown:
    """Where ball i is that flies from one time to another."""
    if pull.frequency == 0.0:
        g = vector_at(pull.acceleration, i)
        return Flown(
            position_after(x, v, g, start, stop, clock), velocity_after(v, g, start, stop, clock)
        )
    if clock.step > 0.0:
        return stepped_in_trap(x, v, pull, start, stop, clock)
    away, time = x - pull.centre, stop - start
    return Flown(
        pull.centre + trapped_position(away, v, pull.frequency, time),
        trapped_velocity(away, v, pull.frequency, time),
    )


@routine
def stepped_in_trap(
    x: TVector, v: TVector, pull: Pull, start: float, stop: float, clock: Clock
) -> Flown:
    """Where a ball is in a trap that flies straight from kick to kick."""
    time = start
    for number in range(kicks_until(start, clock) + 1, kicks_until(stop, clock) + 1):
        kicked_at = step_start(number, clock)
        x = x + v * (kicked_at - time)
        v = v + (pull.centre - x) * (pull.frequency**2 * step_length(number, clock))
        time = kicked_at
    return Flown(x + v * (stop - time), v)


@inlined
def velocity_after(v: TVector, g: TVector, start: float, stop: float, clock: Clock) -> TVector:
    """The velocity of a ball that flies from one time to another."""
    if clock.step == 0.0:
        return v + g * (stop - start)
    first, last = kicks_until(start, clock), kicks_until(stop, clock)
    if last == first:
        return v
    return v + g * ((last - 1 - first) * clock.step + step_length(last, clock))


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
    x = x + v * (step_start(first + 1, clock) - start)
    x = x + v * (whole * h) + g * (0.5 * h * h * whole * (whole + 1))
    v = v + g * (whole * h + step_length(last, clock))
    return x + v * (stop - step_start(last, clock))


@inlined
def _balls_in(kind: int) -> int:
    """How many balls take part in an event of a kind, if it is an impact."""
    if kind == BALL:
        return 2
    return 1 if kind == OBSTACLE else 0


@kernel
def fly(
    names: Integers,
    numbers: Floats,
    until: float,
    first: Integers,
    balls: BallsInFlight,
    pull: Pull,
    clock: Clock,
) -> None:
    """Take all balls through the rows to a time; what they are is overwritten.

    names, numbers: as in `Impacts`; first: (n,), the first row that counts for each ball.
    """
    for row in range(len(names)):
        t = numbers[row, 0]
        if t > until:
            break
        for side in range(_balls_in(names[row, 0])):
            i = names[row, 1 + side]
            if row >= first[i] and not balls.stays[i]:
                _move(balls, i, max(t, balls.since[i]), pull, clock)
                _apply_impulse(balls, i, side, numbers[row])
    for i in range(len(balls.mass)):
        if not balls.stays[i]:
            _move(balls, i, until, pull, clock)


@kernel
def fly_while_consistent(
    names: Integers,
    numbers: Floats,
    end: float,
    there: Floats,
    balls: BallsInFlight,
    pull: Pull,
    clock: Clock,
    tolerance: float,
) -> None:
    """Take all balls through the rows, each for as long as its flight leads to its impacts.

    A ball that is not there, by more than the tolerance, has strayed, as has one that would not be
    at its place in `there`, (n, 3), at the time `end`. It is marked in `stays`, and is where its
    last impact was at which it had not strayed; `since` says when.
    """
    for row in range(len(names)):
        for side in range(_balls_in(names[row, 0])):
            i = names[row, 1 + side]
            if balls.stays[i]:
                continue
            t = max(numbers[row, 0], balls.since[i])
            outwards = balls.radius[i] if side == 0 else -balls.radius[i]
            hit = vector_at(numbers[:, 1:4], row) + vector_at(numbers[:, 4:7], row) * outwards
            if (_at(balls, i, t, pull, clock).position - hit).mag() > tolerance:
                balls.stays[i] = True
                continue
            _move(balls, i, t, pull, clock)
            _apply_impulse(balls, i, side, numbers[row])
    for i in range(len(balls.mass)):
        last = _at(balls, i, end, pull, clock).position
        balls.stays[i] |= (last - vector_at(there, i)).mag() > tolerance


@inlined
def _at(balls: BallsInFlight, i: int, time: float, pull: Pull, clock: Clock) -> Flown:
    """Where ball i is at a time, if it flies on."""
    x, v = vector_at(balls.position, i), vector_at(balls.velocity, i)
    return flown(x, v, pull, i, balls.since[i], time, clock)


@inlined
def _move(balls: BallsInFlight, i: int, time: float, pull: Pull, clock: Clock) -> None:
    there = _at(balls, i, time, pull, clock)
    set_vector(balls.position, i, there.position)
    set_vector(balls.velocity, i, there.velocity)
    balls.since[i] = time


@inlined
def _apply_impulse(balls: BallsInFlight, i: int, side: int, numbers: Floats) -> None:
    """Change the velocity of ball i by the impulse of a row."""
    change = impulse_on(numbers, side) * (1.0 / balls.mass[i])
    set_vector(balls.velocity, i, vector_at(balls.velocity, i) + change)
