"""The pushes of a step of the pile: first on velocities, then on accelerations; see `pile_step`."""

import math
from typing import Any

from spheresim.collision.journal import DISSIPATED
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import PART_OF_ROOM, TOLERANCE, ContactList
from spheresim.contact.solver import push_apart
from spheresim.engines.event_driven.engine_state import (
    MEMBERS,
    PILE_ROOM,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.kept_pushes import accelerate, give_of
from spheresim.engines.event_driven.pile import pile_period
from spheresim.engines.event_driven.supports import bend_at
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.model.space import ZERO, image_near_obstacle
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.table import bend, curvature_radius, normal_at


@inlined
def period_and_room(state: EngineState) -> tuple[float, float]:
    """The time to the next step, and the room that is kept: those of the smallest member."""
    smallest = math.inf
    for m in range(state.count[MEMBERS]):
        smallest = min(smallest, state.ball[state.pile.member[m]].radius)
    return pile_period(state, smallest), state.measure[PILE_ROOM] * smallest


@routine
def time_on_bends(
    environment: Environment, state: EngineState, contacts: ContactList, size: int, h: float
) -> float:
    """The time to the next step: h, or less, so that what slides in tubes stays within its room.

    A constant force leads from one place on the wall to another, but not quite along it: as in
    `slide_step`, by terms of third order in time.
    """
    obstacles, g = environment.obstacles, environment.motion.gravity.mag()
    for c in range(size):
        k = -1 - contacts.second[c]
        if k < 0:
            continue
        i: Any = contacts.first[c]
        x, v = position_at_clock(state.ball[i]), velocity_at_clock(state.ball[i])
        rate = bend_at(environment, k, x, v)
        if rate < 0.0:
            there = image_near_obstacle(environment.space, obstacles, k, x)
            bending = curvature_radius(obstacles, k, there)
            room = state.measure[PILE_ROOM] * state.ball[i].radius
            turning = math.sqrt(-rate / bending)  # radians per unit of time
            h = min(h, (6.0 * room / (turning * (g - rate))) ** (1.0 / 3.0))
    return h


@routine
def change_velocities(
    state: EngineState, contacts: ContactList, size: int, balls: int, h: float, room: float
) -> None:
    """Take the approach of what would touch within the time h; it is lost.

    size: how many contacts; balls: how many of `part` take part.
    """
    pile = state.pile
    least = PART_OF_ROOM * room / h
    for c in range(size):
        contacts.needed[c] = min(least, -contacts.spacing[c] / h)
        if contacts.second[c] >= 0:  # one that is asleep is no member
            _look_up(state, contacts.second[c])
    for m in range(balls):
        _look_up(state, pile.part[m])
    listed = contacts[:size]
    push_apart(
        *(listed, listed.kick, pile.motion, pile.inverse_mass, TOLERANCE * least),
        False,
        pile.solver,
        state.count,
    )
    for m in range(balls):
        i: Any = pile.part[m]
        before, after = velocity_at_clock(state.ball[i]), vector_at(pile.motion, i)
        lost = 0.5 * state.body[i].mass * (before - after).dot(before + after)
        state.measure[DISSIPATED] += lost
        set_velocity(state, i, after)


@inlined
def _look_up(state: EngineState, k: int) -> None:
    """The velocity of a ball, and what a push gives to it, as the search has them."""
    set_vector(state.pile.motion, k, velocity_at_clock(state.ball[k]))
    state.pile.inverse_mass[k] = give_of(state, k)


@routine
def ask_for_accelerations(
    environment: Environment, state: EngineState, contacts: ContactList, size: int, h: float
) -> None:
    """What the accelerations must reach along each contact, with the velocities as they are."""
    motion = state.pile.motion
    for c in range(size):
        i, j = contacts.first[c], contacts.second[c]
        relative = vector_at(motion, i)
        if j >= 0:
            relative = relative - vector_at(motion, j)
        else:
            _turn_with_wall(environment, state, contacts, c, h)
        path = h * relative.dot(vector_at(contacts.normal, c))
        contacts.needed[c] = -2.0 / (h * h) * (contacts.spacing[c] + path)
    for c in range(size):
        if contacts.second[c] >= 0:  # one that is asleep is no member
            set_vector(motion, contacts.second[c], ZERO)


@inlined
def _turn_with_wall(
    environment: Environment, state: EngineState, contacts: ContactList, c: int, h: float
) -> None:
    """Give the contact of a ball with the wall of a tube the normal that it has half way.

    The force then is at right angles to the chord along which the ball goes, and does no work.
    """
    obstacles, i, k = environment.obstacles, contacts.first[c], -1 - contacts.second[c]
    x, v = position_at_clock(state.ball[i]), vector_at(state.pile.motion, i)
    there = image_near_obstacle(environment.space, obstacles, k, x)
    if bend(obstacles, k, there, v) < 0.0:
        set_vector(contacts.normal, c, normal_at(obstacles, k, there + v * (0.5 * h)))


@routine
def change_accelerations(
    environment: Environment,
    state: EngineState,
    contacts: ContactList,
    size: int,
    balls: int,
    h: float,
    room: float,
) -> None:
    """Let the contacts push so that nothing is entered before the next step, where the motions
    are those without any of their pushes."""
    pile, per_time = state.pile, 2.0 / (h * h)
    listed = contacts[:size]
    push_apart(
        *(listed, listed.push, pile.motion, pile.inverse_mass, TOLERANCE * room * per_time),
        False,
        pile.solver,
        state.count,
    )
    for m in range(balls):
        i: Any = pile.part[m]
        more = vector_at(pile.motion, i) - environment.motion.acceleration_of(state.ball[i])
        accelerate(environment, state, i, more)
