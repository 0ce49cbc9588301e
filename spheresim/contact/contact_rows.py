"""The contacts of a solve: rows with the normal, the force and the inverse masses."""

from typing import TypeAlias

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Floats

ROW_FIELDS = [
    ("nx", "f8"),  # the normal, towards the first ball
    ("ny", "f8"),
    ("nz", "f8"),
    ("bias", "f8"),  # least relative normal motion
    ("spare", "f8"),  # the part of it that may be given up, see `solver`
    ("force", "f8"),
    ("stiffness", "f8"),  # 1 / (1/m_i + 1/m_j); 0 where neither moves
    ("inverse_mass_first", "f8"),  # 1/m_i; 0 for a fixed body
    ("inverse_mass_second", "f8"),  # 1/m_j
    ("start", "f8"),  # the force at the start of a sweep, then its change by the sweep
    ("search_direction", "f8"),  # the change of force along the search direction
    ("first", "u4"),  # the balls by their numbers in the solve; 0 for a fixed body
    ("second", "u4"),
    ("place", "i4"),  # place in the first active set, or NO_INDEX, see `active_set`
    ("update", "i4"),  # the number of the update that adds or drops it, or NO_INDEX
]
"""A sweep reads the fields of one record together."""


RowRecord: TypeAlias = np.record
"""A record of `ROW_FIELDS`."""


@inlined
def residual_of(row: RowRecord, motion: Floats) -> float:
    """Bias less relative normal motion of a contact."""
    i, j = row.first, row.second
    x, y, z = motion[i, 0] - motion[j, 0], motion[i, 1] - motion[j, 1], motion[i, 2] - motion[j, 2]
    residual: float = row.bias - (row.nx * x + row.ny * y + row.nz * z)
    return residual


@inlined
def add_force(row: RowRecord, motion: Floats, change: float) -> None:
    """Change the force of a contact, and the motions of its balls accordingly."""
    row.force += change
    i = row.first
    j = row.second
    a = change * row.inverse_mass_first
    b = change * row.inverse_mass_second
    motion[i, 0] += a * row.nx
    motion[i, 1] += a * row.ny
    motion[i, 2] += a * row.nz
    motion[j, 0] -= b * row.nx
    motion[j, 1] -= b * row.ny
    motion[j, 2] -= b * row.nz


@inlined
def give_up_spare(row: RowRecord) -> None:
    """Reduce the bias of a contact by its `spare`."""
    row.bias -= row.spare
    row.spare = 0.0
