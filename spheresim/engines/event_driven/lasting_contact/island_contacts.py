"""Contact detection for a step of islands: what members touch, or may touch before the next."""

import math

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.compiler.intrinsics import lowest_bit
from spheresim.contact.ball_state import ASLEEP, IN_ISLAND
from spheresim.contact.contact_list import (
    CandidateContact,
    ContactList,
    copy_forces,
    force_between,
    write_contact,
)
from spheresim.contact.rise import rising_speed
from spheresim.contact.tolerances import DETECTION_REACH
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.contact_forces import count_contact
from spheresim.engines.event_driven.lasting_contact.islands import step_length
from spheresim.engines.event_driven.lasting_contact.riding import riding_clearance, seen_by
from spheresim.engines.event_driven.lasting_contact.support_geometry import has_no_clearance
from spheresim.engines.event_driven.neighbour_lists import candidates
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.table import clearance, has_ended, is_behind


@inlined
def detection_reach(state: EngineState, smallest: float) -> float:
    """The gap up to which contacts are listed, as a length; smallest: the least radius of a
    member."""
    h = step_length(state, smallest)
    reach: float = DETECTION_REACH * state.measure.pressing_acceleration * h * h
    return reach


@inlined
def detect_contacts(environment: Environment, state: EngineState, reach: float) -> None:
    """List the contacts of members up to this gap, with the forces of the last step."""
    islands, count, obstacles = state.islands, state.count, environment.obstacles
    count.contacts = 0
    for m in range(count.members):
        i: int = islands.member[m]
        array, first, end = candidates(environment, state, i, float(state.measure.now))
        for place in range(first, end):
            j = array[place]
            held = state.body[j].held
            if j != i and (held == ASLEEP or (held == IN_ISLAND and i < j)):
                _list_contact(environment, state, pair_candidate(environment, state, i, j), reach)
        near = state.body[i].near_obstacles
        while near != 0:
            bit = lowest_bit(near)
            near &= near - np.uint64(1)
            for n in range(bit, obstacles.unbounded.size, 64):
                _list_obstacle(environment, state, i, int(obstacles.unbounded[n]), reach)
        corners = around(position_at_clock(state.ball[i]), state.ball[i].radius + reach)
        leaf = obstacles.features.leaf_after(0, corners)
        while leaf > 0:
            _list_obstacle(environment, state, i, int(obstacles.features.feature_at(leaf)), reach)
            leaf = obstacles.features.leaf_after(leaf, corners)
        for n in range(environment.walls.moving_rows()):
            _list_obstacle(environment, state, i, int(environment.walls.moving_row(n)), reach)


@routine
def _list_obstacle(
    environment: Environment, state: EngineState, i: int, k: int, reach: float
) -> None:
    _list_contact(environment, state, obstacle_candidate(environment, state, i, k), reach)


@inlined
def _list_contact(
    environment: Environment, state: EngineState, candidate: CandidateContact, reach: float
) -> None:
    """Add a contact to the list if it may close, with the force that it had in the last step."""
    contacts, c = state.islands.contacts, int(state.count.contacts)
    if write_if_touching(environment, state, contacts, c, candidate, reach):
        head = int(state.hold[candidate.i].old_head)
        before = force_between(state.islands.before, head, candidate.i, candidate.j)
        count_contact(state, before)


@inlined
def pair_candidate(
    environment: Environment, state: EngineState, i: int, j: int
) -> CandidateContact:
    """The contact of balls i and j; the approach of a ball without room to part counts as 0."""
    ball, other = state.ball[i], state.ball[j]
    d = environment.space.minimum_image(position_at_clock(ball), position_at_clock(other))
    s, distance = ball.radius + other.radius, d.mag()
    n = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (velocity_at_clock(ball) - velocity_at_clock(other)).dot(n)
    if has_no_clearance(state, i) or has_no_clearance(state, j):
        vn = max(vn, 0.0)
    return CandidateContact(int(i), int(j), n, distance - s, vn, min(ball.radius, other.radius))


@inlined
def obstacle_candidate(
    environment: Environment, state: EngineState, i: int, k: int
) -> CandidateContact:
    """The contact of ball i with obstacle k; at an infinite gap where the ball is behind it or
    beyond its end. The approach of a ball without room to part counts as 0."""
    ball, obstacles = state.ball[i], environment.obstacles
    seen = seen_by(environment, state, k, i, velocity_at_clock(ball), ZERO)
    radius, vn = float(ball.radius), seen.v.dot(seen.seen_normal)
    gap = clearance(obstacles, k, seen.x) - radius
    if is_behind(obstacles, k, seen.x) or has_ended(obstacles, k, seen.x):
        gap = math.inf
    if has_no_clearance(state, i):
        vn = max(vn, 0.0)
    return CandidateContact(int(i), -1 - k, seen.normal, gap, vn, radius)


@inlined
def write_if_touching(
    environment: Environment,
    state: EngineState,
    contacts: ContactList,
    c: int,
    candidate: CandidateContact,
    reach: float,
) -> bool:
    """Write contact c of a list, without forces, if its gap is within reach, and it would not close
    by a hard impact; returns whether it was written. None is written to a full list."""
    i, j, radius = candidate.i, candidate.j, candidate.radius
    pressing_acceleration = float(state.measure.pressing_acceleration)
    slow = rising_speed(pressing_acceleration, radius, environment.contact.soft_height)
    may_touch = candidate.gap <= reach and candidate.vn >= -slow
    if not may_touch or c == len(contacts.first):
        return False
    write_contact(contacts, c, i, j, candidate.normal)
    contacts.slack[c] = max(candidate.gap, 0.0)
    contacts.slack[c] -= state.measure.clearance * radius
    if j < 0:
        contacts.slack[c] -= riding_clearance(environment, state, -1 - j) * radius
    return True


@inlined
def store_forces(state: EngineState) -> None:
    """Keep the forces, which impacts may change, as the start of the next solve."""
    copy_forces(state.islands.contacts, state.islands.before, state.count.contacts)
    for m in range(state.count.members):
        hold = state.hold[state.islands.member[m]]
        hold.old_head = hold.head
