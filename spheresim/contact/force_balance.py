"""Forces in static equilibrium of balls in contact: a linear programme.

The forces f ≥ 0 along the normals that balance all weights, A f + w = 0, and for which the work Σ
f·gap is least. Its dual is the linearised motion u in which Σ w·u is greatest while no gap becomes
negative, and no component of u larger than a limit (the linear programmes of J.-N. Roux, "Geometric
origin of mechanical properties of granular materials", Phys. Rev. E 61, 2000; and of S. Torquato
and Y. Jiao, "Robust algorithm to generate a diverse class of dense disordered and ordered sphere
packings", Phys. Rev. E 82, 2010). What the limit stops is weight that nothing carries. The gaps of
the contacts that carry close in that motion, and those contacts are, but for degenerate cases, as
many as the coordinates of the balls.

Most islands are nearly isostatic: the contacts with the smallest gaps, as many as there are
coordinates, are tried first. Else HiGHS solves the programme, to about 1e-7, and the forces of the
contacts that carry are solved for again, to rounding.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.contact.contact_network import (
    Network,
    balancing_forces,
    closing_displacement,
    contact_matrix,
    network_of,
)
from spheresim.contact.touching import Contacts
from spheresim.numerics.arrays import Booleans, Floats, Integers, Labels
from spheresim.numerics.connected_sets import connected_sets

BALANCED = 1e-11
"""Residual forces below this, relative to what acts on the ball, are none."""

SMALL_PART = 1e-3
"""A gap or a residual is small if it is no more than this part of the largest one: then that may be
its cause."""

_SMALLEST = 1e-7  # HiGHS gives forces, in weights, to about this
_ZOOMS = (1.0, 1e5, 1e9)
_FAR = 1e6  # in the units of a closer look forces become smaller by no more than this
_LOOSE = 1e-4  # slack as large as this is no matter of tolerances


class Proof(NamedTuple):
    """force: (m,) ≥ 0, along each contact's normal; residual: (n,) the force on each ball that
    nothing balances, relative to what acts there: below `BALANCED` if the ball is carried;
    network: that of the contacts which carried at the first try."""

    force: np.ndarray
    residual: np.ndarray
    network: Network | None


def equilibrium_forces(contacts: Contacts, balls: Integers, weight: Floats, limit: float) -> Proof:
    """Forces along the contacts that balance the weights, as far as they can be balanced.

    balls: (n,) sorted indices; weight: (n, 3) the force on each of them; limit: how far one may
    sink along an axis, a length, large beside the gaps. Other balls count as
    walls.
    """
    island = islands(contacts, balls)
    force, settled, network = _least_gaps(contacts, balls, weight, limit, island)
    group = island[np.searchsorted(balls, contacts.first)]
    for label in np.flatnonzero(~settled):
        member, at = np.flatnonzero(island == label), np.flatnonzero(group == label)
        part = contacts.of(at)
        force[at] = _by_programme(part, balls[member], weight[member], limit)
    return Proof(force, residual_of(contacts, balls, weight, force), network)


def islands(contacts: Contacts, balls: Integers) -> Labels:
    """The number of the connected cluster that each ball belongs to, shape (n,)."""
    i, j = (np.searchsorted(balls, ends) for ends in (contacts.first, contacts.second))
    both = np.isin(contacts.second, balls)
    return connected_sets(i[both], j[both], len(balls))


def residual_of(contacts: Contacts, balls: Integers, weight: Floats, force: Floats) -> Any:
    """The force on each ball that is left, relative to what acts on it, shape (n,)."""
    matrix = contact_matrix(contacts, balls)
    left = (matrix @ force + weight.ravel()).reshape(-1, 3)
    pressed = (abs(matrix) @ force).reshape(-1, 3)
    scale = (np.abs(weight) + pressed).max(axis=1)
    return np.abs(left).max(axis=1) / np.where(scale > 0.0, scale, 1.0)


def compressive_forces(
    contacts: Contacts, balls: Integers, weight: Floats, near: Network | None = None
) -> Floats:
    """The least-norm forces that balance the weights, with 0 in place of tension, shape (m,).

    near: a network whose factors may be used again, as in `network_of`.
    """
    force = _pushing(network_of(contacts, balls, near), weight)
    for careful in (False, True)[near is None :]:
        if np.all(residual_of(contacts, balls, weight, force) <= BALANCED):
            break
        force = _pushing(network_of(contacts, balls, careful=careful), weight)
    return force


def _pushing(network: Network, weight: Floats) -> Floats:
    per_ball, per_contact = _units(network.contacts, network.balls, weight)
    accuracy = 1e-4 * BALANCED * np.repeat(per_ball, 3)
    force = balancing_forces(network, weight.ravel(), accuracy)
    return np.where(force > 0.1 * BALANCED * per_contact, force, 0.0)


def _units(contacts: Contacts, balls: Integers, weight: Floats) -> tuple[Floats, Floats]:
    """Forces to compare with: of each ball its weight, of each contact that of its lighter ball."""
    unit = np.abs(weight).max(axis=1)
    unit = np.where(unit > 0.0, unit, unit.max(initial=1e-300))
    place = np.searchsorted(balls, contacts.second).clip(0, len(balls) - 1)
    other = np.where(balls[place] == contacts.second, unit[place], np.inf)
    return unit, np.minimum(unit[np.searchsorted(balls, contacts.first)], other)


def _least_gaps(
    contacts: Contacts, balls: Integers, weight: Floats, limit: float, island: Labels
) -> tuple[Floats, Booleans, Network]:
    """The forces if in each island the smallest gaps carry, for which islands that is right, and
    the network of those contacts.

    It is where they push and suffice, and no other gap becomes negative when theirs close.
    """
    # In each island as many contacts as coordinates.
    group = island[np.searchsorted(balls, contacts.first)]
    order = np.lexsort((contacts.gap, group))
    start = np.searchsorted(group[order], group[order])
    first = np.zeros(len(order), dtype=bool)
    first[order] = np.arange(len(order)) - start < 3 * np.bincount(island)[group[order]]
    # Their forces, and what the other gaps become.
    network = network_of(contacts.of(first), balls)
    force = np.zeros(len(contacts.first))
    force[first] = _pushing(network, weight)
    displacement = closing_displacement(network, contacts.gap[first])
    gap = contacts.gap + contact_matrix(contacts, balls).T @ displacement.ravel()
    # Islands where something is wrong.
    wrong = np.zeros(island.max(initial=-1) + 1, dtype=bool)
    residual = residual_of(contacts, balls, weight, force)
    wrong[island[residual > BALANCED]] = True
    wrong[island[np.abs(displacement).max(axis=1, initial=0.0) > limit]] = True
    wrong[group[(gap < -SMALL_PART * np.abs(contacts.gap).max(initial=0.0)) & ~first]] = True
    return force, ~wrong, network


def _by_programme(contacts: Contacts, balls: Integers, weight: Floats, limit: float) -> Floats:
    """The forces of the linear programme, solved for once more on the contacts that carry, (m,).

    Forces may be as small beside the weights as gaps are beside radii. So the programme is
    refined around its solution, until the residual is balanced (A. Gleixner, D. Steffy
    and K. Wolter, "Iterative refinement for linear programming", INFORMS J. Computing 28, 2016).
    """
    force = np.zeros(len(contacts.first))
    if len(force) == 0:
        return force
    programme = _programme(contacts, balls, weight, limit)
    answer = np.zeros(len(programme.cost))
    for zoom in _ZOOMS:
        answer = _closer(programme, answer, zoom)
        carry = answer[: len(force)] > _SMALLEST / zoom
        force[:] = 0.0
        force[carry] = compressive_forces(contacts.of(carry), balls, weight)
        residual = residual_of(contacts, balls, weight, force).max()
        if residual <= BALANCED or answer[len(force) :].max() > _LOOSE:
            break
    return force


class _Programme(NamedTuple):
    """min cost·x with matrix·x = load and x ≥ 0: forces, in the weights of their lighter ball,
    then slack in either direction, in the weights of the balls."""

    matrix: Any
    load: Floats
    cost: Floats


def _programme(contacts: Contacts, balls: Integers, weight: Floats, limit: float) -> _Programme:
    """A f + slack = −w, with gaps as the cost of forces, and the limit as that of slack."""
    from scipy import sparse

    unit, per_contact = _units(contacts, balls, weight)
    length = max(float(np.max(np.abs(contacts.gap))), SMALL_PART * limit)
    rows = sparse.diags(np.repeat(1.0 / unit, 3))
    matrix = rows @ contact_matrix(contacts, balls) @ sparse.diags(per_contact)
    slack = sparse.identity(matrix.shape[0])
    cost = np.concatenate([contacts.gap * per_contact, np.tile(np.repeat(limit * unit, 3), 2)])
    return _Programme(
        sparse.hstack([matrix, slack, -slack]).tocsc(),
        -(weight / unit[:, None]).ravel(),
        cost / (length * unit.mean()),
    )


def _closer(programme: _Programme, answer: Floats, zoom: float) -> Any:
    """A better answer near this one, by HiGHS, whose tolerances count for `zoom` times less."""
    from scipy.optimize import linprog

    low = np.maximum(-answer * zoom, -_FAR)
    for method in ("highs-ipm", "highs-ds"):
        change = linprog(
            programme.cost,
            A_eq=programme.matrix,
            b_eq=(programme.load - programme.matrix @ answer) * zoom,
            bounds=np.column_stack([low, np.full(len(low), np.inf)]),
            method=method,
        )
        if change.x is not None:
            return answer + change.x / zoom
    return answer
