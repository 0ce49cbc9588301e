"""Where walls are at any time of a run, by its impacts."""

import numpy as np

from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.obstacles.driven_walls.frame import Frame
from spheresim.obstacles.driven_walls.moving_walls import DrivenWalls, NoDrivenWalls
from spheresim.obstacles.driven_walls.placement import PISTON


def frames_at(walls: DrivenWalls, records: Records, time: float) -> dict[int, Frame]:
    """Where each obstacle that may move is at a time, by its index.

    records: of the walls, after their last impacts.
    """
    if isinstance(walls, NoDrivenWalls):
        return {}
    return {
        owner: walls.frame(records, w, time)
        for w, owner in enumerate(walls.owner.tolist())
        if walls.kind[w]
    }


def records_after(
    walls: DrivenWalls, records: Records, t: Floats, obstacle: Integers, impulse: Floats
) -> Records:
    """The records of walls after impacts on obstacles: their times, obstacles and impulses, (m,).

    Only where pistons are, and how fast they move, follows from these.
    """
    after = records.copy()
    if isinstance(walls, NoDrivenWalls) or not (walls.kind == PISTON).any():
        return after
    pistons = {int(walls.owner[w]): w for w in np.flatnonzero(walls.kind == PISTON).tolist()}
    for row in np.flatnonzero(np.isin(obstacle, list(pistons))).tolist():
        w = pistons[int(obstacle[row])]
        record, since = after[w], t[row] - after[w].clock
        pull = walls.numbers[w, 3]
        record.place += (record.speed + 0.5 * pull * since) * since
        record.speed += pull * since - impulse[row] * walls.inverse_mass[w]
        record.clock = t[row]
    return after
