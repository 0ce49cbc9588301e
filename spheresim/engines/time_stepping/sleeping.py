"""Sleep in fixed steps: the equilibrium test runs between two steps, when it is due."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.contact.ball_state import ASLEEP, FREE, IN_ISLAND, SLIDING, moves_in_contact
from spheresim.contact.contact_list import NO_INDEX
from spheresim.contact.contact_table import (
    NO_CONTACTS,
    LastingContacts,
    joined_contacts,
    lasting_contacts,
)
from spheresim.contact.tolerances import MOTION_NOISE, QUIET_STEPS
from spheresim.contact.touching import of_second
from spheresim.engines.base_engine import longer_wait
from spheresim.engines.sleep_criterion import SleepChange, Sleepers
from spheresim.engines.time_stepping.engine_state import NO_PART, Counts, EngineState
from spheresim.model.state import World
from spheresim.numerics.arrays import Booleans

_LASTING = (
    *("held", "lies_alone", "support", "slides_on", "logged_support"),
    *("chatter_count", "path_before", "old_head", "owed"),
)
"""The fields of a ball's record that last from step to step."""

_LASTING_COUNTS = tuple(Counts.__annotations__)
"""The counts that do."""


def wake_all(engine_state: EngineState, is_wanted: bool) -> None:
    """Free all balls, and schedule the first equilibrium test, or none ever."""
    ball, count = engine_state.ball, engine_state.count
    for name in _LASTING:
        ball[name] = 0
    ball.held[:], ball.part[:] = FREE, NO_PART
    ball.support[:] = ball.logged_support[:] = ball.head[:] = ball.old_head[:] = NO_INDEX
    count.contacts = count.remembered = count.called_balls = count.sleepers = 0
    count.quiet = count.quiet_until = count.proof_wait = 0
    count.proof_due = int(is_wanted)


def let_sleep(engine_state: EngineState, asleep: Booleans) -> None:
    """Let these balls, a mask, sleep on until the equilibrium test that is due."""
    engine_state.ball.held[asleep] = ASLEEP
    engine_state.count.sleepers = int(asleep.sum())
    engine_state.count.proof_wait = 1


def kept(engine_state: EngineState) -> dict[str, np.ndarray]:
    """What lasts of contact from step to step, by name: the arrays, and copies of numbers."""
    count: Any = engine_state.count
    ball, before = engine_state.ball, engine_state.islands.before
    fields = {f"held.{name}": ball[name] for name in _LASTING}
    names = ("first", "second", "force", "next", "normal")
    contacts = {f"held.{name}": getattr(before, name) for name in names}
    more = {
        "held.count": np.array([count[name] for name in _LASTING_COUNTS]),
        "held.for": np.array([engine_state.measure.solved_length]),
    }
    return {**fields, **contacts, **more}


def take_kept(engine_state: EngineState, saved: Mapping[str, Any]) -> None:
    """Go on from what `kept` gave."""
    count: Any = engine_state.count
    for name, array in kept(engine_state).items():
        np.copyto(array, saved[name])
    for name, number in zip(_LASTING_COUNTS, saved["held.count"], strict=True):
        count[name] = number
    engine_state.measure.solved_length = saved["held.for"][0]


def update_sleep(
    world: World, engine_state: EngineState, sleepers: Sleepers, time: float
) -> Impacts:
    """Run the equilibrium test, and put balls to sleep or wake them; returns the rows of the
    journal."""
    ball, count = engine_state.ball, engine_state.count
    # Impacts may have woken balls.
    sleepers.asleep = ball.held == ASLEEP
    is_start, slept = count.proof_wait == 0, sleepers.asleep
    position, velocity = engine_state.position, engine_state.velocity
    slides_on = ball.slides_on == 1
    still = MOTION_NOISE * np.sqrt(world.gravity.mag() * world.radius)
    flies = (ball.held == FREE) & (np.linalg.norm(velocity, axis=1) > still)
    alone = _are_alone(engine_state) & ~(slides_on | flies)
    presses = _of_last_step(engine_state)
    change = sleepers.update_sleep(
        position, velocity, alone=alone, presses=presses, is_start=is_start, time=time
    )
    _apply(world, engine_state, change)
    ball.lies_alone = sleepers.lying_alone
    # The next test, for which balls that slide on alone are not waited for.
    waits = moves_in_contact(ball.held) & ~(slides_on & (ball.held == SLIDING))
    held = max(int(waits.sum()), 1)
    found = bool((sleepers.asleep & ~slept).any())
    count.proof_wait = 1 if is_start or found else longer_wait(count.proof_wait)
    count.quiet_until = count.quiet + QUIET_STEPS * count.proof_wait * held
    count.proof_due = 0
    return sleepers.rows(change, time)


def _are_alone(engine_state: EngineState) -> Booleans:
    """Mask (n,) of balls without contact to another awake ball.

    Obstacles alone could carry any ball that lies on them, even one that others press.
    """
    listed, awake = engine_state.islands.before, engine_state.ball.held != ASLEEP
    used = slice(0, int(engine_state.count.remembered))
    first, second = listed.first[used], listed.second[used]
    of_awake = (second >= 0) & awake[first] & awake[np.maximum(second, 0)]
    alone = np.ones(len(awake), dtype=bool)
    alone[first[of_awake]] = alone[second[of_awake]] = False
    return alone


def _apply(world: World, engine_state: EngineState, change: SleepChange) -> None:
    """Write the change into the arrays, and predict these balls anew."""
    ball, position, velocity = engine_state.ball, engine_state.position, engine_state.velocity
    # The energy that they lose by it.
    sunk = world.mass * ((change.position - position) @ np.array(world.gravity))
    stops, wakes = change.falls_asleep, change.wakes
    stopped = 0.5 * world.mass[stops] * (velocity[stops] ** 2).sum(axis=1)
    engine_state.measure.dissipated += float(sunk.sum() + stopped.sum())
    # Where they are, and what holds them.
    changed = np.unique(np.concatenate([stops, wakes, change.gives_way]))
    position[changed] = change.position[changed]
    velocity[stops] = 0.0
    ball.held[wakes], ball.held[stops] = IN_ISLAND, ASLEEP
    ball.support[stops] = ball.logged_support[stops] = NO_INDEX
    ball.stamp[changed] += 1
    ball.ball_due[changed] = ball.obstacle_due[changed] = 0
    engine_state.count.sleepers = int((ball.held == ASLEEP).sum())


def sliding_balls(engine_state: EngineState) -> Any:
    """Mask (n,) of balls that move in contact."""
    return moves_in_contact(engine_state.ball.held) & np.any(engine_state.velocity != 0.0, axis=1)


def touched(engine_state: EngineState, sleepers: Sleepers) -> LastingContacts:
    """The contacts of sleeping balls, and those of the last step of the others."""
    if engine_state.islands is None:
        return NO_CONTACTS
    moving = np.asarray(moves_in_contact(engine_state.ball.held))
    listed = _of_last_step(engine_state)
    of_moving = moving[listed.first] | of_second(listed, moving, False)
    return joined_contacts(sleepers.contacts, listed.of((listed.force > 0.0) & of_moving))


def _of_last_step(engine_state: EngineState) -> LastingContacts:
    """The contacts that the last step listed, with their forces, which may be 0."""
    before, listed = engine_state.islands.before, slice(0, int(engine_state.count.remembered))
    force = before.force[listed] / engine_state.measure.solved_length
    return lasting_contacts(
        before.first[listed], before.second[listed], before.normal[listed], force
    )
