"""Predicting when a ball next touches something: exactly in this step, conservatively later.

Most balls touch nothing in most steps. So each keeps the first step in which it could, and is
left alone until then. For planes and cylinders that follows from the distance to the nearest one,
for features from the path ahead (`obstacles/features/free_flight`). For balls it is the predicted
impact itself: gravity, which is the same for all, does not change the relative motion of two balls,
nor so their prediction. (Where one of them is in contact, only a bound of their approach is known.)
Which balls are near enough to be predicted is found by spheres: each ball has one that it does not
leave before it is due again, and only balls whose spheres touch can collide.
"""

import math

from spheresim.broadphase.sphere_grids.hashed_grid import place
from spheresim.broadphase.sphere_grids.neighbour_lists import candidates, rebuild_row
from spheresim.collision.event_order import ScheduledImpact, comes_before
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.repeated_impacts import SQUEEZED_IMPACTS
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.time_stepping.engine_state import EngineState, absolute
from spheresim.engines.time_stepping.event_calendar import cancel, schedule
from spheresim.engines.time_stepping.pair_toi import pair_toi_in_step
from spheresim.engines.time_stepping.trajectory import (
    JUST_LONGER,
    MOST_STEPS_AHEAD,
    position_at,
    step_of,
    time_to_travel,
)
from spheresim.model.state import World
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector
from spheresim.numerics.whole_steps import NEVER
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.driven_walls.toi import Flight
from spheresim.obstacles.features.free_flight import KickedBall
from spheresim.obstacles.features.index import swept_bounds
from spheresim.obstacles.table import (
    clearance,
    is_tube,
    normal_at,
    opposite_toi,
    toi,
    unbounded_row,
)

_SAFETY_FACTOR = 1.0 + 1e-8
"""On radii and distances in later steps; exceeds the rounding of all kicks until then."""

_POSITION_ERROR = MOST_STEPS_AHEAD * 2.0**-52
"""Relative error bound of a position after as many steps, each with the rounding of x + v·h."""

_KEEP_FRACTION = 0.1
"""A sphere is kept if its ball stays in it for this fraction of the time in a new one. Measured."""


@inlined
def predict_anew(state: EngineState, i: int) -> None:
    """Void what is predicted for ball i, which is due again at once."""
    ball = state.ball[i]
    ball.stamp += 1
    ball.ball_due = ball.obstacle_due = 0
    cancel(state.calendar, i)


@routine
def predict_next_event(world: World, state: EngineState, i: int) -> None:
    """Predict and schedule ball i's next event in this step, and set when it is due again."""
    # What obstacles that move squeeze has no way out: it hits nothing more in this step.
    if world.walls.any_move() and state.ball[i].wedged > SQUEEZED_IMPACTS:
        cancel(state.calendar, i)
        return
    length = float(state.measure.length)
    obstacle, obstacle_time = next_obstacle(world, state, i)
    # The time until which other balls are sought: slices may look past an obstacle, but
    # analytic times after an impact on one are void.
    sought = length if state.slices > 0 else min(obstacle_time, length)
    update_sphere(world, state, i, sought - state.ball[i].clock)
    # The earlier of the two events.
    other, ball_time = next_ball(world, state, i)
    on_ball = ScheduledImpact(ball_time, BALL, i, other)
    on_obstacle = ScheduledImpact(obstacle_time, OBSTACLE, i, obstacle)
    if ball_time < math.inf and not comes_before(on_obstacle, on_ball):
        schedule(state.calendar, on_ball, state.ball[other].stamp)
    elif obstacle_time < math.inf:
        schedule(state.calendar, on_obstacle, world.walls.stamp(state.walls, obstacle))
    else:
        cancel(state.calendar, i)
    if state.rule.sleeps(state, i):
        state.ball[i].ball_due = NEVER
        if not world.walls.any_move():
            state.ball[i].obstacle_due = NEVER


@routine
def next_obstacle(world: World, state: EngineState, i: int) -> tuple[int, float]:
    """The first obstacle that ball i touches in this step, and when; inf if none.

    Sets `obstacle_due`, the next step in which it may touch one.
    """
    # Planes and cylinders in this step, and how near the nearest one is.
    obstacles, x, v = world.obstacles, vector_at(state.position, i), vector_at(state.velocity, i)
    radius, speed, clock = world.radius[i], v.mag(), state.ball[i].clock
    rest = state.measure.length - clock
    first, first_time, nearest, travel = -1, math.inf, math.inf, speed * rest * _SAFETY_FACTOR
    for n in range(obstacles.unbounded.size):
        k = unbounded_row(obstacles, n)
        distance = clearance(obstacles, k, x) - radius
        nearest = min(nearest, distance)
        if speed > 0.0 and distance <= travel:
            time = _time_in_step(world, state, i, k)
            if time < first_time or (time == first_time and k < first):
                first, first_time = k, time
    # Obstacles that move, in this step; the next step tests them again.
    walls, moving = world.walls, world.walls.moving_rows()
    for n in range(moving):
        k = walls.moving_row(n)
        time = _time_to_wall(world, state, i, k)
        if time < first_time or (time == first_time and k < first):
            first, first_time = k, time
    # In later steps: not before the ball can have gone as far as the nearest one, nor before its
    # path comes near a feature.
    nearest = max(0.0, nearest / _SAFETY_FACTOR - _POSITION_ERROR * manhattan_norm(x))
    free = min(time_to_travel(world, state, speed, nearest), MOST_STEPS_AHEAD * state.timestep)
    ahead = max(free, rest * JUST_LONGER)
    kicked = KickedBall(BallPath(x, v, world.gravity), radius, state.timestep)
    off = obstacles.features.free_time(obstacles, kicked, ahead)
    free = min(free, off) if moving == 0 else 0.0
    state.ball[i].obstacle_due = max(state.count.step + 1, step_of(state, clock + free))
    # Features in this step.
    if obstacles.features.has_any() and off <= rest and speed > 0.0:
        near_path = swept_bounds(BallPath(x, v, ZERO), radius, 0.0, rest * JUST_LONGER)
        leaf = obstacles.features.leaf_after(0, near_path)
        while leaf > 0:
            k = obstacles.features.feature_at(leaf)
            if not obstacles.features.is_clear(obstacles, k, near_path):
                time = _time_in_step(world, state, i, k)
                if time < first_time or (time == first_time and k < first):
                    first, first_time = k, time
            leaf = obstacles.features.leaf_after(leaf, near_path)
    return first, first_time


@routine
def _time_to_wall(world: World, state: EngineState, i: int, k: int) -> float:
    """When ball i touches row k, which moves, in this step; inf if it does not."""
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    time, length = float(state.ball[i].clock), float(state.measure.length)
    while time < length:
        path = BallPath(x + v * (time - state.ball[i].clock), v, ZERO)
        flight = Flight(path, world.radius[i], absolute(state, time), length - time)
        met = world.walls.meeting(state.walls, world.obstacles, k, flight)
        if met.is_sure:
            return min(time + met.time, length) if met.time <= length - time else math.inf
        time += met.time
    return math.inf


@inlined
def _time_in_step(world: World, state: EngineState, i: int, k: int) -> float:
    """When ball i, which moves, touches obstacle k in this step; inf if it does not."""
    ray = TRay(vector_at(state.position, i), vector_at(state.velocity, i))
    clock, length = float(state.ball[i].clock), float(state.measure.length)
    time, left = toi(world.obstacles, k, ray, world.radius[i]), length - clock
    if time <= left and _rests_on(world, state, i, k, ray, time):
        time = opposite_toi(world.obstacles, k, ray, world.radius[i])
    return min(clock + time, length) if time <= left else math.inf


@inlined
def _rests_on(world: World, state: EngineState, i: int, k: int, ray: TRay, time: float) -> bool:
    """Whether ball i, which would hit obstacle k after a time, touches it already, and penetrates
    it at the end of the step by no more than rounding.

    A tube bends towards a ball that slides along its wall, unless it goes along the axis, and the
    mouth of a ring towards one that goes around in it.
    """
    x, v, radius = ray.origin, ray.direction, world.radius[i]
    rest = state.measure.length - state.ball[i].clock
    distance = clearance(world.obstacles, k, x) - radius
    rounding = ROUNDING * (manhattan_norm(x) + radius)
    slowest = ROUNDING * manhattan_norm(v) + state.rule.creep(world, state, i, distance)
    if distance > rounding or v.dot(normal_at(world.obstacles, k, x)) < -slowest:
        return False
    half_way = clearance(world.obstacles, k, x + v * (0.5 * time)) - radius
    if half_way > rounding:
        return False  # it is clear of it before: what it hits is another side, as of a ring's mouth
    end = x + v * rest
    if is_tube(world.obstacles, k, end) != is_tube(world.obstacles, k, x):
        return False  # it would go through the wall
    gap = clearance(world.obstacles, k, end) - radius
    return bool(gap >= min(distance, 0.0) - rounding - slowest * rest)


@inlined
def update_sphere(world: World, state: EngineState, i: int, at_least: float) -> None:
    """Keep ball i's sphere if the ball stays in it for some time, at least for the one given, else
    renew it; sets when the ball may leave it."""
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    time = time_to_travel(world, state, 0.5 * v.mag(), state.skin)
    stay = _time_inside(world, state, i, x, v.mag())
    if stay < max(_KEEP_FRACTION * time, at_least):
        stay = renew_sphere(world, state, i, at_least)
    state.ball[i].ball_due = step_of(state, state.ball[i].clock + stay)


@routine
def renew_sphere(world: World, state: EngineState, i: int, at_least: float) -> float:
    """Give ball i a sphere that it does not leave for some time, which is returned: at least for
    the one given.

    From the middle of a straight path of time T, a path with kicks strays no further than
    |v|·T/2 + g·T·(T + 2h)/2; T is such that this is the skin.
    """
    x, v = vector_at(state.position, i), vector_at(state.velocity, i)
    half_speed, gravity = 0.5 * v.mag(), world.gravity.mag()
    time = time_to_travel(world, state, half_speed, state.skin)
    time = min(max(time, at_least), MOST_STEPS_AHEAD * state.timestep)
    curvature = 0.5 * gravity * time * (time + 2.0 * state.timestep)
    reach = (
        world.radius[i] + half_speed * time + curvature
    ) * _SAFETY_FACTOR + _POSITION_ERROR * manhattan_norm(x)
    place(state.grid, i, x + v * (0.5 * time), reach * _SAFETY_FACTOR)
    rebuild_row(state.lists, state.grid, i, state.found)
    return time


@inlined
def _time_inside(world: World, state: EngineState, i: int, x: TVector, speed: float) -> float:
    """A time for which ball i surely stays in its present sphere; 0 if it is outside."""
    sphere = state.grid.sphere[i]
    off_centre = x.dist(TVector(sphere.x, sphere.y, sphere.z))
    margin = (
        sphere.reach
        - (world.radius[i] + off_centre) * _SAFETY_FACTOR
        - _POSITION_ERROR * manhattan_norm(x)
    )
    return time_to_travel(world, state, speed, margin) if margin > 0.0 else 0.0


@inlined
def next_ball(world: World, state: EngineState, i: int) -> tuple[int, float]:
    """The first ball that ball i touches in this step, and when; inf if none.

    Lowers both balls' `ball_due` to the step of any later contact. With slices no time is
    computed here: a ball that may touch another one becomes a slice candidate.
    """
    first, first_time, length = -1, math.inf, float(state.measure.length)
    state.ball[i].earliest_contact = math.inf
    for n in range(candidates(state.lists, state.grid, i, state.found)):
        j = state.found[n]
        if state.rule.sleeps(state, i) and state.rule.sleeps(state, j):
            continue  # neither moves before it wakes, and then it is predicted anew
        # A time before which the two surely do not touch, seen from the later clock.
        base = max(state.ball[i].clock, state.ball[j].clock)
        x_i, x_j = position_at(state, i, base), position_at(state, j, base)
        v = vector_at(state.velocity, i) - vector_at(state.velocity, j)
        grown = (world.radius[i] + world.radius[j]) * _SAFETY_FACTOR + _POSITION_ERROR * (
            manhattan_norm(x_i) + manhattan_norm(x_j)
        )
        earliest = base + contact_quadratic(x_i - x_j, v, grown).first_root()
        # In a later step.
        if earliest > length:
            if not state.rule.fly_alike(state, i, j):
                gap = x_i.dist(x_j) - grown
                earliest = base + time_to_travel(world, state, v.mag(), max(gap, 0.0))
            due = max(state.count.step + 1, step_of(state, earliest))
            state.ball[i].ball_due = min(state.ball[i].ball_due, due)
            state.ball[j].ball_due = min(state.ball[j].ball_due, due)
            continue
        # Maybe in this one.
        state.ball[i].ball_due = state.count.step + 1
        state.ball[j].ball_due = min(state.ball[j].ball_due, state.count.step + 1)
        if state.slices > 0:
            _add_slice_candidate(state, i, earliest)
            continue
        # The pair in a fixed order, so that both balls get the same bits.
        time = pair_toi_in_step(world, state, min(i, j), max(i, j), base)
        if time <= length and comes_before(
            ScheduledImpact(time, BALL, i, j), ScheduledImpact(first_time, BALL, i, first)
        ):
            first, first_time = j, time
    return first, first_time


@inlined
def _add_slice_candidate(state: EngineState, i: int, time: float) -> None:
    """Note that ball i may touch another ball in this step, from this time on."""
    ball, step = state.ball[i], state.count.step
    ball.earliest_contact = min(ball.earliest_contact, time)
    if ball.candidate_step != step:
        ball.candidate_step = step
        state.slice_candidates[state.count.slice_candidates] = i
        state.count.slice_candidates += 1
