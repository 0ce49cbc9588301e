"""Masks: which of many balls, or of many contacts, have a property."""

import numpy as np
import numpy.typing as npt

from spheresim.contact.touching import Contacts
from spheresim.numerics.arrays import Booleans


def mask_of(indices: npt.ArrayLike, size: int) -> Booleans:
    """A mask that is True at these indices, (size,)."""
    mask = np.zeros(size, dtype=bool)
    mask[np.asarray(indices, dtype=np.int64)] = True
    return mask


def ends_of(contacts: Contacts, size: int) -> Booleans:
    """A mask of the balls that take part in the contacts, (size,)."""
    return mask_of(np.concatenate([contacts.first, contacts.second[contacts.second >= 0]]), size)
