"""The equilibrium test: positions of balls at rest, and the contact forces that balance weights.

Balls that hardly move fall without inertia, step by step. In each step the balls move by those u
for which Σ w·u − Σ F u²/2s is largest while no gap becomes negative. Here w is a ball's weight, F
its load, the sum of the sizes of w and of the contact forces of the last step, and s a length.
`solver` finds the motions and the contact forces; the sum of all forces on a ball is then F u/s. So
where balls no longer move, the forces balance all weights, and prove the equilibrium.

It is the proximal point algorithm (R. T. Rockafellar, Monotone operators and the proximal point
algorithm, SIAM J. Control Optim. 14, 1976) for the linear programme of the lowest place nearby
(J.-N. Roux, Geometric origin of mechanical properties of granular materials, Phys. Rev. E 61, 2000;
S. Torquato and Y. Jiao, Robust algorithm to generate a diverse class of dense disordered and
ordered sphere packings, Phys. Rev. E 82, 2010), with gaps and normals measured anew in each step.

An equilibrium is proved, not that it is stable: a ball exactly on top of another rests.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision.journal import ContactWork
from spheresim.compiler.decorators import kernel
from spheresim.contact.contact_list import (
    CONTACTS_PER_BALL,
    ContactList,
    empty_contacts,
)
from spheresim.contact.contact_table import NO_CONTACTS, LastingContacts
from spheresim.contact.solver import (
    SolverGoal,
    SolverWorkspace,
    solve_contacts,
    solver_workspace,
)
from spheresim.contact.thresholds import USUAL_THRESHOLDS
from spheresim.contact.touching import (
    Boundaries,
    Contacts,
    ends_of,
    mask_of,
    measured,
    of_second,
    touching_contacts,
)
from spheresim.numerics.arrays import Booleans, Floats, Integers, Labels
from spheresim.numerics.connected_sets import connected_sets
from spheresim.numerics.records import zero_record

OVERLAP = 1e-12
"""Balls at rest overlap nothing by more than this, in radii of the smaller one, or rounding."""

_BALANCED = 1e-11
"""Residual forces up to this, relative to the sum of the sizes of the forces on a ball, count as
none; far from the origin more, see `balanced_within`."""

_ROUNDING = 1e-15
"""Rounding: of gaps, relative to sizes and coordinates; of motions, relative to a free fall; of
forces, relative to a ball's load. Motions shorter than a quarter of that of gaps are not made."""

_FREE_FALLS = (10.0, 0.01)
"""How far a free ball falls in a step, in its radii: first so far that balls which topple slowly
soon lie; then so little that rounding of the forces moves no ball."""

_FORCING_TERM = 1e-3
"""Fraction of the largest gap, or of that which the last motions opened, that the solver may leave
(R. S. Dembo, S. C. Eisenstat, T. Steihaug, Inexact Newton methods, SIAM J. Numer. Anal. 19, 1982):
while some gaps are open, contacts that differ by rounding alone need not be distinguished."""

_MOST_STEPS = 40
"""Most steps with each length of `_FREE_FALLS`; balls that still move then are not supported."""


class Rest(NamedTuple):
    """Result of an equilibrium test.

    balls: (k,) indices of those that are proved to rest, sorted; position: (n, 3), of all balls: it
    has changed for balls that rest, or gave way; contacts: those that carry the balls at rest, with
    forces > 0, closed if they can be; may_carry: balls, no candidates, next to candidates that do
    not rest; island: (n,) labels, the same for candidates that may touch, also through others.
    """

    balls: Integers
    position: Floats
    contacts: LastingContacts
    may_carry: Integers
    island: Labels


class RestTolerances(NamedTuple):
    """Lengths in radii of the (smaller) ball.

    most: how far a ball may be moved; open: gaps up to this stay open where not all can be closed,
    as where balls fit exactly.
    """

    most: float = 1e-2
    open: float = 2.0 * USUAL_THRESHOLDS.rest_height


USUAL = RestTolerances()


def prove_rest(
    position: Floats,
    radius: Floats,
    weight: Floats,
    boundaries: Boundaries,
    candidates: npt.ArrayLike,
    tolerances: RestTolerances = USUAL,
    together: Labels | None = None,
    forces: LastingContacts = NO_CONTACTS,
) -> Rest:
    """Prove the static equilibrium of as many of the `candidates` (indices) as possible.

    position: (n, 3); radius: (n,); weight: (n, 3), the force on each ball; together: (n,) labels,
    of balls with the same one all rest or none; forces: contacts that balls had, with the forces
    from which the search starts.
    Balls that are no candidates carry nothing and are not moved. Balls without weight never rest.
    """
    candidates = np.unique(np.asarray(candidates, dtype=np.int64))
    test = _EquilibriumTest(
        position, radius, weight, boundaries, candidates, tolerances.most, forces
    )
    balls = candidates[np.any(weight[candidates] != 0.0, axis=1)]
    for open_gap in (0.0, tolerances.open):
        balls = test.prove(balls, open_gap, together)
    return test.rest()


class _Fall(NamedTuple):
    """The end of a fall.

    x: (n, 3), positions; near: the contacts there; force: (m,) along them; far: (n,) which balls
    have moved too far; falls: (n,) which of the balls under test are not supported: they have moved
    far, or still move.
    """

    x: Floats
    near: Contacts
    force: Floats
    far: Booleans
    falls: Booleans


class _EquilibriumTest:
    """The contacts of the candidates, and what is proved so far.

    Of balls, (n,): start; x, the positions of those that rest, or gave way; movable, the
    candidates; rests; gives_way; usual_load, the size of the weight; balanced, the relative
    residual force that counts as none; island, see `Rest`.
    Of contacts, (m,): near, at the start; given, the forces then; force, of those that carry balls
    at rest; guess, of the last fall; smaller, the smaller radius; rounding, of gaps.
    """

    def __init__(
        self,
        position: Floats,
        radius: Floats,
        weight: Floats,
        boundaries: Boundaries,
        candidates: Integers,
        most: float,
        forces: LastingContacts,
    ) -> None:
        count = len(radius)
        self.start, self.x = position, position.copy()
        self.radius, self.weight, self.boundaries, self.most = radius, weight, boundaries, most
        self.balanced = balanced_within(position, radius)
        self.rests, self.movable = mask_of([], count), mask_of(candidates, count)
        # All contacts that the candidates have, or may come to have.
        around = _around(position, radius, candidates, most, boundaries.box)
        near = touching_contacts(position, radius, boundaries, around, most)
        self.near = near = near.of(_touch(near, self.movable))
        self.force, self.given = np.zeros(len(near.first)), _listed_forces(near, forces)
        self.island = self._connected(np.ones(len(near.first), dtype=bool))
        self.smaller = np.minimum(radius[near.first], of_second(near, radius, np.inf))
        other = np.where(near.second >= 0, near.second, near.first)
        coordinates = np.abs(
            np.concatenate([position[near.first], position[other], near.shift], axis=1)
        )
        sizes = np.maximum(radius[near.first], radius[other])
        self.rounding = _ROUNDING * (sizes + coordinates.max(axis=1))
        # A ball without weight moves as if it had the largest.
        size = np.linalg.norm(weight, axis=1)
        self.usual_load = np.where(size > 0.0, size, size[candidates].max(initial=0.0))
        capacity = max(CONTACTS_PER_BALL * len(candidates), len(near.first), 1)
        self._solver = solver_workspace(capacity, max(count, 1)), zero_record(ContactWork)

    def prove(self, balls: Integers, open_gap: float, together: Labels | None) -> Integers:
        """Prove the equilibrium of these balls, as many as possible; returns the others.

        open_gap: gaps up to this, in radii, stay as they are.
        """
        tested = balls
        self.gives_way, self.guess = self.movable & ~self.rests, self.given
        while len(balls):
            fall = self._let_fall(balls, open_gap)
            settled = ~fall.falls[balls]
            is_over = bool(np.all(settled))
            if is_over:
                settled = self._are_settled(fall, balls, open_gap)
                settled = all_of(self._connected(fall.force > 0.0)[balls], settled)
            if together is not None:
                settled = all_of(together[balls], settled)
            if is_over:
                self._adopt(fall, balls[all_of(self.island[balls], settled)])
            balls = balls[settled & ~self.rests[balls]]
        return tested[~self.rests[tested]]

    def _let_fall(self, balls: Integers, open_gap: float) -> _Fall:
        """Let the balls fall until they no longer move, or some have moved too far.

        The other candidates have no weight and only give way. One that would have to go too far, or
        into a fixed body, is left out of the fall; balls that overlap it then are not settled.
        """
        mine = mask_of(balls, len(self.radius))
        while True:
            moves = mine | self.gives_way
            acts = moves[self.near.first] & of_second(self.near, moves, True)
            fall = self._fall_with(mine, np.flatnonzero(acts), open_gap)
            blocked = fall.far & ~mine
            if not np.any(fall.far | fall.falls):
                enters = ends_of(self.near.of(self._overlaps(fall)), len(mine))
                blocked = enters & self.gives_way & ~mine
            if not np.any(blocked):
                return fall
            self.gives_way &= ~blocked

    def _fall_with(self, mine: Booleans, at: Integers, open_gap: float) -> _Fall:
        """Let these balls, a mask, fall with the contacts at these indices."""
        x, near = self.x, self.near.of(at)
        contacts, concerns = empty_contacts(len(at)), _touch(near, mine)
        contacts.first, contacts.second = near.first, near.second
        contacts.force = self.guess[at]
        allowed = open_gap * self.smaller[at]
        still = _longest_still(self.start, self.radius)
        moved = np.zeros(len(mine))
        far, falls = np.zeros_like(mine), np.zeros_like(mine)
        # The first motions need be no more exact where gaps may stay open than where they close.
        bend = _largest_to_close(near.gap, self._carries(contacts), 0.0)
        for length in _FREE_FALLS:
            tolerance = _ROUNDING * length * float(self.radius[mine].max())
            none = np.maximum(self.rounding[at], 3.0 * tolerance)
            # Balls that give way start anew, and so go no further than they must.
            x = np.where(mine[:, None], x, self.x)
            near = measured(near, x, self.radius, self.boundaries.obstacles)
            for _ in range(_MOST_STEPS):
                gap = np.where((near.gap > 0.0) & (near.gap <= allowed), 0.0, near.gap)
                largest = _largest_to_close(gap, self._carries(contacts), none)
                left = max(tolerance, _FORCING_TERM * max(largest, bend))
                contacts.normal = near.normal
                contacts.bias = np.where(concerns, -gap, np.minimum(-gap, 0.0))
                motion = self._motions(contacts, mine, length, left)
                size = np.linalg.norm(motion, axis=1)
                moves = size > self.balanced * length * self.radius
                if largest == 0.0 and not np.any(moves) and left == tolerance:
                    break
                # A motion u across the line of centres, 2r long, leaves a gap of u²/4r.
                bend = float((size**2 / (4.0 * self.radius))[mine].max())
                x = np.where((size > still)[:, None], x + motion, x)
                near = measured(near, x, self.radius, self.boundaries.obstacles)
                moved = np.linalg.norm(x - self.start, axis=1) / self.radius
                far = moved > self.most
                if np.any(far):
                    break
            else:
                falls = moves & mine
            if np.any(far | falls):
                break
        self.guess, force = np.zeros_like(self.force), np.zeros_like(self.force)
        self.guess[at] = contacts.force
        force[at] = np.where(self._carries(contacts), contacts.force, 0.0)
        # Balls that have moved least may have been taken along.
        falls |= far & mine
        falls &= moved >= 0.5 * moved[falls].max(initial=0.0)
        near = measured(self.near, x, self.radius, self.boundaries.obstacles)
        return _Fall(x, near, force, far, falls)

    def _motions(
        self, contacts: ContactList, mine: Booleans, length: float, tolerance: float
    ) -> Floats:
        """The motions (n, 3) of one step, with its contact forces; length: of a free fall."""
        load = self._load(contacts)
        mobility = np.divide(length * self.radius, load, where=load > 0.0, out=0.0 * load)
        motion: Floats = np.where(mine, mobility, 0.0)[:, None] * self.weight
        _solve(contacts, motion, mobility, tolerance, *self._solver)
        return motion

    def _carries(self, contacts: ContactList) -> Booleans:
        """Which contacts have more force than rounding, (k,)."""
        load = self._load(contacts)
        weaker = np.minimum(load[contacts.first], of_second(contacts, load, math.inf))
        return contacts.force > _ROUNDING * weaker

    def _load(self, contacts: ContactList) -> Floats:
        """The sum of the sizes of the forces on each ball, (n,): its weight and the contact forces.
        The larger it is, the less a unit of force moves the ball, so that light balls can carry
        heavy ones."""
        load, pair = self.usual_load.copy(), contacts.second >= 0
        np.add.at(load, contacts.first, contacts.force)
        np.add.at(load, contacts.second[pair], contacts.force[pair])
        return load

    def _are_settled(self, fall: _Fall, balls: Integers, open_gap: float) -> Booleans:
        """Which of the balls are in equilibrium with each other and with obstacles, (k,)."""
        near, carries = fall.near, fall.force > 0.0
        among = self._are_among(balls)
        is_open = near.gap > np.maximum(self.rounding, open_gap * self.smaller)
        wrong = self._overlaps(fall) | (carries & (is_open | ~among))
        loose = ends_of(near.of(wrong), len(self.radius))[balls]
        carry = near.with_forces(fall.force).of(carries & among)
        left = relative_residual(carry, balls, self.weight[balls])
        return ~loose & (left <= self.balanced[balls])

    def _overlaps(self, fall: _Fall) -> Any:
        """Which contacts are left with an overlap, shape (m,)."""
        return fall.near.gap < -np.maximum(self.rounding, OVERLAP * self.smaller)

    def _adopt(self, fall: _Fall, balls: Integers) -> None:
        """Adopt the positions and forces of these balls, and the positions of balls that gave way
        to them."""
        among = self._are_among(balls)
        self.rests[balls] = True
        self.force[among] = fall.force[among]
        moved = self.movable & np.isin(self.island, self.island[balls])
        self.x[moved] = fall.x[moved]

    def _are_among(self, balls: Integers) -> Booleans:
        """Which contacts are between these balls, or of one of them and an obstacle, (m,)."""
        mine = mask_of(balls, len(self.radius))
        return mine[self.near.first] & of_second(self.near, mine, True)

    def _connected(self, chosen: Booleans) -> Labels:
        """Labels (n,): the same for candidates that the chosen contacts connect."""
        near = self.near
        pair = chosen & self.movable[near.first] & of_second(near, self.movable, False)
        return connected_sets(near.first[pair], near.second[pair], len(self.radius))

    def rest(self) -> Rest:
        """The proof for the balls that rest."""
        near = measured(self.near, self.x, self.radius, self.boundaries.obstacles)
        beside = ends_of(near.of(_touch(near, self.movable & ~self.rests)), len(self.x))
        may_carry = np.flatnonzero(beside & ~self.movable)
        contacts = near.with_forces(self.force).of(self.force > 0.0)
        return Rest(np.flatnonzero(self.rests), self.x, contacts, may_carry, self.island)


def _touch(near: Contacts, balls: Booleans) -> Booleans:
    """Which contacts are of one of these balls, a mask, (m,)."""
    return balls[near.first] | of_second(near, balls, False)


def _listed_forces(near: Contacts, listed: LastingContacts) -> Floats:
    """The force listed for each contact's pair, (m,), 0 where there is none."""
    first, second = np.append(listed.first, near.first), np.append(listed.second, near.second)
    pairs, of_pair = np.unique((first << 32) + second, return_inverse=True)
    force, count = np.zeros(len(pairs)), len(listed.first)
    force[of_pair[:count]] = listed.force
    return force[of_pair[count:]]


def _largest_to_close(gap: Floats, carries: Booleans, none: Floats | float) -> float:
    """The largest gap of contacts that carry, or overlap of any, (k,).

    Where all are at most `none`, it is 0, and these gaps become 0: if some stayed while others
    close, rounding would open them.
    """
    small, closes = np.abs(gap) <= none, carries | (gap < 0.0)
    if np.all(small[closes]):
        gap[small] = 0.0
    return float(np.abs(gap[closes]).max(initial=0.0))


def all_of(label: Labels, chosen: Booleans) -> Booleans:
    """Which are chosen together with all others of the same label, (k,)."""
    return ~np.isin(label, label[~chosen])


@kernel
def _solve(
    contacts: ContactList,
    motion: Floats,
    mobility: Floats,
    tolerance: float,
    workspace: SolverWorkspace,
    work: ContactWork,
) -> None:
    """The motions and the forces of one step; see `solve_contacts`."""
    goal = SolverGoal(tolerance, False, math.inf, False)
    solve_contacts(contacts, contacts.force, motion, mobility, goal, workspace, work)


def relative_residual(contacts: LastingContacts, balls: Integers, weight: Floats) -> Any:
    """The sum of all forces on each ball, relative to the sum of their sizes, shape (n,).

    balls: (n,) sorted indices; weight: (n, 3).
    """
    left, acting = weight.copy(), np.linalg.norm(weight, axis=1)
    force = contacts.normal * contacts.force[:, None]
    for ends, sign in ((contacts.first, 1.0), (contacts.second, -1.0)):
        known = np.isin(ends, balls)
        place = np.searchsorted(balls, ends[known])
        np.add.at(left, place, sign * force[known])
        np.add.at(acting, place, contacts.force[known])
    return np.linalg.norm(left, axis=1) / np.where(acting > 0.0, acting, 1.0)


def balanced_within(position: Floats, radius: Floats) -> Any:
    """The `relative_residual` of each ball that counts as none, shape (n,): far from the origin,
    one that moves the ball by no more than the rounding of its position in a first fall."""
    return np.maximum(_BALANCED, _longest_still(position, radius) / (_FREE_FALLS[0] * radius))


def _longest_still(position: Floats, radius: Floats) -> Any:
    """Motions up to this, as lengths, are not made, shape (n,)."""
    return 0.25 * _ROUNDING * (radius + np.abs(position).max(axis=1))


def _around(
    position: Floats, radius: Floats, balls: Integers, reach: float, box: Floats | None
) -> Integers:
    """These balls, and those that could touch one of them: all in the box around them."""
    if box is not None or len(balls) == 0:
        return np.arange(len(radius)) if len(balls) else balls
    size = (1.0 + reach) * radius[:, None]
    low, high = (position - size)[balls].min(axis=0), (position + size)[balls].max(axis=0)
    return np.flatnonzero(np.all((position + size > low) & (position - size < high), axis=1))
