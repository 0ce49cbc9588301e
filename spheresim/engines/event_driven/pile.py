"""Balls in contact with each other that lasts: who is among them, and what pushes them.

Members of the pile have accelerations that the contacts between them give, constant from one
step of the pile to the next (`pile_step`); nothing else in the engine knows of it, and an impact
is exact there as elsewhere. Between two steps a soft impact takes the approach of the two balls,
and pushes them apart just so much that they stay apart; a hard one ends the pushes of the balls
that it hits.
"""

import math
from typing import Any

from spheresim.collision.journal import DISSIPATED, NOW, SOFT_IMPACTS
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import NOBODY
from spheresim.contact.thresholds import PARTING, elastic_rest_height, rising_speed
from spheresim.engines.event_driven.engine_state import (
    ALL_AT,
    AT_ONCE,
    MEMBERS,
    PART,
    PILE_AT,
    PILE_SINCE,
    PRESS,
    PROOF_DUE,
    QUIET,
    QUIET_UNTIL,
    SOFT,
    SOFT_ALL,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.kept_pushes import accelerate, add_contact, give_of
from spheresim.engines.event_driven.supports import (
    PILED,
    bend_at,
    normal_of_support,
    set_support,
    support_at,
)
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.vector import TVector

PERIOD = 0.05
"""A step of the pile, in units of the time √(r/g) of its smallest ball; without gravity what
presses its balls together takes the place of g."""

SOON = 1e-3
"""After this part of a step the next one is made when a ball has come to a small pile: the pushes
that impacts have given one by one do work until then."""

QUIET_STEPS = 4
"""Steps in which all that are awake are quiet, from one look for a proof of rest to the next."""

FEW, PART_OF_SMALL, PART_OF_LARGE = 8, 8, 2
"""So many soft impacts may be between two steps of the pile, and one more for each so many members
of a small or large one: what a hard impact disturbs is then pushed apart at once, and not ball by
ball. Between two such steps a large one makes steps of parts, each after the first so many."""

LEAST_TURN = 0.01
"""Without gravity balls are taken to be pressed at least as hard as would turn them within the
radius times one over this."""

LARGE = 64
"""A pile of so many balls is large."""

_OFTEN_AT_ONCE = 2
"""After so many steps of parts of the pile at the same time it makes one as a whole."""


@routine
def join(environment: Environment, state: EngineState, i: Any, now: float) -> None:
    """Make ball i a member of the pile; what obstacles leave of its motion stays so until the
    next step."""
    if state.body[i].held == PILED:
        return
    state.body[i].held = PILED
    hold = state.hold[i]
    hold.left = hold.support_a
    hold.head, hold.old_head = NOBODY, NOBODY
    x, mass = position_at_clock(state.ball[i]), state.body[i].mass
    for m in range(3):
        k = support_at(hold, m)
        if k >= 0:
            press = hold.press_a if m == 0 else (hold.press_b if m == 1 else hold.press_c)
            n = normal_of_support(environment, k, x)
            add_contact(state, i, -1 - k, n, press * mass)
            set_support(hold, m, -1)
    hold.rest_at, hold.step_at = math.inf, math.inf
    if hold.listed == 0:
        hold.listed = 1
        state.pile.member[state.count[MEMBERS]] = i
        state.count[MEMBERS] += 1
    period = pile_period(state, state.ball[i].radius)
    is_large = state.count[MEMBERS] >= LARGE
    call_all(state, now + (period if is_large else SOON * period))


@inlined
def call_all(state: EngineState, when: float) -> None:
    """Let all members make a step at a time at the latest."""
    state.measure[PILE_AT] = min(state.measure[PILE_AT], when)
    state.measure[ALL_AT] = min(state.measure[ALL_AT], when)


@inlined
def pile_period(state: EngineState, radius: float) -> float:
    """How long a step of a pile lasts of which the smallest ball has this radius."""
    period: float = PERIOD * math.sqrt(radius / state.measure[PRESS])
    return period


@inlined
def parting_speed(state: EngineState, radius: float) -> float:
    """What a soft impact of a ball of the pile leaves of speed."""
    speed: float = PARTING * math.sqrt(state.measure[PRESS] * radius)
    return speed


@inlined
def turn_within_radius(state: EngineState, i: Any) -> float:
    """The acceleration that turns the velocity of ball i within its radius."""
    turn: float = velocity_at_clock(state.ball[i]).mag_sqr() / state.ball[i].radius
    return turn


@routine
def keep_apart(
    environment: Environment, state: EngineState, a: Any, b: Any, n: TVector, w: TVector
) -> None:
    """Push two balls that touch, and do not approach, until the next step so that they never do.

    n: the normal from b to a; w: the velocity of a relative to b.
    """
    ball_a, ball_b = state.ball[a], state.ball[b]
    along = w - n * w.dot(n)
    pull = environment.motion.acceleration_of(ball_a) - environment.motion.acceleration_of(ball_b)
    rate = pull.dot(n) + along.mag_sqr() / (ball_a.radius + ball_b.radius)
    give_a, give_b = give_of(state, a), give_of(state, b)
    if rate >= 0.0 or give_a + give_b == 0.0:
        return
    push = -rate / (give_a + give_b)
    accelerate(environment, state, a, n * (push * give_a))
    accelerate(environment, state, b, n * (-push * give_b))
    add_contact(state, a, int(b), n, push)


@routine
def stay_on_obstacle(
    environment: Environment,
    state: EngineState,
    i: Any,
    k: int,
    n: TVector,
    vn: float,
    restitution: float,
) -> None:
    """After a bounce of ball i with vn off obstacle k: let it stay if it hardly parts, and push it
    until the next step so that it never approaches."""
    press, ball = float(state.measure[PRESS]), state.ball[i]
    height = environment.contact.soft_height
    if restitution == 1.0:
        height = elastic_rest_height(position_at_clock(ball), ball.radius)
    if vn > rising_speed(press, ball.radius, height):
        return
    # Hardly any speed away from it, and no acceleration towards it.
    parting = parting_speed(state, ball.radius)
    along = velocity_at_clock(ball) + n * (parting - vn)
    set_velocity(state, i, along)
    state.measure[DISSIPATED] += 0.5 * state.body[i].mass * (vn * vn - parting * parting)
    if calls_for_step(state, i, i):
        add_contact(state, i, -1 - k, n, 0.0)
        return
    rate = environment.motion.acceleration_of(ball).dot(n)
    rate += bend_at(environment, k, position_at_clock(ball), along)
    if rate < 0.0:
        accelerate(environment, state, i, n * -rate)
        add_contact(state, i, -1 - k, n, -rate * state.body[i].mass)


@inlined
def is_quiet(environment: Environment, state: EngineState, i: Any, v: TVector) -> bool:
    """Whether ball i, of velocity v, hardly moves: it may fall asleep, if it is carried."""
    height, g = environment.contact.sleep_height, environment.motion.gravity.mag()
    return bool(v.mag_sqr() < 2.0 * height * g * state.ball[i].radius)


@inlined
def note_quiet(state: EngineState, looks: int) -> None:
    """Count times that a ball was found quiet; so many of them call for a proof of rest."""
    state.count[QUIET] += looks
    if looks > 0 and state.count[QUIET] >= state.count[QUIET_UNTIL]:
        state.count[PROOF_DUE] = 1


@inlined
def calls_for_step(state: EngineState, a: Any, b: Any) -> bool:
    """Count a soft impact of balls a and b, and say whether there have been so many since the last
    step that the pushes around are to be found anew at once. Where no time passes from step to
    step, as between balls wedged in, they go on where the search ended, after more impacts each
    time."""
    take_part(state, a, 1)
    take_part(state, b, 1)
    state.count[SOFT] += 1
    state.count[SOFT_IMPACTS] += 1
    state.count[SOFT_ALL] += 1
    if state.measure[PILE_SINCE] != state.measure[NOW]:
        state.count[AT_ONCE] = 0
    members, more = state.count[MEMBERS], 1 + state.count[AT_ONCE]
    is_large = members >= LARGE
    many = (FEW + members // (PART_OF_LARGE if is_large else PART_OF_SMALL)) * more
    calls_all = state.count[SOFT_ALL] > many or (is_large and more > _OFTEN_AT_ONCE + 1)
    if not calls_all and not (is_large and state.count[SOFT] > FEW * more):
        return False
    state.count[AT_ONCE] += 1
    state.measure[PILE_AT] = state.measure[NOW]
    if calls_all:
        state.measure[ALL_AT] = state.measure[NOW]
    return True


@inlined
def take_part(state: EngineState, i: Any, ring: int) -> None:
    """Let ball i be among those that are pushed apart next; ring: see `HOLD_FIELDS`."""
    if state.hold[i].ring == 0:
        state.hold[i].ring = ring
        state.pile.part[state.count[PART]] = i
        state.count[PART] += 1
