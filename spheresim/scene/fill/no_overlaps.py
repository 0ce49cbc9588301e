"""Whether many balls of similar size are all apart, which they nearly always are.

They are sorted into cells wider than the largest, so that who is near is near in memory: ten
times as fast as to ask a hashed grid for pairs, which is left for when there are some.
"""

from typing import Any

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.numerics.rows import vector_at

_CELLS = 4
"""For each ball, at most."""

_TESTS = 100
"""For each ball: with more, sizes differ so much, or balls lie in such heaps, that it is slow."""


def are_apart(position: Any, radius: Any, tolerance: float) -> bool:
    """Whether no two of the balls at (n, 3) overlap by more than a part of their reach.

    False, too, where it would take long to tell.
    """
    n = len(radius)
    columns = [position[:, axis] - position[:, axis].min() for axis in range(3)]
    size = np.array([column.max() for column in columns])
    width = max(2.0 * float(radius.max()) * (1.0 + 1e-6), float(size.prod() / n) ** (1.0 / 3.0))
    counts = np.floor(size / width) + 1.0
    while counts.prod() > _CELLS * n + 27:
        width *= 1.25
        counts = np.floor(size / width) + 1.0
    cells = counts.astype(np.int64)
    x, y, z = (np.floor(column / width).astype(np.int64) for column in columns)
    cell = (z * cells[1] + y) * cells[0] + x
    order = np.argsort(cell, kind="stable")
    first = np.zeros(int(cells.prod()) + 1, dtype=np.int64)
    np.cumsum(np.bincount(cell, minlength=len(first) - 1), out=first[1:])
    closest = 1.0 - tolerance
    return bool(_are_apart(position[order], radius[order], cells, first, closest, _TESTS * n))


@kernel
def _are_apart(
    position: Any, radius: Any, cells: Any, first: Any, closest: float, at_most: int
) -> bool:
    """Each ball against those after it in its cell, and those in the half of the cells around
    that come after; `first` says where the balls of a cell begin."""
    tests = 0
    for c in range(cells[2]):
        for b in range(cells[1]):
            row = (c * cells[1] + b) * cells[0]
            for a in range(cells[0]):
                left, right = max(a - 1, 0), min(a + 2, cells[0])
                for i in range(first[row + a], first[row + a + 1]):
                    x, r = vector_at(position, i), radius[i]
                    for side in range(5):  # this row, then the one at y + 1, then three at z + 1
                        v = b if side == 0 else b + 1 if side == 1 else b + side - 3
                        w = c + (side > 1)
                        if 0 <= v < cells[1] and w < cells[2]:
                            other = (w * cells[1] + v) * cells[0]
                            start = i + 1 if side == 0 else first[other + left]
                            stop = first[other + right]
                            tests += stop - start
                            for j in range(start, stop):
                                reach = (r + radius[j]) * closest
                                if x.dist(vector_at(position, j)) < reach:
                                    return False
                    if tests > at_most:
                        return False
    return True
