"""Answering one impact: move to it, change the velocities, write it down.

Inelastic collapse: infinitely many impacts in finite time. The step must end all the
same, so an impact is answered differently, and counted, where a ball has

- gone less than RAPID_PATH of its radius between each of its last RAPID impacts (and so has
  its partner) and is not elastic: then it is (S. Luding and S. McNamara, How to handle the
  inelastic collapse of a dissipative hard-sphere gas with the TC model, Granular Matter 1,
  1998, whose measure is a time; a length does not depend on the step); in a tube, which
  bends towards a ball that slides along it, it is also turned inwards to at least the angle
  GLIDE, at the same speed;
- not moved at all between its last STUCK impacts (nor has its partner): it is in a corner,
  which an elastic ball leaves on the way that it would take after all the bounces, with the
  energy that it had (`corner`). Where there is no corner, or no way out of it either, it is
  jammed, and loses its approach, in a tube all that is not along the axis; after as many
  again, all motion against what it is jammed with; and after as many once more it stands
  still until the next step. So does, without a jam, a ball that is not elastic and whose last
  ENDLESS impacts were rapid.
"""

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.response import exchange, glide, loss, reflect, stick_together
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.time_stepping.corners import leave_corner, leave_corner_between
from spheresim.engines.time_stepping.engine_state import (
    BALL_IMPACTS,
    COLLAPSE_ANSWERS,
    DEEPEST_OVERLAP,
    DISSIPATED,
    OBSTACLE_IMPACTS,
    EngineState,
)
from spheresim.engines.time_stepping.journal import log_event, move_to
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.table import cylinder_at, is_tube, normal_at

RAPID = 16
STUCK = 10_000
ENDLESS = 200_000
GLIDE = 1e-4


@routine
def resolve_balls(world: World, state: EngineState, a: int, b: int, time: float) -> int:
    """The impact of balls a < b at a time in the step.

    Gives a third ball whose flight has changed, or one of the two.
    """
    move_to(world, state, a, time)
    move_to(world, state, b, time)
    x_a, x_b = vector_at(state.position, a), vector_at(state.position, b)
    v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
    d = x_a - x_b
    overlap = world.radius[a] + world.radius[b] - d.mag()
    state.measure[DEEPEST_OVERLAP] = max(state.measure[DEEPEST_OVERLAP], overlap)
    normal = d.unit()
    vn = (v_a - v_b).dot(normal)
    if vn >= 0.0:
        return a  # a graze, by rounding
    restitution = own = min(world.restitution[a], world.restitution[b])
    rapid = min(state.ball[a].rapid, state.ball[b].rapid)
    stuck = min(state.ball[a].stuck, state.ball[b].stuck)
    if STUCK < stuck <= 2 * STUCK and own == 1.0:
        third, leaves = leave_corner_between(world, state, a, b, time)
        if leaves:
            return third
    state.ball[a].last, state.ball[b].last = -1 - b, -1 - a
    restitution = _unless_collapsing(state, rapid, stuck, restitution)
    after = exchange(v_a, v_b, world.mass[a], world.mass[b], normal, restitution)
    if stuck > 2 * STUCK:
        after = stick_together(v_a, v_b, world.mass[a], world.mass[b], normal)
    moves_on = _moves_on(rapid, stuck, own)
    set_vector(state.velocity, a, after.velocity_i * moves_on)
    set_vector(state.velocity, b, after.velocity_j * moves_on)
    state.measure[DISSIPATED] += loss(after.impulse, vn, after.vn_after)
    point = x_b + normal * world.radius[b]
    state.count[BALL_IMPACTS] += 1
    log_event(state, BALL, a, b, time, point, normal, vn, after.vn_after, after.impulse)
    return a


@routine
def resolve_obstacle(world: World, state: EngineState, i: int, k: int, time: float) -> int:
    """The impact of ball i on obstacle k at a time in the step.

    Gives another ball whose flight has changed, or ball i.
    """
    move_to(world, state, i, time)
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    normal = normal_at(world.obstacles, k, x)
    vn = v.dot(normal)
    rapid, stuck = state.ball[i].rapid, state.ball[i].stuck
    slides = rapid > RAPID and is_tube(world.obstacles, k, x)
    if vn >= 0.0 and not slides:
        return i  # a graze, by rounding
    restitution = own = min(world.restitution[i], world.obstacles.restitution[k])
    if STUCK < stuck <= 2 * STUCK and own == 1.0 and vn < 0.0:
        third, leaves = leave_corner(world, state, i, k, time)
        if leaves:
            return third
    state.ball[i].last = k
    restitution = _unless_collapsing(state, rapid, stuck, restitution)
    after = reflect(v, normal, restitution) if vn < 0.0 else v
    if slides:
        axis = cylinder_at(world.obstacles, k).axis
        turned = glide(after, normal, axis, GLIDE)
        state.count[COLLAPSE_ANSWERS] += turned != after
        after = axis * v.dot(axis) if stuck > STUCK else turned
    if stuck > 2 * STUCK:
        after = v * 0.0
    moves_on = _moves_on(rapid, stuck, own)
    set_vector(state.velocity, i, after * moves_on)
    vn_after = after.dot(normal)
    point = x - normal * world.radius[i]
    state.count[OBSTACLE_IMPACTS] += 1
    impulse = world.mass[i] * (vn_after - vn)
    state.measure[DISSIPATED] += loss(impulse, vn, vn_after)
    log_event(state, OBSTACLE, i, k, time, point, normal, vn, vn_after, impulse)
    return i


@inlined
def _moves_on(rapid: int, stuck: int, restitution: float) -> float:
    """1, or 0 for a ball that would be answered without end in this step."""
    return 0.0 if stuck > 3 * STUCK or (restitution < 1.0 and rapid > ENDLESS) else 1.0


@inlined
def _unless_collapsing(state: EngineState, rapid: int, stuck: int, restitution: float) -> float:
    """The restitution of an impact, or what ends a collapse."""
    if stuck > STUCK:
        state.count[COLLAPSE_ANSWERS] += 1
        return 0.0
    if restitution < 1.0 and rapid > RAPID:
        state.count[COLLAPSE_ANSWERS] += 1
        return 1.0
    return restitution
