"""Elastic balls in corners, where they bounce between two surfaces without time passing."""

from spheresim.collision.corner import Bounces, Contact, corner_exit
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import Event, log_event
from spheresim.compiler.decorators import routine
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.trajectory import move_to, position_at
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.table import normal_at


@routine
def leave_corner(
    world: World, state: EngineState, i: int, hit: int, time: float
) -> tuple[int, bool]:
    """Take ball i out of the corner of what it hits now and what it hit before, if there is one.

    `hit`, the rows in the journal and the result are as in the event-driven engine.
    """
    # The corner and its exit.
    before = state.ball[i].last
    own = world.obstacles.restitution[before] if before >= 0 else world.restitution[-1 - before]
    if before == hit or world.walls.moves(before) or own < 1.0:
        return i, False
    a, b = _contact(world, state, i, hit, time), _contact(world, state, i, before, time)
    way = corner_exit(vector_at(state.velocity, i), world.mass[i], a, b)
    if way.bounces == 0.0:
        return i, False
    # New velocities; the ball that was hit before has not been moved to the impact yet.
    third = -1 - before if before < 0 else i
    if before < 0:
        move_to(world, state, third, time)
        set_vector(state.velocity, third, way.velocity_b)
    if hit < 0:
        set_vector(state.velocity, -1 - hit, way.velocity_a)
    set_vector(state.velocity, i, way.velocity)
    # The journal.
    _log_bounces(world, state, i, Bounces(hit, a.normal, way.response_a), time)
    _log_bounces(world, state, i, Bounces(before, b.normal, way.response_b), time)
    return third, True


@routine
def _contact(world: World, state: EngineState, i: int, hit: int, time: float) -> Contact:
    x = vector_at(state.position, i)
    if hit >= 0:
        return Contact(normal_at(world.obstacles, hit, x), x * 0.0, 0.0)
    j = -1 - hit
    normal = (x - position_at(state, j, time)).unit()
    return Contact(normal, vector_at(state.velocity, j), 1.0 / world.mass[j])


@routine
def _log_bounces(world: World, state: EngineState, i: int, bounces: Bounces, time: float) -> None:
    """Count all bounces of ball i off one contact as one impact, and log it."""
    hit, n, response = bounces
    step = state.count.step
    if hit >= 0:
        point = vector_at(state.position, i) - n * world.radius[i]
        state.count.obstacle_impacts += 1
        log_event(state, Event(OBSTACLE, i, hit, step, time), point, n, response)
        return
    lower, higher = min(i, -1 - hit), max(i, -1 - hit)
    n = n if lower == i else n * -1.0
    point = vector_at(state.position, higher) + n * world.radius[higher]
    state.count.ball_impacts += 1
    log_event(state, Event(BALL, lower, higher, step, time), point, n, response)
