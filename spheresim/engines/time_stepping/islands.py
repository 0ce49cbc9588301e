"""Islands in fixed steps: their members, their contacts, and the forces to start the solver from.

An island is a connected set of awake balls in contact. Obstacles and sleeping balls belong to none.
"""

from spheresim.broadphase.sphere_grids.neighbour_lists import candidates
from spheresim.collision.repeated_impacts import COLLAPSE_IMPACTS, CROWDED_IMPACTS
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import ASLEEP, FREE, moves_in_contact
from spheresim.contact.contact_list import (
    NO_INDEX,
    CandidateContact,
    force_between,
    link_contact,
    write_contact,
)
from spheresim.contact.tolerances import TOUCHING
from spheresim.engines.time_stepping.engine_state import (
    CALLED,
    LISTED,
    MEMBER,
    NO_PART,
    EngineState,
)
from spheresim.engines.time_stepping.lasting_impacts import (
    ball_chatters,
    chatter_in_heap,
    kick_speed,
    lasting_speed_of_pair,
    lasting_speed_on_obstacle,
    pressing_acceleration,
    soft_speed,
)
from spheresim.engines.time_stepping.riding import seen_by, wall_acceleration
from spheresim.engines.time_stepping.trajectory import position_at
from spheresim.model.state import World
from spheresim.numerics.arrays import Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.nearby_obstacles import next_place, row_at
from spheresim.obstacles.table import clearance, has_ended, is_behind


@inlined
def is_crowded(state: EngineState, i: int) -> bool:
    """Whether ball i chatters in this step although its island was solved: there is no
    clearance."""
    return bool(state.ball[i].repeated > CROWDED_IMPACTS)


@inlined
def call_island(state: EngineState, i: int) -> None:
    """Request a solve of the island of ball i, or of its part around the ball."""
    if moves_in_contact(state.ball[i].held) and state.ball[i].part == NO_PART:
        state.ball[i].part = CALLED
        state.islands.called[state.count.called_balls] = i
        state.count.called_balls += 1


@routine
def find_islands(world: World, state: EngineState, length: float, most: int) -> None:
    """Find the islands of the called balls: members, and contacts whose gap may close within a
    length of time.

    Of an island with more than `most` members only the balls fewest contacts away from a called
    ball are found. They may then hit the others, so their number grows with each repeated impact of
    the called ball.
    """
    count, members, ends = state.count, state.islands.member, state.islands.ends
    count.contacts = count.members = count.islands_now = 0
    for n in range(count.called_balls):
        i = int(state.islands.called[n])
        if state.ball[i].part != CALLED:
            continue
        m = int(count.members)
        count.members_end = m + most * (1 + int(state.ball[i].repeated))
        _add_member(state, i)
        while m < count.members:
            _list_contacts(world, state, int(members[m]), length)
            m += 1
        ends[count.islands_now, 0], ends[count.islands_now, 1] = m, count.contacts
        count.islands_now += 1
    count.called_balls = 0


@inlined
def _add_member(state: EngineState, i: int) -> None:
    """Add ball i to the island, moved to its present position."""
    ball, now = state.ball[i], float(state.measure.now)
    set_vector(state.position, i, position_at(state, i, now))
    ball.path_before += vector_at(state.velocity, i).mag() * (now - ball.clock)
    ball.clock = now
    ball.stamp += 1
    ball.part, ball.head = MEMBER, NO_INDEX
    state.islands.member[state.count.members] = i
    state.count.members += 1


@inlined
def _list_contacts(world: World, state: EngineState, i: int, length: float) -> None:
    """List the contacts of member i that are not listed yet; awake balls in contact become members.
    A ball that sleeps alone gets no contact: an impact wakes it."""
    near = candidates(state.lists, state.grid, i, state.found)
    _sort(state.found, near)
    for n in range(near):
        j = int(state.found[n])
        other = state.ball[j]
        if other.held != FREE and other.part != LISTED and other.lies_alone == 0:
            _list_pair(world, state, i, j, length)
    _list_obstacles(world, state, i, length)
    state.ball[i].part = LISTED


@inlined
def _sort(found: Integers, count: int) -> None:
    """Sort the first `count` balls, because their order depends on the past, and the last bits of
    the solution on their order."""
    for n in range(1, count):
        j, place = found[n], n
        while place > 0 and found[place - 1] > j:
            found[place] = found[place - 1]
            place -= 1
        found[place] = j


@inlined
def _reach(world: World, state: EngineState, radius: float, length: float) -> float:
    """The largest gap that a soft impact may close within a length of time."""
    reach: float = (soft_speed(world, state, radius) + kick_speed(world, state)) * length
    return reach


@inlined
def _list_pair(world: World, state: EngineState, i: int, j: int, length: float) -> None:
    x, y = vector_at(state.position, i), position_at(state, j, float(state.measure.now))
    d = x - y
    distance = d.mag()
    n = d.unit() if distance > 0.0 else TVector(1.0, 0.0, 0.0)
    vn = (vector_at(state.velocity, i) - vector_at(state.velocity, j)).dot(n)
    gap = distance - (world.radius[i] + world.radius[j])
    radius = min(world.radius[i], world.radius[j])
    slow = lasting_speed_of_pair(world, state, i, j, n)
    if state.ball[j].held == ASLEEP or chatter_in_heap(world, state, i, j, n):
        slow += kick_speed(world, state)
    _list_contact(world, state, CandidateContact(i, j, n, gap, vn, radius), slow, length)


@inlined
def _list_obstacles(world: World, state: EngineState, i: int, length: float) -> None:
    x, radius = vector_at(state.position, i), world.radius[i]
    around_ball = around(x, radius + _reach(world, state, radius, length))
    place = next_place(world.obstacles, -1, around_ball)
    while place >= 0:
        _list_obstacle(world, state, i, row_at(world.obstacles, place), length)
        place = next_place(world.obstacles, place, around_ball)
    for m in range(world.walls.moving_rows()):
        _list_obstacle(world, state, i, world.walls.moving_row(m), length)


@routine
def _list_obstacle(world: World, state: EngineState, i: int, k: int, length: float) -> None:
    seen, radius = seen_by(world, state, i, k), world.radius[i]
    if is_behind(world.obstacles, k, seen.x) or has_ended(world.obstacles, k, seen.x):
        return
    gap = clearance(world.obstacles, k, seen.x) - radius
    # Speed that an obstacle gains within the length of time makes no impact hard.
    vn = seen.v.dot(seen.seen_normal) + max(wall_acceleration(seen), 0.0) * length
    candidate = CandidateContact(i, -1 - k, seen.normal, gap, vn, radius)
    pressing = pressing_acceleration(world, k, seen)
    slow = lasting_speed_on_obstacle(world, state, i, pressing)
    slow += kick_speed(world, state) if ball_chatters(state, i) else pressing * state.timestep
    _list_contact(world, state, candidate, slow, length)


@routine
def _list_contact(
    world: World, state: EngineState, candidate: CandidateContact, slow: float, length: float
) -> None:
    """Add a contact unless its gap is too large, the approach faster than `slow`, which leads to an
    impact, or its second ball one member too many."""
    contacts, c = state.islands.contacts, state.count.contacts
    i, j, gap, radius = candidate.i, candidate.j, candidate.gap, candidate.radius
    may_bounce = gap > TOUCHING * radius or not _collapses(state, i, j)
    is_hard = candidate.vn < -slow and may_bounce
    if gap > _reach(world, state, radius, length) or is_hard or c == len(contacts.first):
        return
    if j >= 0 and moves_in_contact(state.ball[j].held) and state.ball[j].part != MEMBER:
        if state.count.members >= state.count.members_end:
            return
        _add_member(state, j)
    write_contact(contacts, c, i, j, candidate.normal)
    contacts.slack[c] = gap
    link_contact(contacts, c, 0, state.ball[i])
    if j >= 0:
        link_contact(contacts, c, 1, state.ball[j])
    state.count.contacts += 1


@inlined
def _collapses(state: EngineState, i: int, j: int) -> bool:
    """Whether ball i, and ball j if it is one, has had repeated impacts."""
    repeated = state.ball[i].repeated
    if j >= 0:
        repeated = min(repeated, state.ball[j].repeated)
    return bool(repeated > COLLAPSE_IMPACTS)


@inlined
def recall_forces(state: EngineState) -> None:
    """Start the solver from the forces of the last step."""
    contacts, before = state.islands.contacts, state.islands.before
    for c in range(state.count.contacts):
        i, j = int(contacts.first[c]), int(contacts.second[c])
        contacts.force[c] = force_between(before, int(state.ball[i].old_head), i, j)


@inlined
def store_forces(state: EngineState) -> None:
    """Keep the forces as the start of the next step's solver."""
    for c in range(state.count.contacts):
        state.islands.before[c] = state.islands.contacts[c]
    state.count.remembered = state.count.contacts
    for i in range(state.ball.size):
        state.ball[i].old_head = state.ball[i].head
