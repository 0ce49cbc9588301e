"""A step of the pile: what its balls touch, and the motions that the contacts leave them.

With the normals n and gaps of the moment, balls may move for a time h without touching if
gap + h·n·(v_i − v_j) + ½h²·n·(a_i − a_j) ≥ 0: the true gap of two convex bodies is never smaller
than this (their distance is a convex function of the path between them); for the wall of a tube
it is so with the normal half way. First the velocities are changed, just so much that nothing is
entered within h if nothing accelerates; then the accelerations, just so much that nothing is
entered at all (Moreau's time stepping, but with a constant force over the step, of which the
work is known). What is left over, by rounding and because the search for the forces ends, is
an impact like any other. So the step decides how well forces follow the motion, never whether
balls overlap.
"""

import math
from typing import Any

from spheresim.collision.contact_list import (
    NOBODY,
    PART_OF_ROOM,
    ROOM,
    TOLERANCE,
    next_of,
)
from spheresim.collision.journal import DISSIPATED, NOW
from spheresim.collision.push_apart import ROUNDS, push_apart
from spheresim.compiler.decorators import inlined, kernel
from spheresim.engines.event_driven.engine_state import (
    CONTACTS,
    MEMBERS,
    PILE_AT,
    PILE_DUE,
    PILE_MOVED,
    PILE_SINCE,
    SOFT,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.pile import (
    accelerate,
    bring,
    give_of,
    is_quiet,
    note_quiet,
    pile_period,
)
from spheresim.engines.event_driven.pile_contacts import find_contacts, remember_pushes
from spheresim.engines.event_driven.space import ZERO, image_near_obstacle
from spheresim.engines.event_driven.supports import FREE, PILED
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.table import bend, normal_at


@kernel
def step_pile(environment: Environment, state: EngineState) -> None:
    """Find the motions of all members from this step, which is due, to the next one.

    It is a kernel of its own, so that a world in which no ball ever stays on another one does not
    wait for it to be compiled.
    """
    now = float(state.measure[PILE_AT])
    state.measure[NOW] = now
    state.count[PILE_DUE], state.count[PILE_MOVED] = 0, 1
    _bring_members(environment, state, now)
    if state.count[MEMBERS] == 0:
        state.measure[PILE_AT] = math.inf
        return
    # The time to the next step, and the room that is kept, are those of the smallest of them.
    smallest = math.inf
    for m in range(state.count[MEMBERS]):
        smallest = min(smallest, state.ball[state.pile.member[m]].radius)
    h, room = pile_period(environment, smallest), ROOM * smallest
    # What they touch, and the pushes.
    find_contacts(environment, state, h)
    _change_velocities(state, h, room)
    _change_accelerations(environment, state, h, room)
    remember_pushes(state)
    _leave_and_rest(environment, state)
    state.measure[PILE_AT] = now + h
    state.measure[PILE_SINCE] = now
    state.count[SOFT] = 0


@inlined
def _bring_members(environment: Environment, state: EngineState, now: float) -> None:
    """Move those that are still members to now, and forget the others."""
    pile, count, kept = state.pile, state.count, 0
    for m in range(count[MEMBERS]):
        i: Any = pile.member[m]
        if state.body[i].held != PILED:
            state.hold[i].listed = 0
            continue
        pile.member[kept] = i
        kept += 1
        bring(environment, state, i, now)
        state.hold[i].head = NOBODY
    count[MEMBERS] = kept


@inlined
def _change_velocities(state: EngineState, h: float, room: float) -> None:
    """Take the approach of what would touch within the time h; it is lost."""
    pile, count = state.pile, state.count
    least = PART_OF_ROOM * room / h
    for c in range(count[CONTACTS]):
        pile.contacts.needed[c] = min(least, -pile.contacts.spacing[c] / h)
        if pile.contacts.second[c] >= 0:  # one that is asleep is no member
            _look_up(state, pile.contacts.second[c])
    for m in range(count[MEMBERS]):
        _look_up(state, pile.member[m])
    push_apart(
        pile.contacts,
        count[CONTACTS],
        pile.factors,
        pile.contacts.kick,
        pile.motion,
        pile.inverse_mass,
        TOLERANCE * least,
        ROUNDS,
    )
    for m in range(count[MEMBERS]):
        i: Any = pile.member[m]
        before, after = velocity_at_clock(state.ball[i]), vector_at(pile.motion, i)
        lost = 0.5 * state.body[i].mass * (before - after).dot(before + after)
        state.measure[DISSIPATED] += lost
        set_velocity(state, i, after)


@inlined
def _look_up(state: EngineState, k: int) -> None:
    """The velocity of a ball, and what a push gives to it, as the search has them."""
    set_vector(state.pile.motion, k, velocity_at_clock(state.ball[k]))
    state.pile.inverse_mass[k] = give_of(state, k)


@inlined
def _change_accelerations(
    environment: Environment, state: EngineState, h: float, room: float
) -> None:
    """Let the contacts push so that nothing is entered before the next step."""
    pile, count, per_time = state.pile, state.count, 2.0 / (h * h)
    _ask_for_accelerations(environment, state, h)
    # Those without any push.
    for c in range(count[CONTACTS]):
        if pile.contacts.second[c] >= 0:  # one that is asleep is no member
            set_vector(pile.motion, pile.contacts.second[c], ZERO)
    for m in range(count[MEMBERS]):
        set_vector(pile.motion, pile.member[m], environment.motion.gravity)
    push_apart(
        pile.contacts,
        count[CONTACTS],
        pile.factors,
        pile.contacts.push,
        pile.motion,
        pile.inverse_mass,
        TOLERANCE * room * per_time,
        ROUNDS,
    )
    for m in range(count[MEMBERS]):
        i: Any = pile.member[m]
        more = vector_at(pile.motion, i) - environment.motion.acceleration_of(state.ball[i])
        accelerate(environment, state, i, more)


@inlined
def _ask_for_accelerations(environment: Environment, state: EngineState, h: float) -> None:
    """What the accelerations must reach along each contact, with the velocities as they are."""
    contacts, motion = state.pile.contacts, state.pile.motion
    for c in range(state.count[CONTACTS]):
        i, j = contacts.first[c], contacts.second[c]
        relative = vector_at(motion, i)
        if j >= 0:
            relative = relative - vector_at(motion, j)
        else:
            _turn_with_wall(environment, state, c, h)
        path = h * relative.dot(vector_at(contacts.normal, c))
        contacts.needed[c] = -2.0 / (h * h) * (contacts.spacing[c] + path)


@inlined
def _turn_with_wall(environment: Environment, state: EngineState, c: int, h: float) -> None:
    """Give the contact of a ball with the wall of a tube the normal that it has half way.

    The force then is at right angles to the chord along which the ball goes, and does no work.
    """
    contacts, obstacles = state.pile.contacts, environment.obstacles
    i, k = contacts.first[c], -1 - contacts.second[c]
    x, v = position_at_clock(state.ball[i]), vector_at(state.pile.motion, i)
    there = image_near_obstacle(environment.space, obstacles, k, x)
    if bend(obstacles, k, there, v) < 0.0:
        set_vector(contacts.normal, c, normal_at(obstacles, k, there + v * (0.5 * h)))


@inlined
def _leave_and_rest(environment: Environment, state: EngineState) -> None:
    """Let those go that no other ball pushes; and count who is nearly at rest."""
    contacts, quiet = state.pile.contacts, 0
    for m in range(state.count[MEMBERS]):
        i: Any = state.pile.member[m]
        c, is_pushed = int(state.hold[i].head), False
        while c != NOBODY and not is_pushed:
            is_pushed = contacts.second[c] >= 0 and contacts.push[c] + contacts.kick[c] > 0.0
            c = next_of(contacts, c, i)
        if not is_pushed:
            state.body[i].held = FREE
            environment.motion.set_acceleration(state.ball[i], environment.motion.gravity)
            continue
        quiet += int(is_quiet(environment, state, i, velocity_at_clock(state.ball[i])))
    note_quiet(state, quiet)
