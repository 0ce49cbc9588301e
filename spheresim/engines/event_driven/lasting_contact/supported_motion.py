"""Motion of a single ball on its supports: which of them it keeps, and its acceleration.

The rule is that of `contact.supports`. On planes the path is a parabola, and exact. On a curved
support the ball makes slide steps: a parabola with the acceleration that the contact gives at its
start, after which the ball is put back onto the surface, with the energy that it had. A step ends
before the parabola strays from the surface by PENETRATION radii of the ball.
"""

import math

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import Event, NormalResponse, log_event
from spheresim.collision.repeated_impacts import CHATTER_STOPS, REPEATED_IMPACTS
from spheresim.collision.response import pair_restitution
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import FREE, SLIDING
from spheresim.contact.rise import rising_speed
from spheresim.contact.supports import Normals, Triple, along_supports, held_forces, support_forces
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    unwrapped,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.sliding import slide_step, velocity_along
from spheresim.engines.event_driven.lasting_contact.support_geometry import (
    curvature_acceleration,
    has_no_clearance,
    idle_rate,
    normals_where,
    still_speed,
)
from spheresim.engines.event_driven.trajectory import continue_from, set_velocity
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.features.below import SEAM
from spheresim.obstacles.features.index import around
from spheresim.obstacles.table import clearance, flat_plane, has_ended, is_below, is_flat, normal_at


@inlined
def settle_after_bounce(
    environment: Environment, state: EngineState, i: int, k: int, n: TVector
) -> None:
    """Keep the supports of ball i after it has bounced off obstacle k with the normal n, except
    those along which its velocity leads back to that obstacle.

    It keeps even these if it has just left obstacle k without a row in the journal, after repeated
    impacts, or if it chatters: else it would go to and fro in a groove or pit for ever.
    """
    repeated = state.body[i].repeated
    again = state.hold[i].left == k and repeated >= REPEATED_IMPACTS
    hit = ZERO if again or repeated >= CHATTER_STOPS else n
    settle_on_supports(environment, state, i, hit, False)


@routine
def settle_on_supports(
    environment: Environment, state: EngineState, i: int, hit: TVector, is_pushed: bool
) -> None:
    """After ball i's velocity has changed: keep the supports that hold it, and leave the others.

    hit: the normal of what it has bounced off, or zero: it leaves what would lead it back there;
    is_pushed: by another ball, which may push on, so that it leaves a support at any speed away
    from it. After a bounce it leaves none from which it would rise by less than `rest_height`.
    """
    x, before = position_at_clock(state.ball[i]), velocity_at_clock(state.ball[i])
    normals, v = normals_where(environment, state.hold[i], x), before
    if has_no_clearance(state, i):
        v = _after_all_impacts(environment, state, i, v, normals)
    # The velocity along the supports on which it stays.
    stays = Triple(
        _stays(environment, state, i, v, 0, normals.a, hit, is_pushed),
        _stays(environment, state, i, v, 1, normals.b, hit, is_pushed),
        _stays(environment, state, i, v, 2, normals.c, hit, is_pushed),
    )
    normals = Normals(normals.a * stays.a, normals.b * stays.b, normals.c * stays.c)
    left = along_supports(v, normals, stays)
    set_velocity(state, i, left)
    _set_acceleration(environment, state, i, normals)
    # On level ground rounding does not move it; on the gentlest slope it slides from rest.
    is_level = environment.motion.acceleration_of(state.ball[i]).mag_sqr() == 0.0
    if is_level and left.mag() <= still_speed(environment, state, i, ZERO):
        left = ZERO
        set_velocity(state, i, left)
    state.measure.dissipated += 0.5 * state.body[i].mass * (before.mag_sqr() - left.mag_sqr())


@routine
def _after_all_impacts(
    environment: Environment, state: EngineState, i: int, v: TVector, normals: Normals
) -> TVector:
    """The velocity of a ball without room to part after one impact of zero restitution on all of
    its supports at once, except those on which it loses nothing."""
    lossy = Normals(
        _if_lossy(environment, state, i, v, 0, normals.a),
        _if_lossy(environment, state, i, v, 1, normals.b),
        _if_lossy(environment, state, i, v, 2, normals.c),
    )
    rates = Triple(v.dot(lossy.a), v.dot(lossy.b), v.dot(lossy.c))
    impulses = support_forces(rates, lossy)
    return v + lossy.a * impulses.a + lossy.b * impulses.b + lossy.c * impulses.c


@inlined
def _if_lossy(
    environment: Environment, state: EngineState, i: int, v: TVector, m: int, n: TVector
) -> TVector:
    """The normal n of support number m if ball i loses energy on it with this velocity, else
    zero."""
    k = int(state.hold[i].support[m])
    return n if k >= 0 and _restitution_on(environment, state, i, k, v.dot(n)) < 1.0 else ZERO


@routine
def _stays(
    environment: Environment,
    state: EngineState,
    i: int,
    v: TVector,
    m: int,
    n: TVector,
    hit: TVector,
    is_pushed: bool,
) -> float:
    """1 if ball i stays on its support number m with the normal n, else 0, and it has left; see
    `settle_on_supports`."""
    hold = state.hold[i]
    k = int(hold.support[m])
    if k < 0:
        return 0.0
    vn = v.dot(n)
    still = still_speed(environment, state, i, v)
    if abs(vn) <= still:
        return 1.0
    pressing_acceleration = float(hold.reaction[m])
    if vn < 0.0:
        pressing_acceleration = max(pressing_acceleration, environment.motion.gravity.mag())
    resting_speed = rising_speed(
        pressing_acceleration, state.ball[i].radius, environment.contact.rest_height
    )
    if vn < 0.0:
        stays = -_restitution_on(environment, state, i, k, vn) * vn <= resting_speed
    else:
        leads_back = (v - n * vn).dot(hit) < -still
        stays = (vn <= resting_speed) & (not (is_pushed | leads_back))
    if stays:
        return 1.0
    _leave(environment, state, i, m, n, vn, abs(vn) > resting_speed)
    return 0.0


@inlined
def _restitution_on(
    environment: Environment, state: EngineState, i: int, k: int, vn: float
) -> float:
    """The restitution of ball i and obstacle k at a normal velocity."""
    materials, body = environment.materials, state.body[i]
    usual = pair_restitution(body.restitution, environment.obstacles.restitution[k])
    restitution: float = materials.restitution_at(
        int(body.name), materials.surface_of_row(k), -vn, usual
    )
    return restitution


@inlined
def _leave(
    environment: Environment,
    state: EngineState,
    i: int,
    m: int,
    n: TVector,
    vn: float,
    is_logged: bool,
) -> None:
    """Let ball i leave its support number m, with the normal velocity vn along the normal n; with a
    row in the journal if is_logged."""
    hold = state.hold[i]
    k = int(hold.support[m])
    hold.support[m] = -1
    hold.rest_at = math.inf
    hold.left = -1 if is_logged else k
    if is_logged:
        log_contact(environment, state, i, WAKE, k, n, vn, float(state.ball[i].clock))


@routine
def leave_what_is_below(environment: Environment, state: EngineState, i: int, k: int) -> None:
    """Let ball i leave the supports that lie below obstacle k, on which it lies now.

    At the top of an edge the normals of the edge and of the face behind it differ by rounding:
    together they would let the ball move only along the edge.
    """
    obstacles, x = environment.obstacles, position_at_clock(state.ball[i])
    if not is_flat(obstacles, k):
        return
    plane = flat_plane(obstacles, k, x)
    for m in range(3):
        other = int(state.hold[i].support[m])
        if other >= 0 and other != k and is_below(obstacles, other, plane):
            n = normal_at(obstacles, other, x)
            is_logged = obstacles.owner[other] != obstacles.owner[k]
            vn = velocity_at_clock(state.ball[i]).dot(n)
            _leave(environment, state, i, m, n, vn, is_logged)


@inlined
def log_contact(
    environment: Environment,
    state: EngineState,
    i: int,
    kind: int,
    k: int,
    n: TVector,
    vn: float,
    now: float,
) -> None:
    """Log that ball i comes to obstacle k (REST or SLIDE) or leaves it (WAKE), without an impulse;
    n: the normal; vn: the normal velocity after that."""
    ball = state.ball[i]
    x = environment.motion.position_of(ball, now)
    point = unwrapped(environment, state, i, x, now) - n * ball.radius
    event = Event(kind, int(state.body[i].name), k, 0, absolute(state, now))
    log_event(state, event, point, n, NormalResponse(0.0, vn, 0.0))


@routine
def _set_acceleration(
    environment: Environment, state: EngineState, i: int, normals: Normals
) -> None:
    """Set the acceleration of ball i from its support reactions, and the end of its next slide
    step; supports that do not press, and from which it moves away, are left."""
    # The forces.
    ball, hold, gravity = state.ball[i], state.hold[i], environment.motion.gravity
    x, v = position_at_clock(ball), velocity_at_clock(ball)
    bends = Triple(
        curvature_acceleration(environment, int(hold.support[0]), x, v),
        curvature_acceleration(environment, int(hold.support[1]), x, v),
        curvature_acceleration(environment, int(hold.support[2]), x, v),
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
    # The supports that it keeps.
    _leave_if_idle(environment, state, i, 0, normals.a, forces.a, bends.a)
    _leave_if_idle(environment, state, i, 1, normals.b, forces.b, bends.b)
    _leave_if_idle(environment, state, i, 2, normals.c, forces.c, bends.c)
    hold.reaction[0], hold.reaction[1], hold.reaction[2] = forces.a, forces.b, forces.c
    is_held = max(hold.support[0], hold.support[1], hold.support[2]) >= 0
    state.body[i].held = SLIDING if is_held else FREE
    # What hits it again and again does not put off the end of a slide step.
    now = float(ball.clock)
    step_at = now + slide_step(environment, state, i)
    goes_on = is_held and hold.step_at > now
    hold.step_at = min(hold.step_at, step_at) if goes_on else step_at


@inlined
def _leave_if_idle(
    environment: Environment,
    state: EngineState,
    i: int,
    m: int,
    n: TVector,
    force: float,
    bending: float,
) -> None:
    """Let ball i leave its support number m if that gives it no force, and it moves away; bending:
    the curvature acceleration."""
    if force > 0.0 or int(state.hold[i].support[m]) < 0:
        return
    rate = environment.motion.acceleration_of(state.ball[i]).dot(n) + bending
    if rate > idle_rate(environment, bending):
        _leave(environment, state, i, m, n, 0.0, True)


@inlined
def _leave_what_ends(environment: Environment, state: EngineState, i: int) -> None:
    """Let ball i leave the supports over whose ends it has gone, or go on to the next face."""
    x, v = position_at_clock(state.ball[i]), velocity_at_clock(state.ball[i])
    for m in range(3):
        k = int(state.hold[i].support[m])
        if k >= 0 and has_ended(environment.obstacles, k, x):
            n = normal_at(environment.obstacles, k, x)
            next_k = _continuation(environment, state, i, k, n)
            if next_k >= 0:
                state.hold[i].support[m] = next_k
            else:
                _leave(environment, state, i, m, n, v.dot(n), True)


@routine
def _continuation(environment: Environment, state: EngineState, i: int, k: int, n: TVector) -> int:
    """The face that goes on in the same plane where face k, of the same obstacle and with the
    normal n, ends under ball i, as coplanar triangles do; −1 if there is none."""
    x, v = position_at_clock(state.ball[i]), velocity_at_clock(state.ball[i])
    obstacles, radius = environment.obstacles, state.ball[i].radius
    features, speed = obstacles.features, v.mag()
    rounding = SEAM * (manhattan_norm(x) + radius)
    if speed == 0.0:
        return -1
    ahead = x + v * (rounding / speed)  # where rounding does not leave it on the seam
    near = around(ahead, radius + rounding)
    leaf = features.leaf_after(0, near)
    while leaf > 0:
        other = features.feature_at(leaf)
        if (
            obstacles.owner[other] == obstacles.owner[k]
            and is_flat(obstacles, other)
            and not has_ended(obstacles, other, ahead)
            and abs(clearance(obstacles, other, ahead) - radius) <= rounding
            and normal_at(obstacles, other, ahead).dot(n) >= 1.0 - ROUNDING
        ):
            return int(other)
        leaf = features.leaf_after(leaf, near)
    return -1


@inlined
def _onto_supports(environment: Environment, state: EngineState, i: int, x: TVector) -> TVector:
    """Where ball i, now at x, touches all its supports: Newton's method, by the shortest way."""
    for turn in range(3):
        normals = normals_where(environment, state.hold[i], x)
        gaps = Triple(
            _gap(environment, state, i, 0, x),
            _gap(environment, state, i, 1, x),
            _gap(environment, state, i, 2, x),
        )
        back = held_forces(gaps, normals)
        if back.a == -math.inf:  # two face the same way: one in each turn
            back = Triple(
                -gaps.a if turn == 0 else 0.0,
                -gaps.b if turn == 1 else 0.0,
                -gaps.c if turn == 2 else 0.0,
            )
        x = x + normals.a * back.a + normals.b * back.b + normals.c * back.c
    return x


@inlined
def _gap(environment: Environment, state: EngineState, i: int, m: int, x: TVector) -> float:
    """How far ball i, at x, is from its support number m; 0 where there is none."""
    k = int(state.hold[i].support[m])
    if k < 0:
        return 0.0
    there = image_near_obstacle(environment.space, environment.obstacles, k, x)
    return clearance(environment.obstacles, k, there) - float(state.ball[i].radius)


@routine
def slide_on(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """End a slide step of ball i: put it back onto its supports, with the energy that it had."""
    # Where the parabola leads.
    ball = state.ball[i]
    x, v = environment.motion.position_of(ball, now), environment.motion.velocity_of(ball, now)
    x = _onto_supports(environment, state, i, x)
    # The velocity along them.
    v = velocity_along(environment, state, i, x, v)
    continue_from(state, i, x, v, now)
    _leave_what_ends(environment, state, i)
    _set_acceleration(environment, state, i, normals_where(environment, state.hold[i], x))
