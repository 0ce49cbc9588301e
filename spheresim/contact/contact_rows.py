"""Contacts as the solver has them: a row with the normal, the force and the inverse masses."""

from typing import Protocol

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
    ("start", "f8"),  # the force at the start of a sweep
    ("search_direction", "f8"),  # the change of force along the search direction
    ("first", "u4"),  # the balls, as numbered here; 0 for a fixed body
    ("second", "u4"),
    ("place", "i4"),  # in the first active set, or NO_INDEX, see `active_set`
    ("update", "i4"),  # the one that adds or drops it, or NO_INDEX
]
"""A sweep reads the fields of one record together."""


class RowRecord(Protocol):
    """A record of `ROW_FIELDS`: of these, what sweeps and exchanges read and change."""

    nx: float
    ny: float
    nz: float
    bias: float
    spare: float
    force: float
    stiffness: float
    inverse_mass_first: float
    inverse_mass_second: float
    first: int
    second: int
    place: int
    update: int


@inlined
def residual_of(row: RowRecord, motion: Floats) -> float:
    """Bias less relative normal motion of a contact."""
    i, j = row.first, row.second
    x, y, z = motion[i, 0] - motion[j, 0], motion[i, 1] - motion[j, 1], motion[i, 2] - motion[j, 2]
    residual: float = row.bias - (row.nx * x + row.ny * y + row.nz * z)
    return residual


@inlined
def add_force(row: RowRecord, motion: Floats, change: float) -> None:
    """Add to the force of a contact, and to the motions of its balls."""
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
    """Let a contact do with less."""
    row.bias -= row.spare
    row.spare = 0.0
