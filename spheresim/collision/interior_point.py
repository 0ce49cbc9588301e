"""Pushes of many contacts at once, approached from inside: all push, and all have room left.

Where a pile is dense, which contacts push depends on all the others, and a search that goes from
one set of them to another takes hundreds of turns. Here every contact pushes with p > 0 and has
w > 0 to spare, and p·w is made smaller and smaller for all of them at once (S. Mehrotra, On the
implementation of a primal-dual interior point method, SIAM J. Optimization 2, 1992). A turn solves
(S + w/p)·δp = …, with S of `contact_factors`; ten or fifteen are enough for a thousand balls.
"""

import math
from typing import Any

from spheresim.collision.contact_factors import Factors, factorise, give_of_contact, solve
from spheresim.collision.contact_list import ContactList
from spheresim.collision.contact_motions import give_push, wanted
from spheresim.compiler.decorators import inlined, routine

_TURNS = 20
"""After so many there is no answer: no room for the balls."""

_INSIDE = 0.1
"""Pushes begin at this part of their mean at least, and so does what is to spare."""

_SHARE = 0.995
"""A step goes so far towards where the first push, or what is to spare, comes to nothing."""

_SHORTEST = 1e-3
"""Where steps get shorter, there is no answer."""


@routine
def approach_from_inside(
    contacts: ContactList,
    count: int,
    factors: Factors,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    tolerance: float,
) -> None:
    """Change pushes, and motions with them, so that those are right but for a tolerance; leave them
    where they are if there is no answer."""
    for c in range(count):
        contacts.spare[c] = push[c]
    _go_inside(contacts, count, push, motion, inverse_mass)
    found = False
    for _ in range(_TURNS):
        found = _is_close(contacts, count, push, motion, inverse_mass, tolerance)
        if found or not _turn(contacts, count, factors, push, motion, inverse_mass):
            break
    # Each contact either pushes, or has something to spare.
    for c in range(count):
        target = contacts.spare[c]
        if found:
            is_pushed = push[c] * give_of_contact(contacts, c, inverse_mass) > contacts.start[c]
            target = push[c] if is_pushed else 0.0
        contacts.ease[c] = 0.0
        if target != push[c]:
            give_push(contacts, c, target - push[c], motion, inverse_mass)
            push[c] = target


@inlined
def _go_inside(
    contacts: ContactList, count: int, push: Any, motion: Any, inverse_mass: Any
) -> None:
    """Begin with pushes, and with what is to spare in `start`, that are above 0."""
    pushes, rates = 0.0, 0.0
    for c in range(count):
        pushes += push[c]
        rates += abs(wanted(contacts, c, motion))
    for c in range(count):
        give = give_of_contact(contacts, c, inverse_mass)
        least = _INSIDE * (pushes / count if pushes > 0.0 else rates / (count * give))
        more = max(0.0, least - push[c]) if give > 0.0 else 0.0
        push[c] += more
        give_push(contacts, c, more, motion, inverse_mass)
    for c in range(count):
        contacts.start[c] = max(-wanted(contacts, c, motion), _INSIDE * rates / count)


@inlined
def _is_close(
    contacts: ContactList,
    count: int,
    push: Any,
    motion: Any,
    inverse_mass: Any,
    tolerance: float,
) -> bool:
    """Whether every contact has what it needs, and either hardly pushes or has hardly anything to
    spare."""
    for c in range(count):
        give = give_of_contact(contacts, c, inverse_mass)
        spare = -wanted(contacts, c, motion)
        if give > 0.0 and (spare < -tolerance or min(spare, push[c] * give) > tolerance):
            return False
    return True


@inlined
def _turn(
    contacts: ContactList,
    count: int,
    factors: Factors,
    push: Any,
    motion: Any,
    inverse_mass: Any,
) -> bool:
    """Go on once; whether that went far enough to go on again."""
    spare, ahead = contacts.start, contacts.ahead
    for c in range(count):
        contacts.ease[c] = spare[c] / push[c] if push[c] > 0.0 else 0.0
    size = factorise(contacts, count, push, inverse_mass, factors)
    if size == 0:
        return False
    # Straight to where no contact both pushes and has something to spare: how far would that go?
    product = 0.0
    for k in range(size):
        c = factors.chosen[k]
        factors.x[k] = wanted(contacts, c, motion)
        product += push[c] * spare[c]
        ahead[c] = 0.0
    solve(factors, size)
    way, left = min(1.0, _way(contacts, factors, size, push)), 0.0
    for k in range(size):
        c = factors.chosen[k]
        more, less = factors.x[k], _more_to_spare(contacts, c, push[c], factors.x[k])
        left += (push[c] + way * more) * (spare[c] + way * less)
        ahead[c] = -more * less
    # Then to where p·w is the same for all, and as small as that allows.
    same = product / size * (left / product) ** 3
    for k in range(size):
        c = factors.chosen[k]
        ahead[c] += same
        factors.x[k] = wanted(contacts, c, motion) + ahead[c] / push[c]
    solve(factors, size)
    way = min(1.0, _SHARE * _way(contacts, factors, size, push))
    for k in range(size):
        c, more = factors.chosen[k], way * factors.x[k]
        spare[c] += way * _more_to_spare(contacts, c, push[c], factors.x[k])
        push[c] += more
        give_push(contacts, c, more, motion, inverse_mass)
    return way > _SHORTEST


@inlined
def _more_to_spare(contacts: ContactList, c: int, push: float, more: float) -> float:
    """How what contact c has to spare changes with its push, so that p·w becomes `ahead`."""
    spare = contacts.start[c]
    change: float = (contacts.ahead[c] - spare * more) / push - spare
    return change


@inlined
def _way(contacts: ContactList, factors: Factors, size: int, push: Any) -> float:
    """How far one can go, in units of the step x, until the first push, or what is to spare, comes
    to nothing."""
    way = math.inf
    for k in range(size):
        c, more = factors.chosen[k], factors.x[k]
        if more < 0.0:
            way = min(way, -push[c] / more)
        less = _more_to_spare(contacts, c, push[c], more)
        if less < 0.0:
            way = min(way, -contacts.start[c] / less)
    return way
