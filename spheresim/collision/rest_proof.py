"""The proof that balls are at rest: where exactly they lie, and the forces that carry them.

Balls that hardly move any more lie beside the places where they will come to rest, with gaps
that are small, but not 0. The linear programme of `carrying_forces` says which contacts will
carry; the balls are moved until those are closed; there the forces are solved for once more. If
they still push, and balance all weights, and nothing overlaps, they are the proof. As the
directions of contacts change a little with the move, it is repeated if they do not.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.carrying_forces import (
    ROUNDING,
    carrying_forces,
    islands,
    non_negative_forces,
    residual_of,
)
from spheresim.collision.closing import close_gaps
from spheresim.collision.touching import Contacts, measured, smaller_radius, touching_contacts
from spheresim.obstacles.table import Obstacles

OVERLAP = 1e-12
"""Balls at rest overlap nothing by more than this, in radii of the smaller one."""

_ROUNDS = 12


class RestTolerances(NamedTuple):
    """Lengths in radii of the (smaller) ball.

    reach: gaps below this may be closed; most: how far a ball may be moved for it.
    """

    reach: float = 1e-5
    most: float = 1e-3


USUAL = RestTolerances()


class Rest(NamedTuple):
    """balls: (k,) indices of those that are proved to rest, sorted; position: (k, 3) where they
    lie; contacts: those that carry them, with gaps of 0; force: (m,) > 0 along their normals."""

    balls: Any
    position: Any
    contacts: Contacts
    force: Any


def prove_rest(
    position: Any,
    radius: Any,
    weight: Any,
    obstacles: Obstacles,
    candidates: Any,
    fixed: Any = (),
    box: Any = None,
    tolerances: RestTolerances = USUAL,
) -> Rest:
    """The balls among `candidates` (indices) that can be proved to rest, and their proof.

    position: (n, 3); radius: (n,); weight: (n, 3), the force on each ball; fixed: candidates that
    may not be moved, but must be carried like all others; box: the periods of the axes, inf where
    space is open, or None. What is no candidate carries nothing. Balls without weight rest
    nowhere.
    """
    heaps = _Heaps(position, radius, weight, obstacles, fixed, tolerances)
    heaps.gather(np.unique(np.asarray(candidates, dtype=np.int64)), box)
    for _ in range(_ROUNDS):
        if len(heaps.todo) == 0:
            break
        heaps.go_on()
    return heaps.rest()


class _Heaps:
    """Clusters of balls on their way to a proof.

    todo: the balls of which it is not yet known, sorted; rested: (n,) those that rest; x: where
    they are by now; nearby: all contacts that matter, `may_carry` those of them that are used,
    `force` along those that carry what rests.
    """

    def __init__(
        self,
        position: Any,
        radius: Any,
        weight: Any,
        obstacles: Obstacles,
        fixed: Any,
        tolerances: RestTolerances,
    ) -> None:
        self.x, self.start = position.copy(), position
        self.radius, self.weight, self.obstacles = radius, weight, obstacles
        self.is_fixed = np.zeros(len(radius), dtype=bool)
        self.is_fixed[np.asarray(fixed, dtype=np.int64)] = True
        self.rested = np.zeros(len(radius), dtype=bool)
        self.tolerances = tolerances

    def gather(self, candidates: Any, box: Any) -> None:
        """Find the contacts of the candidates, and what may carry."""
        self.todo = candidates[np.any(self.weight[candidates] != 0.0, axis=1)]
        reach, most = self.tolerances
        wide = max(reach, 2.0 * most)
        near = touching_contacts(self.x, self.radius, self.obstacles, self.todo, wide, box)
        self.nearby, self.smaller = near, smaller_radius(near, self.radius)
        # Between balls that may not be moved a gap stays open.
        stuck = self.is_fixed[near.first] & ((near.second < 0) | self.is_fixed[near.second])
        self.may_carry = near.gap < np.where(stuck, OVERLAP, reach) * self.smaller
        self.force = np.zeros(len(near.first))

    def go_on(self) -> None:
        """One round: forces, closing of gaps, and forces once more; what fails is dropped."""
        # The contacts among the balls in question.
        at = np.flatnonzero(self.may_carry & self._among(self.todo))
        part, weight = self.nearby.of(at), self.weight[self.todo]
        island = islands(part, self.todo)
        limit = self.tolerances.most * float(self.radius[self.todo].max())
        proof = carrying_forces(part, self.todo, weight, limit)
        carried = proof.residual <= ROUNDING
        whole = np.bincount(island, ~carried)[island] == 0.0
        # Islands that are carried as a whole are moved together.
        group = island[np.searchsorted(self.todo, part.first)]
        carry = (proof.force > 0.0) & whole[np.searchsorted(self.todo, part.first)]
        movable = self.todo[whole & ~self.is_fixed[self.todo]]
        to_close = carry & np.isin(part.first, movable) | carry & np.isin(part.second, movable)
        closed = close_gaps(self.x, self.radius, self.obstacles, part.of(to_close), movable)
        bad = np.zeros(island.max(initial=-1) + 1, dtype=bool)
        bad[group[to_close][~closed.closed]] = True
        moved = np.abs(closed.position[self.todo] - self.start[self.todo]).max(axis=1)
        bad[island[moved > self.tolerances.most * self.radius[self.todo]]] = True
        self.x[self.todo[~bad[island]]] = closed.position[self.todo[~bad[island]]]
        # The forces there.
        self.nearby = measured(self.nearby, self.x, self.radius, self.obstacles)
        chosen = self.nearby.of(at[carry])
        force = non_negative_forces(chosen, self.todo, weight)
        residual = residual_of(chosen, self.todo, weight, force)
        # Islands that overlap something go on with that as one more contact.
        overlap = self.nearby.gap < -OVERLAP * self.smaller
        again = np.zeros(len(bad), dtype=bool)
        again[island[residual > ROUNDING]] = True
        for ends in (self.nearby.first, self.nearby.second):
            place = np.searchsorted(self.todo, ends[overlap]).clip(0, len(self.todo) - 1)
            hit = place[self.todo[place] == ends[overlap]]
            again[island[hit]] = True
        self.may_carry |= overlap & self._among(self.todo)
        # What rests, and what is left.
        rests = whole & ~bad[island] & ~again[island]
        self.rested[self.todo[rests]] = True
        ok = rests[np.searchsorted(self.todo, chosen.first)]
        self.force[at[carry][ok]] = force[ok]
        self.todo = self.todo[carried & ~rests & ~bad[island]]

    def rest(self) -> Rest:
        """The proof for the balls that rest."""
        balls = np.flatnonzero(self.rested)
        carries = self.force > 0.0
        return Rest(balls, self.x[balls], self.nearby.of(carries), self.force[carries])

    def _among(self, balls: Any) -> Any:
        """Whether each contact is between these balls, or of one of them and an obstacle."""
        inside = np.zeros(len(self.radius), dtype=bool)
        inside[balls] = True
        near = self.nearby
        return inside[near.first] & ((near.second < 0) | inside[near.second])
