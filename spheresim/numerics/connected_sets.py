"""Sets of things that pairs connect."""

import numpy as np

from spheresim.numerics.arrays import Integers, Labels


def connected_sets(first: Integers, second: Integers, count: int) -> Labels:
    """Labels (count,) from 0 on: those of two things are equal if pairs connect them, directly or
    through others.

    first, second: (m,), the pairs.

    >>> connected_sets(np.array([0, 3]), np.array([2, 1]), 5).tolist()
    [0, 1, 0, 1, 2]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    return connected_components(links, directed=False)[1]
