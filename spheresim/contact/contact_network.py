"""The linear algebra of a network of contacts: balancing forces and gap-closing displacements.

A has a column for each contact, with its normal n at the first ball and −n at the second one.
Forces f along the contacts act on the balls with A f; balls moved by u change the gaps by Aᵀu.
So statics and kinematics are the same matrix, once as it is and once transposed (S. Pellegrino
and C. R. Calladine, "Matrix analysis of statically and kinematically indeterminate frameworks",
Int. J. Solids Structures 22, 1986). Every question here is a least-squares problem with
K = A Aᵀ, the stiffness of the network with a spring of stiffness 1 in each contact. K is singular
where balls can move freely, so it is regularised, and the residual is removed by proximal point
iteration, down to rounding.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spheresim.contact.touching import Contacts
from spheresim.numerics.arrays import Floats, Integers

_REGULARISATION = 1e-13
_SPRING, _GROUND = 1e-6, 1e-14  # as units of force and of length in the larger system
_ROUNDS = 30

Solver: TypeAlias = Callable[[Floats], Floats]


class Network(NamedTuple):
    """contacts: m contacts; balls: (n,) sorted indices; matrix: A, sparse, (3n, m);
    spread: b (3n,) ↦ AᵀK⁻¹b (m,); move: g (m,) ↦ K⁻¹A g (3n,), of these contacts or of the same
    with normals near theirs."""

    contacts: Contacts
    balls: Integers
    matrix: Any
    spread: Solver
    move: Solver


def network_of(
    contacts: Contacts, balls: Integers, near: Network | None = None, careful: bool = False
) -> Network:
    """The network of these contacts on these balls (sorted indices); other balls are walls.

    near: factors to use again, if of the same contacts between the same balls with nearly the same
    normals: the iterations below then still converge. careful: also for nearly dependent contacts,
    as in crystals, at five times the cost.
    """
    matrix = contact_matrix(contacts, balls)
    if near is not None and _is_same(near, contacts, balls):
        return near._replace(contacts=contacts, matrix=matrix)
    solvers = _by_larger_system(matrix) if careful else _by_stiffness(matrix)
    return Network(contacts, balls, matrix, *solvers)


def _by_stiffness(matrix: Any) -> tuple[Solver, Solver]:
    """AᵀK⁻¹ and K⁻¹A by factors of K."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    stiffness = (matrix @ matrix.T + _REGULARISATION * sparse.identity(matrix.shape[0])).tocsc()
    options = {"SymmetricMode": True}
    factors = splu(stiffness, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return (
        lambda load: matrix.T @ factors.solve(load),
        lambda gap: factors.solve(matrix @ gap),
    )


def _by_larger_system(matrix: Any) -> tuple[Solver, Solver]:
    """AᵀK⁻¹ and K⁻¹A without forming K, which squares the condition of A.

    The equations of springs and those of balance stand side by side (Å. Björck, "Numerical
    methods for least squares problems", 1996, section 2.5, augmented system).
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    balance, springs = matrix.shape
    system = sparse.bmat(
        [
            [_SPRING * sparse.identity(springs), matrix.T],
            [matrix, -_GROUND * sparse.identity(balance)],
        ]
    )
    factors = splu(system.tocsc())
    return (
        lambda load: factors.solve(np.concatenate([np.zeros(springs), load]))[:springs],
        lambda gap: factors.solve(np.concatenate([gap, np.zeros(balance)]))[springs:],
    )


def _is_same(near: Network, contacts: Contacts, balls: Integers) -> bool:
    pairs = ((near.balls, balls), *zip(near.contacts[:2], contacts[:2], strict=True))
    return all(np.array_equal(one, other) for one, other in pairs)


def contact_matrix(contacts: Contacts, balls: Integers) -> Any:
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


def balancing_forces(network: Network, load: Floats, accuracy: Floats) -> Floats:
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
        force -= network.spread(residual)
    return force


def closing_displacement(network: Network, gap: Floats) -> Floats:
    """The shortest displacement u of the balls with Aᵀu = −gap in the least-squares sense, (n,
    3)."""
    displacement = np.zeros(network.matrix.shape[0])
    most = np.inf
    for _ in range(_ROUNDS):
        residual = network.matrix.T @ displacement + gap
        worst = np.max(np.abs(residual), initial=0.0)
        if worst > 0.5 * most or worst == 0.0:
            break
        most = worst
        displacement -= network.move(residual)
    return displacement.reshape(-1, 3)
