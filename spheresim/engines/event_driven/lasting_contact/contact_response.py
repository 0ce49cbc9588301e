"""Response to an impact of two balls: they bounce, stay in contact, or wake a sleeping ball."""

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import NO_RESPONSE, Event, log_event
from spheresim.collision.repeated_impacts import COLLAPSE_IMPACTS
from spheresim.collision.response import CollisionResult, exchange, part
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import (
    ASLEEP,
    FREE,
    are_in_heap,
    chatters,
    contact_inverse_mass,
)
from spheresim.contact.rise import rising_speed, rounding_of_place
from spheresim.contact.tolerances import LEAST_TURNING, QUIET_STEPS
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    unwrapped,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import PairImpact
from spheresim.engines.event_driven.lasting_contact.contact_forces import (
    add_contact,
    break_contacts,
)
from spheresim.engines.event_driven.lasting_contact.islands import (
    count_quiet,
    is_quiet,
    join_island,
    make_resting_contact,
    needs_resolve,
    parting_speed,
    schedule_whole_step,
    turning_acceleration,
)
from spheresim.engines.event_driven.lasting_contact.support_geometry import has_no_clearance


@routine
def pair_response(
    environment: Environment, state: EngineState, impact: PairImpact, now: float
) -> CollisionResult:
    """The velocities after an impact of two balls."""
    a, b, n, vn, restitution = impact
    # The speed of approach, and the acceleration that presses the balls together.
    ball_a, ball_b, body_a, body_b = state.ball[a], state.ball[b], state.body[a], state.body[b]
    v_a, v_b = velocity_at_clock(ball_a), velocity_at_clock(ball_b)
    w, motion, contact = -vn, environment.motion, environment.contact
    radius = min(ball_a.radius, ball_b.radius)
    pressing_acceleration = _pressing_acceleration(environment, state, a, b)
    # A hard impact wakes a sleeping ball, and any impact one that lies alone.
    is_hard = w > rising_speed(pressing_acceleration, radius, contact.wake_height)
    if is_hard or state.hold[a].lies_alone == 1:
        wake(environment, state, a, now)
    if is_hard or state.hold[b].lies_alone == 1:
        wake(environment, state, b, now)
    falls_on_sleeper = (body_a.held == ASLEEP) | (body_b.held == ASLEEP)
    # A hard impact, or one after which the balls part by more than `rest_height`, ends their
    # contact forces until the next step.
    lasts = _lasts(environment, state, impact, pressing_acceleration)
    parts = not lasts and restitution * w > rising_speed(
        pressing_acceleration, radius, contact.rest_height
    )
    if parts or w > rising_speed(pressing_acceleration, radius, contact.soft_height):
        break_contacts(environment, state, a, now)
        break_contacts(environment, state, b, now)
    if not (lasts or falls_on_sleeper):
        return exchange(v_a, v_b, body_a.mass, body_b.mass, n, restitution)
    vn_after = restitution * w
    if lasts:
        if motion.gravity.mag_sqr() == 0.0:
            state.measure.pressing_acceleration = pressing_acceleration
        join_island(environment, state, a, now)
        join_island(environment, state, b, now)
        vn_after = parting_speed(state, radius)
    after = exchange_unless_asleep(state, impact, vn_after)
    if falls_on_sleeper:
        _request_proof(environment, state, a, b, after)
    if lasts:
        if needs_resolve(state, a, b):
            add_contact(state, a, int(b), n, 0.0)  # so that a step finds this contact
        else:
            make_resting_contact(environment, state, impact, v_a - v_b)
    return after


@inlined
def _pressing_acceleration(environment: Environment, state: EngineState, a: int, b: int) -> float:
    """The acceleration that presses balls a and b together. If there is none, but they have no room
    to part, v²/r."""
    motion = environment.motion
    pull = motion.acceleration_of(state.ball[a]) - motion.acceleration_of(state.ball[b])
    pressing_acceleration: float = max(pull.mag(), state.measure.pressing_acceleration)
    if motion.gravity.mag_sqr() > 0.0:
        return pressing_acceleration
    turn = max(turning_acceleration(state, a), turning_acceleration(state, b))
    if pressing_acceleration == 0.0:
        trapped = has_no_clearance(state, a) and has_no_clearance(state, b)
        return turn if trapped else 0.0
    return max(pressing_acceleration, LEAST_TURNING * turn)


@inlined
def _lasts(
    environment: Environment, state: EngineState, impact: PairImpact, pressing_acceleration: float
) -> bool:
    """Whether two balls stay in contact after an impact, as after repeated soft impacts."""
    a, b, restitution = impact.a, impact.b, impact.restitution
    radius, contact = min(state.ball[a].radius, state.ball[b].radius), environment.contact
    body_a, body_b = state.body[a], state.body[b]
    again = chatters(body_a.held, body_a.repeated) and chatters(body_b.held, body_b.repeated)
    # Without gravity only balls pressed by something, after repeated impacts.
    if environment.motion.gravity.mag_sqr() == 0.0 and not (again and pressing_acceleration > 0.0):
        return False
    if again and (has_no_clearance(state, a) or has_no_clearance(state, b)):
        return True
    motion = environment.motion
    pull = motion.acceleration_of(state.ball[a]) - motion.acceleration_of(state.ball[b])
    in_heap = again and are_in_heap(body_a.held, body_b.held, pull.dot(impact.n) < 0.0)
    height = contact.soft_height if in_heap else contact.rest_height
    # Two elastic balls bounce for ever, unless inelastic bodies wedge one of them in.
    is_wedged = again and max(body_a.wedged, body_b.wedged) >= COLLAPSE_IMPACTS
    if restitution == 1.0 and not is_wedged:
        height = rounding_of_place(position_at_clock(state.ball[a]), radius) if again else 0.0
    return bool(restitution * -impact.vn <= rising_speed(pressing_acceleration, radius, height))


@inlined
def _request_proof(
    environment: Environment, state: EngineState, a: int, b: int, after: CollisionResult
) -> None:
    """Request an equilibrium test if the ball that hit a sleeping one is in contact and quiet: else
    it would slide to and fro among sleeping balls for ever."""
    sleeps = state.body[a].held == ASLEEP
    i, v = (b, after.velocity_j) if sleeps else (a, after.velocity_i)
    if state.body[i].held != FREE and is_quiet(environment, state, i, v):
        count_quiet(state, QUIET_STEPS)


@inlined
def exchange_unless_asleep(
    state: EngineState, impact: PairImpact, vn_after: float
) -> CollisionResult:
    """The velocities of two balls that part with vn_after; a sleeping ball is fixed."""
    a, b = impact.a, impact.b
    v_a, v_b = velocity_at_clock(state.ball[a]), velocity_at_clock(state.ball[b])
    inverse_mass_a = contact_inverse_mass(state.body[a].held, state.body[a].mass)
    inverse_mass_b = contact_inverse_mass(state.body[b].held, state.body[b].mass)
    return part(v_a, v_b, inverse_mass_a, inverse_mass_b, impact.n, impact.vn, vn_after)


@routine
def wake(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Wake ball i, which is then free, if it is asleep."""
    if state.body[i].held != ASLEEP:
        return
    environment.contact.release(state, i)
    ball, body = state.ball[i], state.body[i]
    environment.motion.set_acceleration(ball, environment.motion.gravity)
    schedule_whole_step(state, now)  # for the balls that it pressed
    state.count.proof_due = 1
    up = environment.motion.gravity.unit() * -1.0
    x = unwrapped(environment, state, i, position_at_clock(ball), now)
    event = Event(WAKE, int(body.name), -1, 0, absolute(state, now))
    log_event(state, event, x - up * ball.radius, up, NO_RESPONSE)
