"""The table of contacts that last: pairs, contact points, normals and forces."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats, Integers, Records

COLUMNS = [
    ("i", "i8"),
    ("j", "i8"),
    ("obstacle", "O"),
    *((name, "f8") for name in ("x", "y", "z", "nx", "ny", "nz", "force")),
]
"""The columns of a table of contacts."""


class LastingContacts(NamedTuple):
    """Contacts with forces.

    first: (m,) balls i; second: (m,) balls j > i, or −1 − k for obstacle k; normal: (m, 3) unit
    vectors towards i; force: (m,) on i, along the normal.
    """

    first: Integers
    second: Integers
    normal: Floats
    force: Floats

    def of(self: tuple[np.ndarray, ...], chosen: Booleans | Integers) -> "LastingContacts":
        """The contacts chosen by a mask or by indices."""
        return LastingContacts(*(column[chosen] for column in self))


_NONE = np.zeros(0, dtype=np.int64)
NO_CONTACTS = LastingContacts(_NONE, _NONE, np.zeros((0, 3)), np.zeros(0))


def lasting_contacts(
    first: Integers, second: Integers, normal: Floats, force: Floats
) -> LastingContacts:
    """Contacts with the ball of the lower index first; second: (m,), −1 − k for obstacle k."""
    swap = (second >= 0) & (second < first)
    return LastingContacts(
        np.where(swap, second, first),
        np.where(swap, first, second),
        np.where(swap[:, None], -normal, normal),
        force,
    )


def joined_contacts(*parts: LastingContacts) -> LastingContacts:
    """All contacts of several parts, one after another."""
    return LastingContacts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def with_owners(contacts: LastingContacts, owner: Integers) -> LastingContacts:
    """The contacts with the obstacle to which each feature belongs; owner: (rows,)."""
    second, of_obstacle = contacts.second, contacts.second < 0
    return contacts._replace(
        second=np.where(of_obstacle, -1 - owner[-1 - second * of_obstacle], second)
    )


def contact_table(
    contacts: LastingContacts, position: Floats, radius: Floats, obstacles: Sequence[str]
) -> Records:
    """Contacts as a table with a column per name in `COLUMNS`, sorted by i, then j or obstacle.

    position: (n, 3), of all balls; x, y, z is where they touch. `j` is -1 and `obstacle` empty
    where they do not apply.
    """
    is_ball = contacts.second >= 0
    order = np.lexsort((np.abs(contacts.second), ~is_ball, contacts.first))
    i, other, normal, force = contacts.of(order)
    names = np.array(["", *obstacles], dtype=object)
    table: Records = np.recarray(len(i), dtype=COLUMNS)
    table.i, table.j = i, np.where(other >= 0, other, -1)
    table.obstacle = names[np.where(other >= 0, 0, -other)]
    table.x, table.y, table.z = (position[i] - normal * radius[i, None]).T
    table.nx, table.ny, table.nz = normal.T
    table.force = force
    return table
