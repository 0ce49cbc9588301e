"""When does a ball next touch something? Inside the step to the last bit, later on the safe side.

Most balls touch nothing in most steps. So each keeps the first step in which it could,
and is left alone until then. For obstacles that is when the ball could have gone as far
as the nearest one. For balls it is the predicted impact itself: a kick that is the same
for all leaves the relative motion of two balls, and so their prediction, as it was.
Who is near enough to be predicted is found by spheres: each ball has one that it does
not leave before its next turn, and only balls whose spheres touch can meet.
"""

import math

from spheresim.broadphase.grid import place
from spheresim.broadphase.neighbour_lists import candidates, renew
from spheresim.collision.impacts import BALL, OBSTACLE, comes_before
from spheresim.collision.toi import pair_toi
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.time_stepping.calendar import cancel, schedule
from spheresim.engines.time_stepping.engine_state import (
    AT_MOST_AHEAD,
    MEETING,
    STEP,
    EngineState,
    StepParameters,
    position_at,
    size,
    step_of,
    time_to_travel,
)
from spheresim.model.state import World
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import clearance, cylinder_at, is_tube, normal_at, toi

ROUNDING = 4.0 * 2.0**-52
"""Some units in the last place: what is smaller than this, relatively, is not there."""

_GROWN = 1.0 + 1e-8
"""Radii are grown by it to predict later steps: it is more than the kicks' rounding till then."""

_ASTRAY = AT_MOST_AHEAD * 2.0**-52
"""How far, of its coordinates, the rounding of x + v·h can lead a ball in all steps till then."""

_WORTH_STAYING = 0.1
"""Of the time that a new sphere would do for: below it, the old one is given up. Measured."""


@routine
def predict_next_event(
    world: World, state: EngineState, parameters: StepParameters, i: int, length: float
) -> None:
    """Put ball i's next event of this step on the calendar, and say when it is due again."""
    obstacle, obstacle_time = next_obstacle(world, state, parameters, i, length)
    # A slice looks beyond an obstacle in between; analytic times after it are void anyway.
    known = length if parameters.slices > 0 else min(obstacle_time, length)
    _enclose(world, state, parameters, i, known - state.ball[i].clock)
    other, ball_time = next_ball(world, state, parameters, i, length)
    if ball_time < math.inf and not comes_before(
        obstacle_time, OBSTACLE, i, obstacle, ball_time, BALL, i, other
    ):
        schedule(state.calendar, i, ball_time, BALL, other, state.ball[other].stamp)
    elif obstacle_time < math.inf:
        schedule(state.calendar, i, obstacle_time, OBSTACLE, obstacle, 0)
    else:
        cancel(state.calendar, i)


@inlined
def next_obstacle(
    world: World, state: EngineState, parameters: StepParameters, i: int, length: float
) -> tuple[int, float]:
    """The first obstacle that ball i touches in this step, and when; inf if none."""
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    radius, speed = world.radius[i], v.mag()
    rest = length - state.ball[i].clock
    first, first_time, nearest = -1, math.inf, math.inf
    for k in range(world.obstacles.kind.size):
        distance = clearance(world.obstacles, k, x) - radius
        nearest = min(nearest, distance)
        if speed == 0.0 or distance > speed * rest * _GROWN:
            continue
        time = toi(world.obstacles, k, TRay(x, v), radius)
        if time > rest or _only_touches(world, i, k, x, v, distance):
            continue
        time = min(state.ball[i].clock + time, length)
        if time < first_time:
            first, first_time = k, time
    free = time_to_travel(world, parameters, speed, max(0.0, nearest / _GROWN - _ASTRAY * size(x)))
    state.ball[i].obstacle_due = max(
        state.count[STEP] + 1, step_of(state, parameters, state.ball[i].clock + free)
    )
    return first, first_time


@inlined
def _only_touches(world: World, i: int, k: int, x: TVector, v: TVector, distance: float) -> bool:
    """Whether ball i lies on obstacle k without approaching it by more than rounding.

    A tube bends towards whatever slides along its wall, but for what goes along its axis.
    """
    if distance > ROUNDING * (size(x) + world.radius[i]):
        return False
    if is_tube(world.obstacles, k, x):
        axis = cylinder_at(world.obstacles, k).axis
        return size(v - axis * v.dot(axis)) <= ROUNDING * size(v)
    return v.dot(normal_at(world.obstacles, k, x)) >= -ROUNDING * size(v)


@inlined
def _enclose(
    world: World, state: EngineState, parameters: StepParameters, i: int, at_least: float
) -> None:
    """See to it that ball i has a sphere that holds it for a while, at least for the time given.

    Around the middle of a straight path of time T, a path bent by kicks stays within
    |v|·T/2 + g·T·(T + 2h)/2, which `time_to_travel` with half the speed takes to be the skin.
    """
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    half_speed, gravity = 0.5 * v.mag(), world.gravity.mag()
    time = time_to_travel(world, parameters, half_speed, parameters.skin)
    stay = _time_inside(world, state, parameters, i, x, 2.0 * half_speed)
    if stay >= max(_WORTH_STAYING * time, at_least):
        state.ball[i].ball_due = step_of(state, parameters, state.ball[i].clock + stay)
        return
    time = min(max(time, at_least), AT_MOST_AHEAD * parameters.step)
    bend = 0.5 * gravity * time * (time + 2.0 * parameters.step)
    reach = (world.radius[i] + half_speed * time + bend) * _GROWN + _ASTRAY * size(x)
    place(state.grid, i, x + v * (0.5 * time), reach * _GROWN)
    renew(state.lists, state.grid, i, state.found)
    state.ball[i].ball_due = step_of(state, parameters, state.ball[i].clock + time)


@inlined
def _time_inside(
    world: World, state: EngineState, parameters: StepParameters, i: int, x: TVector, speed: float
) -> float:
    """A time for which ball i surely stays in the sphere that it has; 0 if it is not in it."""
    sphere = state.grid.sphere[i]
    off_centre = x.dist(TVector(sphere.x, sphere.y, sphere.z))
    room = sphere.reach - (world.radius[i] + off_centre) * _GROWN - _ASTRAY * size(x)
    return time_to_travel(world, parameters, speed, room) if room > 0.0 else 0.0


@inlined
def next_ball(
    world: World, state: EngineState, parameters: StepParameters, i: int, length: float
) -> tuple[int, float]:
    """The first ball that ball i touches in this step, and when; inf if none.

    Lowers both balls' `ball_due` to the step of every later meeting. With slices, no
    time is asked for here: the ball is put among those that meet somebody.
    """
    first, first_time = -1, math.inf
    state.ball[i].meets = math.inf
    for n in range(candidates(state.lists, state.grid, i, state.found)):
        j = state.found[n]
        base = max(state.ball[i].clock, state.ball[j].clock)
        x_i, x_j = position_at(state, i, base), position_at(state, j, base)
        v = vector_at(state.velocity, i) - vector_at(state.velocity, j)
        grown = (world.radius[i] + world.radius[j]) * _GROWN + _ASTRAY * (size(x_i) + size(x_j))
        earliest = base + contact_quadratic(x_i - x_j, v, grown).first_root()
        if earliest > length:
            due = max(state.count[STEP] + 1, step_of(state, parameters, earliest))
            state.ball[i].ball_due = min(state.ball[i].ball_due, due)
            state.ball[j].ball_due = min(state.ball[j].ball_due, due)
            continue
        state.ball[i].ball_due = state.count[STEP] + 1
        state.ball[j].ball_due = min(state.ball[j].ball_due, state.count[STEP] + 1)
        if parameters.slices > 0:
            _join_meeting(state, i, earliest)
            continue
        # Both orders of a pair must give the same bits.
        time = meeting_time(world, state, min(i, j), max(i, j), base, length)
        if time <= length and (
            first < 0 or comes_before(time, BALL, i, j, first_time, BALL, i, first)
        ):
            first, first_time = j, time
    return first, first_time


@inlined
def meeting_time(
    world: World, state: EngineState, a: int, b: int, base: float, length: float
) -> float:
    """The time in the step at which balls a < b meet, seen from `base`; inf if never."""
    x_a, x_b = position_at(state, a, base), position_at(state, b, base)
    v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
    radius_a, radius_b = world.radius[a], world.radius[b]
    if _touch(x_a, x_b, v_a, v_b, radius_a + radius_b, length):
        return base if approach(x_a, x_b, v_a, v_b) else math.inf
    return base + pair_toi(x_a, v_a, radius_a, x_b, v_b, radius_b)


@inlined
def _touch(x_a: TVector, x_b: TVector, v_a: TVector, v_b: TVector, s: float, length: float) -> bool:
    """Whether two balls overlap, or are nearer than positions and times can tell."""
    unseen = size(x_a) + size(x_b) + s + size(v_a - v_b) * length
    return x_a.dist(x_b) - s <= ROUNDING * unseen


@inlined
def approach(x_a: TVector, x_b: TVector, v_a: TVector, v_b: TVector) -> bool:
    """Whether two balls come nearer by more than the rounding of their velocities."""
    d = x_a - x_b
    return (v_a - v_b).dot(d) < -ROUNDING * (size(v_a) + size(v_b)) * d.mag()


@inlined
def _join_meeting(state: EngineState, i: int, time: float) -> None:
    state.ball[i].meets = min(state.ball[i].meets, time)
    if state.ball[i].met != state.count[STEP]:
        state.ball[i].met = state.count[STEP]
        state.meeting[state.count[MEETING]] = i
        state.count[MEETING] += 1
