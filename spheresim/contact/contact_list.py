"""A list of contacts between balls, obstacles and sleeping balls, for kernels."""

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Records
from spheresim.numerics.rows import set_vector
from spheresim.numerics.vector import TVector

NO_INDEX = -1
"""In place of an index: no contact, or no ball."""


ContactList: TypeAlias = Records
"""A record array (m,) of `CONTACT_FIELDS`, of which the owner counts the records in use.

It is one array because a dozen of them, as parts of the state that every function of an engine
receives, doubled the time to compile an engine."""

CONTACT_FIELDS = [
    ("first", "i8"),  # ball i
    ("second", "i8"),  # ball j, or −1 − k for obstacle k
    ("normal", "f8", 3),  # towards i
    ("slack", "f8"),  # gap between the surfaces, less the clearance that is kept
    ("bias", "f8"),  # least relative normal motion that the solver must reach
    ("spare", "f8"),  # the part of it that may be given up where there is no room; 0 once it is
    ("impulse", "f8"),  # changes velocities
    ("force", "f8"),  # changes accelerations; in fixed steps, velocities
    ("next", "i8", 2),  # of the first, and of the second ball; or NO_INDEX
]


CONTACTS_PER_BALL = 12
"""Room in a list, per ball. Spheres at rest have at most 6 contacts per ball with each other,
whatever their radii, and a few with obstacles; contacts without room go on by impacts."""


def empty_contacts(m: int) -> ContactList:
    """Zeroed records for m contacts."""
    return np.zeros(m, CONTACT_FIELDS).view(np.recarray)


class CandidateContact(NamedTuple):
    """Ball i near ball j, or near obstacle k = −1 − j, with which it may come into contact.

    normal: unit, towards i; gap: between the surfaces, negative in overlap; vn: relative normal
    velocity, negative if they approach; radius: of ball i, or the smaller one of the two.
    """

    i: int
    j: int
    normal: TVector
    gap: float
    vn: float
    radius: float


@inlined
def write_contact(contacts: ContactList, c: int, i: int, j: int, n: TVector) -> None:
    """Write contact c of balls i and j, or of ball i and obstacle k = −1 − j, with the normal n
    towards i and without forces."""
    contacts.first[c], contacts.second[c] = i, j
    set_vector(contacts.normal, c, n)
    contacts.slack[c], contacts.bias[c], contacts.spare[c] = 0.0, 0.0, 0.0
    contacts.impulse[c], contacts.force[c] = 0.0, 0.0
    contacts.next[c, 0], contacts.next[c, 1] = NO_INDEX, NO_INDEX


class HasContacts(Protocol):
    """A ball's record in an engine; head: the first of its contacts in the list, or NO_INDEX."""

    head: int


@inlined
def link_contact(contacts: ContactList, c: int, side: int, record: HasContacts) -> None:
    """Make contact c the first one of a ball: of its first (side 0) or its second one (side 1)."""
    contacts.next[c, side] = record.head
    record.head = c


@inlined
def next_contact(contacts: ContactList, c: int, i: int) -> int:
    """The contact of ball i after contact c, or NO_INDEX."""
    return int(contacts.next[c, 0 if contacts.first[c] == i else 1])


@inlined
def contact_between(contacts: ContactList, head: int, i: int, j: int) -> int:
    """The contact of ball i with j, or NO_INDEX; head: the first contact of ball i."""
    c = head
    while c != NO_INDEX:
        first, second = contacts.first[c], contacts.second[c]
        if (first == i and second == j) or (first == j and second == i):
            return c
        c = next_contact(contacts, c, i)
    return NO_INDEX


@inlined
def force_between(contacts: ContactList, head: int, i: int, j: int) -> float:
    """The force of the contact of ball i with j, 0 without one; head: the first contact of ball
    i."""
    c = contact_between(contacts, head, i, j)
    force: float = contacts.force[c] if c != NO_INDEX else 0.0
    return force


@inlined
def copy_forces(source: ContactList, target: ContactList, count: int) -> None:
    """Copy the pairs, links and forces of the first `count` contacts."""
    for c in range(count):
        target.first[c], target.second[c] = source.first[c], source.second[c]
        target.force[c] = source.force[c]
        target.next[c, 0], target.next[c, 1] = source.next[c, 0], source.next[c, 1]
