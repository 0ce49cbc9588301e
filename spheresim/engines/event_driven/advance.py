"""The main loop: what is next, and what comes of it."""

import math
from typing import Any

import numpy as np

from spheresim.broadphase.cells import put_in
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.calendar import (
    WIDTH,
    better_width,
    buckets_overfull,
    clear,
    enter,
    is_ready,
    open_next,
    take_next,
)
from spheresim.engines.event_driven.engine_state import (
    BALL,
    BALL_IMPACTS,
    BEGUN,
    EPOCH,
    EPOCH_LOW,
    EXTENT_AT_START,
    GRAVITY,
    HASTE,
    HORIZON,
    JAMMED,
    LAST_IMPACT,
    NEIGHBOURHOOD_EXIT,
    NOW,
    OBSTACLE,
    OBSTACLE_IMPACTS,
    RECORDED,
    RECORDS,
    EngineState,
    Environment,
    absolute,
    centre_of,
    image_shift,
    since_epoch,
    size,
)
from spheresim.engines.event_driven.journal import note_extent, renew_extent
from spheresim.engines.event_driven.predict import predict_next_event
from spheresim.engines.event_driven.prefetch import MANY, fetch_ahead
from spheresim.engines.event_driven.resolve import resolve_balls, resolve_obstacle
from spheresim.engines.event_driven.statistics import block_is_full, take_snapshot
from spheresim.numerics.double_double import two_sum
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector


@kernel
def advance(
    environment: Environment, state: EngineState, until: float, impacts: int, events: int
) -> bool:
    """Go on to a time, and say whether it got there.

    It stops right after the last of so many impacts, and at the latest after so many events,
    when the book is full, or when a ball is jammed.
    """
    count = state.count
    enough = count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] + impacts
    for _ in range(events):
        if count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] >= enough:
            return False
        if count[RECORDED] > RECORDS - 8 or count[JAMMED] > 0:
            return False
        if not _find_next(environment, state, until):
            return True
        i = _take_next(state)
        event = state.event[i]
        now, kind, other = float(event.time), int(event.kind), event.other
        state.measure[NOW] = now
        rebuild_threshold, concerned, third = 0.0, 1, i
        if kind == BALL and state.event[other].stamp == event.other_stamp:
            state.measure[LAST_IMPACT] = absolute(state, now)
            third = resolve_balls(environment, state, i, other, now)
            rebuild_threshold, concerned = environment.rebuild_threshold, 2 if third == i else 3
            if block_is_full(state):
                take_snapshot(environment, state, now)
        elif kind == OBSTACLE:
            state.measure[LAST_IMPACT] = absolute(state, now)
            other = resolve_obstacle(environment, state, i, int(other), now)
            rebuild_threshold, concerned = environment.rebuild_threshold, 1 if other == i else 2
        elif kind == NEIGHBOURHOOD_EXIT:
            rebuild_threshold = math.inf
        # Else the partner was hit before, and ball i is asked anew.
        for _ in range(concerned):
            predict_next_event(environment, state, i, now, rebuild_threshold)
            i, other = other, third
    return False


@inlined
def _find_next(environment: Environment, state: EngineState, until: float) -> bool:
    """Bring the next event to the head of the calendar; False if nothing is due in time.

    At the start all balls are asked once, in turn, before the first event.
    """
    if state.count[BEGUN] < len(state.ball):
        return True
    calendar, many = state.calendar, len(state.ball) >= MANY
    crammed = buckets_overfull(calendar)
    while crammed or not is_ready(calendar, state.event):
        if not crammed and open_next(calendar, state.event, state.body):
            if many:
                fetch_ahead(environment, state)
        elif not _rebuild_calendar(environment, state, until):
            return False
        crammed = False
    due: bool = state.event[state.calendar.heap[0]].time <= since_epoch(state, until)
    return due


@inlined
def _take_next(state: EngineState) -> Any:
    """The ball whose event is next, which leaves the calendar."""
    if state.count[BEGUN] < len(state.ball):
        state.count[BEGUN] += 1
        return np.uint32(state.count[BEGUN] - 1)
    return take_next(state.calendar, state.event, state.body)


@inlined
def _sane(width: float) -> float:
    return min(max(width, 1e-250), 1e250)


@routine
def _rebuild_calendar(environment: Environment, state: EngineState, until: float) -> bool:
    """Begin another turn of the calendar, with the epoch at the earliest event of all.

    Not before that is due, or a far event would take the epoch away from the present. The
    width of the buckets follows the number of events in the last turn.
    """
    calendar = state.calendar
    earliest = math.inf
    for k in range(len(state.event)):
        earliest = min(earliest, state.event[k].time)
    if earliest == math.inf or earliest > since_epoch(state, until):
        return False
    span = calendar.width[WIDTH] * len(calendar.row)
    clear(calendar, state.event, _sane(better_width(calendar)))
    _move_epoch(state, earliest)
    _begin_extent(state, span + calendar.width[WIDTH] * len(calendar.row))
    for k in range(len(state.event)):
        i: Any = np.uint32(k)
        if state.ball[i].clock < -span:
            _refresh(environment, state, i)
        _wrap_position(environment, state, i)
        note_extent(state, i)
        enter(calendar, state.event, state.body, i)
    renew_extent(state)
    return True


@inlined
def _begin_extent(state: EngineState, horizon: float) -> None:
    """Begin to look anew how far balls go, each in so much time."""
    state.measure[HORIZON] = horizon
    state.measure[EXTENT_AT_START] = state.measure[HASTE] = 0.0


@inlined
def _move_epoch(state: EngineState, shift: float) -> None:
    """Count times from a later epoch; its own time is kept without any error."""
    for i in range(len(state.event)):
        state.event[i].time -= shift
        state.ball[i].clock -= shift
    state.measure[NOW] -= shift
    epoch = two_sum(state.measure[EPOCH], shift)
    epoch = two_sum(epoch.high, epoch.low + state.measure[EPOCH_LOW])
    state.measure[EPOCH], state.measure[EPOCH_LOW] = epoch.high, epoch.low


@inlined
def _refresh(environment: Environment, state: EngineState, i: int) -> None:
    """Move a ball to the epoch that had no impact for a whole turn, so that its clock is near."""
    ball = state.ball[i]
    x, v = environment.motion.position_of(ball, 0.0), environment.motion.velocity_of(ball, 0.0)
    ball.x, ball.y, ball.z = x.x, x.y, x.z
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    ball.clock = 0.0
    state.body[i].rapid = -1  # its last impact was long ago
    state.body[i].stuck = -1


@inlined
def _wrap_position(environment: Environment, state: EngineState, i: int) -> None:
    """Take a ball back by whole turns round the periodic axes, and keep count of them."""
    ball, side, inverse = state.ball[i], environment.space.size, environment.space.inverse
    turns = TVector(
        np.floor(ball.x * inverse.x), np.floor(ball.y * inverse.y), np.floor(ball.z * inverse.z)
    )
    if turns.mag_sqr() > 0.0:
        ball.x -= turns.x * side.x
        ball.y -= turns.y * side.y
        ball.z -= turns.z * side.z
        set_vector(state.image, i, vector_at(state.image, i) + turns)


@kernel
def sample_state(
    environment: Environment,
    state: EngineState,
    time: float,
    first: int,
    last: int,
    position: Any,
    velocity: Any,
) -> None:
    """Copy where the balls from `first` to before `last` are at a time, which changes nothing."""
    now = since_epoch(state, time)
    for i in range(first, last):
        ball, name = state.ball[i], state.body[i].name
        x = environment.motion.position_of(ball, now) + image_shift(
            state.image, i, environment.space.size
        )
        set_vector(position, name, x)
        set_vector(velocity, name, environment.motion.velocity_of(ball, now))


@kernel
def reinitialise(
    environment: Environment,
    state: EngineState,
    time: float,
    position: Any,
    velocity: Any,
    margin: Any,
) -> None:
    """Take over a state at a time: all neighbourhoods and events are made anew."""
    state.measure[EPOCH], state.measure[EPOCH_LOW] = time, 0.0
    state.measure[NOW], state.measure[LAST_IMPACT] = 0.0, time
    state.count[BEGUN] = 0
    times = 0.0
    for k in range(len(state.ball)):
        i: Any = np.uint32(k)
        ball, event, body = state.ball[i], state.event[i], state.body[i]
        x, v = vector_at(position, body.name), vector_at(velocity, body.name)
        ball.x, ball.y, ball.z = x.x, x.y, x.z
        ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
        ball.clock = 0.0
        environment.motion.set_acceleration(ball, environment.motion.gravity)
        event.stamp += np.uint32(1)
        event.margin = margin[k]
        body.support = -1
        body.rapid, body.stuck = -1, -1
        set_vector(state.image, k, x * 0.0)
        _wrap_position(environment, state, i)
        event.centre_x, event.centre_y, event.centre_z = ball.x, ball.y, ball.z
        # A small one, to be in the cells; the first event of each is to leave it.
        put_in(state.cells, state.body, i, centre_of(event), ball.radius)
        event.time, event.kind = 0.0, NEIGHBOURHOOD_EXIT
        path = min(event.margin, 10.0 * ball.radius)
        speed = v.mag() + math.sqrt(path * environment.motion.gravity.mag())
        times += path / speed if speed > 0.0 else 0.0
    width = times / len(state.ball) / len(state.calendar.row)
    clear(state.calendar, state.event, _sane(width))
    state.measure[GRAVITY] = size(environment.motion.gravity)
    _begin_extent(state, state.calendar.width[WIDTH] * len(state.calendar.row))
    for k in range(len(state.ball)):
        note_extent(state, k)
    renew_extent(state)
