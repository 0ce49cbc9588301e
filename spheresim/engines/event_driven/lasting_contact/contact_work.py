"""The work of contact forces in islands: accounted for, and taken back from the motion.

Contact forces do no work on an island, but forces that are constant over a step do a little, and so
does what parts balls to a greater clearance. An island that has gained energy in this way loses as
much of its motion at its next step. It is taken from motion relative to the mean velocity, so that
balls that ride on a wall keep their momentum; if there is not enough of it, from later motion.
Until then the work that forces may do for the clearance is less by what is owed.
"""

from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import IN_ISLAND
from spheresim.contact.contact_list import NO_INDEX, next_contact
from spheresim.contact.rise import slowed
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.trajectory import set_velocity
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.union_find import representative, unite
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.driven_walls.moving_walls import Ride


@inlined
def note_work(environment: Environment, state: EngineState, i: int, x: TVector, now: float) -> None:
    """Account for the work of the contact forces on ball i, from its clock to now, when it is at
    x."""
    if state.body[i].held == IN_ISLAND:
        ball = state.ball[i]
        pushed = environment.motion.acceleration_of(ball) - environment.motion.gravity
        path = x - position_at_clock(ball)
        work = state.body[i].mass * pushed.dot(path)
        if environment.walls.any_move():
            work -= _work_of_walls(environment, state, i, x, now)
        state.measure.dissipated -= work
        state.hold[i].work += work


@routine
def _work_of_walls(
    environment: Environment, state: EngineState, i: int, x: TVector, now: float
) -> float:
    """The work on ball i, from its clock to now, of the obstacles that move and press it; it is
    added to what they have given."""
    contacts, c, given = state.islands.contacts, int(state.hold[i].head), 0.0
    begun, ended = absolute(state, float(state.ball[i].clock)), absolute(state, now)
    ride = Ride(position_at_clock(state.ball[i]), begun, x, ended)
    while c != NO_INDEX:
        k = -1 - contacts.second[c]
        if environment.walls.moves(k) and contacts.first[c] == i and contacts.force[c] > 0.0:
            force = vector_at(contacts.normal, c) * contacts.force[c]
            work = environment.walls.work_of_force(state.walls, k, force, ride)
            environment.walls.note_work(state.walls, k, work)
            given += work
        c = next_contact(contacts, c, i)
    return given


@inlined
def take_work(state: EngineState) -> None:
    """Take the work since the last step from the motion of each island; members are at now.

    Islands are connected by the contacts since that step; balls that have left still belong to
    them, with the work on them.
    """
    member, island = state.islands.member, state.islands.island
    _find_islands(state)
    for m in range(state.count.members):
        i: int = member[m]
        k = representative(island.parent, int(i))
        if state.body[i].held == IN_ISLAND:
            relative = velocity_at_clock(state.ball[i]) - _mean_velocity(state, k)
            island[k].energy += 0.5 * state.body[i].mass * relative.mag_sqr()
    for m in range(state.count.members):
        i = member[m]
        k = representative(island.parent, int(i))
        work, energy = float(island[k].work), float(island[k].energy)
        state.hold[i].work = 0.0
        if work <= 0.0 or state.body[i].held != IN_ISLAND:
            continue
        if work < energy:
            mean = _mean_velocity(state, k)
            relative = velocity_at_clock(state.ball[i]) - mean
            set_velocity(state, i, mean + relative * slowed(work, energy))
            state.measure.dissipated += (
                0.5 * state.body[i].mass * relative.mag_sqr() * work / energy
            )
        else:
            state.hold[i].work = work * state.body[i].mass / island[k].mass


@inlined
def _find_islands(state: EngineState) -> None:
    """Find the islands, and their mass, momentum and work."""
    member, contacts, island = state.islands.member, state.islands.contacts, state.islands.island
    for m in range(state.count.members):
        i: int = member[m]
        island[i].parent = i
        island[i].mass = island[i].energy = island[i].work = 0.0
        set_vector(island.momentum, i, ZERO)
    for c in range(state.count.contacts):
        i, j = contacts.first[c], contacts.second[c]
        if j >= 0 and state.hold[i].listed == 1 and state.hold[j].listed == 1:
            unite(island.parent, i, j)
    for m in range(state.count.members):
        i = member[m]
        k = representative(island.parent, int(i))
        island[k].work += state.hold[i].work
        if state.body[i].held == IN_ISLAND:
            mass = state.body[i].mass
            island[k].mass += mass
            momentum = vector_at(island.momentum, k) + velocity_at_clock(state.ball[i]) * mass
            set_vector(island.momentum, k, momentum)


@inlined
def _mean_velocity(state: EngineState, k: int) -> TVector:
    """The mean velocity of the island whose representative is ball k."""
    island = state.islands.island
    mean: TVector = vector_at(island.momentum, k) / island[k].mass
    return mean
