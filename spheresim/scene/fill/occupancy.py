"""Balls that were thrown into a room, kept such that a throw in vain is seen at once.

In a dense room nearly all throws are in vain, forty for every ball at a packing fraction of
.3. So space is cut into voxels much smaller than a ball, and those that lie wholly where a
ball forbids all other centres are in its shade: one bit tells. What falls elsewhere is held
against the balls of the cells around it, which are as wide as the largest ball.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.scene.fill.room import Room

_VOXELS = 64
"""For each ball: with more, to shade them costs what they save."""

_DENSE = 0.15
"""The packing fraction up to which so few throws are in vain that shade is not worth while."""

_CELLS = 4
"""For each ball, at most."""

_SAFE = 1e-6
"""What rounding could make of a length, and much more."""

_NOBODY = -1


class Crowd(NamedTuple):
    """Of n balls: low, the room's corner; voxels, cells: (3,), how many there are along each
    axis, and per_length, cells_per_length: (3,), in a length of 1; shade: bits of the voxels,
    in words of 64; first: (cells,), a ball of each cell, and after: (n,), the next one there;
    smallest: (1,), the radius of the smallest ball that is to come.
    """

    low: TVector
    voxels: Any
    per_length: Any
    shade: Any
    cells: Any
    cells_per_length: Any
    first: Any
    after: Any
    smallest: Any


def empty_crowd(room: Room, radius: Any, packing_fraction: float) -> Crowd:
    """A crowd that balls of the radii (n,), which make a packing fraction, may join."""
    n = len(radius)
    size = np.array(room.high - room.low)
    voxels = _cut(size, 0.0, _VOXELS * n if packing_fraction > _DENSE else 1)
    cells = _cut(size, 2.0 * float(radius.max()) * (1.0 + _SAFE), _CELLS * n)
    return Crowd(
        low=room.low,
        voxels=voxels,
        per_length=voxels / size,
        shade=np.zeros(math.prod(voxels.tolist()) // 64 + 1, dtype=np.uint64),
        cells=cells,
        cells_per_length=cells / size,
        first=np.full(math.prod(cells.tolist()), _NOBODY, dtype=np.int32),
        after=np.full(n, _NOBODY, dtype=np.int32),
        smallest=np.array([float(radius.min())]),
    )


def _cut(size: Any, least: float, at_most: int) -> Any:
    """Into how many cells (3,) to cut a box: near cubes, not below a width, not too many."""
    width = max(least, (float(np.prod(size)) / at_most) ** (1.0 / 3.0))
    counts = np.maximum(1.0, np.floor(size / width))
    while counts.prod() > at_most + 27:  # where the box is thinner than that
        width *= 1.1
        counts = np.maximum(1.0, np.floor(size / width))
    return counts.astype(np.int64)


@inlined
def _part(along: float, per_length: float, parts: int) -> int:
    """In which of the parts of an axis a length is, the first or last if it is beyond."""
    return min(max(math.floor(along * per_length), 0), parts - 1)


@inlined
def is_in_shade(crowd: Crowd, x: TVector) -> bool:
    """Whether a ball at x would surely touch one of the crowd, which it may still if not."""
    n, u = crowd.voxels, x - crowd.low
    i = _part(u.x, crowd.per_length[0], n[0])
    j = _part(u.y, crowd.per_length[1], n[1])
    k = _part(u.z, crowd.per_length[2], n[2])
    bit = (k * n[1] + j) * n[0] + i
    word = crowd.shade[bit >> 6] >> np.uint64(bit & 63)
    return bool(word & np.uint64(1))


@routine
def touches(crowd: Crowd, position: Any, radius: Any, x: TVector, r: float) -> bool:
    """Whether a ball at x of radius r touches one of the crowd."""
    n, u = crowd.cells, x - crowd.low
    i = _part(u.x, crowd.cells_per_length[0], n[0])
    j = _part(u.y, crowd.cells_per_length[1], n[1])
    k = _part(u.z, crowd.cells_per_length[2], n[2])
    for side in range(27):  # its own cell first, where a touch is most likely
        a = i + (side + 1) % 3 - 1
        b = j + (side // 3 + 1) % 3 - 1
        c = k + (side // 9 + 1) % 3 - 1
        if 0 <= a < n[0] and 0 <= b < n[1] and 0 <= c < n[2]:
            other = crowd.first[(c * n[1] + b) * n[0] + a]
            while other != _NOBODY:
                reach = r + radius[other]
                if x.dist_sqr(vector_at(position, other)) <= reach * reach:
                    return True
                other = crowd.after[other]
    return False


@routine
def join(crowd: Crowd, i: int, x: TVector, r: float) -> None:
    """Let ball i, at x, of radius r, be one of the crowd."""
    n, u = crowd.cells, x - crowd.low
    a = _part(u.x, crowd.cells_per_length[0], n[0])
    b = _part(u.y, crowd.cells_per_length[1], n[1])
    c = _part(u.z, crowd.cells_per_length[2], n[2])
    cell = (c * n[1] + b) * n[0] + a
    crowd.after[i] = crowd.first[cell]
    crowd.first[cell] = i
    _cast_shade(crowd, u, (r + crowd.smallest[0]) * (1.0 - _SAFE))


@routine
def _cast_shade(crowd: Crowd, u: TVector, reach: float) -> None:
    """Shade the voxels whose farthest corner is within reach, row by row along x."""
    n, per_length = crowd.voxels, crowd.per_length
    low_z, high_z = _rows(u.z, reach, per_length[2], n[2])
    low_y, high_y = _rows(u.y, reach, per_length[1], n[1])
    for k in range(low_z, high_z):
        left_z = reach * reach - _farthest_sqr(u.z, k, per_length[2])
        for j in range(low_y, high_y):
            left = left_z - _farthest_sqr(u.y, j, per_length[1])
            if left > 0.0:
                half = math.sqrt(left)
                start = max(math.ceil((u.x - half) * per_length[0]), 0)
                stop = min(math.floor((u.x + half) * per_length[0]), n[0])
                row = (k * n[1] + j) * n[0]
                _set_bits(crowd.shade, row + start, row + stop)


@inlined
def _rows(along: float, reach: float, per_length: float, parts: int) -> tuple[int, int]:
    """The first row of voxels in reach, and the one after the last."""
    low = _part(along - reach, per_length, parts)
    return low, _part(along + reach, per_length, parts) + 1


@inlined
def _farthest_sqr(along: float, k: int, per_length: float) -> float:
    """How far the farther side of a row is, squared."""
    d = max(along - k / per_length, (k + 1) / per_length - along)
    return d * d


@inlined
def _set_bits(words: Any, start: int, stop: int) -> None:
    while start < stop:
        word = start >> 6
        end = min(stop, (word + 1) << 6)
        ones = (np.uint64(2**64 - 1)) >> np.uint64(64 - (end - start))
        words[word] |= ones << np.uint64(start & 63)
        start = end
