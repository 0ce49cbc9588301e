"""Which contacts carry a heap of balls, and with what forces: a linear programme.

The forces f ≥ 0 along the normals that balance all weights, A f + w = 0, and for which the work
Σ f·gap is least. It is the dual of the question "how far could the balls still sink?", the
linearised motion u in which Σ w·u is greatest while no gap becomes negative, and no component of
u larger than a limit (the linear programmes of J.-N. Roux, "Geometric origin of mechanical
properties of granular materials", Phys. Rev. E 61, 2000; and of S. Torquato and Y. Jiao,
"Robust algorithm to generate a diverse class of dense disordered and ordered sphere packings",
Phys. Rev. E 82, 2010). What the limit stops is weight that nothing carries. The gaps of the
contacts that carry close in that motion, and those contacts are, but for degenerate cases, as
many as the coordinates of the balls.

Most heaps hardly leave a choice: the contacts with the smallest gaps, as many as there are
coordinates, are tried first. Else the programme is solved by HiGHS, to 1e-7 or so, and the forces
of the contacts that carry are then solved for once more, to rounding.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.contact_network import (
    Network,
    balancing_forces,
    closing_way,
    contact_matrix,
    network_of,
)
from spheresim.collision.touching import Contacts

ROUNDING = 1e-12
"""Forces and residuals smaller than this, relative to what acts on the ball, are none."""

_SMALLEST = 1e-9  # what HiGHS gives as a force smaller than this, in weights, is none
_STILL_CLOSED = 1e-3  # a gap that closes beyond 0 by this much of the largest gap is an overlap


class Proof(NamedTuple):
    """force: (m,) ≥ 0, along each contact's normal; residual: (n,) the force on each ball that
    nothing balances, relative to what acts there: below `ROUNDING` if the ball is carried."""

    force: Any
    residual: Any


def carrying_forces(contacts: Contacts, balls: Any, weight: Any, limit: float) -> Proof:
    """Forces along the contacts that carry the weights, as far as they can be carried.

    balls: (n,) sorted indices; weight: (n, 3) the force on each of them; limit: how far one may
    sink along an axis, a length, large beside the gaps. What touches another ball is as if that
    were a wall.
    """
    island = islands(contacts, balls)
    force, settled = _least_gaps(contacts, balls, weight, limit, island)
    for label in np.flatnonzero(~settled):
        member = np.flatnonzero(island == label)
        at = np.flatnonzero(_island_of(contacts, balls, island) == label)
        part = contacts.of(at)
        work = _least_work(part, balls[member], weight[member], limit)
        carry = work > 0.0
        force[at] = 0.0
        force[at[carry]] = non_negative_forces(part.of(carry), balls[member], weight[member])
    return Proof(force, residual_of(contacts, balls, weight, force))


def islands(contacts: Contacts, balls: Any) -> Any:
    """The number of the connected cluster that each ball belongs to, shape (n,)."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    i, j = (np.searchsorted(balls, ends) for ends in (contacts.first, contacts.second))
    both = np.isin(contacts.second, balls)
    links = sparse.coo_matrix((np.ones(both.sum()), (i[both], j[both])), shape=(len(balls),) * 2)
    labels: Any = connected_components(links, directed=False)[1]
    return labels


def residual_of(contacts: Contacts, balls: Any, weight: Any, force: Any) -> Any:
    """The force on each ball that is left, relative to what acts on it, shape (n,)."""
    matrix = contact_matrix(contacts, balls)
    left = (matrix @ force + weight.ravel()).reshape(-1, 3)
    pressed = (abs(matrix) @ force).reshape(-1, 3)
    scale = (np.abs(weight) + pressed).max(axis=1)
    return np.abs(left).max(axis=1) / np.where(scale > 0.0, scale, 1.0)


def non_negative_forces(contacts: Contacts, balls: Any, weight: Any) -> Any:
    """The least forces that balance the weights, those that would pull left out, shape (m,)."""
    return _solved(network_of(contacts, balls), weight)


def _solved(network: Network, weight: Any) -> Any:
    accuracy = 0.1 * ROUNDING * np.repeat(np.abs(weight).max(axis=1), 3)
    accuracy = np.where(accuracy > 0.0, accuracy, accuracy.max(initial=1e-300))
    return np.maximum(balancing_forces(network, weight.ravel(), accuracy), 0.0)


def _island_of(contacts: Contacts, balls: Any, island: Any) -> Any:
    """The island of each contact, shape (m,)."""
    return island[np.searchsorted(balls, contacts.first)]


def _least_gaps(
    contacts: Contacts, balls: Any, weight: Any, limit: float, island: Any
) -> tuple[Any, Any]:
    """The forces if in each island the smallest gaps carry, and for which islands that is right.

    It is where they push and suffice, and no other gap becomes negative when theirs close.
    """
    # In each island as many contacts as coordinates.
    group = _island_of(contacts, balls, island)
    order = np.lexsort((contacts.gap, group))
    start = np.searchsorted(group[order], group[order])
    first = np.zeros(len(order), dtype=bool)
    first[order] = np.arange(len(order)) - start < 3 * np.bincount(island)[group[order]]
    # Their forces, and what the other gaps become.
    network = network_of(contacts.of(first), balls)
    force = np.zeros(len(contacts.first))
    force[first] = _solved(network, weight)
    way = closing_way(network, contacts.gap[first])
    gap = contacts.gap + contact_matrix(contacts, balls).T @ way.ravel()
    # Islands where something is wrong.
    wrong = np.zeros(island.max(initial=-1) + 1, dtype=bool)
    residual = residual_of(contacts, balls, weight, force)
    wrong[island[residual > ROUNDING]] = True
    wrong[island[np.abs(way).max(axis=1, initial=0.0) > limit]] = True
    wrong[group[(gap < -_STILL_CLOSED * np.abs(contacts.gap).max(initial=0.0)) & ~first]] = True
    return force, ~wrong


def _least_work(contacts: Contacts, balls: Any, weight: Any, limit: float) -> Any:
    """The forces with the least work, by HiGHS, in no particular unit, shape (m,)."""
    from scipy import sparse
    from scipy.optimize import linprog

    if len(contacts.first) == 0:
        return np.zeros(0)
    # Units: balls by their weights, contacts by the lighter of their balls, gaps by the largest.
    unit = np.abs(weight).max(axis=1)
    unit = np.where(unit > 0.0, unit, unit.max())
    place = np.searchsorted(balls, contacts.second).clip(0, len(balls) - 1)
    other = np.where(balls[place] == contacts.second, unit[place], np.inf)
    per_contact = np.minimum(unit[np.searchsorted(balls, contacts.first)], other)
    length = np.max(np.abs(contacts.gap)) or limit
    # A f + slack = −w, with a slack of either sign that costs the limit.
    rows = sparse.diags(np.repeat(1.0 / unit, 3))
    matrix = rows @ contact_matrix(contacts, balls) @ sparse.diags(per_contact)
    slack = sparse.identity(matrix.shape[0])
    cost = np.concatenate(
        [contacts.gap / length * per_contact, np.tile(np.repeat(limit / length * unit, 3), 2)]
    )
    answer = linprog(
        cost / unit.mean(),
        A_eq=sparse.hstack([matrix, slack, -slack]).tocsc(),
        b_eq=-(weight / unit[:, None]).ravel(),
        method="highs-ds",
    )
    force = answer.x[: len(contacts.first)]
    return np.where(force > _SMALLEST, force, 0.0)
