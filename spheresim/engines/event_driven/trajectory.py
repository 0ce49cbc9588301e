"""A ball's trajectory: moved along it to its impact, continued with another velocity, sampled."""

import numpy as np

from spheresim.collision.collapse import count_repeated_impacts
from spheresim.compiler.decorators import inlined, kernel
from spheresim.engines.event_driven.engine_state import (
    BallRecord,
    EngineState,
    Environment,
    since_epoch,
    unwrapped,
)
from spheresim.engines.event_driven.rounding_bounds import speed_bound_of, update_coordinate_bound
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector


@inlined
def move_to(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Move ball i to its impact; what was predicted with its old flight becomes stale."""
    ball = state.ball[i]
    x = environment.motion.position_of(ball, now)
    v = environment.contact.velocity_at(environment, state, i, x, now)
    count_repeated_impacts(
        state.body[i],
        x,
        ball.radius,
        environment.shear.peculiar(x, v).mag() * (now - ball.clock),
        environment.contact.short_path(),
    )
    environment.contact.note_work(environment, state, i, x, now)
    environment.shear.add_flight(environment, state, i, now)
    _set_flight(ball, x, v, now)
    state.event[i].stamp += np.uint32(1)


@inlined
def continue_from(state: EngineState, i: int, x: TVector, v: TVector, now: float) -> None:
    """Let ball i go on from another place; what was predicted with its old flight is stale."""
    _set_flight(state.ball[i], x, v, now)
    state.event[i].stamp += np.uint32(1)


@inlined
def _set_flight(ball: BallRecord, x: TVector, v: TVector, clock: float) -> None:
    ball.x, ball.y, ball.z = x.x, x.y, x.z
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    ball.clock = clock


@inlined
def set_velocity(state: EngineState, i: int, v: TVector) -> None:
    """Let ball i fly on with another velocity."""
    ball = state.ball[i]
    ball.vx, ball.vy, ball.vz = v.x, v.y, v.z
    speed = speed_bound_of(state.measure, ball)
    if speed > state.measure.speed_bound:
        state.measure.speed_bound = speed
        update_coordinate_bound(state.measure)


@inlined
def move_to_epoch(environment: Environment, state: EngineState, i: int) -> None:
    """Move ball i, which had no impact for a whole turn, to the epoch: so its clock is near."""
    ball = state.ball[i]
    x = environment.motion.position_of(ball, 0.0)
    v = environment.contact.velocity_at(environment, state, i, x, 0.0)
    environment.contact.note_work(environment, state, i, x, 0.0)
    environment.shear.add_flight(environment, state, i, 0.0)
    _set_flight(ball, x, v, 0.0)
    state.body[i].repeated = -1  # its last impact was long ago
    state.body[i].wedged = -1


@inlined
def start_flight(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> None:
    """Let ball i start at the epoch, as if it had never hit anything."""
    ball, body = state.ball[i], state.body[i]
    _set_flight(ball, x, v, 0.0)
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    state.event[i].stamp += np.uint32(1)
    environment.contact.release(state, i)
    environment.contact.forget_flight(state, i)
    body.repeated, body.wedged, body.last = -1, -1, 0
    set_vector(state.image, i, x * 0.0)
    wrap_position(environment, state, i)


@inlined
def wrap_position(environment: Environment, state: EngineState, i: int) -> None:
    """Take a ball back into the box by whole periods, and count them."""
    environment.shear.wrap(environment, state, i)
    ball, side, inverse = state.ball[i], environment.space.size, environment.space.inverse
    periods = TVector(
        np.floor(ball.x * inverse.x), np.floor(ball.y * inverse.y), np.floor(ball.z * inverse.z)
    )
    periods = environment.shear.still_periods(periods)
    if periods.mag_sqr() > 0.0:
        ball.x -= periods.x * side.x
        ball.y -= periods.y * side.y
        ball.z -= periods.z * side.z
        set_vector(state.image, i, vector_at(state.image, i) + periods)


@kernel
def sample_state(
    environment: Environment,
    state: EngineState,
    time: float,
    first: int,
    last: int,
    position: Floats,
    velocity: Floats,
) -> None:
    """Copy where the balls from `first` to before `last` are at a time, which changes nothing."""
    now = since_epoch(state, time)
    for i in range(first, last):
        ball, name = state.ball[i], state.body[i].name
        x = environment.motion.position_of(ball, now)
        v = environment.contact.velocity_at(environment, state, i, x, now)
        set_vector(position, name, unwrapped(environment, state, i, x, now))
        set_vector(velocity, name, environment.shear.unwrapped_velocity(state, i, v))
