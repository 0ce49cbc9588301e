"""The main loop of the fixed-timestep engine: v += g·h, then the step's impacts in order."""

import math

from spheresim.collision.event_order import ScheduledImpact, comes_before
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import RECORDS
from spheresim.compiler.decorators import kernel, routine
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.event_calendar import cancel, schedule
from spheresim.engines.time_stepping.predict import next_obstacle, predict_anew, predict_next_event
from spheresim.engines.time_stepping.resolve import resolve_balls, resolve_obstacle
from spheresim.engines.time_stepping.slices import next_sliced_pair
from spheresim.engines.time_stepping.trajectory import position_at
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at


@kernel(label="the engine of fixed steps", parts=180)
def advance(world: World, state: EngineState, until: int, budget: int) -> bool:
    """Advance until step `until` begins; False if it stopped before.

    It stops when the journal is full, after `budget` impacts, and where a proof of rest is due.
    """
    # Step by step; what stops it inside a step is looked at after each impact.
    count = state.count
    enough = count.ball_impacts + count.obstacle_impacts + budget
    if count.changed == 1:
        predict_due(world, state)
        count.changed = 0
    while count.step < until:
        if count.proof_due == 1 and count.begun == 0:
            return False
        if state.rule.all_sleep(state) and not world.walls.any_move():
            count.step = until
            return True
        if count.begun == 0:
            begin_step(world, state)
        while state.rule.log_next_slide(world, state):
            if count.recorded > RECORDS - 4:
                return False
        while resolve_next(world, state):
            if state.rule.needs_resolve(state):
                state.rule.resolve_contacts(world, state)
            if count.recorded > RECORDS - 4:
                return False
            if count.ball_impacts + count.obstacle_impacts >= enough:
                return False
        finish_step(state)
    return True


@routine
def begin_step(world: World, state: EngineState) -> None:
    """Apply gravity, solve the contacts, and predict the events of balls that are due."""
    # Gravity.
    kick = world.gravity * state.measure.length
    if kick.mag_sqr() > 0.0:
        for i in range(state.ball.size):
            set_vector(state.velocity, i, vector_at(state.velocity, i) + kick)
    state.rule.step_contacts(world, state)
    # Events in this step.
    state.count.begun = 1
    state.count.slice_candidates = 0
    predict_due(world, state)


@routine
def predict_due(world: World, state: EngineState) -> None:
    """Predict the events of balls that may touch something in this step."""
    step = state.count.step
    for i in range(state.ball.size):
        if state.ball[i].ball_due <= step:
            predict_next_event(world, state, i)
        elif state.ball[i].obstacle_due <= step:
            obstacle, time = next_obstacle(world, state, i)
            if obstacle >= 0:
                stamp = world.walls.stamp(state.walls, obstacle)
                schedule(state.calendar, ScheduledImpact(time, OBSTACLE, i, obstacle), stamp)


@routine
def resolve_next(world: World, state: EngineState) -> bool:
    """Resolve the earliest impact that is left in the step; False if there is none."""
    # The earliest sliced pair, and the earliest event on the calendar.
    calendar = state.calendar
    a, b, time = -1, -1, math.inf
    if state.slices > 0:
        a, b, time = next_sliced_pair(world, state)
    i = calendar.heap[0]
    other, scheduled = calendar.event[i].other, calendar.event[i].time
    if calendar.size[0] == 0 or scheduled > state.measure.length:
        scheduled = math.inf
    if min(time, scheduled) == math.inf:
        return False
    # The earlier of the two. An event on the calendar is stale if the partner, a ball or a piston,
    # was hit since; an impact drives a piston away from all balls, so that none meets it earlier.
    third, is_pair = a, True
    first = ScheduledImpact(scheduled, calendar.event[i].kind, i, other)
    if comes_before(first, ScheduledImpact(time, BALL, a, b)):
        time, kind, stamp = scheduled, calendar.event[i].kind, calendar.event[i].other_stamp
        cancel(calendar, i)
        is_pair = kind == BALL and state.ball[other].stamp == stamp
        a, b, third = i, i, i
        if is_pair:
            a, b = min(i, other), max(i, other)
        elif kind == OBSTACLE and world.walls.stamp(state.walls, other) == stamp:
            state.measure.now = time
            third = resolve_obstacle(world, state, i, other, time)
    if is_pair:
        state.measure.now = time
        third = resolve_balls(world, state, a, b, time)
    # The next events of the balls whose flight has changed.
    predict_next_event(world, state, a)
    if b != a:
        predict_next_event(world, state, b)
    if third not in (a, b):
        predict_next_event(world, state, third)
    return True


@routine
def finish_step(state: EngineState) -> None:
    """Move all balls to the end of the step."""
    for i in range(state.ball.size):
        set_vector(state.position, i, position_at(state, i, state.measure.length))
        state.rule.end_step(state, i)
    state.measure.now = 0.0
    state.count.step += 1
    state.count.begun = 0


@kernel
def sample_state(
    state: EngineState, first: int, last: int, position: object, velocity: object
) -> None:
    """Copy the present positions and velocities of balls `first` to `last` − 1."""
    for i in range(first, last):
        set_vector(position, i, position_at(state, i, state.measure.now))
        set_vector(velocity, i, vector_at(state.velocity, i))


@kernel
def reinitialise(state: EngineState, position: object, velocity: object) -> None:
    """Adopt a state that the caller has changed; a step that has begun goes on, after `advance` has
    predicted its events anew."""
    for i in range(state.ball.size):
        set_vector(state.position, i, vector_at(position, i))
        set_vector(state.velocity, i, vector_at(velocity, i))
        state.ball[i].clock = state.measure.now
        predict_anew(state, i)
    state.count.changed = state.count.begun
