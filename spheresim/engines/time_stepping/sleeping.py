"""Sleep in fixed steps: between two steps it is asked who can be proved to rest, and who not."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.collision.journal import DISSIPATED
from spheresim.contact.contact_list import NOBODY
from spheresim.contact.contact_table import (
    NO_CONTACTS,
    LastingContacts,
    joined_contacts,
    lasting_contacts,
)
from spheresim.engines.rest import Change, Sleepers, clusters_of
from spheresim.engines.time_stepping.engine_state import (
    ASLEEP,
    CALLS,
    CONTACTS,
    FREE,
    HELD,
    HELD_FOR,
    NO_PART,
    PROOF_DUE,
    PROOF_WAIT,
    QUIET,
    QUIET_UNTIL,
    REMEMBERED,
    SLEEPERS,
    EngineState,
)
from spheresim.model.state import World

_QUIET_STEPS = 4
"""Steps in which all that are held are quiet, from one look to the next."""

_LONGEST_WAIT = 64
"""So many times as long at most, after looks that found nothing."""


_STILL = 1e-11
"""What is slower than this, in units of √(g·r), moves by rounding only."""

_LASTING = ("held", "support", "told", "again", "way", "old_head")
"""What a ball's record says of contacts that last."""


def wake_all(engine_state: EngineState, is_wanted: bool) -> None:
    """Hold nobody, and let the first look be due, or let there never be one."""
    ball, count = engine_state.ball, engine_state.count
    ball.held[:] = FREE
    ball.support[:] = ball.told[:] = ball.head[:] = ball.old_head[:] = NOBODY
    ball.again[:] = 0
    ball.way[:] = 0.0
    ball.part[:] = NO_PART
    for counted in (CONTACTS, REMEMBERED, CALLS, QUIET, QUIET_UNTIL, PROOF_WAIT, SLEEPERS):
        count[counted] = 0
    count[PROOF_DUE] = int(is_wanted)


def kept(engine_state: EngineState) -> dict[str, Any]:
    """The arrays of what holds balls, by name: they last from step to step."""
    ball, before = engine_state.ball, engine_state.contacts.before
    fields = {f"held.{name}": ball[name] for name in _LASTING}
    names = ("first", "second", "push", "after", "normal")
    contacts = {f"held.{name}": getattr(before, name) for name in names}
    more = {
        "held.count": engine_state.count[CONTACTS:],
        "held.for": engine_state.measure[HELD_FOR:],
    }
    return {**fields, **contacts, **more}


def look(world: World, engine_state: EngineState, sleepers: Sleepers, time: float) -> Impacts:
    """Put to sleep and wake what a proof of rest says; the rows that tell it."""
    ball, count = engine_state.ball, engine_state.count
    # Who is asleep by now: impacts wake balls.
    sleepers.asleep = ball.held == ASLEEP
    is_start, slept = count[PROOF_WAIT] == 0, sleepers.asleep
    find = sleepers.first_look if is_start else sleepers.look
    alone = _are_alone(engine_state) & ~_slide_on(world, engine_state)
    position, velocity = engine_state.position, engine_state.velocity
    listed, used = engine_state.contacts.before, slice(0, int(count[REMEMBERED]))
    ends = (listed.first[used], listed.second[used])
    cluster = clusters_of(*ends, listed.push[used], len(ball))
    change = find(position, velocity, np.zeros_like(alone), alone, cluster)
    _apply(world, engine_state, change)
    # The next look.
    held = max(int((ball.held == HELD).sum()), 1)
    found = bool((sleepers.asleep & ~slept).any())
    count[PROOF_WAIT] = 1 if is_start or found else min(2 * count[PROOF_WAIT], _LONGEST_WAIT)
    count[QUIET_UNTIL] = count[QUIET] + _QUIET_STEPS * count[PROOF_WAIT] * held
    count[PROOF_DUE] = 0
    return sleepers.rows(change, time)


def _are_alone(engine_state: EngineState) -> Any:
    """Which balls touch no other ball that is awake: (n,) bool.

    Obstacles alone could carry any ball that lies on them, even one on which a pile weighs.
    """
    listed, awake = engine_state.contacts.before, engine_state.ball.held != ASLEEP
    used = slice(0, int(engine_state.count[REMEMBERED]))
    first, second = listed.first[used], listed.second[used]
    of_awake = (second >= 0) & awake[first] & awake[np.maximum(second, 0)]
    alone = np.ones(len(awake), dtype=bool)
    alone[first[of_awake]] = alone[second[of_awake]] = False
    return alone


def _slide_on(world: World, engine_state: EngineState) -> Any:
    """Which balls move along all obstacles that carry them, as on level ground: nothing stops them,
    however slow they are."""
    listed, used = engine_state.contacts.before, slice(0, int(engine_state.count[REMEMBERED]))
    pushes = (listed.push[used] > 0.0) & (listed.second[used] < 0)
    first, normal = listed.first[used][pushes], listed.normal[used][pushes]
    along = engine_state.velocity.copy()
    for i in np.unique(first):
        normals = normal[first == i]
        along[i] -= np.linalg.pinv(normals) @ (normals @ along[i])
    still = _STILL * np.sqrt(world.gravity.mag() * world.radius)
    return np.linalg.norm(along, axis=1) > still


def _apply(world: World, engine_state: EngineState, change: Change) -> None:
    """Write the change into the arrays, and let all these balls be due."""
    ball, position, velocity = engine_state.ball, engine_state.position, engine_state.velocity
    # The energy that they lose by it.
    sunk = world.mass * ((change.position - position) @ np.array(world.gravity))
    stops, wakes = change.falls_asleep, change.wakes
    stopped = 0.5 * world.mass[stops] * (velocity[stops] ** 2).sum(axis=1)
    engine_state.measure[DISSIPATED] += float(sunk.sum() + stopped.sum())
    # Where they are, and what holds them.
    changed = np.unique(np.concatenate([stops, wakes, change.gives_way]))
    position[changed] = change.position[changed]
    velocity[stops] = 0.0
    ball.held[wakes], ball.held[stops] = HELD, ASLEEP
    ball.support[stops] = ball.told[stops] = NOBODY
    ball.stamp[changed] += 1
    ball.ball_due[changed] = ball.obstacle_due[changed] = 0
    engine_state.count[SLEEPERS] = int((ball.held == ASLEEP).sum())


def who_slides(engine_state: EngineState) -> Any:
    """Which balls are held by contacts, and move: (n,) bool."""
    return (engine_state.ball.held == HELD) & np.any(engine_state.velocity != 0.0, axis=1)


def touched(engine_state: EngineState, sleepers: Sleepers) -> LastingContacts:
    """The contacts that hold balls: of those asleep, and those of the last step of the others."""
    if engine_state.contacts is None:
        return NO_CONTACTS
    before, moving = engine_state.contacts.before, engine_state.ball.held == HELD
    listed = slice(0, int(engine_state.count[REMEMBERED]))
    first, second = before.first[listed], before.second[listed]
    of_moving = moving[first] | ((second >= 0) & moving[np.maximum(second, 0)])
    used = np.flatnonzero((before.push[listed] > 0.0) & of_moving)
    force = before.push[used] / engine_state.measure[HELD_FOR]
    pushed = lasting_contacts(first[used], second[used], before.normal[used], force)
    return joined_contacts(sleepers.lasting(), pushed)
