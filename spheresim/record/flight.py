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
    which is 0 where there is none, and centre. Gravity is part of it. clock: of the steps at whose
    starts it acts, or 0 where it always does."""

    acceleration: Floats
    frequency: float
    centre: TVector
    clock: Clock


def pull_of(gravity: TVector, field: Field | None, balls: int, clock: Clock) -> Pull:
    """The pull of gravity and of a `HarmonicTrap` or `ConstantAccelerations`."""
    constant = np.tile(np.array(gravity), (balls, 1))
    if isinstance(field, HarmonicTrap):
        trap = field.with_gravity(gravity)
        return Pull(np.zeros((balls, 3)), trap.frequency, trap.centre, clock)
    return Pull(constant + own_accelerations(field, balls), 0.0, ZERO, clock)


class BallsInFlight(NamedTuple):
    """position, velocity: (n, 3); since: (n,), from when each ball flies; stays: (n,), balls that
    stay as they are; radius, mass: (n,)."""

    position: Floats
    velocity: Floats
    since: Floats
    stays: Booleans
    radius: Floats
    mass: Floats


class Flight(NamedTuple):
    """A ball that flies: its position and velocity at the start, and from when to when."""

    position: TVector
    velocity: TVector
    start: float
    stop: float


class Flown(NamedTuple):
    """Where a ball is after a flight."""

    position: TVector
    velocity: TVector


@inlined
def flown(flight: Flight, pull: Pull, i: int) -> Flown:
    """Where ball i is after a flight."""
    x, v, start, stop = flight
    if pull.frequency == 0.0:
        g = vector_at(pull.acceleration, i)
        return Flown(position_after(flight, g, pull.clock), velocity_after(flight, g, pull.clock))
    if pull.clock.step > 0.0:
        return stepped_in_trap(flight, pull)
    away, time = x - pull.centre, stop - start
    return Flown(
        pull.centre + trapped_position(away, v, pull.frequency, time),
        trapped_velocity(away, v, pull.frequency, time),
    )


@routine
def stepped_in_trap(flight: Flight, pull: Pull) -> Flown:
    """Where a ball is in a trap that flies straight from kick to kick."""
    x, v, start, stop = flight
    clock, time = pull.clock, start
    for number in range(kicks_until(start, clock) + 1, kicks_until(stop, clock) + 1):
        kicked_at = step_start(number, clock)
        x = x + v * (kicked_at - time)
        v = v + (pull.centre - x) * (pull.frequency**2 * step_length(number, clock))
        time = kicked_at
    return Flown(x + v * (stop - time), v)


@inlined
def velocity_after(flight: Flight, g: TVector, clock: Clock) -> TVector:
    """The velocity of a ball after a flight under a constant acceleration."""
    _, v, start, stop = flight
    if clock.step == 0.0:
        return v + g * (stop - start)
    first, last = kicks_until(start, clock), kicks_until(stop, clock)
    if last == first:
        return v
    return v + g * ((last - 1 - first) * clock.step + step_length(last, clock))


@inlined
def position_after(flight: Flight, g: TVector, clock: Clock) -> TVector:
    """The position of a ball after a flight under a constant acceleration."""
    x, v, start, stop = flight
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


class Rows(NamedTuple):
    """Impacts in order of time; names, numbers: as in `Impacts`."""

    names: Integers
    numbers: Floats


@kernel
def fly(
    rows: Rows,
    until: float,
    first: Integers,
    balls: BallsInFlight,
    pull: Pull,
) -> None:
    """Take all balls through the rows to a time; what they are is overwritten.

    first: (n,), the first row that counts for each ball.
    """
    names, numbers = rows
    for row in range(len(names)):
        t = numbers[row, 0]
        if t > until:
            break
        for side in range(_balls_in(names[row, 0])):
            i = names[row, 1 + side]
            if row >= first[i] and not balls.stays[i]:
                _move(balls, i, max(t, balls.since[i]), pull)
                _apply_impulse(balls, i, side, numbers[row])
    for i in range(len(balls.mass)):
        if not balls.stays[i]:
            _move(balls, i, until, pull)


@kernel
def fly_while_consistent(
    rows: Rows,
    end: float,
    there: Floats,
    balls: BallsInFlight,
    pull: Pull,
    tolerance: float,
) -> None:
    """Take all balls through the rows, each for as long as its flight leads to its impacts.

    A ball that is not there, by more than the tolerance, has strayed, as has one that would not be
    at its place in `there`, (n, 3), at the time `end`. It is marked in `stays`, and is where its
    last impact was at which it had not strayed; `since` says when.
    """
    names, numbers = rows
    for row in range(len(names)):
        for side in range(_balls_in(names[row, 0])):
            i = names[row, 1 + side]
            if balls.stays[i]:
                continue
            t = max(numbers[row, 0], balls.since[i])
            outwards = balls.radius[i] if side == 0 else -balls.radius[i]
            hit = vector_at(numbers[:, 1:4], row) + vector_at(numbers[:, 4:7], row) * outwards
            if (_at(balls, i, t, pull).position - hit).mag() > tolerance:
                balls.stays[i] = True
                continue
            _move(balls, i, t, pull)
            _apply_impulse(balls, i, side, numbers[row])
    for i in range(len(balls.mass)):
        last = _at(balls, i, end, pull).position
        balls.stays[i] |= (last - vector_at(there, i)).mag() > tolerance


@inlined
def _at(balls: BallsInFlight, i: int, time: float, pull: Pull) -> Flown:
    """Where ball i is at a time, if it flies on."""
    x, v = vector_at(balls.position, i), vector_at(balls.velocity, i)
    return flown(Flight(x, v, balls.since[i], time), pull, i)


@inlined
def _move(balls: BallsInFlight, i: int, time: float, pull: Pull) -> None:
    there = _at(balls, i, time, pull)
    set_vector(balls.position, i, there.position)
    set_vector(balls.velocity, i, there.velocity)
    balls.since[i] = time


@inlined
def _apply_impulse(balls: BallsInFlight, i: int, side: int, numbers: Floats) -> None:
    """Change the velocity of ball i by the impulse of a row."""
    change = impulse_on(numbers, side) * (1.0 / balls.mass[i])
    set_vector(balls.velocity, i, vector_at(balls.velocity, i) + change)
