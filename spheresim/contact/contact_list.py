"""Contacts of balls with each other and with what does not move, as kernels list them."""

from typing import Any, TypeAlias

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector

NOBODY = -1

LEAST_ROOM, MOST_ROOM = 1e-8, 1e-5
"""How far apart balls that press each other are kept, in units of the radius: the less, the less
they move."""

ROOM_OF_HEIGHT = 1e-3
"""As this part of the height to which they could rise, between these two."""

PART_OF_ROOM = 0.25
"""What touches parts by this part of it in a step, so that no rounding makes it touch again."""

TOLERANCE = 0.2
"""The search for pushes may be wrong by this part of the room that is kept."""


ContactList: TypeAlias = Any
"""Room for m contacts, of which the first so many are in use: (m,), a record of `CONTACT_FIELDS`
each, which is one array to hand from function to function. A dozen of them, as parts of what
every function of an engine is given, doubled the time to compile it."""

CONTACT_FIELDS = [
    ("first", "i8"),  # ball i
    ("second", "i8"),  # ball j, or −1 − k for obstacle k
    ("normal", "f8", 3),  # towards i
    ("spacing", "f8"),  # how far their surfaces are apart
    ("needed", "f8"),  # what the motions must reach
    ("kick", "f8"),  # the push on velocities
    ("push", "f8"),  # the push on accelerations
    ("after", "i8", 2),  # the next contact of the same first, or second, ball, or NOBODY
    ("level", "i8"),  # see `factors`
]


def empty_contacts(m: int) -> ContactList:
    """Room for m contacts, of which none is in use."""
    return np.zeros(m, CONTACT_FIELDS).view(np.recarray)


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
def contact_between(contacts: ContactList, head: int, i: int, j: int) -> int:
    """The contact of ball i with j, or NOBODY; head: the first contact of ball i."""
    c = head
    while c != NOBODY:
        first, second = contacts.first[c], contacts.second[c]
        if (first == i and second == j) or (first == j and second == i):
            return c
        c = next_of(contacts, c, i)
    return NOBODY


@inlined
def push_between(contacts: ContactList, head: int, i: int, j: int) -> float:
    """How hard the contact of ball i with j was pushed; head: the first contact of ball i."""
    c = contact_between(contacts, head, i, j)
    push: float = contacts.push[c] if c != NOBODY else 0.0
    return push


@inlined
def copy_pushes(source: ContactList, target: ContactList, count: int) -> None:
    """Copy which contacts there are, and how hard they are pushed."""
    for c in range(count):
        target.first[c], target.second[c] = source.first[c], source.second[c]
        target.push[c] = source.push[c]
        target.after[c, 0], target.after[c, 1] = source.after[c, 0], source.after[c, 1]
