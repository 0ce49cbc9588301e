"""Predicting a ball's next event: the earliest of what it could meet.

Only the earliest is kept. If the partner is hit before, its stamp tells, and the ball is
asked anew when the event would have been: about 1.5 predictions per impact at packing
fraction .49, where keeping all pairs takes 3.7.
"""

import math
from typing import Any

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.simd import LANES, gather_transpose
from spheresim.engines.event_driven.calendar import enter
from spheresim.engines.event_driven.engine_state import (
    BALL,
    EXTENT,
    HASTE,
    HASTE_BLUR,
    NEIGHBOURHOOD_EXIT,
    OBSTACLE,
    UNSURE,
    EngineState,
    Environment,
    size,
)
from spheresim.engines.event_driven.neighbours import (
    candidates,
    images_near,
    leaves,
    rebuild_neighbours,
)
from spheresim.engines.event_driven.pair_toi import ROUNDING, rare_meeting, touching
from spheresim.engines.event_driven.space import has_image, shift_of
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import falling_toi, is_flat, plane_at

_NEVER = 1e150
"""A time beyond all others, which can be multiplied."""

_BLUR = 480.0 * 2.0**-52 * UNSURE
"""Times s·EXTENT and the relative speed squared, below which a discriminant is not trusted.

Without UNSURE it is more than rounding makes of one: the places are off by 3 units of the extent
each, their difference by 2 more, so 4·a·|d| times that; and b² − a·c itself is off by less than
16·a·(|d|² + s²) units. With c up to 400·s² a distance is up to 20·s, and the extent includes 14
radii.
"""

_FAR = 400.0
"""Of the radii's sum, squared: from there on plain floats see a pair too badly."""


@inlined
def predict_next_event(
    environment: Environment, state: EngineState, i: int, now: float, rebuild_threshold: float
) -> None:
    """Find ball i's next event and enter it into the calendar.

    If less than `rebuild_threshold` · margin is left before the ball leaves its neighbourhood,
    it gets a new one now: it would soon be due, and everything is predicted anew anyway (5 %
    faster at packing fraction .3). It is inf for a ball that is leaving its neighbourhood.
    """
    ball, event = state.ball[i], state.event[i]
    x, v = environment.motion.position_of(ball, now), environment.motion.velocity_of(ball, now)
    stay = 0.0 if rebuild_threshold == math.inf else leaves(environment, state, i, x, v)
    if stay * v.mag() < rebuild_threshold * event.margin:
        rebuild_neighbours(environment, state, i, now)
        stay = leaves(environment, state, i, x, v)
    event.time, event.kind, event.other = now + stay, NEIGHBOURHOOD_EXIT, 0
    if state.body[i].near != 0:
        _plan_obstacles(environment, state, i, now, x, v)
    _plan_balls(environment, state, i, now, x, v)
    if event.kind == BALL:
        event.other_stamp = state.event[event.other].stamp
    enter(state.calendar, state.event, state.body, i)


@inlined
def _plan_balls(
    environment: Environment, state: EngineState, i: int, now: float, x: TVector, v: TVector
) -> None:
    """Let a ball be ball i's event if it is met before that which it has.

    In two rounds: the first asks all in a loop without branches, which the compiler makes
    into vector instructions, the second asks the few that passed for a time.
    """
    array, first, beyond = candidates(state, i)
    event = state.event[i]
    # Each sweep begins with the last of the one before: so two end within a row.
    for begin in range(first, max(first + 1, beyond - 1), LANES - 1):
        left = min(event.time - now, _NEVER)
        met, rare = _ask_all(environment, state, i, now, x, v, array, begin, left)
        among = (np.uint64(1) << np.uint64(min(LANES, beyond - begin))) - np.uint64(1)
        met, rare = met & among, rare & among
        while met != 0:
            k = lowest_bit(met)
            met &= met - np.uint64(1)
            _let_be_next(state, i, array[begin + k], now + _root(state, k))
        while rare != 0:
            j = array[begin + lowest_bit(rare)]
            rare &= rare - np.uint64(1)
            _let_be_next(state, i, j, now + rare_meeting(environment, state, i, j, now, x, v))


@inlined
def _ask_all(
    environment: Environment,
    state: EngineState,
    i: int,
    now: float,
    x: TVector,
    v: TVector,
    array: Any,
    begin: int,
    left: float,
) -> tuple[Any, Any]:
    """Bits of those of the next neighbours that are met within the time left, whose b, c and
    discriminant are then in lanes; and of those to be asked one by one: they touch, graze so
    finely that rounding decides, are far away, or fall otherwise than ball i."""
    ball, lanes = state.ball[i], state.lanes
    blur, haste = state.measure[EXTENT] * _BLUR, state.measure[HASTE] ** 2 * HASTE_BLUR
    met, rare = np.uint64(0), np.uint64(0)
    gather_transpose(state.ball, array, begin, lanes)
    for k in range(LANES):
        other = environment.motion.seen(lanes, k)
        d = environment.space.between(x, environment.motion.position_of(other, now))
        w = v - environment.motion.velocity_of(other, now)
        s = ball.radius + other.radius
        b, a, c = d.dot(w), w.mag_sqr(), d.mag_sqr() - s * s
        discriminant = b * b - a * c
        doubt = environment.motion.doubt(a, s, blur, haste)
        approaches = (b < 0.0) & (discriminant >= -doubt)
        touches = approaches & ((c <= touching(x, s)) | (discriminant <= doubt))
        otherwise = (
            touches | (c > _FAR * s * s) | (not environment.motion.same_acceleration(ball, other))
        )
        # As t ≥ c / −2b, the last part sees what is late.
        meets = approaches & (c <= -2.0 * b * left)
        lanes[k], lanes[LANES + k], lanes[2 * LANES + k] = b, c, discriminant
        met |= np.uint64(meets & (not otherwise)) << np.uint64(k)
        rare |= np.uint64(otherwise) << np.uint64(k)
    return met, rare


@inlined
def _root(state: EngineState, k: int) -> float:
    """The first root of a·t² + 2b·t + c, in the form in which nothing cancels."""
    lanes = state.lanes
    b, c, discriminant = lanes[k], lanes[LANES + k], lanes[2 * LANES + k]
    return c / (-b + math.sqrt(discriminant))  # type: ignore[no-any-return]


@inlined
def _let_be_next(state: EngineState, i: int, j: Any, time: float) -> None:
    """Let the meeting with ball j be ball i's event if it is before that which it has."""
    event = state.event[i]
    if time < event.time or (time == event.time and _precedes(state, BALL, int(j), i)):
        event.time, event.kind, event.other = time, BALL, j


@inlined
def _precedes(state: EngineState, kind: int, other: int, i: int) -> bool:
    """Whether an event at the same time as that of ball i goes before it."""
    event = state.event[i]
    if event.kind != kind:
        return kind < int(event.kind)
    if kind == BALL:
        return int(state.body[other].name) < int(state.body[event.other].name)
    return other < int(event.other)


@routine
def _plan_obstacles(
    environment: Environment, state: EngineState, i: int, now: float, x: TVector, v: TVector
) -> None:
    """Let an obstacle be ball i's event if it is before that which it has."""
    event, body = state.event[i], state.body[i]
    radius, acceleration = state.ball[i].radius, environment.motion.acceleration_of(state.ball[i])
    near = body.near
    while near != 0:
        bit = lowest_bit(near)
        near &= near - np.uint64(1)
        for k in range(bit, environment.obstacles.kind.size, 64):
            if lies_on(environment, k, x, v, acceleration, radius):
                continue
            images = images_near(environment, state, i, k, x)
            for part in range(8):
                if not has_image(images, part):
                    continue
                there = x - shift_of(images, part)
                t = now + falling_toi(
                    environment.obstacles, k, there, v, acceleration, radius, event.time - now
                )
                if t < event.time or (t == event.time and _precedes(state, OBSTACLE, k, i)):
                    event.time, event.kind, event.other = t, OBSTACLE, k
                    event.other_stamp = part


@inlined
def lies_on(
    environment: Environment, k: int, x: TVector, v: TVector, acceleration: TVector, radius: float
) -> bool:
    """Whether a ball touches plane k and moves and is pulled along it, but for rounding."""
    if not is_flat(environment.obstacles, k):
        return False
    plane = plane_at(environment.obstacles, k)
    return bool(
        (abs(v.dot(plane.normal)) <= ROUNDING * size(v))
        & (abs(acceleration.dot(plane.normal)) <= ROUNDING * size(acceleration))
        & (plane.gap(x) <= radius + ROUNDING * (size(x) + radius))
    )
