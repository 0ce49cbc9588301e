"""Contacts in a packing: how many each ball has, and which balls are loose."""

from typing import NamedTuple

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats, Integers

_LEAST = 4
"""Contacts that hold a ball in space: with fewer it can move away from all of them."""


class ContactNumbers(NamedTuple):
    """The contacts of a packing. Rattlers are loose balls, with fewer than four contacts.

    contacts: (n,), the number of contacts of each ball with balls that are not rattlers;
    is_rattler: (n,) bool; mean: of `contacts`, over the balls that are not rattlers, NaN if all
    are."""

    contacts: Integers
    is_rattler: Booleans
    mean: float


def contact_numbers(
    position: Floats, size: Floats | None, radius: Floats, gap: float = 1e-5
) -> ContactNumbers:
    """The numbers of contacts in a jammed packing: near 6 for spheres without friction.

    position: (n, 3); size: (3,), of a box that is periodic along all axes; radius: (n,); gap: two
    balls are in contact if their gap is at most this fraction of the sum of their radii. Balls with
    fewer than four contacts (rattlers) are removed until all others have four or more. A. Donev, S.
    Torquato and F. H. Stillinger, Pair correlation function characteristics of nearly jammed
    disordered and ordered hard-sphere packings, Physical Review E 71, 2005. ValueError if size is
    None.
    """
    from scipy.spatial import cKDTree

    if size is None:
        raise ValueError(
            "size must be that of a box that is periodic along all axes, not None: nothing holds a "
            "packing in open space"
        )
    size, n = np.asarray(size, dtype=np.float64), len(radius)
    wrapped = np.mod(position, size) % size  # twice: of a tiny negative number mod makes the size
    reach = 2.0 * float(np.max(radius)) * (1.0 + gap)
    pairs = cKDTree(wrapped, boxsize=size).query_pairs(reach, output_type="ndarray")
    apart = wrapped[pairs[:, 0]] - wrapped[pairs[:, 1]]
    apart -= size * np.round(apart / size)
    near = np.sqrt((apart**2).sum(axis=1)) <= np.take(radius, pairs).sum(axis=1) * (1.0 + gap)
    pairs = pairs[near]
    is_rattler, before = np.zeros(n, dtype=bool), -1
    contacts = np.zeros(n, dtype=np.int64)
    while before < np.count_nonzero(is_rattler):
        before = int(np.count_nonzero(is_rattler))
        held = ~is_rattler[pairs]
        contacts = np.bincount(
            np.concatenate([pairs[held[:, 1], 0], pairs[held[:, 0], 1]]), minlength=n
        )
        is_rattler = contacts < _LEAST
    mean = float(contacts[~is_rattler].mean()) if not is_rattler.all() else float("nan")
    return ContactNumbers(contacts, is_rattler, mean)
