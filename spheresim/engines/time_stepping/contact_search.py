"""What held balls touch or may touch in a step, island by island, and how hard they were pushed
before.

An island is all that hangs together by contacts of balls that are awake; obstacles, and balls
asleep, are of none.
"""

from typing import Any

from spheresim.broadphase.neighbour_lists import candidates
from spheresim.collision.collapse import RAPID_IMPACTS
from spheresim.compiler.decorators import inlined
from spheresim.contact.contact_list import NOBODY, copy_pushes, push_between, write_contact
from spheresim.contact.factors import level_between
from spheresim.contact.thresholds import rising_speed
from spheresim.engines.time_stepping.engine_state import (
    CALLED,
    CALLS,
    CONTACTS,
    FREE,
    HELD,
    ISLANDS_NOW,
    LISTED,
    MEMBER,
    MEMBERS,
    NO_PART,
    REMEMBERED,
    EngineState,
)
from spheresim.engines.time_stepping.trajectory import position_at
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.near import next_place, row_at
from spheresim.obstacles.table import clearance, has_ended, is_behind, normal_at

_WALL_ROOM = 5e-10
"""How far from obstacles balls are kept, in units of the radius; from each other it is
`rest_height`, because the search for the pushes of many contacts ends somewhere."""

CREEP = 1e-10
"""Where there is no room, what touches may come to overlap by this part of a radius in a step."""

_TOUCHING = 1e-9
"""What is nearer than this, in units of the radius, touches."""

_CRAMMED = 32
"""After so many impacts in a step, from each to the next hardly any way, pushes have not helped."""


@inlined
def is_crammed(state: EngineState, i: int) -> bool:
    """Whether pushes have not helped ball i in this step, so that there may be no room for them."""
    return bool(state.ball[i].rapid > _CRAMMED)


@inlined
def call(state: EngineState, i: int) -> None:
    """Let held ball i be pushed next, with its whole island: for what an end of it is spared comes
    back as impacts."""
    if state.ball[i].held == HELD and state.ball[i].part == NO_PART:
        state.ball[i].part = CALLED
        state.contacts.called[state.count[CALLS]] = i
        state.count[CALLS] += 1


@inlined
def find_islands(world: World, state: EngineState, now: float, length: float) -> None:
    """List the islands of the balls that were called, as they are at a time in the step: their
    members, and what these touch, or may touch in the length of time that is left."""
    count, members, ends = state.count, state.contacts.members, state.contacts.ends
    count[CONTACTS] = count[MEMBERS] = count[ISLANDS_NOW] = 0
    for n in range(count[CALLS]):
        i = int(state.contacts.called[n])
        if state.ball[i].part != CALLED:
            continue
        m = int(count[MEMBERS])
        _join(state, i, now)
        while m < count[MEMBERS]:
            _list_contacts(world, state, int(members[m]), now, length)
            m += 1
        ends[count[ISLANDS_NOW], 0], ends[count[ISLANDS_NOW], 1] = m, count[CONTACTS]
        count[ISLANDS_NOW] += 1
    count[CALLS] = 0


@inlined
def dismiss_members(state: EngineState) -> None:
    """Let the members of all islands be such no more."""
    for m in range(state.count[MEMBERS]):
        state.ball[state.contacts.members[m]].part = NO_PART


@inlined
def _join(state: EngineState, i: int, now: float) -> None:
    """Make ball i a member of the island, moved to where it is now."""
    ball = state.ball[i]
    set_vector(state.position, i, position_at(state, i, now))
    ball.way += vector_at(state.velocity, i).mag() * (now - ball.clock)
    ball.clock = now
    ball.stamp += 1
    ball.part, ball.head = MEMBER, NOBODY
    state.contacts.members[state.count[MEMBERS]] = i
    state.count[MEMBERS] += 1


@inlined
def _list_contacts(world: World, state: EngineState, i: int, now: float, length: float) -> None:
    """List the contacts of member i that are not listed yet; balls that it touches join it."""
    near = candidates(state.lists, state.grid, i, state.found)
    _sort(state.found, near)
    for n in range(near):
        j = int(state.found[n])
        if state.ball[j].held != FREE and state.ball[j].part != LISTED:
            _list_pair(world, state, i, j, now, length)
    _list_obstacles(world, state, i, now, length)
    state.ball[i].part = LISTED


@inlined
def _sort(found: Any, count: int) -> None:
    """Put the first so many in order: theirs tells of the past, and would change the last bits."""
    for n in range(1, count):
        j, place = found[n], n
        while place > 0 and found[place - 1] > j:
            found[place] = found[place - 1]
            place -= 1
        found[place] = j


@inlined
def _slow(world: World, state: EngineState, radius: float) -> float:
    """Approaches up to this one, with the kick of a step, do not bounce where contact lasts."""
    g = world.gravity.mag()
    slow: float = rising_speed(g, radius, state.rule.limits.soft_height) + g * state.rule.step
    return slow


@inlined
def _list_pair(world: World, state: EngineState, i: int, j: int, now: float, length: float) -> None:
    x, y = vector_at(state.position, i), position_at(state, j, now)
    d = x - y
    distance = d.mag()
    n = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (vector_at(state.velocity, i) - vector_at(state.velocity, j)).dot(n)
    gap = distance - (world.radius[i] + world.radius[j])
    radius = min(world.radius[i], world.radius[j])
    if _list_contact(world, state, i, j, n, gap, vn, radius, now, length):
        state.contacts.now.level[state.count[CONTACTS] - 1] = level_between(x, y, radius)


@inlined
def _list_obstacles(world: World, state: EngineState, i: int, now: float, length: float) -> None:
    x, radius = vector_at(state.position, i), world.radius[i]
    around_ball = around(x, radius + length * _slow(world, state, radius))
    place = next_place(world.obstacles, -1, around_ball)
    while place >= 0:
        k = row_at(world.obstacles, place)
        if not is_behind(world.obstacles, k, x) and not has_ended(world.obstacles, k, x):
            n = normal_at(world.obstacles, k, x)
            gap = clearance(world.obstacles, k, x) - radius
            vn = vector_at(state.velocity, i).dot(n)
            _list_contact(world, state, i, -1 - k, n, gap, vn, radius, now, length)
        place = next_place(world.obstacles, place, around_ball)


@inlined
def _list_contact(
    world: World,
    state: EngineState,
    i: int,
    j: int,
    n: TVector,
    gap: float,
    vn: float,
    radius: float,
    now: float,
    length: float,
) -> bool:
    """Add a contact, unless it is far away, or one of a hard impact that is still to come."""
    contacts, c = state.contacts.now, state.count[CONTACTS]
    slow = _slow(world, state, radius)
    is_hard = vn < -slow and not (gap <= _TOUCHING * radius and _hits_at_once(state, i, j))
    if gap > slow * length or is_hard or c == len(contacts.first):
        return False
    if j >= 0 and state.ball[j].held == HELD and state.ball[j].part != MEMBER:
        _join(state, j, now)
    write_contact(contacts, c, i, j, n)
    contacts.spacing[c] = gap - radius * room_for(state, j)
    # Its balls know of it.
    contacts.after[c, 0] = state.ball[i].head
    state.ball[i].head = c
    if j >= 0:
        contacts.after[c, 1] = state.ball[j].head
        state.ball[j].head = c
    state.count[CONTACTS] += 1
    return True


@inlined
def _hits_at_once(state: EngineState, i: int, j: int) -> bool:
    """Whether ball i, and ball j if there is one, hits again and again without going anywhere."""
    rapid = state.ball[i].rapid
    if j >= 0:
        rapid = min(rapid, state.ball[j].rapid)
    return bool(rapid > RAPID_IMPACTS)


@inlined
def room_for(state: EngineState, j: int) -> float:
    """How far from j, as in a list of contacts, a ball is kept, in units of its radius."""
    room: float = state.rule.limits.rest_height if j >= 0 else _WALL_ROOM
    return room


@inlined
def recall_pushes(state: EngineState) -> None:
    """Begin the search for the pushes where it ended in the step before."""
    contacts, before = state.contacts.now, state.contacts.before
    for c in range(state.count[CONTACTS]):
        i, j = int(contacts.first[c]), int(contacts.second[c])
        contacts.push[c] = push_between(before, int(state.ball[i].old_head), i, j)


@inlined
def remember_pushes(state: EngineState) -> None:
    """Keep the pushes as a guess for the next step."""
    now, before = state.contacts.now, state.contacts.before
    copy_pushes(now, before, state.count[CONTACTS])
    for c in range(state.count[CONTACTS]):
        set_vector(before.normal, c, vector_at(now.normal, c))
    state.count[REMEMBERED] = state.count[CONTACTS]
    for i in range(state.ball.size):
        state.ball[i].old_head = state.ball[i].head
