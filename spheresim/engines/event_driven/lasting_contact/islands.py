"""Balls of islands in the exact engine: how they join, when they make a step, resting contacts.

Members have accelerations that their contacts give, constant from one step to the next
(`island_step`). Everything else in the engine treats them like balls in flight, and an impact is
exact there as elsewhere. Between two steps a soft impact removes the approach of the two balls and
gives them a force that keeps them apart; a hard one ends the contact forces on both.
"""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import ASLEEP, IN_ISLAND
from spheresim.contact.contact_list import NO_INDEX
from spheresim.contact.rise import lasting_height, rising_height, rising_speed, speed_unit
from spheresim.contact.tolerances import (
    BALLS_FOR_ONE_MORE,
    LARGE_ISLAND,
    PARTING_SPEED,
    PATIENCE,
    SOFT_IMPACTS_BETWEEN_SOLVES,
    STEP_FRACTION,
)
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import PairImpact, Rebound
from spheresim.engines.event_driven.lasting_contact.contact_forces import (
    accelerate,
    add_contact,
    inverse_mass,
)
from spheresim.engines.event_driven.lasting_contact.riding import seen_now, wall_speed
from spheresim.engines.event_driven.lasting_contact.support_geometry import (
    normal_of_support,
)
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.approach import parting_acceleration

JOIN_DELAY = 1e-3
"""A ball that joins a small set of members makes their next step due after this fraction of the
step length: until then forces set impact by impact do work."""

MOST_NEIGHBOURHOOD_STEPS = 2
"""Neighbourhood steps at the same time, after which all members make a step."""


@routine
def join_island(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Make ball i a member, unless it is asleep; until the next step its acceleration stays as its
    supports left it."""
    if state.body[i].held >= ASLEEP:
        return
    state.body[i].held = IN_ISLAND
    hold = state.hold[i]
    hold.left = hold.support[0]
    hold.head, hold.old_head = NO_INDEX, NO_INDEX
    x, mass = position_at_clock(state.ball[i]), state.body[i].mass
    for m in range(3):
        k = int(hold.support[m])
        if k >= 0:
            n = normal_of_support(environment, k, x)
            add_contact(state, i, -1 - k, n, float(hold.reaction[m]) * mass)
            hold.support[m], hold.reaction[m] = -1, 0.0
    hold.rest_at, hold.step_at = math.inf, math.inf
    if hold.listed == 0:
        hold.listed = 1
        state.islands.member[state.count.members] = i
        state.count.members += 1
    period = step_length(state, state.ball[i].radius)
    is_large = state.count.members >= LARGE_ISLAND
    schedule_whole_step(state, now + (period if is_large else JOIN_DELAY * period))


@inlined
def schedule_whole_step(state: EngineState, when: float) -> None:
    """Make a step of all members due at a time, at the latest."""
    state.measure.step_at = min(state.measure.step_at, when)
    state.measure.whole_step_at = min(state.measure.whole_step_at, when)


@inlined
def step_length(state: EngineState, radius: float) -> float:
    """The length of a step if the smallest member has this radius."""
    period: float = STEP_FRACTION * math.sqrt(radius / state.measure.pressing_acceleration)
    return period


@inlined
def parting_speed(state: EngineState, radius: float) -> float:
    """The normal speed after a soft impact."""
    speed: float = PARTING_SPEED * speed_unit(state.measure.pressing_acceleration, radius)
    return speed


@inlined
def turning_acceleration(state: EngineState, i: int) -> float:
    """The acceleration v²/r, which turns the velocity of ball i within its radius."""
    turn: float = velocity_at_clock(state.ball[i]).mag_sqr() / state.ball[i].radius
    return turn


@routine
def make_resting_contact(
    environment: Environment, state: EngineState, impact: PairImpact, w: TVector
) -> None:
    """Give two balls that touch, and do not approach, a force that keeps them apart until the next
    step; w: the relative velocity before the impact."""
    a, b, n = impact.a, impact.b, impact.n
    ball_a, ball_b = state.ball[a], state.ball[b]
    along = w - n * w.dot(n)
    pull = environment.motion.acceleration_of(ball_a) - environment.motion.acceleration_of(ball_b)
    rate = pull.dot(n) + along.mag_sqr() / (ball_a.radius + ball_b.radius)
    inverse_mass_a, inverse_mass_b = inverse_mass(state, a), inverse_mass(state, b)
    if rate >= 0.0:
        return
    force = -rate / (inverse_mass_a + inverse_mass_b)
    accelerate(environment, state, a, n * (force * inverse_mass_a))
    accelerate(environment, state, b, n * (-force * inverse_mass_b))
    add_contact(state, a, int(b), n, force)


@routine
def make_resting_obstacle_contact(
    environment: Environment, state: EngineState, i: int, rebound: Rebound
) -> None:
    """After a bounce of ball i: keep the contact if they hardly part, with a force that prevents
    penetration until the next step."""
    k, n, vn, restitution = rebound
    pressing_acceleration, ball = float(state.measure.pressing_acceleration), state.ball[i]
    x = position_at_clock(ball)
    height = lasting_height(environment.contact.soft_height, restitution, x, ball.radius)
    if vn > rising_speed(pressing_acceleration, ball.radius, height):
        return
    # Hardly any speed away from it, and no acceleration towards it.
    parting, mass = parting_speed(state, ball.radius), state.body[i].mass
    set_velocity(state, i, velocity_at_clock(ball) + n * (parting - vn))
    state.measure.dissipated += 0.5 * mass * (vn * vn - parting * parting)
    if environment.walls.moves(k):
        work = mass * (parting - vn) * wall_speed(environment, state, k, x, n)
        environment.walls.note_work(state.walls, k, work)
    if needs_resolve(state, i, i):
        add_contact(state, i, -1 - k, n, 0.0)
        return
    rate = parting_acceleration(environment.obstacles, k, seen_now(environment, state, k, i))
    if rate < 0.0:
        accelerate(environment, state, i, n * -rate)
        add_contact(state, i, -1 - k, n, -rate * mass)


@inlined
def is_quiet(environment: Environment, state: EngineState, i: int, v: TVector) -> bool:
    """Whether ball i, with the velocity v, has no more energy than for `sleep_height`."""
    rises = rising_height(environment.motion.gravity.mag(), state.ball[i].radius, v.mag_sqr())
    return bool(rises <= environment.contact.sleep_height)


@inlined
def count_quiet(state: EngineState, times: int) -> None:
    """Count how often balls were found quiet; makes the equilibrium test due."""
    state.count.quiet += times
    if times > 0 and state.count.quiet >= state.count.quiet_until:
        state.count.proof_due = 1


@inlined
def needs_resolve(state: EngineState, a: int, b: int) -> bool:
    """Count a soft impact of balls a and b; True if there were enough for a step at once.

    Where no time passes from step to step, as between balls wedged in, the number grows each time.
    """
    add_to_active_set(state, a, 1)
    add_to_active_set(state, b, 1)
    state.count.soft_since_step += 1
    state.work.soft_impacts += 1
    state.count.soft_since_whole += 1
    if state.measure.stepped_at != state.measure.now:
        state.count.steps_at_once = 0
    members, times = state.count.members, 1 + state.count.steps_at_once
    is_large = members >= LARGE_ISLAND
    allowed = members if is_large else PATIENCE + members // BALLS_FOR_ONE_MORE
    calls_some = is_large and state.count.soft_since_step > SOFT_IMPACTS_BETWEEN_SOLVES * times
    calls_all = state.count.soft_since_whole > allowed * times or (
        calls_some and times > MOST_NEIGHBOURHOOD_STEPS + 1
    )
    if not (calls_all or calls_some):
        return False
    state.count.steps_at_once += 1
    state.measure.step_at = state.measure.now
    if calls_all:
        state.measure.whole_step_at = state.measure.now
    return True


@inlined
def add_to_active_set(state: EngineState, i: int, hops: int) -> None:
    """Add ball i to the balls of the next step; hops: see `HOLD_FIELDS`."""
    if state.hold[i].hops == 0:
        state.hold[i].hops = hops
        state.islands.active[state.count.active] = i
        state.count.active += 1
