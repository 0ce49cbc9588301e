"""The paths of balls through a gate: each leg, from one impact to the next, is looked at once."""

import math
from typing import NamedTuple

import numpy as np

from spheresim.collision.flights import Flights
from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.collision.journal import impulse_on
from spheresim.collision.step_kicks import Clock, kicks_until, step_length, step_start
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

FORWARD, BACKWARD = range(2)

UNKNOWN = int(np.iinfo(np.int64).min)
"""The side of a ball before the first run."""

_ROUNDING = 1e-10
"""A ball crosses a gate if its centre gets further beyond it than this part of its `reach`."""


class Paths(NamedTuple):
    """Where each ball was, how fast, with which acceleration, at which time `since`, and on which
    side of the gate; on_chord: whether its path is not known, and taken as straight; reach: the
    largest lengths of its path so far, to which rounding errors are in proportion [length]."""

    position: Floats
    velocity: Floats
    acceleration: Floats
    since: Floats
    side: Integers
    on_chord: Booleans
    reach: Floats


class Counts(NamedTuple):
    """kind: (n,); column: of `COUNTED`; edges: (b + 1,); number: (kinds, 2); histogram: (kinds, 2,
    b)."""

    kind: Integers
    column: int
    edges: Floats
    number: Integers
    histogram: Integers


class Surface(NamedTuple):
    """A gate in space with the periods `size`; period: along its normal, 0 where space is open."""

    point: TVector
    normal: TVector
    radius: float
    size: TVector
    period: float


class GateCount(NamedTuple):
    """A gate, the paths of the balls around it, the clock of their steps, and what is counted."""

    paths: Paths
    surface: Surface
    clock: Clock
    counts: Counts


class _Crossing(NamedTuple):
    """A ball goes through the plane of a gate: FORWARD or BACKWARD, when, where, how fast."""

    direction: int
    time: float
    x: TVector
    v: TVector


@inlined
def _side(height: float, period: float) -> int:
    """How many images of the gate are below a height over it, or if it is above the only one."""
    if period > 0.0:
        return math.floor(height / period)
    return 1 if height >= 0.0 else 0


@inlined
def _side_from(side: int, height: float, reach: float, period: float) -> int:
    """The side of a ball that was on a side before: it changes only beyond rounding errors.

    So a ball at the gate, on which two formulas may disagree, stays on the side where it was.
    """
    error = _ROUNDING * reach
    return min(max(side, _side(height - error, period)), _side(height + error, period))


@kernel
def follow(batch: Impacts, flights: Flights, gate: GateCount, mass: Floats) -> None:
    """Follow the balls through impacts, and flights that these do not imply."""
    names, numbers, flight, paths = batch.names, batch.numbers, 0, gate.paths
    for row in range(len(names) + 1):
        while flight < len(flights.names) and flights.names[flight, 0] <= row:
            _take_flight(flights.names[flight], flights.numbers[flight], gate)
            flight += 1
        if row == len(names) or names[row, 0] > OBSTACLE:
            continue
        for side in range(2 if names[row, 0] == BALL else 1):
            i = names[row, 1 + side]
            if paths.on_chord[i]:
                continue
            _fly_to(i, numbers[row, 0], gate)
            change = impulse_on(numbers[row], side) * (1.0 / mass[i])
            set_vector(paths.velocity, i, vector_at(paths.velocity, i) + change)


@inlined
def _take_flight(names: Integers, numbers: Floats, gate: GateCount) -> None:
    """Go to where a logged flight begins, and along it from then on."""
    i, x, paths = names[1], TVector(numbers[1], numbers[2], numbers[3]), gate.paths
    _go_to(i, numbers[0], x, gate)
    set_vector(paths.position, i, x)
    set_vector(paths.velocity, i, TVector(numbers[4], numbers[5], numbers[6]))
    set_vector(paths.acceleration, i, TVector(numbers[7], numbers[8], numbers[9]))
    paths.on_chord[i] = names[3] != 0


@kernel
def follow_to(now: float, position: Floats, gate: GateCount) -> None:
    """Follow all balls to a time, at which they are at these positions."""
    paths, surface = gate.paths, gate.surface
    for i in range(len(position)):
        x, v = vector_at(position, i), vector_at(paths.velocity, i)
        _go_to(i, now, x, gate)
        # What a path that was not known has left.
        height = (x - surface.point).dot(surface.normal)
        there = _side_from(paths.side[i], height, paths.reach[i], surface.period)
        while paths.side[i] != there:
            step = 1 if there > paths.side[i] else -1
            paths.side[i] += step
            direction = FORWARD if step > 0 else BACKWARD
            _count(i, _Crossing(direction, now, x, v), surface, gate.counts)


@kernel
def set_sides(position: Floats, paths: Paths, surface: Surface) -> None:
    """Note on which side of the gate each ball is; a ball at the gate stays on its side."""
    for i in range(len(position)):
        height = (vector_at(position, i) - surface.point).dot(surface.normal)
        if paths.side[i] == UNKNOWN:
            paths.side[i] = _side(height, surface.period)
        else:
            paths.side[i] = _side_from(paths.side[i], height, paths.reach[i], surface.period)


@routine
def _go_to(i: int, time: float, there: TVector, gate: GateCount) -> None:
    """Follow ball i to a time; straight to where it is then, if its path is not known."""
    paths = gate.paths
    span = time - paths.since[i]
    if paths.on_chord[i] and span > 0.0:
        straight = (there - vector_at(paths.position, i)) * (1.0 / span)
        _cross(i, span, straight, straight * 0.0, gate)
        paths.since[i] = time
    elif not paths.on_chord[i]:
        _fly_to(i, time, gate)


@routine
def _fly_to(i: int, time: float, gate: GateCount) -> None:
    """Follow ball i on its flight to a time."""
    paths, clock = gate.paths, gate.clock
    a = vector_at(paths.acceleration, i)
    if clock.step == 0.0 or a.mag_sqr() == 0.0:
        _leg(i, time, a, gate)
        return
    for number in range(kicks_until(paths.since[i], clock) + 1, kicks_until(time, clock) + 1):
        # To the start of the step, and its kick.
        _leg(i, step_start(number, clock), a * 0.0, gate)
        kick = a * step_length(number, clock)
        set_vector(paths.velocity, i, vector_at(paths.velocity, i) + kick)
    _leg(i, time, a * 0.0, gate)


@routine
def _leg(i: int, time: float, a: TVector, gate: GateCount) -> None:
    """Follow ball i along a parabola to a time."""
    paths = gate.paths
    span = max(0.0, time - paths.since[i])
    x, v = vector_at(paths.position, i), vector_at(paths.velocity, i)
    _cross(i, span, v, a, gate)
    set_vector(paths.position, i, x + v * span + a * (0.5 * span * span))
    set_vector(paths.velocity, i, v + a * span)
    paths.since[i] = time


@routine
def _cross(i: int, span: float, v: TVector, a: TVector, gate: GateCount) -> None:
    """Count what ball i crosses from its place, on a parabola, within a time."""
    paths, surface = gate.paths, gate.surface
    x = vector_at(paths.position, i)
    height = (x - surface.point).dot(surface.normal)
    vn, an = v.dot(surface.normal), a.dot(surface.normal)
    way = v * span + a * (0.5 * span * span)
    paths.reach[i] = max(paths.reach[i], x.mag() + surface.point.mag() + way.mag())
    # In two parts where it turns back on its way: each rises or falls throughout.
    turn = -vn / an if an != 0.0 else span
    parts = 2 if 0.0 < turn < span else 1
    for part in range(parts):
        end = turn if part < parts - 1 else span
        then = height + (vn + 0.5 * an * end) * end
        there = _side_from(paths.side[i], then, paths.reach[i], surface.period)
        while paths.side[i] != there:
            step = 1 if there > paths.side[i] else -1
            level = surface.period * (paths.side[i] + (1 if step > 0 else 0))
            time = _time_at(height - level, vn, an, turn if part == 1 else 0.0, end)
            paths.side[i] += step
            where = x + v * time + a * (0.5 * time * time) - surface.normal * level
            direction, at = FORWARD if step > 0 else BACKWARD, paths.since[i] + time
            crossing = _Crossing(direction, at, where, v + a * time)
            _count(i, crossing, surface, gate.counts)


@inlined
def _time_at(height: float, vn: float, an: float, first: float, last: float) -> float:
    """When height + vn·t + ½·an·t² is 0, in a part in which it rises or falls throughout."""
    if an == 0.0:
        return min(max(-height / vn, first), last) if vn != 0.0 else first
    root = math.sqrt(max(0.0, vn * vn - 2.0 * an * height))
    q = -(vn + math.copysign(root, vn))
    one = q / an
    other = 2.0 * height / q if q != 0.0 else one
    middle = 0.5 * (first + last)
    time = one if abs(one - middle) < abs(other - middle) else other
    return min(max(time, first), last)


@routine
def _count(i: int, crossing: _Crossing, surface: Surface, counts: Counts) -> None:
    """Count a crossing of ball i, unless it is beside the disc."""
    direction, time, x, v = crossing
    d, size = x - surface.point, surface.size
    d = TVector(_nearest(d.x, size.x), _nearest(d.y, size.y), _nearest(d.z, size.z))
    if (d - surface.normal * d.dot(surface.normal)).mag_sqr() > surface.radius**2:
        return
    kind = counts.kind[i]
    counts.number[kind, direction] += 1
    bins = counts.histogram.shape[2]
    if bins == 0:
        return
    there = surface.point + d
    values = (there.x, there.y, there.z, time, v.dot(surface.normal), v.mag())
    value = values[counts.column]
    if counts.edges[0] <= value <= counts.edges[bins]:
        place = np.searchsorted(counts.edges, value, side="right") - 1
        counts.histogram[kind, direction, min(place, bins - 1)] += 1


@inlined
def _nearest(x: float, size: float) -> float:
    """A coordinate of the nearest image."""
    return x - size * math.floor(x / size + 0.5) if size > 0.0 else x
