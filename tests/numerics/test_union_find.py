"""Union-find beside SciPy's connected components."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from spheresim.compiler.decorators import kernel
from spheresim.numerics.union_find import representative, unite


@kernel
def connect(parent, pairs):
    for k in range(len(pairs)):
        unite(parent, pairs[k, 0], pairs[k, 1])
    for i in range(len(parent)):
        parent[i] = representative(parent, i)


def representatives(n, pairs):
    parent = np.arange(n)
    connect(parent, pairs)
    return parent


@pytest.mark.parametrize("count", [0, 1, 20, 60, 200])
def test_balls_have_the_same_representative_if_pairs_connect_them(count):
    n = 100
    pairs = np.random.default_rng(count).integers(0, n, (count, 2))
    graph = coo_array((np.ones(count), (pairs[:, 0], pairs[:, 1])), (n, n))
    _, label = connected_components(graph, directed=False)
    smallest = [np.flatnonzero(label == label[i])[0] for i in range(n)]
    np.testing.assert_array_equal(representatives(n, pairs), smallest)
    np.testing.assert_array_equal(representatives(n, pairs[::-1].copy()), smallest)
