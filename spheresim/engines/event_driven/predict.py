"""Predicting a ball's next event: the earliest of all that it could hit.

Only the earliest is kept. If the partner is hit before, the partner's stamp has changed, and
the ball's event is predicted again when it would have fired: about 1.5 predictions an impact
at packing fraction .49, where keeping the events of all pairs takes 3.7.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import BALL, NEIGHBOURHOOD_EXIT, OBSTACLE
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.compiler.simd import LANES, SQUARE, gather_transpose
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    Measures,
    absolute,
    relative_velocity,
    separation,
)
from spheresim.engines.event_driven.event_calendar import enter
from spheresim.engines.event_driven.motion import SAFETY_FACTOR, VELOCITY_ERROR
from spheresim.engines.event_driven.moving_ball import MovingBall, moving_ball
from spheresim.engines.event_driven.neighbour_lists import (
    candidates,
    images_near,
    rebuild_neighbours,
    time_to_exit,
)
from spheresim.engines.event_driven.robust_pair_toi import contact_tolerance, robust_pair_toi
from spheresim.model.periodic_space import has_image, shift_to_image
from spheresim.numerics.rounding import ROUNDING
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.driven_walls.toi import LATEST, Flight, Meeting
from spheresim.obstacles.features.index import swept_bounds
from spheresim.obstacles.table import falling_toi, rests_on_plane, unbounded_row

_LATEST = 1e150
"""A time beyond all others that can be multiplied without overflow."""

_POSITION_ERROR = 480.0 * 2.0**-52 * SAFETY_FACTOR
"""Error bound of a discriminant b² − a·c, over a·s times the coordinate bound.

Without the safety factor: positions are off by 3 units in the last place of the coordinate
bound each, and their difference by 2 more, which gives 4·a·|d| times that; the rounding of
b² − a·c itself is below 16·a·(|d|² + s²) units. |d| is up to 20·s, for c is up to 400·s², and
the coordinate bound includes 14 radii.
"""

_FAR_SQR = 400.0
"""Pairs with c above this many s² are computed by `robust_pair_toi`: plain floats are too short."""


class _Neighbours(NamedTuple):
    """As many neighbours of a ball, in an array of indices from place `start` on."""

    array: npt.NDArray[np.uint32]
    start: int
    many: int


@inlined
def predict_next_event(
    environment: Environment, state: EngineState, i: int, now: float, rebuild_threshold: float
) -> None:
    """Predict ball i's next event and enter it into the calendar.

    If less than `rebuild_threshold` · margin is left before the ball leaves its neighbourhood,
    the neighbourhood is rebuilt now: that would soon be due, and everything is predicted again
    anyway (5 % faster at packing fraction .3). It is inf for a ball at the exit.
    """
    event, ball = state.event[i], moving_ball(environment, state, i, now)
    # The exit from the neighbourhood.
    stay = 0.0 if rebuild_threshold == math.inf else time_to_exit(environment, state, ball)
    speed = environment.shear.peculiar(ball.x, ball.v).mag()
    if stay * speed < rebuild_threshold * event.margin:
        rebuild_neighbours(environment, state, i, now)
        stay = time_to_exit(environment, state, ball)
    event.time, event.kind, event.other = now + stay, NEIGHBOURHOOD_EXIT, 0
    environment.contact.limit_event(state, i)
    environment.shear.limit_event(state, i)
    # What is hit before.
    if state.body[i].near_obstacles != 0:
        _predict_obstacle(environment, state, ball)
    if environment.obstacles.features.has_any():
        _predict_feature(environment, state, ball)
    if environment.walls.any_move():
        _predict_walls(environment, state, ball)
    _predict_ball(environment, state, ball)
    if event.kind == BALL:
        event.other_stamp = state.event[event.other].stamp
    enter(state.calendar, state.event, state.body, i)


@inlined
def _predict_ball(environment: Environment, state: EngineState, ball: MovingBall) -> None:
    """Make the earliest impact with another ball the ball's event, if it is before the present one.

    In two rounds: the first tests up to LANES neighbours in a loop without branches, which the
    compiler turns into vector instructions; the second computes times for the few that passed,
    in plain floats or, where rounding could decide, with more digits.
    """
    i, now = ball.i, ball.time
    array, first, end = candidates(environment, state, i, now)
    event = state.event[i]
    # A sweep starts with the last neighbour of the one before: so two sweeps fit in a row.
    for start in range(first, max(first + 1, end - 1), LANES - 1):
        # Up to rounding: on exact ties the order of the neighbours must not decide.
        left = min(event.time - now + ROUNDING * abs(event.time), _LATEST)
        many = min(LANES, end - start)
        row = _Neighbours(array, start, many)
        hits = _test_neighbours(environment, state, ball, row, left)
        hits &= (np.uint64(1) << np.uint64(many)) - np.uint64(1)
        while hits != 0:
            k = lowest_bit(hits)
            hits &= hits - np.uint64(1)
            j = array[start + k]
            if _rounding_decides(environment, state, ball, j, k):
                time = now + robust_pair_toi(environment, state, ball, j)
            else:
                time = now + _first_root_in_lane(state, k)
            _take_if_earlier(state, i, j, time)


@inlined
def _test_neighbours(
    environment: Environment,
    state: EngineState,
    moving: MovingBall,
    neighbours: _Neighbours,
    left: float,
) -> Any:
    """A set of bits of these neighbours, and of a few behind them: those that may be hit within
    the time left, whose b, c, discriminant and its error are then in lanes.

    The error is infinite for neighbours to be computed one by one, which are far away, do not
    fall as ball i does, or grow fast beside their relative motion.
    """
    # The neighbours' records as columns.
    now, x, v, ball = moving.time, moving.x, moving.v, state.ball[moving.i]
    lanes, hits, latest = state.lanes, np.uint64(0), -2.0 * left
    position_error, velocity_error = _discriminant_errors(state.measure)
    squares = (neighbours.many + SQUARE - 1) // SQUARE
    gather_transpose(state.ball, neighbours.array, neighbours.start, squares, lanes)
    for k in range(squares * SQUARE):
        # The quadratic a·t² + 2b·t + c of the pair.
        other = environment.motion.ball_in_lane(lanes, k)
        y, u = (
            environment.motion.position_of(other, now),
            environment.motion.velocity_of(other, now),
        )
        d = separation(environment, state, x, y, now)
        w = relative_velocity(environment, x, v, y, u)
        final = ball.radius + other.radius
        s, w_sqr = environment.growth.radius_at(state.measure, final, now), w.mag_sqr()
        b = environment.growth.quadratic_b(d.dot(w), final, s)
        a, c = environment.growth.quadratic_a(w_sqr, final), d.mag_sqr() - s * s
        discriminant = b * b - a * c
        # Is it hit in time? As t ≥ c / −2b, the last condition rejects what is too late.
        error = environment.motion.discriminant_error(a, s, position_error, velocity_error)
        hit = (b < 0.0) & (discriminant >= -error) & (c <= b * latest)
        alike = environment.motion.same_acceleration(ball, other)
        slow = environment.growth.is_slow_beside(a, w_sqr)
        in_doubt = (c > _FAR_SQR * (s * s)) | (not alike) | slow
        lanes[k], lanes[LANES + k], lanes[2 * LANES + k] = b, c, discriminant
        lanes[3 * LANES + k] = math.inf if in_doubt else error
        hits |= np.uint64(hit | in_doubt) << np.uint64(k)
    return hits


@inlined
def _rounding_decides(
    environment: Environment, state: EngineState, ball: MovingBall, j: int, k: int
) -> bool:
    """Whether plain floats are too short for neighbour j, in lane k: the two touch, or graze to
    within rounding, or are in doubt, see `_test_neighbours`."""
    lanes, final = state.lanes, state.ball[ball.i].radius + state.ball[j].radius
    s = environment.growth.radius_at(state.measure, final, ball.time)
    c, discriminant, error = lanes[LANES + k], lanes[2 * LANES + k], lanes[3 * LANES + k]
    return bool((c <= contact_tolerance(ball.x, s)) | (discriminant <= error))


@inlined
def _discriminant_errors(measure: Measures) -> tuple[float, float]:
    """What the errors of positions and of velocities contribute to `discriminant_error`."""
    return measure.coordinate_bound * _POSITION_ERROR, measure.speed_bound**2 * VELOCITY_ERROR


@inlined
def _first_root_in_lane(state: EngineState, k: int) -> float:
    """The first root of a·t² + 2b·t + c, in the form in which nothing cancels."""
    lanes = state.lanes
    b, c, discriminant = lanes[k], lanes[LANES + k], lanes[2 * LANES + k]
    return c / (-b + math.sqrt(discriminant))


@inlined
def _take_if_earlier(state: EngineState, i: int, j: int, time: float) -> None:
    """Make the impact with ball j ball i's event, if it is before the present one."""
    event = state.event[i]
    if time < event.time or (time == event.time and _wins_tie(state, BALL, int(j), i)):
        event.time, event.kind, event.other = time, BALL, j


@inlined
def _wins_tie(state: EngineState, kind: int, other: int, i: int) -> bool:
    """Whether an event goes before the one that ball i has, at the same time."""
    event = state.event[i]
    if event.kind != kind:
        return kind < int(event.kind)
    if kind == BALL:
        return int(state.body[other].name) < int(state.body[event.other].name)
    return other < int(event.other)


@routine
def _predict_obstacle(environment: Environment, state: EngineState, ball: MovingBall) -> None:
    """Make the earliest impact on a plane or cylinder the ball's event, if it is before the present
    one."""
    # Each one that reaches into the neighbourhood.
    obstacles, near = environment.obstacles, state.body[ball.i].near_obstacles
    while near != 0:
        bit = lowest_bit(near)
        near &= near - np.uint64(1)
        for n in range(bit, obstacles.unbounded.size, 64):
            k = unbounded_row(obstacles, n)
            _consider_obstacle(environment, state, ball, k)


@routine
def _predict_feature(environment: Environment, state: EngineState, ball: MovingBall) -> None:
    """The same for features, of which those near the path are sought stretch by stretch."""
    features, radius = environment.obstacles.features, state.ball[ball.i].radius
    event, g = state.event[ball.i], environment.motion.acceleration_of(state.ball[ball.i])
    now, x, v = ball.time, ball.x, ball.v
    if v.mag_sqr() == 0.0 and g.mag_sqr() == 0.0:
        return
    begin, last = features.reach_times(x, v, g, radius)
    ahead, stretch = min(event.time - now, last), features.stretch(v, g, radius)
    while begin < ahead:
        end = min(begin + stretch, ahead)
        corners = swept_bounds(BallPath(x, v, g), radius, begin, end)
        leaf = features.leaf_after(0, corners)
        while leaf > 0:
            k = features.feature_at(leaf)
            if not features.is_clear(environment.obstacles, k, corners):
                _consider_obstacle(environment, state, ball, k)
            leaf = features.leaf_after(leaf, corners)
        ahead = min(ahead, event.time - now)
        begin, stretch = end, 2.0 * stretch


@routine
def _predict_walls(environment: Environment, state: EngineState, ball: MovingBall) -> None:
    """The same for obstacles that move.

    Where the search has not come far enough the event is one without effect, from which it goes on.
    """
    event, walls, now = state.event[ball.i], environment.walls, ball.time
    for n in range(walls.moving_rows()):
        k = walls.moving_row(n)
        until = min(event.time - now, LATEST)
        met = time_to_wall(environment, state, ball, k, until)
        t = now + met.time
        if t < event.time or (t == event.time and _wins_tie(state, OBSTACLE, k, ball.i)):
            event.time, event.other, event.other_stamp = t, k, 0
            event.kind = OBSTACLE if met.is_sure else NEIGHBOURHOOD_EXIT


@inlined
def time_to_wall(
    environment: Environment, state: EngineState, ball: MovingBall, k: int, until: float
) -> Meeting:
    """When a ball meets row k, which moves."""
    record, time = state.ball[ball.i], absolute(state, ball.time)
    path = BallPath(ball.x, ball.v, environment.motion.acceleration_of(record))
    flight = Flight(path, record.radius, time, until)
    met: Meeting = environment.walls.meeting(state.walls, environment.obstacles, k, flight)
    return met


@routine
def is_reached_by(environment: Environment, state: EngineState, i: int, k: int, now: float) -> bool:
    """Whether ball i must be predicted anew now that row k, a piston, moves otherwise."""
    event = state.event[i]
    if event.kind == OBSTACLE and int(event.other) == k:
        return True
    ball = moving_ball(environment, state, i, now)
    met = time_to_wall(environment, state, ball, k, event.time - now)
    return bool(now + met.time <= event.time)


@inlined
def _consider_obstacle(
    environment: Environment, state: EngineState, ball: MovingBall, k: int
) -> None:
    """Make the impact on obstacle k the ball's event, if it is before the present one."""
    i, now, x, v = ball
    event, obstacles, growth = state.event[i], environment.obstacles, environment.growth
    final = state.ball[i].radius
    radius = growth.radius_at(state.measure, final, now)
    acceleration = environment.motion.acceleration_of(state.ball[i])
    may_rest = not (environment.trap.exists() or growth.grows())
    if may_rest and rests_on_plane(obstacles, k, BallPath(x, v, acceleration), radius):
        return
    # Each image in reach; `other_stamp` says which one is hit.
    images = images_near(environment, state, i, k, x)
    for part in range(8):
        if not has_image(images, part):
            continue
        seen_from = x - shift_to_image(images, part)
        if environment.contact.touches_only(
            environment, state, MovingBall(i, now, seen_from, v), k
        ):
            continue
        if growth.grows():
            t = now + growth.obstacle_toi(obstacles, k, seen_from, v, radius, final)
        elif environment.trap.exists():
            t = now + environment.trap.plane_toi(obstacles, k, seen_from, v, radius)
        else:
            horizon = event.time - now
            path = BallPath(seen_from, v, acceleration)
            t = now + falling_toi(obstacles, k, path, radius, horizon)
        if t < event.time or (t == event.time and _wins_tie(state, OBSTACLE, k, i)):
            event.time, event.kind, event.other = t, OBSTACLE, k
            event.other_stamp = part
