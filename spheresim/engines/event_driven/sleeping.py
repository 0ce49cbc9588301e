"""Sleep in the exact engine: when the equilibrium test runs, and what changes by it.

A kernel stops when it is due: when the balls of islands were quiet for some steps, or at once when
a ball has woken, on which others may have lain.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import NEIGHBOURHOOD_EXIT, Impacts
from spheresim.compiler.decorators import kernel
from spheresim.contact.ball_state import ASLEEP, FREE, IN_ISLAND
from spheresim.contact.tolerances import QUIET_STEPS
from spheresim.engines.base_engine import longer_wait
from spheresim.engines.event_driven.engine_state import EngineState
from spheresim.engines.event_driven.event_calendar import enter
from spheresim.engines.event_driven.lasting_contact.contact_views import island_contacts
from spheresim.engines.sleep_criterion import SleepChange, Sleepers
from spheresim.model.state import World
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.whole_steps import NEVER

_PRODUCTIVE = 0.1
"""Fraction of the awake balls that must fall asleep for a test to count as productive."""


class Moment(NamedTuple):
    """The balls at the time of the last event: slot_of, (n,), the index of each ball's record;
    position and velocity, (n, 3)."""

    slot_of: Integers
    time: float
    position: Floats
    velocity: Floats


def schedule_first_proof(engine_state: EngineState, requested: bool) -> None:
    """Schedule the first equilibrium test for the start, or none ever."""
    count = engine_state.count
    count.quiet, count.proof_wait = 0, 0
    count.proof_due = int(requested)
    count.quiet_until = 0 if requested else NEVER


def update_sleep(
    world: World, engine_state: EngineState, sleepers: Sleepers, moment: Moment
) -> Impacts:
    """Run the equilibrium test, and put balls to sleep or wake them; returns the rows of the
    journal."""
    slot_of, time, position, velocity = moment
    # Kernels may have woken balls.
    count, body = engine_state.count, engine_state.body
    sleepers.asleep = body.held[slot_of] == ASLEEP
    last = body.last[slot_of]
    partner = body.name[np.maximum(-1 - last, 0)]
    caught = (last < 0) & sleepers.asleep[partner]
    # What changes.
    is_start, slept = count.proof_wait == 0, sleepers.asleep
    presses = island_contacts(engine_state)
    change = sleepers.update_sleep(
        position, velocity, caught, presses=presses, is_start=is_start, time=time
    )
    _apply(world, engine_state, change, moment)
    engine_state.hold.lies_alone[slot_of] = sleepers.lying_alone
    # The next test.
    awake = max(int((~sleepers.asleep).sum()), 1)
    found = int((sleepers.asleep & ~slept).sum())
    helped = is_start or found > _PRODUCTIVE * awake
    count.proof_wait = 1 if helped else longer_wait(count.proof_wait)
    count.quiet_until = count.quiet + QUIET_STEPS * count.proof_wait * awake
    count.proof_due = 0
    return sleepers.rows(change, time)


def let_sleep(world: World, engine_state: EngineState, asleep: Booleans, moment: Moment) -> None:
    """Let these balls, a mask, sleep on until the equilibrium test that is due."""
    balls = np.flatnonzero(asleep)
    change = SleepChange(balls, balls[:0], balls[:0], moment.position)
    _apply(world, engine_state, change, moment)
    engine_state.count.proof_wait = 1


def force_sleep(
    world: World, engine_state: EngineState, sleepers: Sleepers, moment: Moment
) -> Impacts:
    """Put the jammed ball to sleep, without a proof, until something wakes it."""
    slot_of = moment.slot_of
    ball = np.array([engine_state.count.jammed - 1])
    engine_state.count.jammed = 0
    engine_state.body.wedged[slot_of[ball]] = 0
    sleepers.asleep = engine_state.body.held[slot_of] == ASLEEP
    sleepers.asleep[ball] = True
    none = ball[:0]
    change = SleepChange(ball, none, none, moment.position)
    _apply(world, engine_state, change, moment)
    return sleepers.rows(change, moment.time)


def _apply(world: World, engine_state: EngineState, change: SleepChange, moment: Moment) -> None:
    """Write the change into the records, and predict these balls anew."""
    slot_of, _, position, velocity = moment
    ball, body, hold = engine_state.ball, engine_state.body, engine_state.hold
    gravity, now = world.gravity, float(engine_state.measure.now)
    # Positions, with the clock at now.
    changed = np.unique(np.concatenate([change.falls_asleep, change.wakes, change.gives_way]))
    records = slot_of[changed]
    way = change.position[changed] - position[changed]
    work = np.zeros(len(records))
    for axis, name in enumerate("xyz"):
        here = position[changed, axis] - _periods(world, engine_state, records, axis)
        pushed = ball["acceleration_" + name][records] - gravity[axis]
        work += world.mass[changed] * pushed * (here - ball[name][records])
        ball[name][records] = here + way[:, axis]
        ball["v" + name][records] = velocity[changed, axis]
    # What contact forces have done until now.
    work[body.held[records] != IN_ISLAND] = 0.0
    engine_state.measure.dissipated -= float(work.sum())
    hold.work[records] += work
    ball.clock[records] = now
    engine_state.event.stamp[records] += np.uint32(1)
    # States.
    stop, start = slot_of[change.falls_asleep], slot_of[change.wakes]
    sunk = world.mass * ((change.position - position) @ np.array(gravity))
    stopped = 0.5 * world.mass * (velocity**2).sum(axis=1)
    engine_state.measure.dissipated += float(
        sunk[changed].sum() + stopped[change.falls_asleep].sum()
    )
    for axis, name in enumerate("xyz"):
        ball["acceleration_" + name][start] = gravity[axis]
        ball["v" + name][stop] = ball["acceleration_" + name][stop] = 0.0
    body.held[start], body.held[stop] = FREE, ASLEEP
    hold.support[stop], hold.reaction[stop], hold.left[stop] = -1, 0.0, -1
    hold.rest_at[stop] = hold.step_at[stop] = np.inf
    enter_now(engine_state, np.sort(records), now)


def _periods(world: World, engine_state: EngineState, records: Integers, axis: int) -> Any:
    """By how much balls are away from their places in the box, along an axis."""
    if world.box is None:
        return 0.0
    return engine_state.image[records, axis] * world.box.size[axis]


@kernel
def enter_now(state: EngineState, records: Integers, now: float) -> None:
    """Let these balls' next event be now, at which their true next events are predicted."""
    for k in range(len(records)):
        i: Any = np.uint32(records[k])
        event = state.event[i]
        event.time, event.kind, event.other = now, NEIGHBOURHOOD_EXIT, 0
        enter(state.calendar, state.event, state.body, i)
