"""What is alike at every impact: the ball is moved there, and what happens is written down."""

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.engines.event_driven.engine_state import (
    EXTENT,
    EXTENT_AT_START,
    GRAVITY,
    HASTE,
    HORIZON,
    RECORDED,
    RECORDING,
    EngineState,
    Environment,
    absolute,
    size,
)
from spheresim.engines.event_driven.pair_toi import ROUNDING
from spheresim.numerics.vector import TVector

RAPID_PATH = 1e-4
"""Of the radius: a shorter way between two impacts makes them rapid."""

_FAR_AWAY = 1e100
"""Further than anything goes, and yet a number that can be multiplied."""


@inlined
def move_to(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Move ball i to its impact, and keep count of impacts without any way between them."""
    ball, body = state.ball[i], state.body[i]
    x, v = environment.motion.position_of(ball, now), environment.motion.velocity_of(ball, now)
    path = v.mag() * (now - ball.clock)
    body.rapid = body.rapid + 1 if path < RAPID_PATH * ball.radius else 0
    body.stuck = body.stuck + 1 if path <= ROUNDING * (size(x) + ball.radius) else 0
    ball.x, ball.y, ball.z = x.x, x.y, x.z
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    ball.clock = now
    state.event[i].stamp += np.uint32(1)


@inlined
def set_velocity(state: EngineState, i: int, v: TVector) -> None:
    """Let ball i fly on with another velocity."""
    ball = state.ball[i]
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    speed = _fastest(state, i)
    if speed > state.measure[HASTE]:
        state.measure[HASTE] = speed
        renew_extent(state)


@inlined
def _fastest(state: EngineState, i: int) -> float:
    """No less than the speed of ball i in this turn of the calendar, if nothing happens to it."""
    ball, measure = state.ball[i], state.measure
    return float(size(TVector(ball.vx, ball.vy, ball.vz)) + measure[GRAVITY] * measure[HORIZON])


@inlined
def note_extent(state: EngineState, i: int) -> None:
    """Let EXTENT_AT_START and HASTE hold for ball i too, at the start of a turn."""
    ball, measure = state.ball[i], state.measure
    place = size(TVector(ball.x, ball.y, ball.z)) + 14.0 * ball.radius
    measure[EXTENT_AT_START] = max(measure[EXTENT_AT_START], place)
    measure[HASTE] = max(measure[HASTE], _fastest(state, i))


@inlined
def renew_extent(state: EngineState) -> None:
    """No ball goes further in this turn: from its clock to now, and from now to its end."""
    measure = state.measure
    extent = measure[EXTENT_AT_START] + 2.0 * measure[HASTE] * measure[HORIZON]
    measure[EXTENT] = min(extent, _FAR_AWAY)


@inlined
def log_event(
    state: EngineState,
    kind: int,
    i: int,
    other: int,
    now: float,
    point: TVector,
    normal: TVector,
    vn: float,
    vn_after: float,
    impulse: float,
) -> None:
    """Add a row to the book of impacts."""
    if state.count[RECORDING] == 0:
        return
    row = state.count[RECORDED]
    state.count[RECORDED] += 1
    names, numbers = state.names, state.numbers
    names[row, 0], names[row, 1], names[row, 2] = kind, int(state.body[i].name), other
    numbers[row, 0] = absolute(state, now)
    numbers[row, 1], numbers[row, 2], numbers[row, 3] = point.x, point.y, point.z
    numbers[row, 4], numbers[row, 5], numbers[row, 6] = normal.x, normal.y, normal.z
    numbers[row, 7], numbers[row, 8], numbers[row, 9] = vn, vn_after, impulse
