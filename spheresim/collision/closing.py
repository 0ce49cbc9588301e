"""Balls moved onto the contacts that carry them: Newton's method for gaps of exactly 0."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.contact_network import Network, closing_way, network_of
from spheresim.collision.touching import Contacts, measured
from spheresim.obstacles.table import Obstacles

CLOSED = 1e-15
"""A gap smaller than this, relative to the sizes and coordinates it is computed from, is closed."""

_NEWTON_STEPS = 8


class Closed(NamedTuple):
    """position: (n, 3) after the move; closed: (m,) whether each gap is 0 but for rounding;
    network: the contacts as they were before the move."""

    position: Any
    closed: Any
    network: Network


def close_gaps(
    position: Any,
    radius: Any,
    obstacles: Obstacles,
    contacts: Contacts,
    balls: Any,
    near: Network | None = None,
) -> Closed:
    """Move balls to the positions nearest to theirs at which the gaps of the contacts are 0.

    Only `balls` (sorted indices) are moved; of the many ways that close the gaps each step takes
    the shortest. Gaps that cannot be closed together are left open. `near`: a network that may
    lend its factors, as in `network_of`.
    """
    x = position.copy()
    # What a gap is computed from, and rounded with.
    other = np.where(contacts.second >= 0, contacts.second, contacts.first)
    places = np.concatenate([x[contacts.first], x[other], contacts.shift], axis=1)
    scale = np.maximum(radius[contacts.first], radius[other]) + np.abs(places).max(axis=1)
    network = network_of(contacts, balls, near)
    most = np.inf
    for _ in range(_NEWTON_STEPS):
        contacts = measured(contacts, x, radius, obstacles)
        off = np.abs(contacts.gap) / scale
        worst = np.max(off, initial=0.0)
        if worst <= 0.1 * CLOSED or worst > 0.5 * most:
            break
        # The normals change so little that those of the start serve for all steps.
        most = worst
        x[balls] += closing_way(network, contacts.gap)
    return Closed(x, off <= CLOSED, network)
