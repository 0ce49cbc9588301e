"""How often objects overlap, estimated from a sample of pairs: by it the broad phases choose."""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import kernel
from spheresim.numerics.arrays import Floats

_FEW = 32
_MANY = 4096
"""The numbers of objects that are compared with each other at most."""

_SMALL = 2000
"""Below this number of objects half of the few suffice: more would take longer than a wrong
choice."""

_GOLDEN = 0.6180339887498949
"""One object is taken from each part of the list, at a place that advances by this fraction of a
part, so that no pattern in the list is met."""


class Overlaps(NamedTuple):
    """along: (3,), how many pairs are estimated to overlap along each axis; in_space: and along
    all three."""

    along: Floats
    in_space: float


def estimated_overlaps(boxes: Floats) -> Overlaps:
    """How many of all pairs of boxes overlap, estimated; the same boxes, the same answer."""
    n = len(boxes)
    counts = np.zeros(4)
    if n < 2:
        return Overlaps(counts[:3], 0.0)
    few = min(n, _FEW if n >= _SMALL else _FEW // 2)
    many = min(n, max(2 * few, min(_MANY, n // 16)))
    compared = _count(boxes, few, many, counts)
    counts *= 0.5 * n * (n - 1.0) / max(1.0, compared)
    return Overlaps(counts[:3], float(counts[3]))


@kernel
def _count(boxes: Floats, few: int, many: int, counts: Floats) -> int:
    """Count overlaps along x, y, z and in space; returns how many pairs were compared.

    Of the few the one with the most overlaps does not count: a single huge object among tiny ones
    would stand for many of its kind.
    """
    n, compared, part = len(boxes), 0, len(boxes) // many
    on = max(1, int(_GOLDEN * part))
    most_x, most_y, most_z, most_all = 0, 0, 0, 0
    for a in range(few):
        in_x, in_y, in_z, in_all = 0, 0, 0, 0
        i = a * n // few
        place = a % part
        for b in range(many):
            place = place + on if place + on < part else place + on - part
            j = b * part + place
            x = (boxes[i, 0] <= boxes[j, 3]) & (boxes[j, 0] <= boxes[i, 3])
            y = (boxes[i, 1] <= boxes[j, 4]) & (boxes[j, 1] <= boxes[i, 4])
            z = (boxes[i, 2] <= boxes[j, 5]) & (boxes[j, 2] <= boxes[i, 5])
            other = i != j
            in_x += other & x
            in_y += other & y
            in_z += other & z
            in_all += other & x & y & z
            compared += other
        most_x, most_y = max(most_x, in_x), max(most_y, in_y)
        most_z, most_all = max(most_z, in_z), max(most_all, in_all)
        counts[0] += in_x
        counts[1] += in_y
        counts[2] += in_z
        counts[3] += in_all
    counts[0] -= most_x
    counts[1] -= most_y
    counts[2] -= most_z
    counts[3] -= most_all
    return compared - compared // few
