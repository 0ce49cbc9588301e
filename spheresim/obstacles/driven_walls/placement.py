"""Where each kind of motion has taken an obstacle at a time, as a `Frame`.

Columns of `numbers`, by kind:
PIECEWISE    0 the first knot, 1 the one behind the last
OSCILLATION  0–2 the axis, 3 the amplitude, 4 the frequency, 5 the phase, 6 its sine
ROTATION     0–2 the axis, 3 turns per time, 4–6 the point
PISTON       0–2 the normal, 3 the acceleration, 4 the speed at t = 0
A row of `knots` is a time, the displacement and the velocity from then on.
"""

import math

from spheresim.compiler.decorators import routine
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.driven_walls.frame import AT_REST, Frame

NO_MOTION, PIECEWISE, OSCILLATION, ROTATION, PISTON = range(5)
"""Kinds of motion."""

_TURN = 2.0 * math.pi


@routine
def frame_of(
    kind: int, numbers: Floats, knots: Floats, places: Records, w: int, time: float
) -> Frame:
    """The frame of wall w at a time counted from 0; places: the records of the walls."""
    axis, inf = vector_at(numbers, w), math.inf
    if kind == PIECEWISE:
        last = int(numbers[w, 0])
        while last + 1 < int(numbers[w, 1]) and knots[last + 1, 0] <= time:
            last += 1
        begun = knots[last, 0]
        lasts = knots[last + 1, 0] - time if last + 1 < int(numbers[w, 1]) else inf
        start = TVector(knots[last, 1], knots[last, 2], knots[last, 3])
        velocity = TVector(knots[last, 4], knots[last, 5], knots[last, 6])
        offset = start + velocity * (time - begun)
        return Frame(offset, velocity, ZERO, 0.0, lasts, inf, ZERO, ZERO, 0.0, 1.0, 0.0)
    if kind == OSCILLATION:
        amplitude, turns = numbers[w, 3], numbers[w, 4] * time
        rate = _TURN * numbers[w, 4]
        angle = _TURN * (turns - math.floor(turns)) + numbers[w, 5]
        offset = axis * (amplitude * (math.sin(angle) - numbers[w, 6]))
        velocity = axis * (amplitude * rate * math.cos(angle))
        acceleration = axis * (-amplitude * rate * rate * math.sin(angle))
        third, span = amplitude * rate * rate * rate, 2.0 * amplitude
        return Frame(offset, velocity, acceleration, third, inf, span, ZERO, ZERO, 0.0, 1.0, 0.0)
    if kind == NO_MOTION:
        return AT_REST
    if kind == ROTATION:
        turns = numbers[w, 3] * time
        angle = _TURN * (turns - math.floor(turns))
        point = TVector(numbers[w, 4], numbers[w, 5], numbers[w, 6])
        rate, c, s = _TURN * numbers[w, 3], math.cos(angle), math.sin(angle)
        return Frame(ZERO, ZERO, ZERO, 0.0, inf, inf, point, axis, rate, c, s)
    record, pull = places[w], numbers[w, 3]
    since = time - record.clock
    place = record.place + (record.speed + 0.5 * pull * since) * since
    speed = record.speed + pull * since
    return Frame(axis * place, axis * speed, axis * pull, 0.0, inf, inf, ZERO, ZERO, 0.0, 1.0, 0.0)
