"""Resolving one impact: velocities after it, counters, the journal.

What ends inelastic collapse, and how a ball leaves a corner, is the same in both engines
(`collision.collapse`, `collision.corner`). But a step must end, so in this engine a jammed
ball loses more and more of its motion. After WEDGED_IMPACTS impacts it loses its approach, in
a tube all motion that is not along the axis; after as many again, all motion relative to what
it is jammed with; after as many once more it stands still until the next step. An inelastic
ball stands still, too, after more than MOST_REPEATED_IMPACTS repeated impacts.
"""

from spheresim.collision.collapse import (
    GLIDE_ANGLE,
    LONG_AGO,
    may_leave_corner,
    restitution_unless_collapsing,
)
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import Event, NormalResponse, log_event
from spheresim.collision.repeated_impacts import (
    COLLAPSE_IMPACTS,
    JAMMED_IMPACTS,
    MOST_REPEATED_IMPACTS,
    STUCK_IMPACTS,
    WEDGED_IMPACTS,
)
from spheresim.collision.response import (
    CollisionResult,
    glide,
    loss,
    pair_restitution,
    stick_together,
)
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.time_stepping.corners import leave_corner
from spheresim.engines.time_stepping.engine_state import EngineState, absolute
from spheresim.engines.time_stepping.riding import clearing_speed
from spheresim.engines.time_stepping.trajectory import move_to
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import ZERO
from spheresim.obstacles.driven_walls.moving_walls import WallImpact
from spheresim.obstacles.table import bends_towards, normal_at, turning_axis


@routine
def resolve_balls(world: World, state: EngineState, a: int, b: int, time: float) -> int:
    """Resolve the impact of balls a < b at a time in the step.

    Returns a third ball whose flight has changed, or one of the two.
    """
    # The contact.
    flown_a, flown_b = _time_flown(state, a, time), _time_flown(state, b, time)
    move_to(world, state, a, time)
    move_to(world, state, b, time)
    x_a, x_b = vector_at(state.position, a), vector_at(state.position, b)
    v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
    d = x_a - x_b
    overlap = world.radius[a] + world.radius[b] - d.mag()
    state.measure.deepest_overlap = max(state.measure.deepest_overlap, overlap)
    normal = d.unit()
    vn = (v_a - v_b).dot(normal)
    wedged = min(state.ball[a].wedged, state.ball[b].wedged)
    if world.walls.exist():
        state.rule.count_repeated(state, a, -vn * flown_a, world.radius[a])
        state.rule.count_repeated(state, b, -vn * flown_b, world.radius[b])
    if vn >= 0.0 and wedged <= STUCK_IMPACTS:
        return a  # a graze, by rounding
    # A corner, with a third ball or an obstacle.
    smaller = pair_restitution(world.restitution[a], world.restitution[b])
    own = world.materials.restitution_at(a, b, -vn, smaller)
    repeated = min(state.ball[a].repeated, state.ball[b].repeated)
    if may_leave_corner(wedged, own) and world.materials.reflects():
        third, leaves = leave_corner(world, state, a, -1 - b, time)
        if not leaves:
            third, leaves = leave_corner(world, state, b, -1 - a, time)
        if leaves:
            return third
    state.ball[a].last, state.ball[b].last = -1 - b, -1 - a
    # The velocities after it.
    counted = state.rule.collapsing(repeated)
    restitution = restitution_unless_collapsing(state.count, counted, wedged, own)
    after = state.rule.pair_answer(world, state, a, b, normal, restitution)
    # What an obstacle pushes on goes on with it, and not to rest.
    moves_on = _moves_on(repeated, wedged, own)
    goes_along = moves_on == 0.0 and world.walls.any_move()
    if wedged > STUCK_IMPACTS or goes_along:
        after = stick_together(v_a, v_b, world.mass[a], world.mass[b], normal)
    moves_on = 1.0 if goes_along else moves_on
    is_hard = state.rule.is_hard(world, state, a, b, -vn)
    after = world.materials.rub(state, a, b, normal, after, is_hard and wedged <= WEDGED_IMPACTS)
    set_vector(state.velocity, a, after.velocity_i * moves_on)
    set_vector(state.velocity, b, after.velocity_j * moves_on)
    # Counters and the journal.
    state.measure.dissipated += loss(after.impulse, vn, after.vn_after)
    state.count.ball_impacts += 1
    point, step = x_b + normal * world.radius[b], state.count.step
    response = NormalResponse(vn, after.vn_after, after.impulse)
    log_event(state, Event(BALL, a, b, step, time), point, normal, response)
    world.materials.log_tangential(state)
    return a


@routine
def resolve_obstacle(world: World, state: EngineState, i: int, k: int, time: float) -> int:
    """Resolve the impact of ball i on obstacle k at a time in the step.

    Returns another ball whose flight has changed, or ball i.
    """
    # The contact; velocities are relative to the obstacle's.
    flown = _time_flown(state, i, time)
    move_to(world, state, i, time)
    walls, now = world.walls, absolute(state, time)
    frame, x = walls.frame_at(state.walls, k, now), vector_at(state.position, i)
    seen = frame.path(x, vector_at(state.velocity, i), ZERO)
    normal = frame.turned(normal_at(world.obstacles, k, seen.x))
    wall = frame.velocity_at(x - normal * world.radius[i])
    v = vector_at(state.velocity, i) - wall
    vn = v.dot(normal)
    if walls.exist():
        state.rule.count_repeated(state, i, -vn * flown, world.radius[i])
    repeated, wedged = state.ball[i].repeated, state.ball[i].wedged
    slides = repeated > COLLAPSE_IMPACTS and bends_towards(world.obstacles, k, seen.x, seen.v)
    if vn >= 0.0 and not slides and wedged <= STUCK_IMPACTS:
        return i  # a graze, by rounding
    if walls.moves(k):
        state.rule.rouse(world, state, i)
    # A corner, with a ball or another obstacle.
    surface = world.materials.surface_of_row(k)
    smaller = pair_restitution(world.restitution[i], world.obstacles.restitution[k])
    own = world.materials.restitution_at(i, surface, -vn, smaller)
    reflects = world.materials.reflects() and not walls.moves(k)
    if may_leave_corner(wedged, own) and vn < 0.0 and reflects:
        third, leaves = leave_corner(world, state, i, k, time)
        if leaves:
            return third
    state.ball[i].last = k
    # The velocity after it.
    counted = state.rule.collapsing(repeated)
    restitution = restitution_unless_collapsing(state.count, counted, wedged, own)
    after, impact = v, WallImpact(k, now, wall, v, normal, world.mass[i])
    if vn < 0.0:
        after = state.rule.obstacle_answer(world, state, i, k, v, normal, restitution)
        after = walls.drawn(state.walls, impact, after)
    if slides:
        axis = frame.turned(turning_axis(world.obstacles, k, seen.x, seen.v))
        turned = glide(after, normal, axis, GLIDE_ANGLE)
        state.count.collapse_answers += turned != after
        after = axis * v.dot(axis) if wedged > WEDGED_IMPACTS else turned
    moves_on = _moves_on(repeated, wedged, own)
    if walls.moves(k) and (wedged > STUCK_IMPACTS or moves_on == 0.0):
        after = v + normal * (clearing_speed(world, state, i, k, normal) - vn)
        moves_on = 1.0
    elif wedged > STUCK_IMPACTS:
        after = v * 0.0
    after = walls.parted(impact, x, world.radius[i], after)
    vn_after = after.dot(normal)
    impulse = walls.inertia(k, world.mass[i]) * (vn_after - vn)
    is_hard = state.rule.is_hard(world, state, i, i, -vn) and wedged <= WEDGED_IMPACTS
    result = CollisionResult(after, v * 0.0, vn_after, impulse)
    after = world.materials.rub(state, i, surface, normal, result, is_hard).velocity_i
    after = walls.rebound(state.walls, impact, after)
    set_vector(state.velocity, i, after * moves_on)
    # Counters and the journal.
    state.measure.dissipated += 0.0 if walls.is_warm(k) else loss(impulse, vn, vn_after)
    state.count.obstacle_impacts += 1
    point, step = x - normal * world.radius[i], state.count.step
    response = NormalResponse(vn, vn_after, impulse)
    log_event(state, Event(OBSTACLE, i, k, step, time), point, normal, response)
    world.materials.log_tangential(state)
    return i


@inlined
def _time_flown(state: EngineState, i: int, time: float) -> float:
    """The time since ball i's last impact, or very long if that was before this step."""
    ball = state.ball[i]
    return float(time - ball.clock) if ball.clock > 0.0 or ball.wedged > 0 else LONG_AGO


@inlined
def _moves_on(repeated: int, wedged: int, restitution: float) -> float:
    """Factor on the velocity: 0 for a ball whose impacts in this step would never end, else 1."""
    endless = wedged > JAMMED_IMPACTS or (restitution < 1.0 and repeated > MOST_REPEATED_IMPACTS)
    return 0.0 if endless else 1.0
