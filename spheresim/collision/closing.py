"""Balls moved onto the contacts that carry them: Newton's method for gaps of exactly 0."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.contact_network import closing_way, network_of
from spheresim.collision.touching import Contacts, measured
from spheresim.obstacles.table import Obstacles

CLOSED = 1e-15
"""A gap smaller than this, relative to the sizes and coordinates it is computed from, is closed."""

_NEWTON_STEPS = 8


class Closed(NamedTuple):
    """position: (n, 3) after the move; contacts: as they are there; closed: (m,) whether each gap
    is 0 but for rounding."""

    position: Any
    contacts: Contacts
    closed: Any


def close_gaps(
    position: Any, radius: Any, obstacles: Obstacles, contacts: Contacts, balls: Any
) -> Closed:
    """Move balls to the positions nearest to theirs at which the gaps of the contacts are 0.

    Only `balls` (sorted indices) are moved; of the many ways that close the gaps each step takes
    the shortest. Gaps that cannot be closed together are left open.
    """
    x = position.copy()
    pair = np.maximum(contacts.second, contacts.first)
    size = np.maximum(radius[contacts.first], radius[pair])
    scale = size + np.abs(np.concatenate([x[contacts.first], x[pair]], axis=1)).max(axis=1)
    network = network_of(contacts, balls)
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
    return Closed(x, contacts, off <= CLOSED)
