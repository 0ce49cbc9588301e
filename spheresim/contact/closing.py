"""Newton's method for ball positions at which the gaps of given contacts are 0."""

from typing import NamedTuple

import numpy as np

from spheresim.contact.contact_network import Network, closing_displacement, network_of
from spheresim.contact.touching import Contacts, measured
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.obstacles.table import Obstacles

CLOSED = 1e-15
"""A gap smaller than this, relative to the sizes and coordinates it is computed from, is closed."""

_NEWTON_STEPS = 8


class Closed(NamedTuple):
    """position: (n, 3) after the move; closed: (m,) whether each gap is as wanted but for rounding;
    network: the contacts as they were before the move."""

    position: Floats
    closed: Booleans
    network: Network


def close_gaps(
    position: Floats,
    radius: Floats,
    obstacles: Obstacles,
    contacts: Contacts,
    balls: Integers,
    near: Network | None = None,
    residual: Floats | float = 0.0,
) -> Closed:
    """Move balls to the positions nearest to theirs at which the gaps of the contacts are 0.

    Only `balls` (sorted indices) are moved; each step is the shortest displacement that closes the
    gaps. Gaps that cannot be closed together stay open. near: a network whose factors may be used
    again, as in `network_of`; residual: (m,), gaps to come to instead of 0.
    """
    # What a gap is computed from, and rounded with.
    x, other = position, np.where(contacts.second >= 0, contacts.second, contacts.first)
    places = np.concatenate([x[contacts.first], x[other], contacts.shift], axis=1)
    scale = np.maximum(radius[contacts.first], radius[other]) + np.abs(places).max(axis=1)
    # At first by the factors that are at hand.
    for careful in (False, True):
        network = network_of(contacts, balls, None if careful else near, careful)
        x, gap = _newton(position, radius, obstacles, network, scale, residual, careful)
        closed = np.abs(gap) <= CLOSED * scale
        if np.all(closed):
            break
    return Closed(x, closed, network)


def _newton(
    position: Floats,
    radius: Floats,
    obstacles: Obstacles,
    network: Network,
    scale: Floats,
    residual: Floats | float,
    careful: bool,
) -> tuple[Floats, Floats]:
    """Newton's method; returns the positions, and the gaps there less those to reach.

    The normals mostly change so little that those of the start serve for all steps.
    """
    x, most = position.copy(), np.inf
    for step in range(_NEWTON_STEPS):
        contacts = measured(network.contacts, x, radius, obstacles)
        off = contacts.gap - residual
        worst = np.max(np.abs(off) / scale, initial=0.0)
        if worst <= 0.1 * CLOSED or worst > 0.5 * most:
            break
        most = worst
        if careful and step > 0:
            network = network_of(contacts, network.balls, careful=True)
        x[network.balls] += closing_displacement(network, off)
    return x, off
