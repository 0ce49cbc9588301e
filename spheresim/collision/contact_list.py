"""Contacts of balls with each other and with what does not move, as kernels list them."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector

NOBODY = -1

ROOM = 1e-8
"""How far apart balls that press each other are kept, in units of the radius."""

PART_OF_ROOM = 0.25
"""What touches parts by this part of it in a step, so that no rounding makes it touch again."""

TOLERANCE = 0.2
"""The search for pushes may be wrong by this part of the room that is kept."""


class ContactList(NamedTuple):
    """Room for m contacts, of which the first so many are in use.

    first: (m,) ball i; second: (m,) ball j, or −1 − k for obstacle k; normal: (m, 3), towards i;
    spacing: (m,) how far their surfaces are apart; needed, kick, push: (m,), what the motions must
    reach, and the pushes on velocities and on accelerations; after: (m, 2), the next contact of
    the same first, or second, ball, or NOBODY; level: (m,), see `contact_factors`; as scratch
    start, ahead: (m,).
    """

    first: Any
    second: Any
    normal: Any
    spacing: Any
    needed: Any
    kick: Any
    push: Any
    after: Any
    level: Any
    start: Any
    ahead: Any


def empty_contacts(m: int) -> ContactList:
    """Room for m contacts, of which none is in use."""
    return ContactList(
        first=np.zeros(m, dtype=np.int64),
        second=np.zeros(m, dtype=np.int64),
        normal=np.zeros((m, 3)),
        spacing=np.zeros(m),
        needed=np.zeros(m),
        kick=np.zeros(m),
        push=np.zeros(m),
        after=np.zeros((m, 2), dtype=np.int64),
        level=np.zeros(m, dtype=np.int32),
        start=np.zeros(m),
        ahead=np.zeros(m),
    )


@inlined
def write_contact(contacts: ContactList, c: int, i: int, j: int, n: TVector) -> None:
    """Make contact c one of balls i and j, or of ball i and obstacle k = −1 − j; n: its normal."""
    contacts.first[c], contacts.second[c] = i, j
    set_vector(contacts.normal, c, n)
    contacts.spacing[c], contacts.needed[c] = 0.0, 0.0
    contacts.kick[c], contacts.push[c] = 0.0, 0.0
    contacts.after[c, 0], contacts.after[c, 1] = NOBODY, NOBODY
    contacts.level[c] = 0


@inlined
def next_of(contacts: ContactList, c: int, i: int) -> int:
    """The contact of ball i after contact c, or NOBODY."""
    return int(contacts.after[c, 0 if contacts.first[c] == i else 1])


@inlined
def push_between(contacts: ContactList, head: int, i: int, j: int) -> float:
    """How hard the contact of ball i with j was pushed; head: the first contact of ball i."""
    c = head
    while c != NOBODY:
        first, second = contacts.first[c], contacts.second[c]
        if (first == i and second == j) or (first == j and second == i):
            push: float = contacts.push[c]
            return push
        c = next_of(contacts, c, i)
    return 0.0


@inlined
def copy_pushes(source: ContactList, target: ContactList, count: int) -> None:
    """Copy which contacts there are, and how hard they are pushed."""
    for c in range(count):
        target.first[c], target.second[c] = source.first[c], source.second[c]
        target.push[c] = source.push[c]
        target.after[c, 0], target.after[c, 1] = source.after[c, 0], source.after[c, 1]
