"""The impacts of a run, read back as batches of the journal: kinds and obstacles as numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL, KINDS, Impacts
from spheresim.record.layout import RunError


def impact_rows(table: Any, obstacles: Sequence[str], n: int, where: object) -> Impacts:
    """A table of impacts of n balls as one batch; an unknown kind gets a number that is no kind.

    where: what RunError names if the rows are not of these balls and obstacles.
    """
    number = {name: k for k, name in enumerate(obstacles)}
    kind = np.full(len(table), len(KINDS))
    for k, name in enumerate(KINDS):
        kind[table.kind == name] = k
    hit, is_other = np.full(len(table), -1), kind != BALL
    try:
        hit[is_other] = [number[name] if name else -1 for name in table.obstacle[is_other].tolist()]
    except KeyError as fault:
        raise RunError(f"{where}: its scene has no obstacle {fault}") from None
    other = np.where(kind == BALL, table.j, hit)
    if len(table) and (table.i.min() < 0 or max(table.i.max(), table.j.max()) >= n):
        raise RunError(f"{where}: its impacts are not of the {n} balls of its scene")
    names = np.stack([kind, table.i, other], axis=1)
    columns = ("t", "x", "y", "z", "nx", "ny", "nz", "vn_before", "vn_after", "impulse")
    return Impacts(names, np.stack([table[name] for name in columns], axis=1))
