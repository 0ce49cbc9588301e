"""Which contacts begin, stay and end, told one by one while the world may be changed.

The order of a cycle: first all ends, then begins and stays together; each sorted by the handles.
A contact is written down as begun just before its begin is told, and struck off just before its
end is: so each is told once, whatever a callback does, even if it raises an exception. Of a shape
that a callback has removed no more begins and stays are told; its contacts end in the next cycle.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.contacts import Contacts, ended_contact


class Callbacks(NamedTuple):
    """Whom to tell of contacts that begin, stay and end; None where nobody listens."""

    begin: Any
    stay: Any
    end: Any


class Changes:
    """What became of the contacts in a cycle: `begun` and `stayed` are indices into its contacts,
    `ended` are pairs of handles, (n, 2)."""

    def __init__(self, begun: Any, stayed: Any, ended: Any) -> None:
        self.begun, self.stayed, self.ended = begun, stayed, ended


class OpenContacts:
    """The contacts that have begun and not ended, as pairs of handles, (n, 2), sorted."""

    def __init__(self) -> None:
        self.pairs = np.zeros((0, 2), dtype=np.int64)

    def changes(self, contacts: Contacts) -> Changes:
        """What is new, still there, and gone."""
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

    def tell(
        self,
        contacts: Contacts,
        changes: Changes,
        callbacks: Callbacks,
        is_there: Callable[[int], bool],
    ) -> None:
        """Call the callbacks in order, and keep the contacts that are now open.

        `is_there`: whether a handle names a shape that is in the world.
        """
        told_ends, told = 0, np.zeros(len(contacts), dtype=bool)
        told[changes.stayed] = True
        try:
            for a, b in changes.ended.tolist() if callbacks.end is not None else ():
                told_ends += 1
                callbacks.end(ended_contact(a, b))
            told_ends = len(changes.ended)
            if callbacks.begin is None:
                told[changes.begun] = True
            begun = np.zeros(len(contacts), dtype=bool)
            begun[changes.begun] = True
            for k in _heard(changes, callbacks):
                if is_there(int(contacts.a[k])) and is_there(int(contacts.b[k])):
                    told[k] = True
                    call = callbacks.begin if begun[k] else callbacks.stay
                    call(contacts[k])
        finally:
            left = np.concatenate([changes.ended[told_ends:], contacts.pairs[told]])
            self.pairs = left[np.lexsort((left[:, 1], left[:, 0]))]


def _heard(changes: Changes, callbacks: Callbacks) -> list[int]:
    """The contacts of which a begin or stay is told, in order."""
    begun = changes.begun if callbacks.begin is not None else changes.begun[:0]
    stayed = changes.stayed if callbacks.stay is not None else changes.stayed[:0]
    heard: list[int] = np.sort(np.concatenate([begun, stayed])).tolist()
    return heard
