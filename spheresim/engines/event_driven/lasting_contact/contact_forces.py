"""Contact forces between two steps of islands: what they do, how they begin and end."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import SLIDE
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import IN_ISLAND
from spheresim.contact.contact_list import NO_INDEX, link_contact, next_contact, write_contact
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.engines.event_driven.event_calendar import enter
from spheresim.engines.event_driven.lasting_contact.contact_work import note_work
from spheresim.engines.event_driven.trajectory import continue_from
from spheresim.numerics.rounding import manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


@routine
def advance_ball(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Move ball i along its trajectory to a time, at which another trajectory begins."""
    ball = state.ball[i]
    x, v = environment.motion.position_of(ball, now), environment.motion.velocity_of(ball, now)
    note_work(environment, state, i, x, now)
    continue_from(state, i, x, v, now)


@inlined
def accelerate(environment: Environment, state: EngineState, i: int, more: TVector) -> None:
    """Add to the acceleration of ball i, from its clock on."""
    ball = state.ball[i]
    acceleration = environment.motion.acceleration_of(ball) + more
    environment.motion.set_acceleration(ball, acceleration)
    state.measure.gravity = max(state.measure.gravity, manhattan_norm(acceleration))


@inlined
def inverse_mass(state: EngineState, i: int) -> float:
    """Inverse mass of ball i, 0 if it is asleep."""
    return 1.0 / state.body[i].mass if state.body[i].held == IN_ISLAND else 0.0


@inlined
def add_contact(state: EngineState, i: int, j: int, n: TVector, force: float) -> None:
    """Store a contact with a force until the next step, if there is room."""
    contacts, c = state.islands.contacts, state.count.contacts
    if c < len(contacts.first):
        if state.body[i].held == IN_ISLAND:
            write_contact(contacts, c, int(i), j, n)
        else:  # ball i is asleep, and j moves
            write_contact(contacts, c, j, int(i), n * -1.0)
        count_contact(state, force)


@inlined
def count_contact(state: EngineState, force: float) -> None:
    """Count the contact that has been written behind the last one, give it a force, and link it to
    its members, of which the first ball is one."""
    contacts, c = state.islands.contacts, int(state.count.contacts)
    j = contacts.second[c]
    contacts.force[c] = force
    link_contact(contacts, c, 0, state.hold[contacts.first[c]])
    if j >= 0 and state.body[j].held == IN_ISLAND:
        link_contact(contacts, c, 1, state.hold[j])
    state.count.contacts += 1


@routine
def break_contacts(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """End the contact forces on ball i, which something has hit hard."""
    if state.body[i].held != IN_ISLAND:
        return
    contacts, c = state.islands.contacts, int(state.hold[i].head)
    while c != NO_INDEX:
        if contacts.force[c] > 0.0:
            other = contacts.second[c] if contacts.first[c] == i else contacts.first[c]
            j: Any = np.uint32(max(other, 0))
            moves = other >= 0 and state.body[j].held == IN_ISLAND
            if moves:
                advance_ball(environment, state, j, now)
            clear_force(environment, state, c)
            if moves:  # its next event is predicted now
                event = state.event[j]
                event.time, event.kind, event.other = now, SLIDE, 0
                enter(state.calendar, state.event, state.body, j)
        c = next_contact(contacts, c, i)


@inlined
def clear_force(environment: Environment, state: EngineState, c: int) -> None:
    """Set the force of contact c to 0; its balls must have been advanced to now."""
    contacts = state.islands.contacts
    i, j = contacts.first[c], contacts.second[c]
    force = vector_at(contacts.normal, c) * contacts.force[c]
    contacts.force[c] = 0.0
    if j >= 0 and state.body[j].held == IN_ISLAND:
        accelerate(environment, state, j, force / state.body[j].mass)
    if state.body[i].held == IN_ISLAND:
        accelerate(environment, state, i, force * -1.0 / state.body[i].mass)
