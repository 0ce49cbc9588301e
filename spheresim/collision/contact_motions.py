"""What contacts want of motions, and what their pushes do to these; see `push_apart`."""

from typing import Any

import numpy as np

from spheresim.collision.contact_list import ContactList
from spheresim.compiler.decorators import inlined
from spheresim.numerics.rows import set_vector, vector_at


@inlined
def wanted(contacts: ContactList, c: int, motion: Any) -> float:
    """What contact c needs, beyond the motion along it."""
    i: Any = np.uint32(contacts.first[c])
    second, n = contacts.second[c], vector_at(contacts.normal, c)
    rate = vector_at(motion, i).dot(n)
    if second >= 0:
        j: Any = np.uint32(second)
        rate -= vector_at(motion, j).dot(n)
    wanted: float = contacts.needed[c] - rate
    return wanted


@inlined
def give_push(contacts: ContactList, c: int, push: float, motion: Any, inverse_mass: Any) -> None:
    """Push harder at contact c."""
    i: Any = np.uint32(contacts.first[c])
    second, n = contacts.second[c], vector_at(contacts.normal, c)
    set_vector(motion, i, vector_at(motion, i) + n * (push * inverse_mass[i]))
    if second >= 0:
        j: Any = np.uint32(second)
        set_vector(motion, j, vector_at(motion, j) - n * (push * inverse_mass[j]))
