"""The main loop: what is next, and what comes of it."""

import math
from typing import Any

import numpy as np

from spheresim.compiled import inlined, kernel, routine
from spheresim.events.answer import answer_balls, answer_obstacle
from spheresim.events.calendar import (
    FIRED,
    PER_BUCKET,
    WIDTH,
    clear,
    enter,
    find_next,
    take_next,
)
from spheresim.events.cells import put_in
from spheresim.events.flight import (
    BALL,
    BALL_IMPACTS,
    BEGUN,
    EPOCH,
    EPOCH_LOW,
    JAMMED,
    NOW,
    OBSTACLE,
    OBSTACLE_IMPACTS,
    RECORDED,
    RECORDS,
    Around,
    Flight,
    centre_of,
    since_epoch,
    turned,
)
from spheresim.events.neighbours import move_on
from spheresim.events.predict import plan
from spheresim.events.statistics import block_is_full, take_snapshot
from spheresim.exact import two_sum
from spheresim.rows import put, vector_at
from spheresim.vector import TVector


@kernel
def advance(around: Around, flight: Flight, until: float, budget: int) -> bool:
    """Go on to a time; False if `budget` impacts are done, the book is full, or it is jammed."""
    if flight.count[BEGUN] == 0:
        _begin(around, flight)
    count = flight.count
    enough = count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] + budget
    while _find_next(around, flight, until):
        i = flight.calendar.heap[0]
        event = flight.event[i]
        now = float(event.time)
        if now > since_epoch(flight, until):
            return True
        if count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] >= enough:
            return False
        if count[RECORDED] > RECORDS - 8 or count[JAMMED] > 0:
            return False
        take_next(flight.calendar, flight.event, flight.body)
        flight.measure[NOW] = now
        if event.kind == BALL:
            j = event.other
            if flight.event[j].stamp != event.other_stamp:
                plan(around, flight, i, now, 0.0)  # the partner was hit before
                continue
            answer_balls(around, flight, i, j, now)
            plan(around, flight, i, now, around.early)
            plan(around, flight, j, now, around.early)
            if block_is_full(flight):
                take_snapshot(around, flight, now)
        elif event.kind == OBSTACLE:
            answer_obstacle(around, flight, i, int(event.other), now)
            plan(around, flight, i, now, around.early)
        else:
            move_on(around, flight, i, now)
            plan(around, flight, i, now, 0.0)
    return True


@inlined
def _find_next(around: Around, flight: Flight, until: float) -> bool:
    """Bring the next event to the head of the calendar; False if nothing is due in time."""
    while not find_next(flight.calendar, flight.event, flight.body):
        if not _turn(around, flight, until):
            return False
    return True


@routine
def _begin(around: Around, flight: Flight) -> None:
    """Give all balls their neighbourhoods and events; the first buckets' width follows those."""
    flight.count[BEGUN] = 1
    for k in range(len(flight.ball)):
        move_on(around, flight, np.uint32(k), 0.0)
    clear(flight.calendar, flight.event, 1.0)
    total, many = 0.0, 1.0
    for k in range(len(flight.ball)):
        plan(around, flight, np.uint32(k), 0.0, 0.0)
        if flight.event[k].time < math.inf:
            total += flight.event[k].time
            many += 1.0
    mean = total / many
    clear(flight.calendar, flight.event, _sane(mean / len(flight.calendar.row)))
    for k in range(len(flight.ball)):
        enter(flight.calendar, flight.event, flight.body, np.uint32(k))


@inlined
def _sane(width: float) -> float:
    return min(max(width, 1e-250), 1e250)


@routine
def _turn(around: Around, flight: Flight, until: float) -> bool:
    """Begin another turn of the calendar, with the epoch at the earliest event of all.

    Not before that is due, or a far event would take the epoch away from the present. The width of the buckets follows the number of events in the last turn.
    """
    calendar = flight.calendar
    earliest = math.inf
    for i in range(len(flight.event)):
        earliest = min(earliest, flight.event[i].time)
    if earliest == math.inf or earliest > since_epoch(flight, until):
        return False
    span = calendar.width[WIDTH] * len(calendar.row)
    wanted = PER_BUCKET * len(calendar.row) / max(1.0, float(calendar.count[FIRED]))
    width = calendar.width[WIDTH] * min(max(wanted, 0.125), 8.0)
    clear(calendar, flight.event, _sane(width))
    _move_epoch(flight, earliest)
    for k in range(len(flight.event)):
        i = np.uint32(k)
        if flight.ball[i].clock < -span:
            _refresh(around, flight, i)
        _fold(around, flight, i)
        enter(calendar, flight.event, flight.body, i)
    return True


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
    flight.measure[NOW] = 0.0
    flight.count[BEGUN] = 0
    for k in range(len(flight.ball)):
        i = np.uint32(k)
        ball, event, body = flight.ball[i], flight.event[i], flight.body[i]
        x, v = vector_at(position, body.name), vector_at(velocity, body.name)
        ball.x, ball.y, ball.z = x.x, x.y, x.z
        ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
        ball.clock = 0.0
        around.motion.pull(ball, around.motion.gravity)
        event.stamp += np.uint32(1)
        event.neighbours, event.crowded = 0, 0
        event.margin = margin[k]
        body.support = -1
        body.rapid, body.stuck = -1, -1
        put(flight.image, k, x * 0.0)
        _fold(around, flight, i)
        event.centre_x, event.centre_y, event.centre_z = ball.x, ball.y, ball.z
        # A small one first, to be in the cells; each then gets its own as if it had left it.
        put_in(flight.cells, flight.body, i, centre_of(event), ball.radius)
