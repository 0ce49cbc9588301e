"""Elastic balls in corners, where they bounce between two surfaces without time passing."""

from spheresim.collision.corner import Contact, way_out
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.time_stepping.engine_state import (
    BALL_IMPACTS,
    OBSTACLE_IMPACTS,
    EngineState,
    position_at,
)
from spheresim.engines.time_stepping.journal import log_event, move_to
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.table import normal_at


@routine
def leave_corner_between(
    world: World, state: EngineState, a: int, b: int, time: float
) -> tuple[int, bool]:
    """The same as `leave_corner` for two balls, either of which may be the one in the corner."""
    third, leaves = leave_corner(world, state, a, -1 - b, time)
    if not leaves:
        third, leaves = leave_corner(world, state, b, -1 - a, time)
    return third, leaves


@routine
def leave_corner(
    world: World, state: EngineState, i: int, hit: int, time: float
) -> tuple[int, bool]:
    """Let ball i leave the corner of what it hits now and what it hit before, if there is one.

    `hit` is an obstacle, or −1 − j for ball j. Each of the two gets a row, with the sum of its
    impulses. Gives a ball that was hit before, else ball i, and whether there was a corner.
    """
    before = state.ball[i].last
    third = -1 - before if before < 0 else i
    if before == hit or _restitution(world, before) < 1.0:
        return i, False
    a, b = _contact(world, state, i, hit, time), _contact(world, state, i, before, time)
    way = way_out(vector_at(state.velocity, i), world.mass[i], a, b)
    if way.bounces == 0.0:
        return i, False
    if before < 0:
        move_to(world, state, third, time)
        set_vector(state.velocity, third, way.velocity_b)
    if hit < 0:
        set_vector(state.velocity, -1 - hit, way.velocity_a)
    set_vector(state.velocity, i, way.velocity)
    _write_bounces(world, state, i, hit, time, a, way.vn_a, way.vn_after_a, way.impulse_a)
    _write_bounces(world, state, i, before, time, b, way.vn_b, way.vn_after_b, way.impulse_b)
    return third, True


@inlined
def _restitution(world: World, hit: int) -> float:
    if hit < 0:
        return float(world.restitution[-1 - hit])
    return float(world.obstacles.restitution[hit])


@routine
def _contact(world: World, state: EngineState, i: int, hit: int, time: float) -> Contact:
    x = vector_at(state.position, i)
    if hit >= 0:
        return Contact(normal_at(world.obstacles, hit, x), x * 0.0, 0.0)
    j = -1 - hit
    normal = (x - position_at(state, j, time)).unit()
    return Contact(normal, vector_at(state.velocity, j), 1.0 / world.mass[j])


@routine
def _write_bounces(
    world: World,
    state: EngineState,
    i: int,
    hit: int,
    time: float,
    contact: Contact,
    vn: float,
    vn_after: float,
    impulse: float,
) -> None:
    """Count the bounces of ball i off one thing as one impact, and write it down."""
    n = contact.normal
    if hit >= 0:
        point = vector_at(state.position, i) - n * world.radius[i]
        state.count[OBSTACLE_IMPACTS] += 1
        log_event(state, OBSTACLE, i, hit, time, point, n, vn, vn_after, impulse)
        return
    lower, higher = min(i, -1 - hit), max(i, -1 - hit)
    n = n if lower == i else n * -1.0
    point = vector_at(state.position, higher) + n * world.radius[higher]
    state.count[BALL_IMPACTS] += 1
    log_event(state, BALL, lower, higher, time, point, n, vn, vn_after, impulse)
