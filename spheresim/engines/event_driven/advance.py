"""The main loop: what is next, and what comes of it."""

import math
from typing import Any

import numpy as np

from spheresim.broadphase.cells import put_in
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.calendar import (
    WIDTH,
    better_width,
    clear,
    enter,
    is_crammed,
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
    HASTE,
    HORIZON,
    JAMMED,
    LAST_IMPACT,
    LEAVE,
    NOW,
    OBSTACLE,
    OBSTACLE_IMPACTS,
    PULL,
    RECORDED,
    RECORDS,
    Around,
    Flight,
    absolute,
    centre_of,
    since_epoch,
    size,
    turned,
)
from spheresim.engines.event_driven.journal import note_extent, renew_extent
from spheresim.engines.event_driven.predict import plan
from spheresim.engines.event_driven.prefetch import MANY, fetch_ahead
from spheresim.engines.event_driven.resolve import answer_balls, answer_obstacle
from spheresim.engines.event_driven.statistics import block_is_full, take_snapshot
from spheresim.numerics.double_double import two_sum
from spheresim.numerics.rows import put, vector_at
from spheresim.numerics.vector import TVector


@kernel
def advance(around: Around, flight: Flight, until: float, impacts: int, events: int) -> bool:
    """Go on to a time, and say whether it got there.

    It stops right after the last of so many impacts, and at the latest after so many events,
    when the book is full, or when a ball is jammed.
    """
    count = flight.count
    enough = count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] + impacts
    for _ in range(events):
        if count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] >= enough:
            return False
        if count[RECORDED] > RECORDS - 8 or count[JAMMED] > 0:
            return False
        if not _find_next(around, flight, until):
            return True
        i = _take_next(flight)
        event = flight.event[i]
        now, kind, other = float(event.time), int(event.kind), event.other
        flight.measure[NOW] = now
        early, concerned, third = 0.0, 1, i
        if kind == BALL and flight.event[other].stamp == event.other_stamp:
            flight.measure[LAST_IMPACT] = absolute(flight, now)
            third = answer_balls(around, flight, i, other, now)
            early, concerned = around.early, 2 if third == i else 3
            if block_is_full(flight):
                take_snapshot(around, flight, now)
        elif kind == OBSTACLE:
            flight.measure[LAST_IMPACT] = absolute(flight, now)
            other = answer_obstacle(around, flight, i, int(other), now)
            early, concerned = around.early, 1 if other == i else 2
        elif kind == LEAVE:
            early = math.inf
        # Else the partner was hit before, and ball i is asked anew.
        for _ in range(concerned):
            plan(around, flight, i, now, early)
            i, other = other, third
    return False


@inlined
def _find_next(around: Around, flight: Flight, until: float) -> bool:
    """Bring the next event to the head of the calendar; False if nothing is due in time.

    At the start all balls are asked once, in turn, before the first event.
    """
    if flight.count[BEGUN] < len(flight.ball):
        return True
    calendar, many = flight.calendar, len(flight.ball) >= MANY
    crammed = is_crammed(calendar)
    while crammed or not is_ready(calendar, flight.event):
        if not crammed and open_next(calendar, flight.event, flight.body):
            if many:
                fetch_ahead(around, flight)
        elif not _turn(around, flight, until):
            return False
        crammed = False
    due: bool = flight.event[flight.calendar.heap[0]].time <= since_epoch(flight, until)
    return due


@inlined
def _take_next(flight: Flight) -> Any:
    """The ball whose event is next, which leaves the calendar."""
    if flight.count[BEGUN] < len(flight.ball):
        flight.count[BEGUN] += 1
        return np.uint32(flight.count[BEGUN] - 1)
    return take_next(flight.calendar, flight.event, flight.body)


@inlined
def _sane(width: float) -> float:
    return min(max(width, 1e-250), 1e250)


@routine
def _turn(around: Around, flight: Flight, until: float) -> bool:
    """Begin another turn of the calendar, with the epoch at the earliest event of all.

    Not before that is due, or a far event would take the epoch away from the present. The
    width of the buckets follows the number of events in the last turn.
    """
    calendar = flight.calendar
    earliest = math.inf
    for k in range(len(flight.event)):
        earliest = min(earliest, flight.event[k].time)
    if earliest == math.inf or earliest > since_epoch(flight, until):
        return False
    span = calendar.width[WIDTH] * len(calendar.row)
    clear(calendar, flight.event, _sane(better_width(calendar)))
    _move_epoch(flight, earliest)
    _begin_extent(flight, span + calendar.width[WIDTH] * len(calendar.row))
    for k in range(len(flight.event)):
        i: Any = np.uint32(k)
        if flight.ball[i].clock < -span:
            _refresh(around, flight, i)
        _fold(around, flight, i)
        note_extent(flight, i)
        enter(calendar, flight.event, flight.body, i)
    renew_extent(flight)
    return True


@inlined
def _begin_extent(flight: Flight, horizon: float) -> None:
    """Begin to look anew how far balls go, each in so much time."""
    flight.measure[HORIZON] = horizon
    flight.measure[EXTENT_AT_START] = flight.measure[HASTE] = 0.0


@inlined
def _move_epoch(flight: Flight, shift: float) -> None:
    """Count times from a later epoch; its own time is kept without any error."""
    for i in range(len(flight.event)):
        flight.event[i].time -= shift
        flight.ball[i].clock -= shift
    flight.measure[NOW] -= shift
    epoch = two_sum(flight.measure[EPOCH], shift)
    epoch = two_sum(epoch.high, epoch.low + flight.measure[EPOCH_LOW])
    flight.measure[EPOCH], flight.measure[EPOCH_LOW] = epoch.high, epoch.low


@inlined
def _refresh(around: Around, flight: Flight, i: int) -> None:
    """Move a ball to the epoch that had no impact for a whole turn, so that its clock is near."""
    ball = flight.ball[i]
    x, v = around.motion.position_of(ball, 0.0), around.motion.velocity_of(ball, 0.0)
    ball.x, ball.y, ball.z = x.x, x.y, x.z
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    ball.clock = 0.0
    flight.body[i].rapid = -1  # its last impact was long ago
    flight.body[i].stuck = -1


@inlined
def _fold(around: Around, flight: Flight, i: int) -> None:
    """Take a ball back by whole turns round the periodic axes, and keep count of them."""
    ball, side, inverse = flight.ball[i], around.space.size, around.space.inverse
    turns = TVector(
        np.floor(ball.x * inverse.x), np.floor(ball.y * inverse.y), np.floor(ball.z * inverse.z)
    )
    if turns.mag_sqr() > 0.0:
        ball.x -= turns.x * side.x
        ball.y -= turns.y * side.y
        ball.z -= turns.z * side.z
        put(flight.image, i, vector_at(flight.image, i) + turns)


@kernel
def look(around: Around, flight: Flight, time: float, position: Any, velocity: Any) -> None:
    """Copy where all balls are at a time, which changes nothing."""
    now = since_epoch(flight, time)
    for i in range(len(flight.ball)):
        ball, name = flight.ball[i], flight.body[i].name
        x = around.motion.position_of(ball, now) + turned(flight.image, i, around.space.size)
        put(position, name, x)
        put(velocity, name, around.motion.velocity_of(ball, now))


@kernel
def begin_anew(
    around: Around, flight: Flight, time: float, position: Any, velocity: Any, margin: Any
) -> None:
    """Take over a state at a time: all neighbourhoods and events are made anew."""
    flight.measure[EPOCH], flight.measure[EPOCH_LOW] = time, 0.0
    flight.measure[NOW], flight.measure[LAST_IMPACT] = 0.0, time
    flight.count[BEGUN] = 0
    times = 0.0
    for k in range(len(flight.ball)):
        i: Any = np.uint32(k)
        ball, event, body = flight.ball[i], flight.event[i], flight.body[i]
        x, v = vector_at(position, body.name), vector_at(velocity, body.name)
        ball.x, ball.y, ball.z = x.x, x.y, x.z
        ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
        ball.clock = 0.0
        around.motion.pull(ball, around.motion.gravity)
        event.stamp += np.uint32(1)
        event.margin = margin[k]
        body.support = -1
        body.rapid, body.stuck = -1, -1
        put(flight.image, k, x * 0.0)
        _fold(around, flight, i)
        event.centre_x, event.centre_y, event.centre_z = ball.x, ball.y, ball.z
        # A small one, to be in the cells; the first event of each is to leave it.
        put_in(flight.cells, flight.body, i, centre_of(event), ball.radius)
        event.time, event.kind = 0.0, LEAVE
        path = min(event.margin, 10.0 * ball.radius)
        speed = v.mag() + math.sqrt(path * around.motion.gravity.mag())
        times += path / speed if speed > 0.0 else 0.0
    width = times / len(flight.ball) / len(flight.calendar.row)
    clear(flight.calendar, flight.event, _sane(width))
    flight.measure[PULL] = size(around.motion.gravity)
    _begin_extent(flight, flight.calendar.width[WIDTH] * len(flight.calendar.row))
    for k in range(len(flight.ball)):
        note_extent(flight, k)
    renew_extent(flight)
