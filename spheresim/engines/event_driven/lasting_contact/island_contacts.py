"""Contact detection for a step of islands: what members touch, or may touch before the next."""

from typing import Any

import numpy as np

from spheresim.collision.journal import NOW
from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.contact.ball_state import ASLEEP, IN_ISLAND
from spheresim.contact.contact_list import ContactList, copy_forces, force_between, write_contact
from spheresim.contact.factors import level_between
from spheresim.contact.thresholds import DETECTION_STEPS, rising_speed
from spheresim.engines.event_driven.engine_state import (
    CLEARANCE,
    CONTACTS,
    MEMBERS,
    PRESSING_ACCELERATION,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.contact_forces import link_contact
from spheresim.engines.event_driven.lasting_contact.riding import riding_clearance, seen_by
from spheresim.engines.event_driven.lasting_contact.supports import has_no_room
from spheresim.engines.event_driven.neighbour_lists import candidates
from spheresim.model.space import ZERO
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.table import clearance, has_ended, is_behind


@inlined
def detect_contacts(environment: Environment, state: EngineState, h: float) -> None:
    """List the contacts that may close within the time h, with the forces of the last step."""
    islands, count = state.islands, state.count
    count[CONTACTS] = 0
    for m in range(count[MEMBERS]):
        i: Any = islands.member[m]
        array, first, end = candidates(environment, state, i, float(state.measure[NOW]))
        for place in range(first, end):
            j = array[place]
            held = state.body[j].held
            if j != i and (held == ASLEEP or (held == IN_ISLAND and i < j)):
                _list_pair(environment, state, i, j, h)
        near = state.body[i].near_obstacles
        while near != 0:
            bit = lowest_bit(near)
            near &= near - np.uint64(1)
            for n in range(bit, environment.obstacles.unbounded.size, 64):
                _list_obstacle(environment, state, i, environment.obstacles.unbounded[n], h)
        _list_features(environment, state, i, h)
        for n in range(environment.walls.moving_rows()):
            _list_obstacle(environment, state, i, environment.walls.moving_row(n), h)


@inlined
def _list_pair(environment: Environment, state: EngineState, i: Any, j: Any, h: float) -> None:
    contacts, c = state.islands.contacts, int(state.count[CONTACTS])
    if write_pair(environment, state, contacts, c, i, j, h):
        _note_contact(state, c, i, int(j))


@inlined
def write_pair(
    environment: Environment,
    state: EngineState,
    contacts: ContactList,
    c: int,
    i: Any,
    j: Any,
    h: float,
) -> bool:
    """Write contact c of balls i and j, unless they are far apart, or soon meet hard (except a ball
    without room to part)."""
    ball, other = state.ball[i], state.ball[j]
    d = environment.space.minimum_image(position_at_clock(ball), position_at_clock(other))
    s, distance = ball.radius + other.radius, d.mag()
    n = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (velocity_at_clock(ball) - velocity_at_clock(other)).dot(n)
    if has_no_room(state, i) or has_no_room(state, j):
        vn = max(vn, 0.0)
    gap, radius = distance - s, min(ball.radius, other.radius)
    if not _write_contact(environment, state, contacts, c, int(i), int(j), n, gap, vn, radius, h):
        return False
    x, y = position_at_clock(ball), position_at_clock(other)
    contacts.level[c] = level_between(x, y, radius)
    return True


@routine
def _list_features(environment: Environment, state: EngineState, i: Any, h: float) -> None:
    """The same for the features near ball i."""
    features, ball = environment.obstacles.features, state.ball[i]
    reach = ball.radius + DETECTION_STEPS * state.measure[PRESSING_ACCELERATION] * h * h
    corners = around(position_at_clock(ball), reach)
    leaf = features.leaf_after(0, corners)
    while leaf > 0:
        _list_obstacle(environment, state, i, features.feature_at(leaf), h)
        leaf = features.leaf_after(leaf, corners)


@inlined
def _list_obstacle(environment: Environment, state: EngineState, i: Any, k: int, h: float) -> None:
    contacts, c = state.islands.contacts, int(state.count[CONTACTS])
    if write_with_obstacle(environment, state, contacts, c, i, k, h):
        _note_contact(state, c, i, -1 - k)


@inlined
def write_with_obstacle(
    environment: Environment,
    state: EngineState,
    contacts: ContactList,
    c: int,
    i: Any,
    k: int,
    h: float,
) -> bool:
    """Write contact c of ball i with obstacle k, with the same exceptions."""
    ball, obstacles = state.ball[i], environment.obstacles
    x, v = position_at_clock(ball), velocity_at_clock(ball)
    seen = seen_by(environment, state, k, x, v, ZERO)
    if is_behind(obstacles, k, seen.x) or has_ended(obstacles, k, seen.x):
        return False
    n, radius = seen.normal, float(ball.radius)
    gap, vn = clearance(obstacles, k, seen.x) - radius, seen.v.dot(seen.seen_normal)
    if has_no_room(state, i):
        vn = max(vn, 0.0)
    if not _write_contact(environment, state, contacts, c, int(i), -1 - k, n, gap, vn, radius, h):
        return False
    contacts.slack[c] -= riding_clearance(environment, state, k) * radius
    return True


@inlined
def _write_contact(
    environment: Environment,
    state: EngineState,
    contacts: ContactList,
    c: int,
    i: int,
    j: int,
    n: TVector,
    gap: float,
    vn: float,
    radius: float,
    h: float,
) -> bool:
    pressing_acceleration = float(state.measure[PRESSING_ACCELERATION])
    slow = rising_speed(pressing_acceleration, radius, environment.contact.soft_height)
    if (
        gap > DETECTION_STEPS * pressing_acceleration * h * h
        or vn < -slow
        or c == len(contacts.first)
    ):
        return False
    write_contact(contacts, c, i, j, n)
    contacts.slack[c] = max(gap, 0.0) - state.measure[CLEARANCE] * radius
    return True


@inlined
def _note_contact(state: EngineState, c: int, i: Any, j: int) -> None:
    """Start contact c with the force of the last step, and link it to its balls."""
    before = force_between(state.islands.before, int(state.hold[i].old_head), int(i), j)
    state.islands.contacts.force[c] = before
    link_contact(state, c)
    state.count[CONTACTS] += 1


@inlined
def store_forces(state: EngineState) -> None:
    """Keep the forces, which impacts may change, as the start of the next solve."""
    copy_forces(state.islands.contacts, state.islands.before, state.count[CONTACTS])
    for m in range(state.count[MEMBERS]):
        hold = state.hold[state.islands.member[m]]
        hold.old_head = hold.head
