"""The fixed timestep: v += g·h, then every impact inside the step in order of time."""

import math

from spheresim.collision.impacts import BALL, OBSTACLE, comes_before
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.time_stepping.calendar import cancel, schedule
from spheresim.engines.time_stepping.engine_state import (
    BALL_IMPACTS,
    BEGUN,
    MEETING,
    NOW,
    OBSTACLE_IMPACTS,
    RECORDED,
    RECORDS,
    STEP,
    Flight,
    Setting,
    position_at,
)
from spheresim.engines.time_stepping.predict import next_obstacle, settle
from spheresim.engines.time_stepping.resolve import answer_balls, answer_obstacle
from spheresim.engines.time_stepping.slices import next_sliced_pair
from spheresim.model.state import World
from spheresim.numerics.rows import put, vector_at


@kernel
def advance(
    world: World, flight: Flight, setting: Setting, until: int, length: float, budget: int
) -> bool:
    """Go on until step `until` begins; False if the book is full or `budget` impacts are done.

    `length` is the step's length, shorter than `setting.step` only for a last step.
    """
    count = flight.count
    enough = count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] + budget
    while count[STEP] < until:
        if count[BEGUN] == 0:
            begin_step(world, flight, setting, length)
        while answer_next(world, flight, setting, length):
            if count[RECORDED] > RECORDS - 2:
                return False
            if count[BALL_IMPACTS] + count[OBSTACLE_IMPACTS] >= enough:
                return False
        finish_step(flight, length)
    return True


@routine
def begin_step(world: World, flight: Flight, setting: Setting, length: float) -> None:
    """Kick all balls; predict for those whose turn it is."""
    step = flight.count[STEP]
    kick = world.gravity * length
    if kick.mag_sqr() > 0.0:
        for i in range(flight.ball.size):
            put(flight.velocity, i, vector_at(flight.velocity, i) + kick)
    flight.count[BEGUN] = 1
    flight.count[MEETING] = 0
    flight.measure[NOW] = 0.0
    for i in range(flight.ball.size):
        if flight.ball[i].ball_due <= step:
            settle(world, flight, setting, i, length)
        elif flight.ball[i].obstacle_due <= step:
            obstacle, time = next_obstacle(world, flight, setting, i, length)
            if obstacle >= 0:
                schedule(flight.calendar, i, time, OBSTACLE, obstacle, 0)


@routine
def answer_next(world: World, flight: Flight, setting: Setting, length: float) -> bool:
    """Answer the earliest impact that is left in the step; False if there is none."""
    calendar = flight.calendar
    a, b, time = -1, -1, math.inf
    if setting.slices > 0:
        a, b, time = next_sliced_pair(world, flight, setting, length)
    i = calendar.heap[0]
    other, planned = calendar.event[i].other, calendar.event[i].time
    if calendar.size[0] == 0 or planned > length:
        planned = math.inf
    if min(time, planned) == math.inf:
        return False
    if comes_before(planned, calendar.event[i].kind, i, other, time, BALL, a, b):
        time = planned
        cancel(calendar, i)
        if calendar.event[i].kind == OBSTACLE:
            flight.measure[NOW] = time
            third = answer_obstacle(world, flight, i, other, time)
            settle(world, flight, setting, i, length)
            if third != i:
                settle(world, flight, setting, third, length)
            return True
        if flight.ball[other].stamp != calendar.event[i].other_stamp:
            settle(world, flight, setting, i, length)  # the partner was hit before
            return True
        a, b = min(i, other), max(i, other)
    flight.measure[NOW] = time
    third = answer_balls(world, flight, a, b, time)
    settle(world, flight, setting, a, length)
    settle(world, flight, setting, b, length)
    if third not in (a, b):
        settle(world, flight, setting, third, length)
    return True


@inlined
def _fly(flight: Flight, i: int, time: float) -> None:
    put(flight.position, i, position_at(flight, i, time))


@routine
def finish_step(flight: Flight, length: float) -> None:
    """Let all balls fly on to the end of the step."""
    for i in range(flight.ball.size):
        _fly(flight, i, length)
        if flight.ball[i].clock > 0.0 or flight.ball[i].rapid > 0:
            flight.ball[i].clock = 0.0
            flight.ball[i].rapid = 0
            flight.ball[i].stuck = 0
    flight.count[STEP] += 1
    flight.count[BEGUN] = 0


@kernel
def look(flight: Flight, position: object, velocity: object) -> None:
    """Copy where all balls are right now, in the middle of a step or between two."""
    now = flight.measure[NOW] if flight.count[BEGUN] == 1 else 0.0
    for i in range(flight.ball.size):
        put(position, i, position_at(flight, i, now))
        put(velocity, i, vector_at(flight.velocity, i))


@kernel
def begin_anew(
    world: World,
    flight: Flight,
    setting: Setting,
    position: object,
    velocity: object,
    length: float,
) -> None:
    """Take over a state that somebody changed, now; inside a step it goes on without a kick."""
    now = flight.measure[NOW] if flight.count[BEGUN] == 1 else 0.0
    for i in range(flight.ball.size):
        put(flight.position, i, vector_at(position, i))
        put(flight.velocity, i, vector_at(velocity, i))
        flight.ball[i].clock = now
        flight.ball[i].stamp += 1
        flight.ball[i].ball_due = 0
        flight.ball[i].obstacle_due = 0
        cancel(flight.calendar, i)
    if flight.count[BEGUN] == 1:
        for i in range(flight.ball.size):
            settle(world, flight, setting, i, length)
