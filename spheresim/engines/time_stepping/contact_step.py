"""The start of a step for held balls: velocities that enter nothing they touch.

With the gaps and normals at the start of a step of length h, the velocities v after gravity's
kick must satisfy gap + h·n·(v_i − v_j) ≥ 0 for every contact, and are changed just so much
(J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The
non-smooth contact dynamics method, 1999). As balls fly straight inside a step, and the distance of
two convex bodies is a convex function of the path between them, they then touch nothing on their
way. The wall of a tube bends towards the ball; there the chord is to end on the wall. What is left
over, because the search for the pushes ends somewhere, or falls in from outside, is an impact.
"""

import math
from typing import Any

from spheresim.collision.impacts import SLIDE, WAKE
from spheresim.collision.journal import DISSIPATED, log_event
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import (
    NOBODY,
    PART_OF_ROOM,
    ContactList,
    next_of,
)
from spheresim.contact.solver import push_apart
from spheresim.engines.time_stepping.contact_search import (
    CREEP,
    call,
    dismiss_members,
    find_islands,
    is_crammed,
    recall_pushes,
    remember_pushes,
    room_for,
)
from spheresim.engines.time_stepping.engine_state import (
    ASLEEP,
    CALLS,
    FREE,
    HELD_FOR,
    ISLANDS_NOW,
    MEMBERS,
    NO_PART,
    PROOF_DUE,
    PUSHED,
    QUIET,
    QUIET_UNTIL,
    REMEMBERED,
    SOFT,
    STEP,
    TOLD,
    EngineState,
    StepParameters,
)
from spheresim.engines.time_stepping.predict import predict_next_event, renew_sphere
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import (
    bend,
    normal_at,
)

_TOLERANCE = 0.8
"""The search for pushes may be wrong by this part of the room that is kept."""

_CLOSELY = 1e-4
"""Where there is no room, what is left of approaches must be less by this factor."""

_SHORTEST = 1e-3
"""Pushes are for this part of a step at least."""

_STEEPEST = 0.1
"""The greatest speed away from a wall that bends towards a ball, in units of that along it."""


@routine
def hold_balls(
    world: World, state: EngineState, parameters: StepParameters, length: float, kick: TVector
) -> None:
    """After gravity's kick, give held balls the velocities that their contacts leave them."""
    state.count[SOFT] = state.count[PUSHED] = state.count[CALLS] = state.count[TOLD] = 0
    for i in range(state.ball.size):
        ball = state.ball[i]
        ball.part, ball.head = NO_PART, NOBODY
        call(state, i)
        if ball.held == ASLEEP:
            set_vector(state.velocity, i, TVector(0.0, 0.0, 0.0))
            state.contacts.inverse_mass[i] = 0.0
    if state.count[CALLS] == 0:
        state.count[REMEMBERED] = 0
        return
    # What they touch: by spheres that tell nothing of the past, for bits would depend on it.
    for i in range(state.ball.size):
        due = state.ball[i].ball_due
        if state.ball[i].held != FREE and due <= state.count[STEP]:
            renew_sphere(world, state, parameters, i, length)
            state.ball[i].ball_due = due
    find_islands(world, state, 0.0, length)
    recall_pushes(state)
    _push_islands(world, state, length, kick)
    state.measure[HELD_FOR] = length
    remember_pushes(state)
    # What follows: who slides, who is let go, who may fall asleep.
    quiet = 0
    for m in range(state.count[MEMBERS]):
        i = int(state.contacts.members[m])
        quiet += int(_is_quiet(world, state, i))
        _slide_or_let_go(state, i)
        state.ball[i].ball_due = state.count[STEP]
    dismiss_members(state)
    state.count[QUIET] += quiet
    if state.count[QUIET] >= state.count[QUIET_UNTIL] and quiet > 0:
        state.count[PROOF_DUE] = 1


@routine
def hold_again(
    world: World, state: EngineState, parameters: StepParameters, now: float, length: float
) -> None:
    """In the middle of a step push those apart that were hit softly, with their whole islands."""
    state.count[SOFT] = 0
    state.count[PUSHED] += 1
    rest = max(length - now, _SHORTEST * length)
    find_islands(world, state, now, rest)
    _push_islands(world, state, rest, world.gravity * 0.0)
    for m in range(state.count[MEMBERS]):
        i = int(state.contacts.members[m])
        predict_next_event(world, state, parameters, i, length)
    dismiss_members(state)


@inlined
def _push_islands(world: World, state: EngineState, length: float, kick: TVector) -> None:
    """Change the velocities, island by island."""
    ends, member, contact = state.contacts.ends, 0, 0
    for k in range(state.count[ISLANDS_NOW]):
        members = state.contacts.members[member : ends[k, 0]]
        contacts = state.contacts.now[contact : ends[k, 1]]
        _push_island(world, state, members, contacts, length, kick)
        member, contact = ends[k, 0], ends[k, 1]


@routine
def _push_island(
    world: World,
    state: EngineState,
    members: Any,
    contacts: ContactList,
    length: float,
    kick: TVector,
) -> None:
    """Change the velocities of these balls, as their contacts ask for, and account for the energy
    that this takes."""
    least, crammed = math.inf, False
    for m in range(len(members)):
        i = int(members[m])
        crammed = crammed or is_crammed(state, i)
        state.contacts.inverse_mass[i] = 1.0 / world.mass[i]
        room = state.rule.limits.rest_height * world.radius[i]
        least = min(least, PART_OF_ROOM * room / state.rule.step)
        state.measure[DISSIPATED] += _energy(world, state, i, kick)
    for c in range(len(contacts)):
        i, j = contacts.first[c], contacts.second[c]
        most = PART_OF_ROOM * room_for(state, j) * world.radius[i] / state.rule.step
        if j >= 0 and state.ball[j].held == ASLEEP:
            most = 0.0
        needed = min(most, -contacts.spacing[c] / length)
        if crammed:  # gaps may close; what overlaps parts, hardly
            room = room_for(state, j) * world.radius[i]
            most = CREEP * world.radius[i] / state.rule.step
            needed = min(most, -(contacts.spacing[c] + room) / length)
        contacts.needed[c] = needed + _chord_rise(world, state, contacts, c, length)
    inverse_mass, tolerance = state.contacts.inverse_mass, _TOLERANCE * least
    if crammed:
        tolerance *= _CLOSELY
    push_apart(
        contacts,
        contacts.push,
        state.velocity,
        inverse_mass,
        tolerance,
        True,
        state.contacts.solver,
        state.count,
    )
    for m in range(len(members)):
        state.measure[DISSIPATED] -= _energy(world, state, int(members[m]), kick)


@inlined
def _energy(world: World, state: EngineState, i: int, kick: TVector) -> float:
    """What ball i's velocity v is worth where the kick k has come first: ½·m·v·(v − k).

    Less of it after the pushes p is what these take: −p·(v + v′)/2, with v before the kick and v′
    after all. A ball at rest, which is kicked and pushed back in each step, loses nothing.
    """
    v = vector_at(state.velocity, i)
    worth: float = 0.5 * world.mass[i] * v.dot(v - kick)
    return worth


@inlined
def _chord_rise(
    world: World, state: EngineState, contacts: ContactList, c: int, length: float
) -> float:
    """With what speed the ball of contact c leaves a wall that bends towards it, so that it meets
    that again after a step; 0 for two balls.

    Where the wall bends so much that it does not even go straight for a step, as near the axis of
    a ring's mouth, impacts turn it.
    """
    i, k = contacts.first[c], -1 - contacts.second[c]
    if k < 0:
        return 0.0
    n, v = vector_at(contacts.normal, c), vector_at(state.velocity, i)
    along = v - n * v.dot(n)
    bending = min(bend(world.obstacles, k, vector_at(state.position, i), along), 0.0)
    return min(-0.5 * length * bending, _STEEPEST * along.mag())


@inlined
def _is_quiet(world: World, state: EngineState, i: int) -> bool:
    """Whether ball i has no more energy than for the height at which it may fall asleep."""
    height = state.rule.limits.sleep_height * world.radius[i]
    quiet: bool = vector_at(state.velocity, i).mag_sqr() <= 2.0 * world.gravity.mag() * height
    return quiet


@inlined
def _slide_or_let_go(state: EngineState, i: int) -> None:
    """Note along which obstacle held ball i slides; it is held no more where it touches nothing."""
    ball, contacts = state.ball[i], state.contacts.now
    c = int(ball.head)
    while c != NOBODY and ball.support < 0:
        if contacts.second[c] < 0 and contacts.push[c] > 0.0:
            ball.support = -1 - contacts.second[c]
        c = next_of(contacts, c, i)
    if ball.head == NOBODY:
        ball.held, ball.support = FREE, NOBODY


@routine
def tell_next_slide(world: World, state: EngineState) -> bool:
    """Write the next row of a ball that, at the start of this step, began to slide along an
    obstacle or left it; False if all are written.

    It is done row by row, because there may be more of them than the journal has room for.
    """
    count = state.count
    while count[TOLD] < state.ball.size:
        i = int(count[TOLD])
        ball = state.ball[i]
        count[TOLD] += 1
        if ball.told != ball.support:
            slides = ball.support >= 0
            kind, k = (SLIDE, int(ball.support)) if slides else (WAKE, int(ball.told))
            ball.told = ball.support
            n = normal_at(world.obstacles, k, vector_at(state.position, i))
            point = vector_at(state.position, i) - n * world.radius[i]
            log_event(state, kind, i, k, count[STEP], 0.0, point, n, 0.0, 0.0, 0.0)
            return True
    return False
