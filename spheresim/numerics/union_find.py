"""Disjoint sets of indices, which kernels unite pair by pair."""

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Integers


@inlined
def representative(parent: Integers, i: int) -> int:
    """The index that stands for the set of i; on the way paths are halved.

    parent: for each index another one of its set, or itself if it stands for the set (B. A.
    Galler, M. J. Fischer, An improved equivalence algorithm, 1964).
    """
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = int(parent[i])
    return i


@inlined
def unite(parent: Integers, i: int, j: int) -> None:
    """Make one set of those of i and j. The smaller index stands for it, so that the order
    of calls does not matter."""
    a, b = representative(parent, i), representative(parent, j)
    parent[max(a, b)] = min(a, b)
