"""The linear algebra of a network of contacts: forces that balance, ways that close gaps.

A has a column for each contact, with its normal n at the first ball and −n at the second one.
Forces f along the contacts act on the balls with A f; balls moved by u change the gaps by Aᵀu.
So statics and kinematics are the same matrix, once as it is and once transposed (S. Pellegrino
and C. R. Calladine, "Matrix analysis of statically and kinematically indeterminate frameworks",
Int. J. Solids Structures 22, 1986). Every question here is a least-squares problem with
K = A Aᵀ, the stiffness of the network with a spring of stiffness 1 in each contact. K is singular
where balls can move freely, so a trifle is added to it; the residual is then taken out again
(proximal point iteration), until nothing but rounding is left.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.touching import Contacts

_TRIFLE = 1e-13
_ROUNDS = 30


class Network(NamedTuple):
    """contacts: m contacts; balls: (n,) sorted indices; matrix: A, sparse, (3n, m);
    solve: b (3n,) ↦ (K + trifle)⁻¹ b, of these contacts or of the same with normals near theirs."""

    contacts: Contacts
    balls: Any
    matrix: Any
    solve: Callable[[Any], Any]


def network_of(contacts: Contacts, balls: Any, near: Network | None = None) -> Network:
    """The network of these contacts on these balls (sorted indices); other balls are walls.

    `near` lends its factors, if it is of the same contacts between the same balls, with normals
    that are hardly different: the iterations below then still converge.
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    matrix = contact_matrix(contacts, balls)
    if near is not None and _is_same(near, contacts, balls):
        return Network(contacts, balls, matrix, near.solve)
    stiffness = (matrix @ matrix.T + _TRIFLE * sparse.identity(matrix.shape[0])).tocsc()
    options = {"SymmetricMode": True}
    factors = splu(stiffness, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return Network(contacts, balls, matrix, factors.solve)


def _is_same(near: Network, contacts: Contacts, balls: Any) -> bool:
    pairs = ((near.balls, balls), *zip(near.contacts[:2], contacts[:2], strict=True))
    return all(np.array_equal(one, other) for one, other in pairs)


def contact_matrix(contacts: Contacts, balls: Any) -> Any:
    """A in compressed sparse columns, shape (3n, m), for balls with sorted indices."""
    from scipy import sparse

    rows, values, columns = [], [], []
    for ball, sign in ((contacts.first, 1.0), (contacts.second, -1.0)):
        place = np.searchsorted(balls, ball)
        known = place < len(balls)
        known[known] = balls[place[known]] == ball[known]
        column = np.flatnonzero(known)
        rows.append((3 * place[column][:, None] + np.arange(3)).ravel())
        values.append((sign * contacts.normal[column]).ravel())
        columns.append(np.repeat(column, 3))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.csc_matrix(entries, shape=(3 * len(balls), len(contacts.first)))


def balancing_forces(network: Network, load: Any, accuracy: Any) -> Any:
    """The least forces f that balance a load, A f + load = 0, shape (m,), of either sign.

    It ends when each component of the residual is below `accuracy` (3n,), or when they get no
    smaller: a load that cannot be balanced is left as the residual.
    """
    force = np.zeros(network.matrix.shape[1])
    most = np.inf
    for _ in range(_ROUNDS):
        residual = network.matrix @ force + load
        worst = np.max(np.abs(residual) / accuracy, initial=0.0)
        if worst < 1.0 or worst > 0.5 * most:
            break
        most = worst
        force -= network.matrix.T @ network.solve(residual)
    return force


def closing_way(network: Network, gap: Any) -> Any:
    """The shortest way u of the balls with Aᵀu = −gap, in the least-squares sense, shape (n, 3)."""
    way = np.zeros(network.matrix.shape[0])
    most = np.inf
    for _ in range(_ROUNDS):
        residual = network.matrix.T @ way + gap
        worst = np.max(np.abs(residual), initial=0.0)
        if worst > 0.5 * most or worst == 0.0:
            break
        most = worst
        way -= network.solve(network.matrix @ residual)
    return way.reshape(-1, 3)


def free_motion(contacts: Contacts, balls: Any, velocity: Any) -> Any:
    """The part of the velocities (n, 3) of `balls` that changes the gap of none of the contacts.

    It is what is left when the least change of velocity has stopped all gaps from changing. What
    touches another ball is as if that were a wall.
    """
    network = network_of(contacts, balls)
    return velocity + closing_way(network, network.matrix.T @ velocity.ravel())
