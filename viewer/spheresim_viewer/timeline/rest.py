"""Who flies, slides and rests: as the engine says, or as the rows of a run tell."""

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import REST, SLIDE, WAKE, Impacts
from spheresim.numerics.arrays import Floats
from spheresim.simulation import Simulation

FLYING, SLIDING, RESTING = range(3)
"""The states of a ball. One that flies is held by nothing; also while it bounces or hops."""

STATES = ("flying", "sliding", "resting")
"""What they are called."""

_AFTER = {REST: RESTING, SLIDE: SLIDING, WAKE: FLYING}

_PILE = -1
"""In place of an obstacle: the pile in which a ball rests."""


def states_of(simulation: Simulation) -> npt.NDArray[np.int8]:
    """The states of all balls now, (n,)."""
    moving = np.where(simulation.sliding, SLIDING, FLYING)
    return np.where(simulation.asleep, RESTING, moving).astype(np.int8)


def states_after(states: npt.NDArray[np.int8], impacts: Impacts) -> npt.NDArray[np.int8]:
    """The states, (n,), after some more rows."""
    rows = np.flatnonzero((impacts.kind >= REST) & (impacts.kind <= SLIDE))
    if len(rows) == 0:
        return states
    after = states.copy()
    after[impacts.i[rows]] = [_AFTER[kind] for kind in impacts.kind[rows].tolist()]
    return after


class RestRows:
    """What the rows `rest`, `slide` and `wake` of a run say of any time.

    A ball is held from a row that says that it came to rest, or slides along something, until a
    row says that it has left the last of all that held it. One that is held slides if it moves, or
    has just begun to.

    t, ball, after: of each such row its time, its ball, and the state that begins, (m,).
    """

    def __init__(self, impacts: Impacts, n: int) -> None:
        """For n balls, from rows in order of time."""
        self._n = n
        rows = np.flatnonzero((impacts.kind >= REST) & (impacts.kind <= SLIDE))
        self.t, self.ball = impacts.t[rows], impacts.i[rows]
        holders: dict[int, set[int]] = {}
        states = []
        for kind, ball, by in impacts.names[rows].tolist():
            on = holders.setdefault(ball, set())
            if kind != WAKE:
                on.add(by)
            elif by == _PILE:
                on.clear()
            else:
                on.discard(by)
            begins = SLIDING if kind == SLIDE else RESTING
            states.append(begins if on else FLYING)
        self.after = np.array(states, dtype=np.int8)

    def states(self, time: float, velocity: Floats) -> npt.NDArray[np.int8]:
        """The states of all balls, (n,), at a time, at which they have these velocities (n, 3)."""
        known = int(np.searchsorted(self.t, time, side="right"))
        states = np.full(self._n, FLYING, dtype=np.int8)
        states[self.ball[:known]] = self.after[:known]  # of several rows of a ball the last
        states[(states == RESTING) & velocity.any(axis=1)] = SLIDING
        return states
