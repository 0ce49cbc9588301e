"""A step of a neighbourhood: new forces for the balls that impacts have disturbed, at once.

A hard impact ends contact forces, and the balls that these held hit their neighbours, one after the
other through the whole island. So after a few soft impacts the balls that were hit, and those a few
contacts away, get new forces. All others keep theirs; what is left between the two is an impact
like any other.
"""

from spheresim.compiler.decorators import inlined
from spheresim.contact.ball_state import ASLEEP, IN_ISLAND
from spheresim.contact.contact_list import NO_INDEX, contact_between, next_contact
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.engines.event_driven.lasting_contact.contact_forces import (
    advance_ball,
    clear_force,
)
from spheresim.engines.event_driven.lasting_contact.contact_solve import (
    smallest_radius,
    solve_step,
)
from spheresim.engines.event_driven.lasting_contact.island_contacts import (
    detection_reach,
    obstacle_candidate,
    pair_candidate,
    write_if_touching,
)
from spheresim.engines.event_driven.lasting_contact.islands import add_to_active_set
from spheresim.numerics.rows import set_vector, vector_at

_HOPS = 2
"""The neighbourhood of a ball: as many contacts away."""


@inlined
def step_neighbourhood(environment: Environment, state: EngineState, now: float) -> None:
    """Find the motions of the balls that were hit, and of those around them, from now on."""
    _gather(environment, state, now)
    smallest = smallest_radius(state)
    size = _find_contacts(environment, state, detection_reach(state, smallest))
    active_contacts = state.islands.active_contacts
    solve_step(environment, state, active_contacts[:size], False, smallest)
    # Store the forces.
    contacts = state.islands.contacts
    for m in range(size):
        c = active_contacts.next[m, 0]
        set_vector(contacts.normal, c, vector_at(active_contacts.normal, m))
        contacts.force[c] = active_contacts.force[m]


@inlined
def _gather(environment: Environment, state: EngineState, now: float) -> None:
    """Add the balls a few contacts away from those that were hit, and advance all to now."""
    islands, count, m = state.islands, state.count, 0
    while m < count.active:
        i: int = islands.active[m]
        hops, m = int(state.hold[i].hops), m + 1
        if state.body[i].held != IN_ISLAND or hops > _HOPS:
            continue
        c = int(state.hold[i].head)
        while c != NO_INDEX:
            j = islands.contacts.first[c]
            if j == i:
                j = islands.contacts.second[c]
            presses = hops == 1 or islands.contacts.force[c] > 0.0
            if presses and j >= 0 and state.body[j].held == IN_ISLAND:
                add_to_active_set(state, j, hops + 1)
            c = next_contact(islands.contacts, c, i)
    kept = 0
    for m in range(count.active):
        i = islands.active[m]
        if state.body[i].held != IN_ISLAND:
            state.hold[i].hops = 0
            continue
        islands.active[kept] = i
        kept += 1
        advance_ball(environment, state, i, now)
    count.active = kept


@inlined
def _find_contacts(environment: Environment, state: EngineState, reach: float) -> int:
    """Write the stored contacts of the balls, except with members elsewhere, to `active_contacts`,
    as they are now; returns their number."""
    contacts, active_contacts, size = state.islands.contacts, state.islands.active_contacts, 0
    for m in range(state.count.active):
        i: int = state.islands.active[m]
        head = c = int(state.hold[i].head)
        while c != NO_INDEX:
            j = contacts.second[c]
            is_elsewhere = j >= 0 and state.body[j].held == IN_ISLAND and state.hold[j].hops == 0
            if contacts.first[c] == i and not is_elsewhere:
                is_newest = contact_between(contacts, head, int(i), int(j)) == c
                if is_newest and _write(environment, state, size, c, reach):
                    active_contacts.next[size, 0] = c
                    active_contacts.force[size] = contacts.force[c]
                    size += 1
                else:
                    clear_force(environment, state, c)
            c = next_contact(contacts, c, i)
    return size


@inlined
def _write(environment: Environment, state: EngineState, m: int, c: int, reach: float) -> bool:
    """Write the stored contact c, as it is now, as contact m of the step; whether it lasts."""
    i = state.islands.contacts.first[c]
    j = state.islands.contacts.second[c]
    if j >= 0 and state.body[j].held < ASLEEP:
        return False
    if j < 0:
        candidate = obstacle_candidate(environment, state, i, -1 - j)
    else:
        candidate = pair_candidate(environment, state, i, j)
    contacts = state.islands.active_contacts
    return write_if_touching(environment, state, contacts, m, candidate, reach)
