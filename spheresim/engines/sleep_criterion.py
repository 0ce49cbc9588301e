"""Which balls fall asleep and which wake by the equilibrium test, for both engines."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import REST, WAKE, Impacts
from spheresim.collision.journal import columns_of
from spheresim.contact.contact_table import (
    NO_CONTACTS,
    LastingContacts,
    joined_contacts,
)
from spheresim.contact.equilibrium_proof import (
    USUAL,
    Rest,
    RestTolerances,
    all_of,
    balanced_within,
    prove_rest,
    relative_residual,
)
from spheresim.contact.rise import clearance_at
from spheresim.contact.thresholds import Thresholds
from spheresim.contact.touching import Boundaries, ends_of, mask_of, of_second
from spheresim.model.state import World
from spheresim.numerics.arrays import Booleans, Floats, Integers, Labels
from spheresim.numerics.connected_sets import connected_sets
from spheresim.obstacles.driven_walls.moving_walls import stopped_rows

_AT_ONCE = RestTolerances(most=1e-6, open=1e-9)
"""For balls that start at rest: they stay where the user placed them, to a millionth of a
radius."""

_START_HEIGHT = 1e-10
"""Energy below which a ball starts at rest, as a height in radii."""

_LEVEL = 1e-15
"""Relative residual force below which a single ball counts as level."""

SLEEP_ARRAYS = ("rest.asleep", "rest.first", "rest.second", "rest.normal", "rest.force")
"""Names of what is saved of sleeping balls."""


class SleepChange(NamedTuple):
    """The changes by an equilibrium test.

    falls_asleep, wakes: indices of balls; gives_way: of balls that are only moved aside; position:
    (n, 3), of all balls, changed where a ball falls asleep or gives way.
    """

    falls_asleep: Integers
    wakes: Integers
    gives_way: Integers
    position: Floats


class SleepState(NamedTuple):
    """asleep: (n,), which balls sleep; contacts: those that carry them."""

    asleep: Booleans
    contacts: LastingContacts

    def renumbered(self, number: Integers, count: int) -> "SleepState":
        """The same with ball i as ball number[i] of `count`, rising, or −1 for a removed ball."""
        sleeps_on, asleep = self.asleep & (number >= 0), np.zeros(count, dtype=bool)
        asleep[number[sleeps_on]] = True
        i, second, *_ = self.contacts
        j = np.maximum(second, 0)
        new = self.contacts._replace(
            first=number[i], second=np.where(second < 0, second, number[j])
        )
        return SleepState(asleep, new.of(sleeps_on[i] & of_second(self.contacts, sleeps_on, True)))


class Sleepers:
    """Sleeping balls.

    asleep: (n,) bool; contacts: those that carry them, the ball with the lower index first.
    """

    def __init__(self, world: World, thresholds: Thresholds) -> None:
        self._world, self._thresholds = world, thresholds
        self._box = periods(world)
        self.wake_all()

    def wake_all(self) -> None:
        """Wake all balls."""
        self.asleep = np.zeros(len(self._world.radius), dtype=bool)
        self.contacts = NO_CONTACTS

    def let_sleep(self, balls: SleepState) -> None:
        """Let these balls sleep until the next equilibrium test."""
        self.asleep, self.contacts = balls

    @property
    def lying_alone(self) -> Booleans:
        """Which balls sleep without a contact force of another ball, (n,)."""
        between = self.contacts.of(self.contacts.second >= 0)
        return self.asleep & ~ends_of(between, len(self.asleep))

    def update_sleep(
        self,
        position: Floats,
        velocity: Floats,
        caught: Booleans | bool = False,
        alone: Booleans | bool = False,
        presses: LastingContacts = NO_CONTACTS,
        is_start: bool = False,
        time: float = 0.0,
    ) -> SleepChange:
        """Run the equilibrium test: balls that pass fall asleep, sleeping balls that fail wake.

        caught: (n,) whether the last body that a ball hit is asleep; alone: (n,) whether a ball may
        sleep without contact to another ball; presses: contacts with the forces of awake balls,
        which sleeping balls must carry, too; is_start: only balls that start at rest are tested,
        and hardly moved; time: balls may rest on obstacles whose motion has ended by then.

        Balls that press each other fall asleep together or not at all: while some of them move, a
        proof for the others would mostly fail, or soon be undone. A sleeping ball pressed by awake
        balls is one of them: it must carry them, or wake. Sleeping balls whose forces still balance
        keep their proof, unless they touch a ball that does not rest without them.
        """
        together = _clusters_of(presses, len(self.asleep))
        quiet = self._are_quiet(velocity, together, is_start)
        weight = self._weight(presses, quiet | self.asleep)
        carriers = self._carriers()
        cluster = _clusters_of(carriers, len(self.asleep))
        sleeps_on = self._are_balanced(carriers, cluster, weight, position)
        stopped = stopped_rows(self._world.walls, time)
        boundaries = Boundaries(self._world.obstacles, self._box, stopped)
        while True:
            rest = prove_rest(
                position,
                self._world.radius,
                weight,
                boundaries,
                np.flatnonzero((quiet | self.asleep) & ~sleeps_on),
                _AT_ONCE if is_start else self._tolerances(),
                together,
                joined_contacts(self.contacts, presses),
            )
            may_carry = rest.may_carry[sleeps_on[rest.may_carry]]
            if len(may_carry) == 0:
                break
            sleeps_on &= ~np.isin(cluster, cluster[may_carry])
        # Single balls lie on supports; but on obstacles with a motion, even one that has ended,
        # they are islands, and would make steps for ever.
        on_stopped = rest.contacts.of(np.isin(-1 - rest.contacts.second, stopped.rows))
        lies = ends_of(on_stopped, len(self.asleep)) & self._are_slower(velocity, _START_HEIGHT)
        falls_asleep = self._fall_asleep(rest, weight, caught, alone | lies)
        falls_asleep &= ~self._are_lifted(rest.position - position, velocity, rest.island)
        carry = rest.contacts.of(falls_asleep[rest.contacts.first])
        contacts = joined_contacts(carriers.of(sleeps_on[carriers.first]), carry)
        moves = np.isin(rest.island, rest.island[falls_asleep])
        moved = np.where(moves[:, None], rest.position, position)
        return self._adopt(position, moved, sleeps_on | falls_asleep, contacts)

    def _weight(self, presses: LastingContacts, carries: Booleans) -> Floats:
        """The weight of each ball, (n, 3); of balls that carry, a mask, plus the contact forces of
        balls that do not."""
        first, second = presses.first, np.maximum(presses.second, 0)
        load = np.zeros((len(carries), 3))
        between = (presses.second >= 0) & (carries[first] != carries[second])
        force = (presses.normal * presses.force[:, None])[between]
        on_first = carries[first[between]]
        np.add.at(load, first[between][on_first], force[on_first])
        np.subtract.at(load, second[between][~on_first], force[~on_first])
        weight: Floats = self._world.mass[:, None] * np.array(self._world.gravity)
        return weight + load

    def _tolerances(self) -> RestTolerances:
        """The usual ones, but twice the clearance of an island that falls asleep may stay open."""
        thresholds = self._thresholds
        clearance = max(thresholds.rest_height, clearance_at(thresholds.sleep_height))
        return USUAL._replace(open=max(USUAL.open, 2.0 * clearance))

    def _are_quiet(self, velocity: Floats, together: Labels, is_start: bool) -> Booleans:
        """Which balls hardly move, and press no awake ball that does, (n,)."""
        height = _START_HEIGHT if is_start else self._thresholds.sleep_height
        quiet = self._are_slower(velocity, height)
        return quiet & ~np.isin(together, together[~quiet & ~self.asleep])

    def _are_slower(self, velocity: Floats, height: float) -> Booleans:
        """Which balls are too slow to rise by a height in radii, (n,)."""
        energy = 0.5 * (velocity**2).sum(axis=1)
        slower: Booleans = energy <= height * self._world.gravity.mag() * self._world.radius
        return slower

    def _carriers(self) -> LastingContacts:
        """The contacts that carry sleeping balls, except those of balls that have woken."""
        second_sleeps = of_second(self.contacts, self.asleep, True)
        return self.contacts.of(self.asleep[self.contacts.first] & second_sleeps)

    def _are_balanced(
        self, carriers: LastingContacts, cluster: Labels, weight: Floats, position: Floats
    ) -> Booleans:
        """Which sleeping balls are in clusters in which the forces on each ball balance, (n,)."""
        balls = np.flatnonzero(self.asleep)
        left = relative_residual(carriers, balls, weight[balls])
        is_balanced = left <= balanced_within(position[balls], self._world.radius[balls])
        return mask_of(balls[all_of(cluster[balls], is_balanced)], len(self.asleep))

    def _fall_asleep(
        self, rest: Rest, weight: Floats, caught: Booleans | bool, alone: Booleans
    ) -> Booleans:
        """Which balls proved to rest sleep, (n,): single ones only if they may sleep alone."""
        count = len(self.asleep)
        left = relative_residual(rest.contacts, rest.balls, weight[rest.balls])
        level = mask_of(rest.balls[left <= _LEVEL], count)
        in_islands = ends_of(rest.contacts.of(rest.contacts.second >= 0), count)
        sleeps = in_islands | self.asleep | caught | (alone & level)
        return mask_of(rest.balls, count) & sleeps

    def _are_lifted(self, way: Floats, velocity: Floats, island: Labels) -> Booleans:
        """Which balls belong to an island that the test has lifted, (n,), by more energy than that
        of its motion and of bounces to `rest_height`: the forces of awake balls do work on it."""
        gravity, mass = np.array(self._world.gravity), self._world.mass
        bounce = self._thresholds.rest_height * self._world.radius * self._world.gravity.mag()
        energy = mass * (way @ gravity + 0.5 * (velocity**2).sum(axis=1) + bounce)
        lifted: Booleans = np.bincount(island, energy)[island] < 0.0
        return lifted

    def _adopt(
        self, position: Floats, moved: Floats, asleep: Booleans, contacts: LastingContacts
    ) -> SleepChange:
        """Let these balls sleep at the positions `moved`, carried by these contacts."""
        before = self.asleep
        self.asleep, self.contacts = asleep, contacts
        # A sleeping ball that was moved wakes, and falls asleep at its new position.
        is_moved = np.any(moved != position, axis=1)
        falls_asleep = np.flatnonzero(asleep & (~before | is_moved))
        wakes = np.flatnonzero(before & (~asleep | is_moved))
        return SleepChange(falls_asleep, wakes, np.flatnonzero(is_moved & ~asleep), moved)

    def rows(self, change: SleepChange, time: float) -> Impacts:
        """Rows of the journal for balls that wake or fall asleep, with the ball's lowest point.

        The partner or obstacle is -1, because several bodies may carry a ball.
        """
        up = np.array(self._world.gravity.unit() * -1.0)
        balls = np.concatenate([change.wakes, change.falls_asleep])
        kinds = np.repeat([WAKE, REST], [len(change.wakes), len(change.falls_asleep)])
        names = np.stack([kinds, balls, np.full(len(balls), -1)], axis=1)
        numbers = np.zeros((len(balls), columns_of(self._world.has_spin)))
        numbers[:, 0] = time
        numbers[:, 1:4] = change.position[balls] - up * self._world.radius[balls, None]
        numbers[:, 4:7] = up
        return Impacts(names, numbers)

    def save(self) -> dict[str, np.ndarray]:
        """Arrays by name, for `resume`."""
        arrays = (self.asleep, *self.contacts)
        return {name: array.copy() for name, array in zip(SLEEP_ARRAYS, arrays, strict=True)}

    def resume(self, saved: Mapping[str, np.ndarray]) -> None:
        """Take over what `save` gave; without these arrays all balls are awake."""
        self.wake_all()
        if SLEEP_ARRAYS[0] in saved:
            asleep, *contacts = (saved[name] for name in SLEEP_ARRAYS)
            self.asleep, self.contacts = asleep.astype(bool), LastingContacts(*contacts)


def _clusters_of(presses: LastingContacts, count: int) -> Labels:
    """Labels (count,): the same for balls that press each other, also through others."""
    between = (presses.second >= 0) & (presses.force > 0.0)
    return connected_sets(presses.first[between], presses.second[between], count)


def periods(world: World) -> Floats | None:
    """The periods of the axes, (3,), inf where space is open; None if it is open all round."""
    if world.box is None or not world.box.is_periodic:
        return None
    return np.where(world.box.periodic, world.box.size, np.inf)


def can_sleep(world: World) -> bool:
    """Whether balls can fall asleep: under gravity, where energy is lost, and obstacles hold
    them."""
    return world.gravity.mag_sqr() > 0.0 and not world.is_elastic and world.walls_hold_balls
