"""Union-find: which balls are connected by contacts, directly or through others.

B. A. Galler, M. J. Fischer, An improved equivalence algorithm, 1964. `parent` has for each ball
another one of its set, or itself for the one that stands for the set; at first each ball itself.
"""

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Integers


@inlined
def representative(parent: Integers, i: int) -> int:
    """The ball that stands for the set of ball i; on the way paths are halved."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = int(parent[i])
    return i


@inlined
def unite(parent: Integers, i: int, j: int) -> None:
    """Make one set of those of balls i and j. The smaller index stands for it, so that the order of
    calls does not matter."""
    a, b = representative(parent, i), representative(parent, j)
    parent[max(a, b)] = min(a, b)
