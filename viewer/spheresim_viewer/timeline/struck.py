"""The balls that are in an impact at an instant, and what it did to their velocities."""

from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, Impacts
from spheresim.numerics.arrays import Floats, Integers
from spheresim_viewer.timeline.snapshot import Snapshot

MOST = 20
"""Pairs at one instant that are looked at."""


class Struck(NamedTuple):
    """Balls that are in an impact now: which (k,), and their velocities before and after (k, 3)."""

    ball: Integers
    before: Floats
    after: Floats


def struck(impacts: Impacts, snapshot: Snapshot) -> Struck:
    """The balls of the present impacts, and what these did to their velocities.

    What a ball got is impulse / mass, on ball i as it is written; so its velocity before is that
    after less what it got.
    """
    mass, impulse = snapshot.world.mass, impacts.whole_impulse
    gained: dict[int, Floats] = {}
    for row in range(min(len(impacts.t), MOST)):
        push = impulse[row]
        i, j = int(impacts.i[row]), int(impacts.other[row])
        gained[i] = gained.get(i, 0.0) + push / mass[i]
        if impacts.kind[row] == BALL:
            gained[j] = gained.get(j, 0.0) - push / mass[j]
    ball = np.array(list(gained), dtype=np.intp)
    change = np.array(list(gained.values())).reshape(-1, 3)
    now = snapshot.velocity[ball]
    if _comes_first(impacts, snapshot.velocity):
        return Struck(ball, now, now + change)
    return Struck(ball, now - change, now)


def _comes_first(impacts: Impacts, velocity: Floats) -> bool:
    """Whether velocities (n, 3) are those before the impacts, as at the start of a step.

    An impact at the very time of a keyframe belongs to what follows it.
    """
    shown = slice(0, MOST)
    other = np.where(impacts.kind[shown] == BALL, impacts.other[shown], 0)
    of_other = np.where((impacts.kind[shown] == BALL)[:, None], velocity[other], 0.0)
    relative = velocity[impacts.i[shown]] - of_other
    vn = np.einsum("ij,ij->i", relative, impacts.normal[shown])
    to_before = np.abs(vn - impacts.vn_before[shown]).sum()
    return bool(to_before < np.abs(vn - impacts.vn_after[shown]).sum())
