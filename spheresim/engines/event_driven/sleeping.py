"""Sleep in the exact engine: when a proof of rest is looked for, and what changes by it.

A kernel stops where one is due: where the balls of a pile are nearly at rest for some steps; and
at once where a ball has woken, on which others may have lain.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import NEIGHBOURHOOD_EXIT, Impacts
from spheresim.collision.journal import DISSIPATED, NOW
from spheresim.compiler.decorators import kernel
from spheresim.engines.event_driven.calendar import enter
from spheresim.engines.event_driven.engine_state import (
    CONTACTS,
    JAMMED,
    PROOF_DUE,
    PROOF_WAIT,
    QUIET,
    QUIET_UNTIL,
    WOKEN,
    EngineState,
)
from spheresim.engines.event_driven.pile import QUIET_STEPS
from spheresim.engines.event_driven.supports import ASLEEP, FREE
from spheresim.engines.rest import Change, Sleepers, clusters_of
from spheresim.model.state import World

_NEVER = 2**62

_LONGEST_WAIT = 64
"""So many times as long at most, after looks that found little."""

_MANY = 0.1
"""A look has found something if so large a part of those awake falls asleep."""


class Moment(NamedTuple):
    """The balls at the time of the last event: record_of, (n,), the place of each ball's record;
    position and velocity, (n, 3)."""

    record_of: Any
    time: float
    position: Any
    velocity: Any


def schedule_first_look(engine_state: EngineState, wanted: bool) -> None:
    """Let the first look be at the start, or let there never be one."""
    count = engine_state.count
    count[QUIET], count[WOKEN], count[PROOF_WAIT] = 0, 0, 0
    count[PROOF_DUE] = int(wanted)
    count[QUIET_UNTIL] = 0 if wanted else _NEVER


def look(world: World, engine_state: EngineState, sleepers: Sleepers, moment: Moment) -> Impacts:
    """Put to sleep and wake what a proof of rest says; the rows that tell it."""
    record_of, time, position, velocity = moment
    # Who is asleep by now: kernels wake balls.
    count, body = engine_state.count, engine_state.body
    sleepers.asleep = body.held[record_of] == ASLEEP
    last = body.last[record_of]
    partner = body.name[np.maximum(-1 - last, 0)]
    caught = (last < 0) & sleepers.asleep[partner]
    # What changes.
    is_start, slept = count[PROOF_WAIT] == 0, sleepers.asleep
    find = sleepers.first_look if is_start else sleepers.look
    listed, used = engine_state.pile.contacts, slice(0, int(count[CONTACTS]))
    ends = (listed.first[used], listed.second[used])
    cluster = clusters_of(*ends, listed.push[used], len(body))
    change = find(position, velocity, caught, together=cluster[record_of])
    _apply(world, engine_state, change, moment)
    # The next look.
    awake = max(int((~sleepers.asleep).sum()), 1)
    found = int((sleepers.asleep & ~slept).sum())
    helped = is_start or found > _MANY * awake
    count[PROOF_WAIT] = 1 if helped else min(2 * count[PROOF_WAIT], _LONGEST_WAIT)
    count[QUIET_UNTIL] = count[QUIET] + QUIET_STEPS * count[PROOF_WAIT] * awake
    count[PROOF_DUE] = count[WOKEN] = 0
    return sleepers.rows(change, time)


def give_in(world: World, engine_state: EngineState, sleepers: Sleepers, moment: Moment) -> Impacts:
    """Let the jammed ball rest, unproved, until something wakes it."""
    record_of = moment.record_of
    ball = np.array([engine_state.count[JAMMED] - 1])
    engine_state.count[JAMMED] = 0
    engine_state.body.stuck[record_of[ball]] = 0
    sleepers.asleep = engine_state.body.held[record_of] == ASLEEP
    sleepers.asleep[ball] = True
    none = ball[:0]
    change = Change(ball, none, none, moment.position)
    _apply(world, engine_state, change, moment)
    return sleepers.rows(change, moment.time)


def _apply(world: World, engine_state: EngineState, change: Change, moment: Moment) -> None:
    """Write the change into the records, and let all these balls predict their events anew."""
    record_of, _, position, velocity = moment
    ball, body, hold = engine_state.ball, engine_state.body, engine_state.hold
    gravity, now = world.gravity, float(engine_state.measure[NOW])
    # Where they are, all of them from now on.
    changed = np.unique(np.concatenate([change.falls_asleep, change.wakes, change.gives_way]))
    records = record_of[changed]
    way = change.position[changed] - position[changed]
    for axis, name in enumerate("xyz"):
        ball[name][records] = (
            position[changed, axis] - _periods(world, engine_state, records, axis)
        ) + way[:, axis]
        ball["v" + name][records] = velocity[changed, axis]
    ball.clock[records] = now
    engine_state.event.stamp[records] += np.uint32(1)
    # Those that fall asleep, and those that wake.
    stop, start = record_of[change.falls_asleep], record_of[change.wakes]
    sunk = world.mass * ((change.position - position) @ np.array(gravity))
    stopped = 0.5 * world.mass * (velocity**2).sum(axis=1)
    engine_state.measure[DISSIPATED] += float(
        sunk[changed].sum() + stopped[change.falls_asleep].sum()
    )
    for axis, name in enumerate("xyz"):
        ball["acceleration_" + name][start] = gravity[axis]
        ball["v" + name][stop] = ball["acceleration_" + name][stop] = 0.0
    body.held[start], body.held[stop] = FREE, ASLEEP
    for name in ("support_a", "support_b", "support_c", "left"):
        hold[name][stop] = -1
    hold.rest_at[stop] = hold.step_at[stop] = np.inf
    enter_now(engine_state, np.sort(records), now)


def _periods(world: World, engine_state: EngineState, records: Any, axis: int) -> Any:
    """By how much balls are away from their places in the box, along an axis."""
    if world.box is None:
        return 0.0
    return engine_state.image[records, axis] * world.box.size[axis]


@kernel
def enter_now(state: EngineState, records: Any, now: float) -> None:
    """Let these balls' next event be now, at which their true next events are predicted."""
    for k in range(len(records)):
        i: Any = np.uint32(records[k])
        event = state.event[i]
        event.time, event.kind, event.other = now, NEIGHBOURHOOD_EXIT, 0
        enter(state.calendar, state.event, state.body, i)
