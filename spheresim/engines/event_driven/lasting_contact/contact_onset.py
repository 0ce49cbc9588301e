"""The end of a ball's bounces on an obstacle: which bounce is the last, and when it is logged."""

import math

from spheresim.collision.impacts import REST, SLIDE
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import FREE, IN_ISLAND, SLIDING
from spheresim.contact.rise import lasting_height, rising_speed
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import Rebound
from spheresim.engines.event_driven.lasting_contact.islands import (
    join_island,
    make_resting_obstacle_contact,
)
from spheresim.engines.event_driven.lasting_contact.riding import seen_now
from spheresim.engines.event_driven.lasting_contact.support_geometry import (
    curvature_acceleration,
    has_no_clearance,
    idle_rate,
    is_support,
    normal_of_support,
)
from spheresim.engines.event_driven.lasting_contact.supported_motion import (
    leave_what_is_below,
    log_contact,
    settle_after_bounce,
)
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.approach import parting_acceleration
from spheresim.obstacles.table import is_flat


@routine
def end_bouncing(
    environment: Environment, state: EngineState, i: int, rebound: Rebound, now: float
) -> None:
    """After a bounce off an obstacle: let ball i stay if it would rise by less than `rest_height`.

    The row in the journal comes when infinitely many bounces on a plane would have ended, which
    is 2·vn′/(g_n·(1 − e)) later.
    """
    k, n, vn_after, restitution = rebound
    # Would it rise?
    ball, hold = state.ball[i], state.hold[i]
    x, v = position_at_clock(ball), velocity_at_clock(ball)
    vn = v.dot(n)
    along = v - n * vn
    pressing_acceleration = -(
        environment.motion.acceleration_of(ball).dot(n)
        + curvature_acceleration(environment, k, x, along)
    )
    height = lasting_height(environment.contact.rest_height, restitution, x, ball.radius)
    is_idle = pressing_acceleration <= idle_rate(environment, pressing_acceleration)
    if is_idle and not has_no_clearance(state, i):
        return
    if vn_after > rising_speed(max(pressing_acceleration, 0.0), ball.radius, height):
        return
    # One more support.
    was_free, free = state.body[i].held == FREE, -1
    for m in range(2, -1, -1):
        if hold.support[m] < 0:
            free = m
    if free < 0 or is_support(hold, k):
        return
    hold.support[free] = k
    leave_what_is_below(environment, state, i, k)
    set_velocity(state, i, along)
    state.measure.dissipated += 0.5 * state.body[i].mass * vn * vn
    settle_after_bounce(environment, state, i, k, n)
    if not is_support(hold, k):
        return
    # The row.
    if hold.left == k:
        hold.left = -1
        return
    ends_known = was_free and is_flat(environment.obstacles, k)
    if ends_known and vn_after > 0.0 and restitution < 1.0:
        hold.rest_at = now + 2.0 * vn_after / (pressing_acceleration * (1.0 - restitution))
        return
    _log_arrival(environment, state, i, k, n, now)


@routine
def begin_riding(
    environment: Environment, state: EngineState, i: int, rebound: Rebound, now: float
) -> None:
    """After a bounce off an obstacle that moves: let ball i stay if it would rise above it by less
    than `rest_height`.

    Even a single ball is then an island, because its force changes with the obstacle's motion from
    step to step.
    """
    k, restitution, ball = rebound.k, rebound.restitution, state.ball[i]
    seen = seen_now(environment, state, k, i)
    if state.body[i].held != IN_ISLAND:
        if state.body[i].held == SLIDING:
            settle_after_bounce(environment, state, i, k, seen.normal)
            seen = seen_now(environment, state, k, i)
        x = position_at_clock(ball)
        pressing = -parting_acceleration(environment.obstacles, k, seen)
        height = lasting_height(environment.contact.rest_height, restitution, x, ball.radius)
        vn = seen.v.dot(seen.seen_normal)
        is_idle = pressing <= idle_rate(environment, pressing)
        if is_idle or vn > rising_speed(pressing, ball.radius, height):
            return
        join_island(environment, state, i, now)
    vn = max(seen.v.dot(seen.seen_normal), 0.0)
    make_resting_obstacle_contact(environment, state, i, Rebound(k, seen.normal, vn, restitution))


@inlined
def _log_arrival(
    environment: Environment, state: EngineState, i: int, k: int, n: TVector, now: float
) -> None:
    """Log that ball i lies on obstacle k, with the normal n, or slides along it."""
    ball = state.ball[i]
    moves = velocity_at_clock(ball).mag_sqr() + environment.motion.acceleration_of(ball).mag_sqr()
    kind = SLIDE if moves > 0.0 else REST
    log_contact(environment, state, i, kind, k, n, 0.0, now)


@routine
def log_end_of_bounces(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Log that ball i's bounces on its supports end now; it has made the last one before."""
    hold = state.hold[i]
    hold.rest_at = math.inf
    state.measure.last_impact = absolute(state, now)
    for m in range(3):
        k = int(hold.support[m])
        if k >= 0:
            n = normal_of_support(
                environment, k, environment.motion.position_of(state.ball[i], now)
            )
            _log_arrival(environment, state, i, k, n, now)
