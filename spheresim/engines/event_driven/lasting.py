"""Resting and sliding balls and their contacts, as Python reads them from the records.

record_of: (n,) the place of each ball's record.
"""

from typing import Any

import numpy as np

from spheresim.contact.ball_state import ASLEEP, IN_ISLAND, SLIDING
from spheresim.contact.contact_table import (
    NO_CONTACTS,
    LastingContacts,
    joined_contacts,
    lasting_contacts,
)
from spheresim.contact.touching import normals_at
from spheresim.engines.event_driven.engine_state import CONTACTS, EngineState
from spheresim.engines.rest import periods
from spheresim.model.state import World


def resting_balls(engine_state: EngineState, record_of: Any) -> Any:
    """Mask (n,) of balls that are asleep, or lie on obstacles and do not move."""
    held = engine_state.body.held[record_of]
    return (held == ASLEEP) | ((held == SLIDING) & ~_moves(engine_state, record_of))


def sliding_balls(engine_state: EngineState, record_of: Any) -> Any:
    """Mask (n,) of balls that move in contact with obstacles or other balls."""
    held = engine_state.body.held[record_of]
    return ((held == SLIDING) | (held == IN_ISLAND)) & _moves(engine_state, record_of)


def support_contacts(
    world: World, engine_state: EngineState, record_of: Any, position: Any
) -> LastingContacts:
    """The contacts with obstacles of balls that lie or slide on them; position: (n, 3)."""
    parts = [NO_CONTACTS]
    if len(engine_state.hold) == 0:
        return NO_CONTACTS
    hold, held = engine_state.hold[record_of], engine_state.body.held[record_of] == SLIDING
    for name in "abc":
        i = np.flatnonzero(held & (hold["support_" + name] >= 0))
        k = hold["support_" + name][i].astype(np.int64)
        normal = normals_at(world.obstacles, k, position[i], periods(world))
        force = hold["reaction_" + name][i] * world.mass[i]
        parts.append(LastingContacts(i, -1 - k, normal, force))
    return joined_contacts(*parts)


def island_contacts(engine_state: EngineState) -> LastingContacts:
    """The contacts with force of balls in islands."""
    if engine_state.islands is None:
        return NO_CONTACTS
    contacts, name = engine_state.islands.contacts, engine_state.body.name.astype(np.int64)
    moving = engine_state.body.held == IN_ISLAND
    used = slice(0, int(engine_state.count[CONTACTS]))
    with_member = moving[contacts.first[used]] | moving[np.maximum(contacts.second[used], 0)]
    pushed = np.flatnonzero((contacts.force[used] > 0.0) & with_member)
    first, second = name[contacts.first[pushed]], contacts.second[pushed]
    second = np.where(second >= 0, name[np.maximum(second, 0)], second)
    return lasting_contacts(first, second, contacts.normal[pushed], contacts.force[pushed])


def lost_under_way(world: World, engine_state: EngineState, record_of: Any, position: Any) -> float:
    """Energy that contact forces have taken from balls in islands since their clocks.

    position: (n, 3), where the balls are.
    """
    piled = np.flatnonzero(engine_state.body.held[record_of] == IN_ISLAND)
    records = record_of[piled]
    ball, size = engine_state.ball[records], np.zeros(3) if world.box is None else world.box.size
    pushed = np.stack([ball["acceleration_" + name] for name in "xyz"], axis=1)
    pushed -= np.array(world.gravity)
    start = np.stack([ball[name] for name in "xyz"], axis=1) + engine_state.image[records] * size
    path = position[piled] - start
    return float(-(world.mass[piled] * (pushed * path).sum(axis=1)).sum())


def _moves(engine_state: EngineState, record_of: Any) -> Any:
    """Which balls have a velocity or an acceleration: (n,) bool."""
    ball = engine_state.ball[record_of]
    names = [name for name in ball.dtype.names if name[0] in "va"]
    return np.any([ball[name] != 0.0 for name in names], axis=0)
