"""A step of a part of the pile: what impacts have disturbed is pushed apart anew, at once.

A hard impact ends pushes, and what they held runs into what is next to it, ball by ball through
the whole pile. So after a few soft impacts the balls that were hit, and those a few contacts away
from them, get pushes that keep them apart. All others keep theirs; what that leaves to be done
between the two is an impact like any other.
"""

from typing import Any

from spheresim.compiler.decorators import inlined
from spheresim.contact.contact_list import NOBODY, contact_between, next_of
from spheresim.engines.event_driven.engine_state import PART, EngineState, Environment
from spheresim.engines.event_driven.kept_pushes import bring, end_push, give_of
from spheresim.engines.event_driven.pile import take_part
from spheresim.engines.event_driven.pile_contacts import write_pair, write_with_obstacle
from spheresim.engines.event_driven.pile_pushes import (
    ask_for_accelerations,
    change_accelerations,
    change_velocities,
    period_and_room,
    time_on_bends,
)
from spheresim.engines.event_driven.supports import ASLEEP, PILED
from spheresim.numerics.rows import set_vector, vector_at

_RINGS = 2
"""So many contacts away from what was hit balls are pushed anew."""


@inlined
def step_part(environment: Environment, state: EngineState, now: float) -> None:
    """Find the motions of the balls that were hit, and of those around them, from now on."""
    _gather(environment, state, now)
    h, room = period_and_room(state)
    size = _find_contacts(environment, state, h)
    among, balls = state.pile.among, int(state.count[PART])
    h = time_on_bends(environment, state, among, size, h)
    change_velocities(state, among, size, balls, h, room)
    ask_for_accelerations(environment, state, among, size, h)
    _take_pushes(environment, state, size)
    change_accelerations(environment, state, among, size, balls, h, room)
    # The contacts of the pile are told.
    contacts = state.pile.contacts
    for m in range(size):
        c = among.after[m, 0]
        set_vector(contacts.normal, c, vector_at(among.normal, m))
        contacts.push[c] = among.push[m]
        contacts.kick[c] += among.kick[m]


@inlined
def _gather(environment: Environment, state: EngineState, now: float) -> None:
    """Add those that are a few contacts away from what was hit, and bring all of them to now."""
    pile, count, m = state.pile, state.count, 0
    while m < count[PART]:
        i: Any = pile.part[m]
        ring, m = int(state.hold[i].ring), m + 1
        if state.body[i].held != PILED or ring > _RINGS:
            continue
        c = int(state.hold[i].head)
        while c != NOBODY:
            j = pile.contacts.first[c]
            if j == i:
                j = pile.contacts.second[c]
            presses = ring == 1 or pile.contacts.push[c] > 0.0
            if presses and j >= 0 and state.body[j].held == PILED:
                take_part(state, j, ring + 1)
            c = next_of(pile.contacts, c, i)
    kept = 0
    for m in range(count[PART]):
        i = pile.part[m]
        if state.body[i].held != PILED:
            state.hold[i].ring = 0
            continue
        pile.part[kept] = i
        kept += 1
        bring(environment, state, i, now)
    count[PART] = kept


@inlined
def _find_contacts(environment: Environment, state: EngineState, h: float) -> int:
    """Write those of the pile's contacts that the balls have among each other, and with what does
    not move, to `among`, as they are now; how many these are."""
    contacts, among, size = state.pile.contacts, state.pile.among, 0
    for m in range(state.count[PART]):
        i: Any = state.pile.part[m]
        head = c = int(state.hold[i].head)
        while c != NOBODY:
            if contacts.first[c] == i and not _is_elsewhere(state, contacts.second[c]):
                is_newest = contact_between(contacts, head, int(i), int(contacts.second[c])) == c
                if is_newest and _write(environment, state, size, c, h):
                    among.after[size, 0], among.push[size] = c, contacts.push[c]
                    size += 1
                else:
                    end_push(environment, state, c)
            c = next_of(contacts, c, i)
    return size


@inlined
def _is_elsewhere(state: EngineState, j: int) -> bool:
    """Whether j, as in a list of contacts, moves in another part of the pile."""
    return bool(j >= 0 and state.body[j].held == PILED and state.hold[j].ring == 0)


@inlined
def _write(environment: Environment, state: EngineState, m: int, c: int, h: float) -> bool:
    """Write the pile's contact c, as it is now, as contact m of the part; whether it lasts."""
    i, j, among = state.pile.contacts.first[c], state.pile.contacts.second[c], state.pile.among
    if j < 0:
        return write_with_obstacle(environment, state, among, m, i, -1 - j, h)
    if state.body[j].held < ASLEEP:
        return False
    return write_pair(environment, state, among, m, i, j, h)


@inlined
def _take_pushes(environment: Environment, state: EngineState, size: int) -> None:
    """The accelerations of the balls without the pushes of the contacts among them."""
    pile = state.pile
    for m in range(state.count[PART]):
        i: Any = pile.part[m]
        set_vector(pile.motion, i, environment.motion.acceleration_of(state.ball[i]))
    for m in range(size):
        c = pile.among.after[m, 0]
        i, j = pile.contacts.first[c], pile.contacts.second[c]
        force = vector_at(pile.contacts.normal, c) * pile.contacts.push[c]
        set_vector(pile.motion, i, vector_at(pile.motion, i) - force * give_of(state, i))
        if j >= 0:
            set_vector(pile.motion, j, vector_at(pile.motion, j) + force * give_of(state, j))
