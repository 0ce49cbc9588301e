"""Resolving one impact: velocities after it, counters, the journal.

What ends inelastic collapse, and how a ball leaves a corner, is the same in both engines
(`collision.collapse`, `collision.corner`). A ball that is wedged loses its approach at each
impact, and parts by what rounding hides where nothing is lost; after three times WEDGED_IMPACTS of
them it is jammed: the run cannot go on, or the ball rests where it is (`sleeping`). Contact that
lasts is in `lasting_contact`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.collapse import LONG_AGO, may_leave_corner, restitution_unless_collapsing
from spheresim.collision.impacts import BALL, NEIGHBOURHOOD_EXIT, OBSTACLE
from spheresim.collision.journal import WITH_FLIGHTS, Event, NormalResponse, log_event
from spheresim.collision.repeated_impacts import (
    JAMMED_IMPACTS,
    MOST_REPEATED_IMPACTS,
    STUCK_IMPACTS,
    WEDGED_IMPACTS,
)
from spheresim.collision.response import CollisionResult, loss, pair_restitution
from spheresim.compiler.decorators import inlined
from spheresim.contact.tolerances import TOUCHING
from spheresim.engines.event_driven.corners import leave_corner
from spheresim.engines.event_driven.engine_state import (
    BallRecord,
    BodyRecord,
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    relative_velocity,
    separation,
    unwrapped,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import ObstacleImpact, PairImpact, Rebound
from spheresim.engines.event_driven.lasting_contact.contact_response import exchange_unless_asleep
from spheresim.engines.event_driven.lasting_contact.flight_log import log_flight
from spheresim.engines.event_driven.neighbour_lists import images_near
from spheresim.engines.event_driven.trajectory import move_to, set_velocity
from spheresim.model.periodic_space import shift_to_image
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.driven_walls.moving_walls import WallImpact
from spheresim.obstacles.table import clearance, normal_at


class Resolved(NamedTuple):
    """What an event has done: whether it was an impact; the `rebuild_threshold` for predictions
    after it; how many of ball i, other and third must be predicted anew, in this order."""

    is_impact: bool
    rebuild_threshold: float
    changed: int
    other: Any
    third: Any


@inlined
def is_live(state: EngineState, i: int) -> bool:
    """Whether ball i's event is an impact with another ball that has not been hit since."""
    event = state.event[i]
    return bool(event.kind == BALL and state.event[event.other].stamp == event.other_stamp)


@inlined
def resolve_event(environment: Environment, state: EngineState, i: int, now: float) -> Resolved:
    """Resolve ball i's event, if it is an impact; a stale one does nothing."""
    kind = int(state.event[i].kind)
    other: Any = np.int64(state.event[i].other)
    after_impact = environment.rebuild_threshold
    if is_live(state, i):
        third = resolve_balls(environment, state, i, other, now)
        return Resolved(True, after_impact, 2 if third == i else 3, other, third)
    if kind == OBSTACLE:
        other = resolve_obstacle(environment, state, i, other, now)
        return Resolved(True, after_impact, 1 if other == i else 2, other, i)
    return Resolved(False, math.inf if kind == NEIGHBOURHOOD_EXIT else 0.0, 1, other, i)


@inlined
def resolve_balls(environment: Environment, state: EngineState, i: int, j: int, now: float) -> Any:
    """Resolve the impact of two balls; the one with the lower name comes first in the journal.

    Returns a third ball whose flight has changed, or one of the two.
    """
    # The contact.
    a, b = (i, j) if state.body[i].name < state.body[j].name else (j, i)
    ball_a, ball_b, body_a, body_b = state.ball[a], state.ball[b], state.body[a], state.body[b]
    flown_a, flown_b = _time_flown(ball_a, body_a, now), _time_flown(ball_b, body_b, now)
    repeated_a, repeated_b = int(body_a.repeated), int(body_b.repeated)
    move_to(environment, state, a, now)
    move_to(environment, state, b, now)
    x_a, x_b = position_at_clock(ball_a), position_at_clock(ball_b)
    d = separation(environment, state, x_a, x_b, now)
    distance = d.mag()
    reach = environment.growth.radius_at(state.measure, ball_a.radius + ball_b.radius, now)
    overlap = reach - distance
    state.measure.deepest_overlap = max(state.measure.deepest_overlap, overlap)
    # d.unit() scales first: where all distances are 2, d / distance errs in one direction only.
    normal = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    v_a, v_b = velocity_at_clock(ball_a), velocity_at_clock(ball_b)
    vn = relative_velocity(environment, x_a, v_a, x_b, v_b).dot(normal)
    if environment.walls.exist():
        environment.contact.count_repeated(body_a, repeated_a, abs(vn) * flown_a, ball_a.radius)
        environment.contact.count_repeated(body_b, repeated_b, abs(vn) * flown_b, ball_b.radius)
    # A corner, with a third ball or an obstacle.
    materials, name_a, name_b = environment.materials, int(body_a.name), int(body_b.name)
    smaller = pair_restitution(body_a.restitution, body_b.restitution)
    restitution = materials.restitution_at(name_a, name_b, -vn, smaller)
    repeated, wedged = min(body_a.repeated, body_b.repeated), min(body_a.wedged, body_b.wedged)
    if may_leave_corner(wedged, restitution) and materials.reflects():
        third, leaves = leave_corner(environment, state, a, -1 - int(b), now)
        if not leaves:
            third, leaves = leave_corner(environment, state, b, -1 - int(a), now)
        if leaves:
            return third
    body_a.last, body_b.last = -1 - int(b), -1 - int(a)
    # The velocities after it.
    _mark_if_jammed(state, wedged > JAMMED_IMPACTS, state.body[i])
    counted = environment.contact.collapsing(repeated)
    answer = restitution_unless_collapsing(state.count, counted, wedged, restitution)
    impact = PairImpact(a, b, normal, vn, answer)
    after = environment.contact.meet(environment, state, impact, now)
    if wedged > WEDGED_IMPACTS and restitution == 1.0:
        after = _part_by_rounding(environment, state, impact, after)
    is_hard = environment.contact.is_hard(state, a, b, -vn) and wedged <= WEDGED_IMPACTS
    after = materials.rub(state, name_a, name_b, normal, after, is_hard)
    state.count.ball_impacts += 1
    state.measure.virial += after.impulse * distance
    impulse = materials.with_tangential(state, normal * after.impulse)
    environment.shear.add_impact(state, impulse, normal * distance)
    state.measure.dissipated += loss(after.impulse, vn, after.vn_after)
    set_velocity(state, a, after.velocity_i)
    set_velocity(state, b, environment.shear.own_velocity(environment, x_a, x_b, after.velocity_j))
    # The journal; and what lies on an obstacle may have to leave it.
    if state.count.recording > 0:
        _log_pair(environment, state, impact, after, now)
    environment.contact.after_push(environment, state, a)
    environment.contact.after_push(environment, state, b)
    return i


@inlined
def _time_flown(ball: BallRecord, body: BodyRecord, now: float) -> float:
    """The time since a ball's last impact; if that was before the epoch, very long."""
    return float(now - ball.clock) if body.repeated >= 0 else LONG_AGO


@inlined
def _part_by_rounding(
    environment: Environment, state: EngineState, impact: PairImpact, after: CollisionResult
) -> CollisionResult:
    """The response of balls that meet again and again without moving: they part at least with a
    speed that rounding hides."""
    a, b = impact.a, impact.b
    least = _hidden_speed(environment, state, a) + _hidden_speed(environment, state, b)
    if after.vn_after >= least:
        return after
    apart = exchange_unless_asleep(state, impact, least)
    x, y = position_at_clock(state.ball[a]), position_at_clock(state.ball[b])
    image = environment.shear.image_velocity(environment, x, y, apart.velocity_j)
    return CollisionResult(apart.velocity_i, image, apart.vn_after, apart.impulse)


@inlined
def _hidden_speed(environment: Environment, state: EngineState, i: int) -> float:
    """What ball i's speed may be wrong by: the rounding of its velocity, and of its height."""
    x, v = position_at_clock(state.ball[i]), velocity_at_clock(state.ball[i])
    height = ROUNDING * (manhattan_norm(x) + state.ball[i].radius)
    fall = math.sqrt(2.0 * height * manhattan_norm(environment.motion.gravity))
    return float(ROUNDING * manhattan_norm(v) + fall)


@inlined
def _log_pair(
    environment: Environment,
    state: EngineState,
    impact: PairImpact,
    after: CollisionResult,
    now: float,
) -> None:
    """Log the impact of two balls, at the contact point on the surface of the second."""
    ball, name = state.ball[impact.b], int(state.body[impact.a].name)
    other = int(state.body[impact.b].name)
    x = unwrapped(environment, state, impact.b, position_at_clock(ball), now)
    radius = environment.growth.radius_at(state.measure, ball.radius, now)
    point, time = x + impact.n * radius, absolute(state, now)
    response = NormalResponse(impact.vn, after.vn_after, after.impulse)
    log_event(state, Event(BALL, name, other, 0, time), point, impact.n, response)
    environment.materials.log_tangential(state)


@inlined
def resolve_obstacle(
    environment: Environment, state: EngineState, i: int, k: int, now: float
) -> Any:
    """Resolve the impact of ball i on obstacle k; returns another ball that it changed, or i."""
    # The contact, with the image that was predicted; velocities are relative to the obstacle's.
    ball, body, obstacles = state.ball[i], state.body[i], environment.obstacles
    flown, repeated = _time_flown(ball, body, now), int(body.repeated)
    move_to(environment, state, i, now)
    walls, time = environment.walls, absolute(state, now)
    frame, x = walls.frame_at(state.walls, k, time), position_at_clock(ball)
    images = images_near(environment, state, i, k, x)
    seen_from = frame.seen(x - shift_to_image(images, int(state.event[i].other_stamp)))
    normal = frame.turned(normal_at(obstacles, k, seen_from))
    wall = frame.velocity_at(x - normal * ball.radius)
    v = velocity_at_clock(ball) - wall
    vn, contact, materials = v.dot(normal), environment.contact, environment.materials
    if walls.exist():
        contact.count_repeated(body, repeated, abs(vn) * flown, ball.radius)
        if walls.moves(k):
            contact.rouse(environment, state, i, now)
    # A corner, with a ball or another obstacle.
    name, surface = int(body.name), materials.surface_of_row(k)
    smaller = pair_restitution(body.restitution, obstacles.restitution[k])
    restitution = materials.restitution_at(name, surface, -vn, smaller)
    repeated, wedged = int(body.repeated), int(body.wedged)
    if may_leave_corner(wedged, restitution) and materials.reflects() and not walls.moves(k):
        third, leaves = leave_corner(environment, state, i, k, now)
        if leaves:
            return third
    body.last = k
    # The velocity after it.
    counted = contact.collapsing(repeated)
    is_squeezed = walls.moves(k) and counted > MOST_REPEATED_IMPACTS
    _mark_if_jammed(state, wedged > JAMMED_IMPACTS or is_squeezed, body)
    answer = restitution_unless_collapsing(state.count, counted, wedged, restitution)
    impact = ObstacleImpact(k, frame, seen_from, v, normal)
    after = contact.bounce(environment, state, i, impact, answer)
    on_wall = WallImpact(k, time, wall, v, normal, body.mass)
    after = walls.drawn(state.walls, on_wall, after)
    if wedged > WEDGED_IMPACTS and restitution == 1.0:
        least = _hidden_speed(environment, state, i)
        after = after + normal * max(least - after.dot(normal), 0.0)
    elif (
        wedged > STUCK_IMPACTS
        and environment.motion.gravity.mag_sqr() == 0.0
        and clearance(obstacles, k, seen_from) >= (1.0 - TOUCHING) * ball.radius
    ):
        # Nothing presses it, and it fits in: so many impacts have left no speed.
        after = ZERO
        state.measure.dissipated += 0.5 * body.mass * (v.mag_sqr() - vn * vn)
    after = walls.parted(on_wall, x, ball.radius, after)
    vn_after = after.dot(normal)
    impulse = walls.inertia(k, body.mass) * (vn_after - vn)
    state.measure.dissipated += 0.0 if walls.is_warm(k) else loss(impulse, vn, vn_after)
    is_hard = contact.is_hard(state, i, i, -vn) and wedged <= WEDGED_IMPACTS
    result = CollisionResult(after, ZERO, vn_after, impulse)
    after = materials.rub(state, name, surface, normal, result, is_hard).velocity_i
    # The journal; what touches without approaching may only come to rest.
    if vn < 0.0 or vn_after > vn:
        radius = environment.growth.radius_at(state.measure, ball.radius, now)
        point = unwrapped(environment, state, i, x, now) - normal * radius
        state.count.obstacle_impacts += 1
        response = NormalResponse(vn, vn_after, impulse)
        log_event(state, Event(OBSTACLE, name, k, 0, time), point, normal, response)
        materials.log_tangential(state)
    after = walls.rebound(state.walls, on_wall, after)
    set_velocity(state, i, after)
    if walls.turns_velocities(k) and state.count.recording == WITH_FLIGHTS:
        log_flight(environment, state, i, now, 0)
    vn = velocity_at_clock(ball).dot(normal)
    contact.after_bounce(environment, state, i, Rebound(k, normal, vn, restitution), now)
    return i


@inlined
def _mark_if_jammed(state: EngineState, is_jammed: bool, body: BodyRecord) -> None:
    """Mark a ball that has had too many impacts without room: the run may have to end."""
    if is_jammed:
        state.count.jammed = 1 + int(body.name)
