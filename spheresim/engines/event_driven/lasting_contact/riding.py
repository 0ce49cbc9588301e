"""Contact with obstacles that move: how an obstacle sees a ball, and how long a step may be."""

from spheresim.compiler.decorators import inlined
from spheresim.contact.tolerances import RIDING_CLEARANCE, SHORTEST_STEP
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.driven_walls.approach import Approach, approach, parting_acceleration
from spheresim.obstacles.driven_walls.frame import Frame


@inlined
def frame_now(environment: Environment, state: EngineState, k: int) -> Frame:
    """The frame of row k, now."""
    time = absolute(state, float(state.measure.now))
    frame: Frame = environment.walls.frame_at(state.walls, k, time)
    return frame


@inlined
def seen_by(
    environment: Environment, state: EngineState, k: int, i: int, v: TVector, a: TVector
) -> Approach:
    """How row k sees ball i with the velocity v and the acceleration a, now."""
    obstacles, frame = environment.obstacles, frame_now(environment, state, k)
    there = image_near_obstacle(environment.space, obstacles, k, position_at_clock(state.ball[i]))
    return approach(frame, obstacles, k, BallPath(there, v, a))


@inlined
def seen_now(environment: Environment, state: EngineState, k: int, i: int) -> Approach:
    """How row k sees ball i as it moves now."""
    ball = state.ball[i]
    v, a = velocity_at_clock(ball), environment.motion.acceleration_of(ball)
    return seen_by(environment, state, k, i, v, a)


@inlined
def wall_speed(
    environment: Environment, state: EngineState, k: int, x: TVector, n: TVector
) -> float:
    """The speed of row k along n, where a ball at x touches it; 0 if it stands still."""
    speed: float = frame_now(environment, state, k).velocity_at(x).dot(n)
    return speed


@inlined
def turned_later(
    environment: Environment, state: EngineState, k: int, direction: TVector, later: float
) -> TVector:
    """A direction that row k sees, in the world after a time."""
    time = absolute(state, float(state.measure.now)) + later
    there: TVector = environment.walls.frame_at(state.walls, k, time).turned(direction)
    return there


@inlined
def riding_clearance(environment: Environment, state: EngineState, k: int) -> float:
    """Further clearance, in radii, of balls in contact with row k; 0 if a parabola follows it."""
    return 0.0 if frame_now(environment, state, k).is_uniform() else RIDING_CLEARANCE


@inlined
def time_to_ride(environment: Environment, state: EngineState, i: int, k: int, h: float) -> float:
    """The length of a step, h or less, in which the parabola of ball i follows row k, which moves,
    within the clearance, and in which the row does not begin to fall faster than a ball."""
    ball = state.ball[i]
    x, v = position_at_clock(ball), velocity_at_clock(ball)
    g, shortest = environment.motion.gravity, SHORTEST_STEP * h
    frame = frame_now(environment, state, k)
    h = min(h, max(frame.longest(), shortest))
    jerk = frame.jerk(x, v, g)
    if jerk > 0.0:
        h = min(h, (6.0 * RIDING_CLEARANCE * ball.radius / jerk) ** (1.0 / 3.0))
        seen = seen_by(environment, state, k, i, v, g)
        pressing = -parting_acceleration(environment.obstacles, k, seen)
        if pressing > 0.0:
            h = min(h, max(pressing / jerk, shortest))
    return h
