"""Which contacts begin, stay and end; callbacks report them, and may change the world.

The order in a cycle: first all ends, then begins and stays together, each sorted by the handles.
A contact is recorded as open just before `on_begin` is called, and removed from the record just
before `on_end` is called. So each begin and end is reported once, even if a callback raises an
exception. After a callback has removed a shape, no begins and stays of it are reported in this
cycle; its contacts end in the next one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.contacts import Contacts, ended_contact
from spheresim.numerics.arrays import Integers


class Callbacks(NamedTuple):
    """The functions to call for contacts that begin, stay and end; None for no call."""

    begin: Any
    stay: Any
    end: Any


class Changes(NamedTuple):
    """How the contacts of a cycle differ from those of the last.

    begun, stayed: indices into the contacts of the cycle; ended: pairs of handles, (n, 2).
    """

    begun: Integers
    stayed: Integers
    ended: Integers


class OpenContacts:
    """The contacts that have begun and not ended, as pairs of handles, (n, 2), sorted."""

    def __init__(self) -> None:
        self.pairs = np.zeros((0, 2), dtype=np.int64)

    def changes(self, contacts: Contacts) -> Changes:
        """Which contacts are new, which are still there, and which are gone."""
        now = contacts.pairs
        both = np.concatenate([self.pairs, now])
        order = np.lexsort((both[:, 1], both[:, 0]))
        ordered = both[order]
        same = (ordered[1:] == ordered[:-1]).all(axis=1)
        old = len(self.pairs)
        is_shared = np.zeros(len(both), dtype=bool)
        is_shared[order[1:][same]] = is_shared[order[:-1][same]] = True
        shared = is_shared[old:]
        return Changes(
            np.flatnonzero(~shared), np.flatnonzero(shared), self.pairs[~is_shared[:old]]
        )

    def report(
        self,
        contacts: Contacts,
        changes: Changes,
        callbacks: Callbacks,
        is_there: Callable[[int], bool],
    ) -> None:
        """Call the callbacks in order, and keep the contacts that are now open.

        `is_there`: whether a handle names a shape that is in the world.
        """
        reported_ends, reported = 0, np.zeros(len(contacts), dtype=bool)
        reported[changes.stayed] = True
        try:
            for a, b in changes.ended.tolist() if callbacks.end is not None else ():
                reported_ends += 1
                callbacks.end(ended_contact(a, b))
            reported_ends = len(changes.ended)
            if callbacks.begin is None:
                reported[changes.begun] = True
            begun = np.zeros(len(contacts), dtype=bool)
            begun[changes.begun] = True
            for k in _reported_contacts(changes, callbacks):
                if is_there(int(contacts.a[k])) and is_there(int(contacts.b[k])):
                    reported[k] = True
                    call = callbacks.begin if begun[k] else callbacks.stay
                    call(contacts[k])
        finally:
            left = np.concatenate([changes.ended[reported_ends:], contacts.pairs[reported]])
            self.pairs = left[np.lexsort((left[:, 1], left[:, 0]))]


def _reported_contacts(changes: Changes, callbacks: Callbacks) -> list[int]:
    """The contacts for which `on_begin` or `on_stay` is to be called, in order."""
    begun = changes.begun if callbacks.begin is not None else changes.begun[:0]
    stayed = changes.stayed if callbacks.stay is not None else changes.stayed[:0]
    return np.sort(np.concatenate([begun, stayed])).tolist()
