"""Resting and sliding balls and their contacts, as Python reads them from the records.

slot_of: (n,) the slot of each ball: the index of its record.
"""

from typing import Any

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.contact.ball_state import ASLEEP, IN_ISLAND, SLIDING
from spheresim.contact.contact_list import ContactList
from spheresim.contact.contact_table import (
    NO_CONTACTS,
    LastingContacts,
    joined_contacts,
    lasting_contacts,
)
from spheresim.contact.touching import normals_at
from spheresim.engines.event_driven.engine_state import EngineState, absolute, accelerations_of
from spheresim.engines.sleep_criterion import periods
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.rows import vector_at
from spheresim.obstacles.driven_walls.moving_walls import DrivenWalls, Ride
from spheresim.obstacles.driven_walls.placement import NO_MOTION


def resting_balls(engine_state: EngineState, slot_of: Integers) -> Any:
    """Mask (n,) of balls that are asleep, or lie on obstacles and do not move."""
    held = engine_state.body.held[slot_of]
    return (held == ASLEEP) | ((held == SLIDING) & ~_moves(engine_state, slot_of))


def sliding_balls(engine_state: EngineState, slot_of: Integers) -> Any:
    """Mask (n,) of balls that move in contact with obstacles or other balls."""
    held = engine_state.body.held[slot_of]
    return ((held == SLIDING) | (held == IN_ISLAND)) & _moves(engine_state, slot_of)


def support_contacts(
    world: World, engine_state: EngineState, slot_of: Integers, position: Floats
) -> LastingContacts:
    """The contacts with obstacles of balls that lie or slide on them; position: (n, 3)."""
    parts = [NO_CONTACTS]
    if len(engine_state.hold) == 0:
        return NO_CONTACTS
    hold, held = engine_state.hold[slot_of], engine_state.body.held[slot_of] == SLIDING
    for m in range(3):
        i = np.flatnonzero(held & (hold["support"][:, m] >= 0))
        k = hold["support"][i, m].astype(np.int64)
        normal = normals_at(world.obstacles, k, position[i], periods(world))
        force = hold["reaction"][i, m] * world.mass[i]
        parts.append(LastingContacts(i, -1 - k, normal, force))
    return joined_contacts(*parts)


def island_contacts(engine_state: EngineState) -> LastingContacts:
    """The contacts with force of balls in islands."""
    if engine_state.islands is None:
        return NO_CONTACTS
    contacts, name = engine_state.islands.contacts, engine_state.body.name.astype(np.int64)
    moving = engine_state.body.held == IN_ISLAND
    used = slice(0, int(engine_state.count.contacts))
    with_member = moving[contacts.first[used]] | moving[np.maximum(contacts.second[used], 0)]
    pushed = np.flatnonzero((contacts.force[used] > 0.0) & with_member)
    first, second = name[contacts.first[pushed]], contacts.second[pushed]
    second = np.where(second >= 0, name[np.maximum(second, 0)], second)
    return lasting_contacts(first, second, contacts.normal[pushed], contacts.force[pushed])


def energy_under_way(
    world: World, engine_state: EngineState, slot_of: Integers, position: Floats, time: float
) -> tuple[float, Floats]:
    """What contact forces have done since the clocks of balls in islands: the energy that they have
    taken, and what each wall has given, (w,).

    position: (n, 3), where the balls are at a time counted from 0.
    """
    piled = np.flatnonzero(engine_state.body.held[slot_of] == IN_ISLAND)
    records = slot_of[piled]
    ball, size = engine_state.ball[records], np.zeros(3) if world.box is None else world.box.size
    pushed = accelerations_of(ball) - np.array(world.gravity)
    start = np.stack([ball[name] for name in "xyz"], axis=1) + engine_state.image[records] * size
    path = position[piled] - start
    work = float((world.mass[piled] * (pushed * path).sum(axis=1)).sum())
    given = _given_by_walls(world, engine_state, position, time)
    return float(given.sum()) - work, given


def _given_by_walls(
    world: World, engine_state: EngineState, position: Floats, time: float
) -> Floats:
    """The work of each wall, (w,), since the clocks of balls in islands."""
    given = np.zeros(len(engine_state.walls))
    if not world.has_walls:
        return given
    contacts = engine_state.islands.contacts[: int(engine_state.count.contacts)]
    on_obstacle = contacts[contacts.second < 0]
    wall = world.walls.wall[-1 - on_obstacle.second]
    moves = (wall >= 0) & (world.walls.kind[wall] != NO_MOTION)
    by = on_obstacle[moves & (engine_state.body.held[on_obstacle.first] == IN_ISLAND)]
    ball = engine_state.ball[by.first]
    start = np.stack([ball[name] for name in "xyz"], axis=1)
    end = position[engine_state.body.name[by.first]]
    begun = absolute(engine_state, ball.clock)
    _add_work_of_walls(world.walls, engine_state.walls, by, start, begun, end, time, given)
    return given


@kernel
def _add_work_of_walls(
    walls: DrivenWalls,
    places: Records,
    contacts: ContactList,
    start: Floats,
    begun: Any,
    end: Floats,
    ended: float,
    given: Floats,
) -> None:
    """Add to `given`, (w,), the work of each wall by the forces of m contacts with balls.

    start, end: places of the balls, (m, 3); begun, ended: the times of these, (m,) and one for all.
    """
    for c in range(len(contacts)):
        k: int = -1 - contacts.second[c]
        force = vector_at(contacts.normal, c) * contacts.force[c]
        ride = Ride(vector_at(start, c), begun[c], vector_at(end, c), ended)
        given[walls.wall[k]] += walls.work_of_force(places, k, force, ride)


def _moves(engine_state: EngineState, slot_of: Any) -> Any:
    """Which balls have a velocity or an acceleration: (n,) bool."""
    ball = engine_state.ball[slot_of]
    names = [name for name in ball.dtype.names if name[0] in "va"]
    return np.any([ball[name] != 0.0 for name in names], axis=0)
