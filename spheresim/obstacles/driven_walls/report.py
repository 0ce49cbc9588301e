"""What walls have done, and where they are: a table for users, and for `run.json`."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.numerics.arrays import Records
from spheresim.obstacles.driven_walls.moving_walls import DrivenWalls, NoDrivenWalls

COLUMNS = [
    ("obstacle", "O"),
    ("impacts", "i8"),
    *((name, "f8") for name in ("work", "heat", "x", "y", "z", "vx", "vy", "vz", "degrees")),
]
"""The columns of `Simulation.walls`."""


def wall_table(walls: DrivenWalls, records: Records, time: float, names: Sequence[str]) -> Records:
    """The walls of a world, a row each, in the order of the obstacles.

    records: of the walls, see `WALL_FIELDS`; names: of all obstacles.
    """
    many = 0 if isinstance(walls, NoDrivenWalls) else len(walls.owner)
    table: Records = np.recarray(many, dtype=COLUMNS)
    for w in range(many):
        frame = walls.frame(records, w, time)
        angle = math.degrees(math.atan2(frame.sine, frame.cosine))
        record = records[w]
        table[w] = (
            *(names[walls.owner[w]], record.impacts, record.work, record.heat),
            *(*frame.offset, *frame.velocity, angle),
        )
    return table


def energy_given(records: Records) -> float:
    """What walls have given to balls, by their motion and by their temperature."""
    return float(records.work.sum() + records.heat.sum())


def wall_figures(table: Records) -> dict[str, Any]:
    """The figures of `run.json`: the work and the heat of all walls, and of each what the table
    says."""
    if len(table) == 0:
        return {}
    rows = [
        {
            "name": row.obstacle,
            "impacts": int(row.impacts),
            "work": float(row.work),
            "heat": float(row.heat),
            "displacement": [float(row.x), float(row.y), float(row.z)],
            "velocity": [float(row.vx), float(row.vy), float(row.vz)],
            "degrees": float(row.degrees),
        }
        for row in table
    ]
    return {
        "work_of_walls": float(table.work.sum()),
        "heat_of_walls": float(table.heat.sum()),
        "walls": rows,
    }
