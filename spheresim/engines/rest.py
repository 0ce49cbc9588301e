"""Which balls fall asleep, and which wake, by the proof of rest; the same for both engines."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import REST, WAKE, Impacts
from spheresim.contact.carrying_forces import residual_of
from spheresim.contact.contact_table import LastingContacts, lasting_contacts
from spheresim.contact.rest_proof import Rest, RestTolerances, prove_rest
from spheresim.contact.thresholds import Thresholds
from spheresim.contact.touching import Contacts
from spheresim.model.state import World

_AT_ONCE = RestTolerances(reach=1e-9, most=1e-6)
"""Of balls that start at rest: they are where somebody put them, and are not moved visibly."""

_STILL = 1e-10
"""The energy of a ball that starts at rest, as a height in units of its radius."""


_LEVEL = 1e-15
"""A ball that lies alone slides, however slowly, unless its weight is balanced to this part."""


class Change(NamedTuple):
    """What a look at the balls has shown: `falls_asleep` and `wakes`, indices; `position`: (n, 3),
    changed where a ball falls asleep or has to give way; `gives_way`: indices of those."""

    falls_asleep: Any
    wakes: Any
    gives_way: Any
    position: Any


class Sleepers:
    """Who sleeps, on which contacts, with which forces.

    asleep: (n,) bool; contacts and force: those that carry them, see `contact.rest_proof`.
    """

    def __init__(self, world: World, thresholds: Thresholds) -> None:
        self._world, self._thresholds = world, thresholds
        self._box = periods(world)
        self.wake_all()

    def wake_all(self) -> None:
        """Nobody sleeps."""
        self.asleep = np.zeros(len(self._world.radius), dtype=bool)
        none, rows = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        self.contacts = Contacts(none, none, rows, np.zeros(0), rows, none.astype(bool))
        self.force = np.zeros(0)

    def first_look(
        self, position: Any, velocity: Any, caught: Any, alone: Any = False, together: Any = None
    ) -> Change:
        """Let sleep what lies still at the start, just where somebody put it; else as `look`."""
        candidates = self._candidates(velocity, _STILL, together)
        fixed = np.flatnonzero(self.asleep)
        rest = self._prove(position, candidates, fixed, _AT_ONCE, together)
        return self._adopt(position, rest, caught, alone)

    def look(
        self, position: Any, velocity: Any, caught: Any, alone: Any = False, together: Any = None
    ) -> Change:
        """Look who can be proved to rest; who sleeps and can not must wake.

        caught: (n,) whether the last thing that a ball hit is asleep; alone: (n,) whether it may
        sleep although no other ball carries it, nor it another; together: (n,) labels, of
        those with the same one all fall asleep or none.
        """
        candidates = self._candidates(velocity, self._thresholds.sleep_height, together)
        fixed, tolerances = np.flatnonzero(self.asleep), RestTolerances()
        rest = self._prove(position, candidates, fixed, tolerances, together)
        # Sleepers that lie just not right for the others may make room for them.
        if len(fixed) and len(rest.balls) < len(candidates):
            other = self._prove(position, candidates, fixed[:0], tolerances, together)
            if len(other.balls) > len(rest.balls) and np.isin(fixed, other.balls).all():
                rest = other
        return self._adopt(position, rest, caught, alone)

    def _prove(
        self,
        position: Any,
        candidates: Any,
        fixed: Any,
        tolerances: RestTolerances,
        together: Any,
    ) -> Rest:
        """The proof of rest of the candidates, of which those that are fixed may not be moved."""
        world = self._world
        return prove_rest(
            position,
            world.radius,
            world.mass[:, None] * np.array(world.gravity),
            world.obstacles,
            candidates,
            fixed,
            self._box,
            tolerances,
            together,
        )

    def _candidates(self, velocity: Any, height: float, together: Any) -> Any:
        """Those that sleep, and those with no more energy than for a height in units of their
        radii."""
        world, energy = self._world, 0.5 * (velocity**2).sum(axis=1)
        quiet = energy <= height * world.gravity.mag() * world.radius
        if together is not None:
            quiet &= ~np.isin(together, together[~quiet & ~self.asleep])
        return np.flatnonzero(quiet | self.asleep)

    def _adopt(self, position: Any, rest: Rest, caught: Any, alone: Any) -> Change:
        """Let those sleep that are proved to rest, but for single balls: those only lie."""
        before, rests = self.asleep, np.zeros_like(self.asleep)
        rests[rest.balls] = True
        level = np.zeros_like(rests)
        weight = self._world.mass[rest.balls, None] * np.array(self._world.gravity)
        unbalanced = residual_of(rest.contacts, rest.balls, weight, rest.force)
        level[rest.balls] = unbalanced <= _LEVEL
        rests &= _in_piles(rest, len(rests)) | before | caught | (alone & level)
        moved = position.copy()
        moved[rest.balls], moved[rest.pushed] = rest.position, rest.pushed_to
        kept = rests[rest.contacts.first]
        self.asleep, self.force = rests, rest.force[kept]
        self.contacts = rest.contacts.of(kept)
        # A sleeper that makes room wakes, and rests where it then lies.
        makes_room = before & np.any(moved != position, axis=1)
        falls_asleep = np.flatnonzero(rests & (~before | makes_room))
        wakes = np.flatnonzero(before & (~rests | makes_room))
        return Change(falls_asleep, wakes, rest.pushed, moved)

    def rows(self, change: Change, time: float) -> Impacts:
        """Rows of the journal for what falls asleep and what wakes: the lowest point of a ball.

        What lies in a pile has neither a partner nor an obstacle: -1.
        """
        up = np.array(self._world.gravity.unit() * -1.0)
        balls = np.concatenate([change.wakes, change.falls_asleep])
        kinds = np.repeat([WAKE, REST], [len(change.wakes), len(change.falls_asleep)])
        names = np.stack([kinds, balls, np.full(len(balls), -1)], axis=1)
        numbers = np.zeros((len(balls), 10))
        numbers[:, 0] = time
        numbers[:, 1:4] = change.position[balls] - up * self._world.radius[balls, None]
        numbers[:, 4:7] = up
        return Impacts(names, numbers)

    def lasting(self) -> LastingContacts:
        """The contacts that carry what sleeps, the ball with the lower index first."""
        contacts = self.contacts
        return lasting_contacts(contacts.first, contacts.second, contacts.normal, self.force)

    def save(self) -> dict[str, Any]:
        """Arrays by name, for `resume`."""
        parts = {**self.contacts._asdict(), "force": self.force, "asleep": self.asleep}
        return {f"rest.{name}": array.copy() for name, array in parts.items()}

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Take over what `save` gave; what has none of it knows of no sleepers."""
        self.wake_all()
        if "rest.asleep" not in saved:
            return
        self.asleep = saved["rest.asleep"].astype(bool)
        self.contacts = Contacts(*(saved[f"rest.{name}"] for name in Contacts._fields))
        self.force = saved["rest.force"]


def clusters_of(first: Any, second: Any, push: Any, count: int) -> Any:
    """Which of so many balls rest together or not at all: the same number for all of a cluster.

    They are the ones that press each other: first, second and push, (m,), are of contacts, those
    of obstacles with second < 0. As long as some of them move, proofs for the others would mostly
    be in vain, or soon be undone. A sleeper that is pressed by balls which are awake is one of
    them: it must carry them, or wake.
    """
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    pressed = (second >= 0) & (push > 0.0)
    ends = (first[pressed], second[pressed])
    links = sparse.coo_matrix((np.ones(len(ends[0])), ends), shape=(count, count))
    return connected_components(links, directed=False)[1]


def _in_piles(rest: Rest, count: int) -> Any:
    """Which of so many balls are carried by balls, or carry them: (n,) bool."""
    of_balls, among = rest.contacts.second >= 0, np.zeros(count, dtype=bool)
    among[rest.contacts.first[of_balls]] = True
    among[rest.contacts.second[of_balls]] = True
    return among


def periods(world: World) -> Any:
    """The periods of the axes, (3,), inf where space is open; None if it is open all round."""
    if world.box is None or not world.box.is_periodic:
        return None
    return np.where(world.box.periodic, world.box.size, np.inf)


def can_sleep(world: World) -> bool:
    """Whether anything ever falls asleep: under gravity, where energy is lost."""
    return world.gravity.mag_sqr() > 0.0 and not world.is_elastic
