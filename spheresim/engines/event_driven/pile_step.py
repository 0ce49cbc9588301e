"""A step of the pile: what its balls touch, and the motions that the contacts leave them.

With the normals n and gaps of the moment, balls may move for a time h without touching if
gap + h·n·(v_i − v_j) + ½h²·n·(a_i − a_j) ≥ 0: the true gap of two convex bodies is never smaller
than this (their distance is a convex function of the path between them), and in a tube the bend
of its wall is counted too. First the velocities are changed, just so much that nothing is
entered within h if nothing accelerates; then the accelerations, just so much that nothing is
entered at all (Moreau's time stepping, but with a constant force over the step, of which the
work is known). What is left over, by rounding and because the search for the forces ends, is
an impact like any other. So the step decides how well forces follow the motion, never whether
balls overlap.
"""

import math
from typing import Any

import numpy as np

from spheresim.collision.contact_list import NOBODY, next_of, push_apart, write_contact
from spheresim.collision.journal import DISSIPATED
from spheresim.collision.thresholds import rising_speed
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.engines.event_driven.engine_state import (
    CONTACTS,
    MEMBERS,
    PILE_AT,
    PILE_SINCE,
    PILE_STEPS,
    PROOF_DUE,
    QUIET,
    QUIET_UNTIL,
    SOFT,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.neighbour_lists import candidates
from spheresim.engines.event_driven.pile import accelerate, bring, chain, give_of, pile_period
from spheresim.engines.event_driven.space import image_near_obstacle
from spheresim.engines.event_driven.supports import ASLEEP, FREE, PILED
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.table import bend, clearance, has_ended, is_behind, normal_at

ROOM = 1e-8
"""How far apart balls that press each other are kept, in units of the radius, ..."""

_TOLERANCE = 0.2
"""... and which part of it the search for forces may be wrong by."""

_PARTING = 0.25
"""What touches parts by this part of it in a step, so that no rounding makes it touch again."""

_SWEEPS = 200
"""After so many the search ends where it is."""

_REACH = 4.0
"""Contacts are sought as far away as balls fall towards each other in so many steps."""


@routine
def step_pile(environment: Environment, state: EngineState, now: float) -> None:
    """Find the motions of all members from now to the next step."""
    _bring_members(environment, state, now)
    if state.count[MEMBERS] == 0:
        state.measure[PILE_AT] = math.inf
        return
    # The time to the next step, for the smallest of them.
    h = math.inf
    for m in range(state.count[MEMBERS]):
        h = min(h, pile_period(environment, state, state.pile.member[m]))
    # What they touch, and the pushes.
    _find_contacts(environment, state, h)
    _change_velocities(state, h)
    _change_accelerations(environment, state, h)
    _remember(state)
    _leave_and_rest(environment, state)
    state.measure[PILE_AT] = now + h
    state.count[PILE_STEPS] += 1
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
def _find_contacts(environment: Environment, state: EngineState, h: float) -> None:
    """List what members touch, or may touch in the time h, with the pushes of the step before."""
    pile, count = state.pile, state.count
    count[CONTACTS] = 0
    for m in range(count[MEMBERS]):
        i: Any = pile.member[m]
        array, first, end = candidates(state, i)
        for place in range(first, end):
            j = array[place]
            held = state.body[j].held
            if j != i and (held == ASLEEP or (held == PILED and i < j)):
                _list_pair(environment, state, i, j, h)
        near = state.body[i].near_obstacles
        while near != 0:
            bit = lowest_bit(near)
            near &= near - np.uint64(1)
            for n in range(bit, environment.obstacles.infinite.size, 64):
                _list_obstacle(environment, state, i, environment.obstacles.infinite[n], h)
        _list_features(environment, state, i, h)


@inlined
def _list_pair(environment: Environment, state: EngineState, i: Any, j: Any, h: float) -> None:
    ball, other = state.ball[i], state.ball[j]
    d = environment.space.minimum_image(position_at_clock(ball), position_at_clock(other))
    s, distance = ball.radius + other.radius, d.mag()
    n = d / distance
    vn = (velocity_at_clock(ball) - velocity_at_clock(other)).dot(n)
    _list_contact(
        environment, state, i, int(j), n, distance - s, vn, min(ball.radius, other.radius), h
    )


@routine
def _list_features(environment: Environment, state: EngineState, i: Any, h: float) -> None:
    """The same for the features near ball i."""
    features, ball = environment.obstacles.features, state.ball[i]
    reach = ball.radius + _REACH * environment.motion.gravity.mag() * h * h
    corners = around(position_at_clock(ball), reach)
    leaf = features.leaf_after(0, corners)
    while leaf > 0:
        _list_obstacle(environment, state, i, features.feature_at(leaf), h)
        leaf = features.leaf_after(leaf, corners)


@inlined
def _list_obstacle(environment: Environment, state: EngineState, i: Any, k: int, h: float) -> None:
    ball, obstacles = state.ball[i], environment.obstacles
    there = image_near_obstacle(environment.space, obstacles, k, position_at_clock(ball))
    if is_behind(obstacles, k, there) or has_ended(obstacles, k, there):
        return
    n = normal_at(obstacles, k, there)
    gap = clearance(obstacles, k, there) - ball.radius
    _list_contact(
        environment, state, i, -1 - k, n, gap, velocity_at_clock(ball).dot(n), ball.radius, h
    )


@inlined
def _list_contact(
    environment: Environment,
    state: EngineState,
    i: Any,
    j: int,
    n: TVector,
    gap: float,
    vn: float,
    radius: float,
    h: float,
) -> None:
    """Add a contact, unless it is far away, or one of a hard impact that is still to come."""
    g, c = environment.motion.gravity.mag(), state.count[CONTACTS]
    slow = rising_speed(g, radius, environment.contact.soft_height)
    if gap > _REACH * g * h * h or vn < -slow or c == len(state.pile.contacts.first):
        return
    contacts = state.pile.contacts
    write_contact(contacts, c, int(i), j, n)
    contacts.spacing[c] = gap - ROOM * radius
    contacts.push[c] = _push_before(state, i, j)
    chain(state, c)
    state.count[CONTACTS] += 1


@inlined
def _push_before(state: EngineState, i: Any, j: int) -> float:
    """How hard the contact of ball i with j was pushed in the step before."""
    before, c = state.pile.before, int(state.hold[i].old_head)
    while c != NOBODY:
        first, second = before.first[c], before.second[c]
        if (first == i and second == j) or (first == j and second == i):
            push: float = before.push[c]
            return push
        c = next_of(before, c, i)
    return 0.0


@inlined
def _change_velocities(state: EngineState, h: float) -> None:
    """Take the approach of what would touch within the time h; it is lost."""
    pile, count = state.pile, state.count
    least = _PARTING * ROOM * _smallest_radius(state) / h
    for c in range(count[CONTACTS]):
        pile.contacts.needed[c] = min(least, -pile.contacts.spacing[c] / h)
        if pile.contacts.second[c] >= 0:  # one that is asleep is no member
            _look_up(state, pile.contacts.second[c])
    for m in range(count[MEMBERS]):
        _look_up(state, pile.member[m])
    push_apart(
        pile.contacts,
        count[CONTACTS],
        pile.contacts.kick,
        pile.motion,
        pile.inverse_mass,
        _TOLERANCE * least,
        _SWEEPS,
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
def _smallest_radius(state: EngineState) -> float:
    smallest = math.inf
    for m in range(state.count[MEMBERS]):
        smallest = min(smallest, state.ball[state.pile.member[m]].radius)
    return smallest


@inlined
def _change_accelerations(environment: Environment, state: EngineState, h: float) -> None:
    """Let the contacts push so that nothing is entered before the next step."""
    pile, count = state.pile, state.count
    per_time = 2.0 / (h * h)
    for c in range(count[CONTACTS]):
        i, j, n = (
            pile.contacts.first[c],
            pile.contacts.second[c],
            vector_at(pile.contacts.normal, c),
        )
        relative = vector_at(pile.motion, i)
        bending = 0.0
        if j >= 0:
            relative = relative - vector_at(pile.motion, j)
        else:
            bending = _bending(environment, state, i, -1 - j, relative)
        spacing = pile.contacts.spacing[c] + h * relative.dot(n)
        pile.contacts.needed[c] = -per_time * spacing - bending
    for m in range(count[MEMBERS]):
        set_vector(pile.motion, pile.member[m], environment.motion.gravity)
    for c in range(count[CONTACTS]):
        j = pile.contacts.second[c]
        if j >= 0 and pile.inverse_mass[j] == 0.0:
            set_vector(pile.motion, j, environment.motion.gravity * 0.0)
    push_apart(
        pile.contacts,
        count[CONTACTS],
        pile.contacts.push,
        pile.motion,
        pile.inverse_mass,
        _TOLERANCE * ROOM * _smallest_radius(state) * per_time,
        _SWEEPS,
    )
    for m in range(count[MEMBERS]):
        i = pile.member[m]
        more = vector_at(pile.motion, i) - environment.motion.acceleration_of(state.ball[i])
        accelerate(environment, state, i, more)


@inlined
def _remember(state: EngineState) -> None:
    """Keep the pushes, which impacts may change, as a guess for the next step."""
    now, before = state.pile.contacts, state.pile.before
    for c in range(state.count[CONTACTS]):
        before.first[c], before.second[c], before.push[c] = now.first[c], now.second[c], now.push[c]
        before.after[c, 0], before.after[c, 1] = now.after[c, 0], now.after[c, 1]
    for m in range(state.count[MEMBERS]):
        hold = state.hold[state.pile.member[m]]
        hold.old_head = hold.head


@inlined
def _bending(environment: Environment, state: EngineState, i: int, k: int, v: TVector) -> float:
    """How fast the wall of a tube rises to meet ball i; 0 for what does not rise."""
    obstacles, x = environment.obstacles, position_at_clock(state.ball[i])
    there = image_near_obstacle(environment.space, obstacles, k, x)
    rising: float = min(0.0, bend(obstacles, k, there, v))
    return rising


@inlined
def _leave_and_rest(environment: Environment, state: EngineState) -> None:
    """Let those go that no other ball pushes; and count who is nearly at rest."""
    contacts, count, quiet = state.pile.contacts, state.count, 0
    g = environment.motion.gravity.mag()
    for m in range(count[MEMBERS]):
        i: Any = state.pile.member[m]
        c, is_pushed = int(state.hold[i].head), False
        while c != NOBODY and not is_pushed:
            is_pushed = contacts.second[c] >= 0 and contacts.push[c] + contacts.kick[c] > 0.0
            c = next_of(contacts, c, i)
        if not is_pushed:
            state.body[i].held = FREE
            environment.motion.set_acceleration(state.ball[i], environment.motion.gravity)
            continue
        height = environment.contact.sleep_height
        v = velocity_at_clock(state.ball[i])
        quiet += int(v.mag_sqr() <= 2.0 * height * g * state.ball[i].radius)
    count[QUIET] += quiet
    if count[QUIET] >= count[QUIET_UNTIL] and quiet > 0:
        count[PROOF_DUE] = 1
