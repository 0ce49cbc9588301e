"""The equilibrium test: positions of balls at rest, and the contact forces that balance weights.

Balls that hardly move have small gaps to the contacts that will carry them. The linear programme of
`force_balance` finds these contacts; the balls are moved until their gaps are closed; there
the forces are solved for again. If all are compressive and balance all weights, and nothing
overlaps, they prove the equilibrium. Normals change a little by the move, so it is repeated if they
do not. Where not all gaps can be closed so that nothing overlaps, those stay open that are no wider
than balls in motion keep.

An equilibrium is proved, not that it is stable: a ball exactly on top of another rests.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.contact.closing import close_gaps
from spheresim.contact.contact_network import Network
from spheresim.contact.force_balance import (
    BALANCED,
    SMALL_PART,
    Proof,
    compressive_forces,
    equilibrium_forces,
    islands,
    residual_of,
)
from spheresim.contact.thresholds import USUAL_THRESHOLDS
from spheresim.contact.tolerances import TOUCHING
from spheresim.contact.touching import (
    Contacts,
    ends_of,
    mask_of,
    measured,
    of_second,
    smaller_radius,
    touching_contacts,
)
from spheresim.numerics.arrays import Booleans, Floats, Integers, Labels
from spheresim.obstacles.table import Obstacles

OVERLAP = 1e-12
"""Balls at rest overlap nothing by more than this, in radii of the smaller one."""

_SINKING_FACTOR = 10.0  # bound of the linear programme on sinking, in units of the allowed move
_ROUNDS = 12
_OVERLAP_ROUNDS = 6


class RestTolerances(NamedTuple):
    """Lengths in radii of the (smaller) ball.

    reach: gaps below this may be closed; most: how far a ball may be moved for it; open: gaps
    up to this stay open where not all can be closed.
    """

    reach: float = 1e-3
    most: float = 1e-2
    open: float = 2.0 * USUAL_THRESHOLDS.rest_height


USUAL = RestTolerances()


class Rest(NamedTuple):
    """balls: (k,) indices of those that are proved to rest, sorted; position: (k, 3) where they
    lie; contacts: those that carry them, closed if they can be; force: (m,) > 0 along their
    normals; pushed, pushed_to: candidates that do not rest, but have to give way, and where to."""

    balls: Integers
    position: Floats
    contacts: Contacts
    force: Floats
    pushed: Integers
    pushed_to: Floats


def prove_rest(
    position: Floats,
    radius: Floats,
    weight: Floats,
    obstacles: Obstacles,
    candidates: npt.ArrayLike,
    fixed: npt.ArrayLike = (),
    box: Floats | None = None,
    tolerances: RestTolerances = USUAL,
    together: Labels | None = None,
) -> Rest:
    """Prove the static equilibrium of as many of the `candidates` (indices) as possible.

    position: (n, 3); radius: (n,); weight: (n, 3), the force on each ball; fixed: candidates that
    may not be moved, but must be carried like all others; box: the periods of the axes, inf where
    space is open, or None; together: (n,) labels, of those with the same one all rest or none.
    Balls that are no candidates carry nothing and are not moved. Balls without weight never rest.
    """
    test = _EquilibriumTest(position, radius, weight, obstacles, tolerances, together)
    candidates = np.unique(np.asarray(candidates, dtype=np.int64))
    test.gather(candidates, np.asarray(fixed, dtype=np.int64), box)
    test.prove(candidates[np.any(weight[candidates] != 0.0, axis=1)])
    return test.rest()


class _Move(NamedTuple):
    """x: (n, 3) after a move; near: the contacts there; held: indices of those that were kept
    closed only not to overlap; overlap: (m,) which contacts of the balls that it is about overlap
    there; network: that of the contacts that carry."""

    x: Floats
    near: Contacts
    held: Integers
    overlap: Booleans
    network: Network | None


class _EquilibriumTest:
    """The state of the equilibrium test: balls, contacts, and what is proved so far.

    Of balls, (n,): x, where they are by now; movable; rested; pushed. Of contacts, (m,): near,
    all that matter; may_carry; force along those that carry what rests.
    """

    def __init__(
        self,
        position: Floats,
        radius: Floats,
        weight: Floats,
        obstacles: Obstacles,
        tolerances: RestTolerances,
        together: Labels | None,
    ) -> None:
        self.start, self.x, self.together = position, position, together
        self.radius, self.weight, self.obstacles = radius, weight, obstacles
        self.tolerances = tolerances

    def gather(self, candidates: Integers, fixed: Integers, box: Floats | None) -> None:
        """Detect the contacts of the candidates, and mark those that may carry force."""
        # All contacts that may come to overlap, also with what is no candidate.
        reach, most, _ = self.tolerances
        count = len(self.radius)
        candidate = mask_of(candidates, count)
        wide = max(reach, most)
        around = _around(self.x, self.radius, candidates, wide, box)
        near = touching_contacts(self.x, self.radius, self.obstacles, around, wide, box)
        near = near.of(candidate[near.first] | of_second(near, candidate, False))
        self.near, self.smaller = near, smaller_radius(near, self.radius)
        # What may carry: between balls that may not be moved a gap stays open.
        self.movable = candidate & ~mask_of(fixed, count)
        stuck = ~self.movable[near.first] & ~of_second(near, self.movable, False)
        self.may_carry = near.gap < np.where(stuck, OVERLAP, reach) * self.smaller
        self.rested, self.pushed = mask_of([], count), mask_of([], count)
        self.force = np.zeros(len(near.first))

    def prove(self, balls: Integers) -> None:
        """Prove the equilibrium of these balls together, or else of parts of them."""
        balls = self._settle(balls)
        if len(balls) == 0:
            return
        at = self.may_carry & self._among(balls)
        island = islands(self.near.of(at), balls)
        if island.max() > 0:
            half = island <= island.max() // 2
            self.prove(balls[half])
            self.prove(balls[~half])

    def _settle(self, balls: Integers) -> Integers:
        """Find places and forces for balls together; those for which it failed are the answer.

        Balls that nothing carries are left out on the way.
        """
        x, near, may_carry = self.x, self.near, self.may_carry
        beside = np.zeros_like(may_carry)
        for _ in range(_ROUNDS):
            balls, at, proof = self._carried(balls, near, may_carry)
            if len(balls) == 0:
                return balls
            x, near = self._put_back(x, near, balls)
            # The places where the gaps are closed.
            carries = mask_of(at[proof.force > 0.0], len(near.first))
            carries |= beside & self._among(balls)
            move = self._close(x, near, carries, balls, proof.network)
            if move is None or np.any(move.overlap):
                other = self._close_wide_ones(x, near, carries, balls, proof.network)
                if other is not None and not np.any(other.overlap):
                    move = other
            if move is None:
                return balls
            # The forces there.
            chosen, weight = move.near.of(carries), self.weight[balls]
            force = compressive_forces(chosen, balls, weight, move.network)
            loose = balls[residual_of(chosen, balls, weight, force) > BALANCED]
            if len(loose) == 0 and not np.any(move.overlap):
                self._adopt(move, balls, carries, force)
                return balls[:0]
            # Another try: from here, or with what they lie on without pressing it closed, too.
            lies_on = self._lie_on(near, loose) & self._among(balls) & ~carries
            if np.any(lies_on):
                beside |= lies_on
            else:
                change = may_carry | (move.overlap & self._among(balls))
                if np.array_equal(change, may_carry) and self._are_near(x, move.x):
                    return balls
                x, near, may_carry = move.x, move.near, change
        return balls

    def _put_back(self, x: Floats, near: Contacts, balls: Integers) -> tuple[Floats, Contacts]:
        """Take back what an earlier try has moved and is none of these balls; places and
        contacts."""
        kept = np.where(mask_of(balls, len(x))[:, None], x, self.x)
        if np.array_equal(kept, x):
            return x, near
        return kept, measured(near, kept, self.radius, self.obstacles)

    def _are_near(self, x: Floats, other: Floats) -> bool:
        """Whether all places are the same, as far as a proof can tell them apart."""
        return bool(np.all(np.abs(x - other).max(axis=1) <= OVERLAP * self.radius))

    def _are_far(self, x: Floats) -> bool:
        """Whether a ball has been moved further than it may be."""
        moved = np.linalg.norm(x - self.start, axis=1)
        return bool(np.any(moved > self.tolerances.most * self.radius))

    def _lie_on(self, near: Contacts, balls: Integers) -> Any:
        """Which contacts one of these balls touches, but for the room kept in motion, (m,)."""
        mine = mask_of(balls, len(self.radius))
        mine = mine[near.first] | of_second(near, mine, False)
        return mine & (np.abs(near.gap) < TOUCHING * self.smaller)

    def _adopt(self, move: "_Move", balls: Integers, carries: Booleans, force: Floats) -> None:
        """Take the move and the forces of these contacts, a mask, as the proof for the balls."""
        self.x, self.near = move.x, move.near
        self.rested[balls] = True
        count = len(self.radius)
        self.pushed |= ends_of(move.near.of(move.held), count) & ~mask_of(balls, count)
        self.force[carries] = force

    def _carried(
        self, balls: Integers, near: Contacts, may_carry: Booleans
    ) -> tuple[Integers, Integers, Proof]:
        """Those of the balls that can be carried, the indices of their contacts, and the forces."""
        limit = _SINKING_FACTOR * self.tolerances.most * float(self.radius[balls].max(initial=0.0))
        for _ in range(_ROUNDS):
            balls = self._supported(balls, near, may_carry)
            at = np.flatnonzero(may_carry & self._among(balls))
            if len(balls) == 0:
                break
            proof = equilibrium_forces(near.of(at), balls, self.weight[balls], limit)
            # The largest residuals show what is loose; the small ones may be due to those.
            worst = float(proof.residual.max())
            carried = proof.residual <= max(BALANCED, SMALL_PART * worst)
            if np.all(carried):
                return balls, at, proof
            balls = self._whole(balls, carried)
        return balls[:0], at[:0], Proof(balls, balls, None)

    def _supported(self, balls: Integers, near: Contacts, may_carry: Booleans) -> Integers:
        """Drop balls without a contact that opposes their weight, repeatedly."""
        count, second = len(self.radius), np.maximum(near.second, 0)
        up_first = np.einsum("ij,ij->i", near.normal, self.weight[near.first]) < 0.0
        up_second = np.einsum("ij,ij->i", near.normal, self.weight[second]) > 0.0
        up_second &= near.second >= 0
        while True:
            used = may_carry & self._among(balls)
            lifted = np.bincount(near.first[used & up_first], minlength=count)
            lifted += np.bincount(second[used & up_second], minlength=count)
            if np.all(lifted[balls] > 0):
                return balls
            balls = self._whole(balls, lifted[balls] > 0)

    def _whole(self, balls: Integers, chosen: Booleans) -> Integers:
        """The chosen ones of these balls, (k,) bool, of which none has to rest with another one."""
        if self.together is None:
            return balls[chosen]
        return balls[~np.isin(self.together[balls], self.together[balls[~chosen]])]

    def _close(
        self, x: Floats, near: Contacts, carries: Booleans, balls: Integers, network: Network | None
    ) -> "_Move | None":
        """Close the contacts that carry, if possible so that nothing overlaps.

        None if the gaps cannot be closed, or not by so short a way.
        """
        mine, held = mask_of(balls, len(x)), np.zeros_like(carries)
        best: _Move | None = None
        for _ in range(_OVERLAP_ROUNDS):
            # Move the balls, and what has to give way.
            moved = self.movable & (mine | (ends_of(near.of(held), len(x)) & ~self.rested))
            to_close = held | carries
            to_close &= moved[near.first] | of_second(near, moved, False)
            closed = close_gaps(
                x,
                self.radius,
                self.obstacles,
                near.of(to_close),
                np.flatnonzero(moved),
                network,
            )
            if not np.all(closed.closed) or self._are_far(closed.position):
                break
            # Hold what overlaps, and try again.
            after = measured(near, closed.position, self.radius, self.obstacles)
            if best is None:
                network = closed.network
            overlap = self._overlaps(after, mine | moved)
            if best is None or not np.any(overlap):
                best = _Move(closed.position, after, np.flatnonzero(held), overlap, network)
            if not np.any(overlap):
                break
            held = held | overlap
        return best

    def _close_wide_ones(
        self, x: Floats, near: Contacts, carries: Booleans, balls: Integers, network: Network | None
    ) -> "_Move | None":
        """Leave those gaps of the contacts that carry as they are which are no wider than what
        balls in motion are kept apart: where more contacts touch than balls can tell apart, not
        all can be closed, and what carries may wedge in a ball that carries nothing. None if the
        others cannot be closed so, either."""
        clearance = self.tolerances.open * self.smaller[carries]
        gap = near.gap[carries]
        if np.any(gap > clearance):
            moved = balls[self.movable[balls]]
            residual = np.where(gap > clearance, 0.0, gap)
            chosen = near.of(carries)
            closed = close_gaps(x, self.radius, self.obstacles, chosen, moved, network, residual)
            x, network = closed.position, closed.network
            near = measured(near, x, self.radius, self.obstacles)
        if np.any(near.gap[carries] > clearance) or self._are_far(x):
            return None
        none, mine = np.zeros(0, dtype=np.int64), mask_of(balls, len(self.radius))
        return _Move(x, near, none, self._overlaps(near, mine), network)

    def _overlaps(self, near: Contacts, balls: Booleans) -> Any:
        """Which contacts of these balls, a mask, overlap, (m,)."""
        return (near.gap < -OVERLAP * self.smaller) & (
            balls[near.first] | of_second(near, balls, False)
        )

    def _among(self, balls: Integers) -> Booleans:
        """Which contacts are between these balls, or of one of them and an obstacle, (m,)."""
        mine = mask_of(balls, len(self.radius))
        return mine[self.near.first] & of_second(self.near, mine, True)

    def rest(self) -> Rest:
        """The proof for the balls that rest."""
        balls, pushed = np.flatnonzero(self.rested), np.flatnonzero(self.pushed & ~self.rested)
        carries = self.force > 0.0
        contacts, force = self.near.of(carries), self.force[carries]
        return Rest(balls, self.x[balls], contacts, force, pushed, self.x[pushed])


def _around(
    position: Floats, radius: Floats, balls: Integers, reach: float, box: Floats | None
) -> Integers:
    """The balls that could touch one of these, and these: all in the box around them."""
    if box is not None or len(balls) == 0:
        return np.arange(len(radius)) if len(balls) else balls
    size = (1.0 + reach) * radius[:, None]
    low, high = (position - size)[balls].min(axis=0), (position + size)[balls].max(axis=0)
    return np.flatnonzero(np.all((position + size > low) & (position - size < high), axis=1))
