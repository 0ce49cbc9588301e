"""Balls that lie or slide on obstacles: which of them hold a ball, and how it moves on.

The rule is that of `collision.supports`. On planes the way along them is a parabola like any
other, and exact. A support that bends makes a ball go by slide steps: a parabola with the
acceleration that the contact gives at its start, after which the ball is put back onto the
surface, with the energy that it had. A step ends before the parabola strays from the surface by
STRAY of the ball's radius.
"""

import math
from typing import Any

from spheresim.collision.impacts import REST, SLIDE, WAKE
from spheresim.collision.journal import DISSIPATED, log_event
from spheresim.collision.supports import Normals, Triple, along_supports, support_forces
from spheresim.collision.thresholds import ELASTIC_REST_HEIGHT, RAPID_HOPS, rising_speed
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    image_shift,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.falling_toi import IDLE
from spheresim.engines.event_driven.space import ZERO, image_near_obstacle
from spheresim.engines.event_driven.trajectory import continue_from, set_velocity
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bend, clearance, curvature_radius, normal_at

FREE, HELD, ASLEEP = range(3)
"""What `body.held` says of a ball: it flies, it lies on obstacles, or it sleeps in a pile."""

STRAY = 1e-10
"""How far a ball that slides on what bends may stray from the surface, in units of its radius."""

STILL = 1e-10
"""Speeds below this, in units of √(g·r), are none: so slow an approach does not bounce."""

TOUCHING = 1e-12
"""What is no further away than this, beside its place, touches."""

PARTED = 1e-9
"""What is so far away, in units of the ball's radius, does not touch any more."""

_PART_OF_PERIOD = 2e-3
"""The longest slide step, beside the time in which the surface turns by one radian."""


@inlined
def still_speed(environment: Environment, state: EngineState, i: int, v: TVector) -> float:
    """Normal velocities of ball i up to this one may be the rounding of its velocity v."""
    scale = environment.motion.gravity.mag() * state.ball[i].radius
    return ROUNDING * manhattan_norm(v) + STILL * math.sqrt(scale)


@inlined
def grazes(
    environment: Environment,
    state: EngineState,
    i: int,
    k: int,
    there: TVector,
    n: TVector,
    v: TVector,
) -> bool:
    """Whether ball i, at `there` as obstacle k sees it, touches it and goes along it, to rounding
    of speeds or of places."""
    ball, vn = state.ball[i], v.dot(n)
    size = ball.radius + manhattan_norm(there)
    touches = clearance(environment.obstacles, k, there) - ball.radius <= TOUCHING * size
    rate = environment.motion.acceleration_of(ball).dot(n)
    rate += bend(environment.obstacles, k, there, v)
    ends_at_once = (vn < 0.0) & (vn * vn <= 2.0 * rate * ROUNDING * size)
    return bool(touches & ((abs(vn) <= still_speed(environment, state, i, v)) | ends_at_once))


@inlined
def time_to_part(environment: Environment, state: EngineState, i: int, rate: float) -> float:
    """How long it takes ball i to get PARTED away from what it touches, with this acceleration."""
    rate = max(rate, 1e-3 * environment.motion.gravity.mag())
    return math.sqrt(2.0 * PARTED * state.ball[i].radius / rate) if rate > 0.0 else math.inf


@inlined
def idle_rate(environment: Environment, bending: float) -> float:
    """Rates of approach or of leaving up to this one may be the rounding of their parts."""
    idle: float = IDLE * (environment.motion.gravity.mag() + abs(bending))
    return idle


@inlined
def is_hopping(state: EngineState, i: int) -> bool:
    """Whether ball i hops among others, which have hit it lately and may hit it again soon."""
    hold = state.hold[i]
    return bool((state.body[i].rapid >= RAPID_HOPS) & (hold.shaken > 0) & (hold.calm == 0))


@inlined
def support_at(hold: Any, m: int) -> int:
    """The obstacle that is a ball's support number m, or -1."""
    return int(hold.support_a if m == 0 else (hold.support_b if m == 1 else hold.support_c))


@inlined
def set_support(hold: Any, m: int, k: int) -> None:
    """Make obstacle k a ball's support number m, or let there be none, -1."""
    if m == 0:
        hold.support_a = k
    elif m == 1:
        hold.support_b = k
    else:
        hold.support_c = k


@inlined
def set_lift(hold: Any, m: int, speed: float) -> None:
    """How fast pushes would have lifted a ball off its support number m by now."""
    if m == 0:
        hold.lift_a = speed
    elif m == 1:
        hold.lift_b = speed
    else:
        hold.lift_c = speed


@inlined
def is_support(hold: Any, k: int) -> bool:
    """Whether obstacle k is one of a ball's supports."""
    return bool((hold.support_a == k) | (hold.support_b == k) | (hold.support_c == k))


@routine
def support_normals(environment: Environment, state: EngineState, i: int) -> Normals:
    """The normals of ball i's supports where it is at its clock's time."""
    return _normals_at(environment, state.hold[i], position_at_clock(state.ball[i]))


@inlined
def _normals_at(environment: Environment, hold: Any, x: TVector) -> Normals:
    """The normals of a ball's supports where the ball is at x."""
    return Normals(
        _normal(environment, support_at(hold, 0), x),
        _normal(environment, support_at(hold, 1), x),
        _normal(environment, support_at(hold, 2), x),
    )


@inlined
def _normal(environment: Environment, k: int, x: TVector) -> TVector:
    if k < 0:
        return ZERO
    obstacles = environment.obstacles
    return normal_at(obstacles, k, image_near_obstacle(environment.space, obstacles, k, x))


@inlined
def bend_at(environment: Environment, k: int, x: TVector, v: TVector) -> float:
    """The second time derivative of the clearance from obstacle k, if there is one; else 0."""
    if k < 0:
        return 0.0
    obstacles = environment.obstacles
    return bend(obstacles, k, image_near_obstacle(environment.space, obstacles, k, x), v)


@inlined
def pressing(environment: Environment, state: EngineState, i: int, k: int, n: TVector) -> float:
    """The acceleration with which ball i, as it moves now, presses on obstacle k, or is pulled."""
    ball = state.ball[i]
    v = velocity_at_clock(ball)
    v = v - n * v.dot(n)
    acceleration = environment.motion.acceleration_of(ball).dot(n)
    press: float = -(acceleration + bend_at(environment, k, position_at_clock(ball), v))
    return press


@routine
def settle_on_supports(
    environment: Environment, state: EngineState, i: int, now: float, is_pushed: bool
) -> None:
    """Let ball i's supports hold it, after its velocity has changed; it leaves those that do not.

    is_pushed: by another ball, which may push on, so that it leaves a support at any speed away
    from it. After a bounce it leaves none from which it would rise by less than `rest_height`.
    """
    # What it stays on: the velocity along all of that is left.
    normals, v = support_normals(environment, state, i), velocity_at_clock(state.ball[i])
    stays = Triple(
        _stays(environment, state, i, 0, normals.a, v, is_pushed, now),
        _stays(environment, state, i, 1, normals.b, v, is_pushed, now),
        _stays(environment, state, i, 2, normals.c, v, is_pushed, now),
    )
    normals = Normals(normals.a * stays.a, normals.b * stays.b, normals.c * stays.c)
    left = along_supports(v, normals, stays)
    set_velocity(state, i, left)
    # What of it pushes: the acceleration, and the next slide step.
    hold_up(environment, state, i, now, normals)
    # On the gentlest slope a ball starts from rest, and slides.
    is_level = environment.motion.acceleration_of(ball).mag_sqr() == 0.0
    if is_level and left.mag() <= still_speed(environment, state, i, ZERO):
        left = ZERO
        set_velocity(state, i, left)
    state.measure[DISSIPATED] += 0.5 * state.body[i].mass * (v.mag_sqr() - left.mag_sqr())


@inlined
def _stays(
    environment: Environment,
    state: EngineState,
    i: int,
    m: int,
    n: TVector,
    v: TVector,
    is_pushed: bool,
    now: float,
) -> float:
    """1 if ball i stays on its support number m with the velocity v, else 0, and it has left."""
    hold, body = state.hold[i], state.body[i]
    k = support_at(hold, m)
    if k < 0:
        return 0.0
    vn = v.dot(n)
    if abs(vn) <= still_speed(environment, state, i, v):
        return 1.0
    gravity, x = environment.motion.gravity, position_at_clock(state.ball[i])
    press = gravity.mag() if vn < 0.0 else -gravity.dot(n) - bend_at(environment, k, x, v)
    press = max(0.0, press)
    seen = rising_speed(press, state.ball[i].radius, environment.contact.rest_height)
    restitution = min(body.restitution, environment.obstacles.restitution[k])
    stays = -restitution * vn <= seen if vn < 0.0 else (vn <= seen) & (not is_pushed)
    if stays:
        return 1.0
    _leave(environment, state, i, m, n, vn, abs(vn) > seen, now)
    return 0.0


@routine
def pull_off(
    environment: Environment, state: EngineState, i: int, pulls: Triple, now: float
) -> bool:
    """Whether soft pushes have lifted ball i off a support, which it then leaves.

    pulls: the speeds that this push would give it away from each support, if nothing held it.
    Each push counts as long as what presses the ball on has not taken its speed again; that is
    how a ball that is pushed softly, again and again, stays where its weight holds it.
    """
    hold, radius, left = state.hold[i], state.ball[i].radius, False
    elapsed, hold.lifted_at = now - hold.lifted_at, now
    for m in range(3):
        if support_at(hold, m) < 0:
            continue
        press = hold.press_a if m == 0 else (hold.press_b if m == 1 else hold.press_c)
        lift = hold.lift_a if m == 0 else (hold.lift_b if m == 1 else hold.lift_c)
        pull = pulls.a if m == 0 else (pulls.b if m == 1 else pulls.c)
        lift = max(0.0, lift - press * elapsed) + max(0.0, pull)
        set_lift(hold, m, lift)
        if lift > rising_speed(press, radius, environment.contact.rest_height):
            _leave(environment, state, i, m, ZERO, 0.0, False, now)
            left = True
    return left


@inlined
def _leave(
    environment: Environment,
    state: EngineState,
    i: int,
    m: int,
    n: TVector,
    vn: float,
    is_seen: bool,
    now: float,
) -> None:
    """Take obstacle k away from ball i's supports; with a row in the journal where it is seen."""
    hold = state.hold[i]
    k = support_at(hold, m)
    set_support(hold, m, -1)
    set_lift(hold, m, 0.0)
    hold.rest_at = math.inf
    hold.left = -1 if is_seen else k
    if is_seen:
        log_contact(environment, state, WAKE, i, k, n, 0.0, vn, now)


@inlined
def log_contact(
    environment: Environment,
    state: EngineState,
    kind: int,
    i: int,
    k: int,
    n: TVector,
    vn: float,
    vn_after: float,
    now: float,
) -> None:
    """A row of a ball that comes to obstacle k or leaves it, without an impulse."""
    ball, name, time = state.ball[i], int(state.body[i].name), absolute(state, now)
    x = environment.motion.position_of(ball, now)
    point = x + image_shift(state.image, i, environment.space.size) - n * ball.radius
    log_event(state, kind, name, k, 0, time, point, n, vn, vn_after, 0.0)


@routine
def hold_up(
    environment: Environment, state: EngineState, i: int, now: float, normals: Normals
) -> None:
    """Give ball i the acceleration that its supports leave it; it leaves those that do not push."""
    # The forces.
    ball, hold, gravity = state.ball[i], state.hold[i], environment.motion.gravity
    x, v = position_at_clock(ball), velocity_at_clock(ball)
    bends = Triple(
        bend_at(environment, support_at(hold, 0), x, v),
        bend_at(environment, support_at(hold, 1), x, v),
        bend_at(environment, support_at(hold, 2), x, v),
    )
    rates = Triple(
        gravity.dot(normals.a) + bends.a,
        gravity.dot(normals.b) + bends.b,
        gravity.dot(normals.c) + bends.c,
    )
    forces = support_forces(rates, normals)
    # The acceleration.
    if bends.a == bends.b == bends.c == 0.0:
        acceleration = along_supports(gravity, normals, forces)
    else:
        acceleration = gravity + normals.a * forces.a + normals.b * forces.b + normals.c * forces.c
    if manhattan_norm(acceleration) <= ROUNDING * manhattan_norm(gravity):
        acceleration = ZERO
    environment.motion.set_acceleration(ball, acceleration)
    # What does not push, and moves away, is left.
    _leave_if_idle(environment, state, i, 0, forces.a, normals.a, bends.a, now)
    _leave_if_idle(environment, state, i, 1, forces.b, normals.b, bends.b, now)
    _leave_if_idle(environment, state, i, 2, forces.c, normals.c, bends.c, now)
    hold.press_a, hold.press_b, hold.press_c = forces.a, forces.b, forces.c
    is_held = (hold.support_a >= 0) | (hold.support_b >= 0) | (hold.support_c >= 0)
    state.body[i].held = HELD if is_held else FREE
    hold.step_at = now + _slide_step(environment, state, i)


@inlined
def _leave_if_idle(
    environment: Environment,
    state: EngineState,
    i: int,
    m: int,
    force: float,
    n: TVector,
    bending: float,
    now: float,
) -> None:
    if force > 0.0 or support_at(state.hold[i], m) < 0:
        return
    rate = environment.motion.acceleration_of(state.ball[i]).dot(n) + bending
    if rate > idle_rate(environment, bending):
        _leave(environment, state, i, m, n, 0.0, True, now)


@routine
def _slide_step(environment: Environment, state: EngineState, i: int) -> float:
    """How long ball i may go on with its present acceleration; inf where nothing bends.

    The force turns with the surface, so the third derivative of the path is about (v/R)·(g +
    v²/R) for a radius R of curvature and the speed v around it, and v grows by the
    acceleration: the terms of third and of fourth order in time must be below STRAY.
    """
    ball, step = state.ball[i], math.inf
    x, velocity = position_at_clock(ball), velocity_at_clock(ball)
    acceleration, gravity = (
        environment.motion.acceleration_of(ball).mag(),
        environment.motion.gravity.mag(),
    )
    if velocity.mag_sqr() == 0.0 and acceleration == 0.0:
        return step
    for m in range(3):
        k = support_at(state.hold[i], m)
        if k < 0:
            continue
        there = image_near_obstacle(environment.space, environment.obstacles, k, x)
        bending = curvature_radius(environment.obstacles, k, there)
        if bending == math.inf:
            continue
        around = math.sqrt(abs(bend_at(environment, k, x, velocity)) * bending)
        pull, stray = gravity + around * around / bending, STRAY * ball.radius
        if pull == 0.0:
            continue
        step = min(step, _PART_OF_PERIOD * math.sqrt(bending / pull))
        step = min(step, (6.0 * stray * bending / (around * pull + 1e-300)) ** (1.0 / 3.0))
        step = min(step, (24.0 * stray * bending / (acceleration * pull + 1e-300)) ** 0.25)
    return step


@routine
def slide_on(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """End a slide step of ball i: put it back onto its supports, with the energy that it had."""
    # Where the parabola leads.
    ball = state.ball[i]
    x, v = environment.motion.position_of(ball, now), environment.motion.velocity_of(ball, now)
    # Back onto the surfaces.
    for _ in range(3):
        for m in range(3):
            k = support_at(state.hold[i], m)
            if k >= 0:
                there = image_near_obstacle(environment.space, environment.obstacles, k, x)
                off = clearance(environment.obstacles, k, there) - ball.radius
                x = x - normal_at(environment.obstacles, k, there) * off
    # The velocity along them.
    v = velocity_along(environment, state, i, x, v)
    continue_from(state, i, x, v, now)
    hold_up(environment, state, i, now, support_normals(environment, state, i))


@routine
def velocity_along(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> TVector:
    """Ball i's velocity once a slide step has brought it to x: along its supports, with the energy
    that it had at its clock's time.

    v: that of the parabola, which is neither, by terms of second order in time. What is wrong
    with its energy is so in the direction in which a single surface has turned; along the axis
    of a tube nothing changes.
    """
    ball, hold, gravity = state.ball[i], state.hold[i], environment.motion.gravity
    x0, v0 = position_at_clock(ball), velocity_at_clock(ball)
    normals, before = _normals_at(environment, hold, x), _normals_at(environment, hold, x0)
    lies = Triple(
        1.0 if hold.support_a >= 0 else 0.0,
        1.0 if hold.support_b >= 0 else 0.0,
        1.0 if hold.support_c >= 0 else 0.0,
    )
    v = along_supports(v, normals, lies)
    # Along the edge of two there is but one direction.
    turned = v
    if lies.a + lies.b + lies.c == 1.0:
        n = normals.a + normals.b + normals.c
        n0 = before.a + before.b + before.c
        turned = n.cross(n0.cross(n))
    if turned.mag_sqr() == 0.0:
        return v
    turned = turned.unit()
    speed = v.dot(turned)
    wanted = speed * speed + (v0.mag_sqr() + 2.0 * gravity.dot(x - x0) - v.mag_sqr())
    return v + turned * (math.copysign(math.sqrt(max(wanted, 0.0)), speed) - speed)


@routine
def lie_down(
    environment: Environment,
    state: EngineState,
    i: int,
    k: int,
    n: TVector,
    vn_after: float,
    restitution: float,
    now: float,
) -> None:
    """After a bounce with `vn_after` off obstacle k: let ball i stay, if nobody would see it rise.

    The row in the journal comes when infinitely many bounces on a plane would have ended, which
    is 2·vn′/(g_n·(1 − e)) later.
    """
    # Would it rise?
    hold, radius = state.hold[i], state.ball[i].radius
    press = pressing(environment, state, i, k, n)
    height = environment.contact.rest_height if restitution < 1.0 else ELASTIC_REST_HEIGHT
    if press <= idle_rate(environment, press) or vn_after > rising_speed(press, radius, height):
        return
    # One more support.
    was_free, free = state.body[i].held == FREE, -1
    for m in range(2, -1, -1):
        if support_at(hold, m) < 0:
            free = m
    if free < 0 or is_support(hold, k):
        return
    set_support(hold, free, k)
    v = velocity_at_clock(state.ball[i])
    vn = v.dot(n)
    set_velocity(state, i, v - n * vn)
    state.measure[DISSIPATED] += 0.5 * state.body[i].mass * vn * vn
    settle_on_supports(environment, state, i, now, False)
    if not is_support(hold, k):
        return
    # The row.
    if hold.left == k:
        hold.left = -1
        return
    is_flat = curvature_radius(environment.obstacles, k, position_at_clock(state.ball[i]))
    if was_free and is_flat == math.inf and vn_after > 0.0 and restitution < 1.0:
        hold.rest_at = now + 2.0 * vn_after / (press * (1.0 - restitution))
        return
    log_arrival(environment, state, i, k, n, now)


@inlined
def log_arrival(
    environment: Environment, state: EngineState, i: int, k: int, n: TVector, now: float
) -> None:
    """A row that says that ball i lies on obstacle k, or slides along it."""
    ball = state.ball[i]
    moves = velocity_at_clock(ball).mag_sqr() + environment.motion.acceleration_of(ball).mag_sqr()
    log_contact(environment, state, SLIDE if moves > 0.0 else REST, i, k, n, 0.0, 0.0, now)


@routine
def end_bounces(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """The time at which ball i's bounces on its support end, of which it has made the last."""
    hold = state.hold[i]
    hold.rest_at = math.inf
    for m in range(3):
        k = support_at(hold, m)
        if k >= 0:
            n = _normal(environment, k, environment.motion.position_of(state.ball[i], now))
            log_arrival(environment, state, i, k, n, now)
