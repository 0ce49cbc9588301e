"""Contact with obstacles that move, in fixed steps: the speed with which a ball stays outside.

Balls fly straight in a step, the obstacle does not. So a ball on an obstacle gets the least speed
with which it does not penetrate it within the step.
"""

from spheresim.compiler.decorators import inlined
from spheresim.contact.tolerances import STEEPEST_CHORD
from spheresim.engines.time_stepping.engine_state import EngineState, absolute
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.driven_walls.approach import Approach, approach
from spheresim.obstacles.driven_walls.frame import Frame
from spheresim.obstacles.table import bend


@inlined
def _frame_of(world: World, state: EngineState, k: int) -> Frame:
    """The frame of row k, now."""
    now = absolute(state, float(state.measure.now))
    frame: Frame = world.walls.frame_at(state.walls, k, now)
    return frame


@inlined
def seen_by(world: World, state: EngineState, i: int, k: int) -> Approach:
    """Ball i's path in the frame of row k, now; the ball's clock is now."""
    path = BallPath(vector_at(state.position, i), vector_at(state.velocity, i), ZERO)
    return approach(_frame_of(world, state, k), world.obstacles, k, path)


@inlined
def wall_acceleration(seen: Approach) -> float:
    """The acceleration along the normal with which a ball keeps its speed away from a wall."""
    acceleration: float = -seen.a.dot(seen.seen_normal)
    return acceleration


@inlined
def wall_speed(world: World, state: EngineState, k: int, x: TVector, n: TVector) -> float:
    """The speed along n of row k, which moves, where it touches a ball at x."""
    speed: float = _frame_of(world, state, k).velocity_at(x).dot(n)
    return speed


@inlined
def rising_speed_of_wall(
    world: World, state: EngineState, k: int, x: TVector, v: TVector, length: float
) -> float:
    """The least speed along the normal with which a ball at x does not penetrate row k, which
    moves, for a length of time: the row's speed, its acceleration times half that time where that
    is positive, and a term of third order."""
    frame = _frame_of(world, state, k)
    seen = approach(frame, world.obstacles, k, BallPath(x, v, ZERO))
    gain = 0.5 * length * max(wall_acceleration(seen), 0.0)
    jerk: float = frame.jerk(x, v, world.gravity)
    speed: float = frame.velocity_at(x).dot(seen.normal)
    return speed + gain + jerk * length * length / 6.0


@inlined
def chord_speed(world: World, state: EngineState, i: int, k: int, length: float) -> float:
    """Normal speed with which ball i leaves row k, where that is concave, to meet it again after a
    length of time; 0 elsewhere.

    Where the wall is too curved for a chord of that length, as near the axis of a ring's mouth,
    impacts turn the ball.
    """
    seen = seen_by(world, state, i, k)
    along = seen.v - seen.seen_normal * seen.v.dot(seen.seen_normal)
    bending = min(bend(world.obstacles, k, seen.x, along), 0.0)
    return min(-0.5 * length * bending, STEEPEST_CHORD * along.mag())


@inlined
def clearing_speed(world: World, state: EngineState, i: int, k: int, n: TVector) -> float:
    """The least speed, relative to row k, which moves, with which ball i, now on it, does not touch
    it again in this step."""
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    length = state.measure.length - state.measure.now
    rises = rising_speed_of_wall(world, state, k, x, v, length)
    chord = chord_speed(world, state, i, k, length)
    speed: float = rises + chord - wall_speed(world, state, k, x, n)
    return speed
