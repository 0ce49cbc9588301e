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

from spheresim.collision.journal import DISSIPATED, NOW
from spheresim.compiler.decorators import inlined, kernel
from spheresim.contact.contact_list import (
    LEAST_ROOM,
    MOST_ROOM,
    NOBODY,
    ROOM_OF_HEIGHT,
    next_of,
)
from spheresim.engines.event_driven.engine_state import (
    ALL_AT,
    CONTACTS,
    MEMBERS,
    PART,
    PILE_AT,
    PILE_DUE,
    PILE_MOVED,
    PILE_ROOM,
    PILE_SINCE,
    PRESS,
    SOFT,
    SOFT_ALL,
    WORK,
    EngineState,
    Environment,
    velocity_at_clock,
)
from spheresim.engines.event_driven.kept_pushes import bring
from spheresim.engines.event_driven.pile import (
    LARGE,
    LEAST_TURN,
    is_quiet,
    note_quiet,
    turn_within_radius,
)
from spheresim.engines.event_driven.pile_contacts import find_contacts, remember_pushes
from spheresim.engines.event_driven.pile_part import step_part
from spheresim.engines.event_driven.pile_pushes import (
    ask_for_accelerations,
    change_accelerations,
    change_velocities,
    period_and_room,
    time_on_bends,
)
from spheresim.engines.event_driven.supports import FREE, PILED
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.rows import set_vector

_LIFT = 1e-4
"""In units of the radius: by less than this the work of a step may lift the balls, on average."""


@kernel(label="the motion of piles", parts=80)
def step_pile(environment: Environment, state: EngineState) -> None:
    """Find the motions from this step, which is due, to the next one: those of all members, or of
    the part that impacts have disturbed.

    It is a kernel of its own, so that a world in which no ball ever stays on another one does not
    wait for it to be compiled.
    """
    now = float(state.measure[PILE_AT])
    state.measure[NOW] = state.measure[PILE_SINCE] = now
    state.count[PILE_DUE] = 0
    if now >= state.measure[ALL_AT]:
        _step_all(environment, state, now)
    else:
        step_part(environment, state, now)
    state.measure[PILE_AT] = state.measure[ALL_AT]
    # What has changed its flight is predicted next.
    state.count[PILE_MOVED] = state.count[PART]
    for m in range(state.count[PART]):
        state.hold[state.pile.part[m]].ring = 0
    state.count[PART] = state.count[SOFT] = 0


@inlined
def _step_all(environment: Environment, state: EngineState, now: float) -> None:
    pile, count = state.pile, state.count
    _bring_members(environment, state, now)
    for m in range(count[PART]):
        state.hold[pile.part[m]].ring = 0
    for m in range(count[MEMBERS]):
        pile.part[m] = pile.member[m]
    count[PART], count[SOFT_ALL] = count[MEMBERS], 0
    if count[MEMBERS] == 0:
        state.measure[ALL_AT], state.measure[PRESS] = math.inf, environment.motion.gravity.mag()
        return
    _take_work(environment, state)
    state.measure[PRESS] = _press(environment, state)
    state.measure[PILE_ROOM] = _room(state)
    h, room = period_and_room(state)
    find_contacts(environment, state, h)
    contacts, size = pile.contacts, int(count[CONTACTS])
    h = time_on_bends(environment, state, contacts, size, h)
    change_velocities(state, contacts, size, count[MEMBERS], h, room)
    ask_for_accelerations(environment, state, contacts, size, h)
    # Those without any push.
    for m in range(count[MEMBERS]):
        set_vector(pile.motion, pile.member[m], environment.motion.gravity)
    change_accelerations(environment, state, contacts, size, count[MEMBERS], h, room)
    remember_pushes(state)
    _leave_and_rest(environment, state)
    state.measure[ALL_AT] = now + h


@inlined
def _take_work(environment: Environment, state: EngineState) -> None:
    """What holds balls apart does no work, but forces that are constant over a step may: if that
    could lift the balls visibly, it is taken from their motion."""
    energy, least, work = 0.0, 0.0, float(state.measure[WORK])
    g = environment.motion.gravity.mag()
    state.measure[WORK] = 0.0
    for m in range(state.count[MEMBERS]):
        i: Any = state.pile.member[m]
        mass = state.body[i].mass
        energy += 0.5 * mass * velocity_at_clock(state.ball[i]).mag_sqr()
        least += mass * g * state.ball[i].radius * _LIFT
    if least < work < energy:
        part_left = math.sqrt(1.0 - work / energy)
        for m in range(state.count[MEMBERS]):
            i = state.pile.member[m]
            set_velocity(state, i, velocity_at_clock(state.ball[i]) * part_left)
        state.measure[DISSIPATED] += work


@inlined
def _press(environment: Environment, state: EngineState) -> float:
    """What presses members together: gravity, or what pushed one of them hardest until now."""
    if environment.motion.gravity.mag_sqr() > 0.0:
        return float(state.measure[PRESS])
    press = 0.0
    for m in range(state.count[MEMBERS]):
        i: Any = state.pile.member[m]
        pushed = environment.motion.acceleration_of(state.ball[i])
        press = max(press, pushed.mag(), LEAST_TURN * turn_within_radius(state, i))
    return press if press > 0.0 else float(state.measure[PRESS])


@inlined
def _room(state: EngineState) -> float:
    """How far apart members are kept, in units of the radius; in a large pile by their energy."""
    if state.count[MEMBERS] < LARGE:
        return LEAST_ROOM
    press, height = float(state.measure[PRESS]), 0.0
    for m in range(state.count[MEMBERS]):
        i: Any = state.pile.member[m]
        height += velocity_at_clock(state.ball[i]).mag_sqr() / (2.0 * press * state.ball[i].radius)
    room: float = ROOM_OF_HEIGHT * height / state.count[MEMBERS]
    return min(max(room, LEAST_ROOM), MOST_ROOM)


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
