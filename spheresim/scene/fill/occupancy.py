"""Which part of a room is occupied, such that most balls put there in vain are refused at once.

Random sequential addition tries places at random. In a dense room nearly all trials fail,
forty for every ball at a packing fraction of .3. So the room is cut into voxels much smaller
than a ball, one bit each: a voxel is excluded if no ball centred anywhere in it could be clear
of the balls that are placed. A trial in another voxel is compared with the balls in the
cells around it, which are at least as wide as the largest ball.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.scene.fill.box_cells import BoxCells, cell_along, cell_index, cell_of, cut_box
from spheresim.scene.fill.room import Room

_VOXELS = 64
"""Voxels per ball; with more, it takes longer to exclude them than they save."""

_DENSE = 0.15
"""Below this packing fraction so few trials fail that voxels are not worth their cost."""

_CELLS = 4
"""Cells per ball, at most."""

_SAFETY = 1e-6
"""Relative safety margin on lengths; exceeds any rounding error."""

_NOBODY = -1


class Occupancy(NamedTuple):
    """The balls placed so far, of n that are to come.

    low: the room's corner; voxels, and excluded: bits of the voxels, in words of 64; cells,
    first: (cells,), a ball of each cell, and after: (n,), the next ball in the same cell;
    smallest: (1,), the radius of the smallest ball to come.
    """

    low: TVector
    voxels: BoxCells
    excluded: npt.NDArray[np.uint64]
    cells: BoxCells
    first: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    smallest: Floats


def empty_occupancy(room: Room, radius: Floats, packing_fraction: float) -> Occupancy:
    """Nothing placed yet, of balls of the radii (n,) that together make a packing fraction."""
    n = len(radius)
    size = np.array(room.high - room.low)
    voxels = cut_box(size, 0.0, _VOXELS * n if packing_fraction > _DENSE else 1)
    cells = cut_box(size, 2.0 * float(radius.max()) * (1.0 + _SAFETY), _CELLS * n)
    return Occupancy(
        low=room.low,
        voxels=voxels,
        excluded=np.zeros(voxels.total // 64 + 1, dtype=np.uint64),
        cells=cells,
        first=np.full(cells.total, _NOBODY, dtype=np.int32),
        after=np.full(n, _NOBODY, dtype=np.int32),
        smallest=np.array([float(radius.min())]),
    )


@inlined
def is_excluded(occupancy: Occupancy, x: TVector) -> bool:
    """Whether any ball at x would surely touch a placed one; if False, it still may."""
    i, j, k = cell_of(occupancy.voxels, x - occupancy.low)
    bit = cell_index(occupancy.voxels, i, j, k)
    word = occupancy.excluded[bit >> 6] >> np.uint64(bit & 63)
    return bool(word & np.uint64(1))


@routine
def touches(occupancy: Occupancy, position: Floats, radius: Floats, x: TVector, r: float) -> bool:
    """Whether a ball at x of radius r touches a placed one, of those at (n, 3) of radii (n,)."""
    n = occupancy.cells.counts
    i, j, k = cell_of(occupancy.cells, x - occupancy.low)
    for side in range(27):  # its own cell first, where a touch is most likely
        a = i + (side + 1) % 3 - 1
        b = j + (side // 3 + 1) % 3 - 1
        c = k + (side // 9 + 1) % 3 - 1
        if 0 <= a < n[0] and 0 <= b < n[1] and 0 <= c < n[2]:
            other = occupancy.first[cell_index(occupancy.cells, a, b, c)]
            while other != _NOBODY:
                reach = r + radius[other]
                if x.dist_sqr(vector_at(position, other)) <= reach * reach:
                    return True
                other = occupancy.after[other]
    return False


@routine
def occupy(occupancy: Occupancy, i: int, x: TVector, r: float) -> None:
    """Place ball i at x, of radius r."""
    u = x - occupancy.low
    a, b, c = cell_of(occupancy.cells, u)
    cell = cell_index(occupancy.cells, a, b, c)
    occupancy.after[i] = occupancy.first[cell]
    occupancy.first[cell] = i
    _exclude_voxels(occupancy, u, (r + occupancy.smallest[0]) * (1.0 - _SAFETY))


@routine
def _exclude_voxels(occupancy: Occupancy, u: TVector, reach: float) -> None:
    """Exclude the voxels whose farthest corner is within reach of u, row by row along x."""
    voxels = occupancy.voxels
    per_length = voxels.per_length
    for k in range(cell_along(voxels, 2, u.z - reach), cell_along(voxels, 2, u.z + reach) + 1):
        left_z = reach * reach - _farthest_sqr(u.z, k, per_length[2])
        for j in range(cell_along(voxels, 1, u.y - reach), cell_along(voxels, 1, u.y + reach) + 1):
            left = left_z - _farthest_sqr(u.y, j, per_length[1])
            if left > 0.0:
                half = math.sqrt(left)
                start = max(math.ceil((u.x - half) * per_length[0]), 0)
                stop = min(math.floor((u.x + half) * per_length[0]), voxels.counts[0])
                row = cell_index(voxels, 0, j, k)
                _set_bits(occupancy.excluded, row + start, row + stop)


@inlined
def _farthest_sqr(along: float, k: int, per_length: float) -> float:
    """The distance from a coordinate to the farther side of a row of voxels, squared."""
    d = max(along - k / per_length, (k + 1) / per_length - along)
    return d * d


@inlined
def _set_bits(words: npt.NDArray[np.uint64], start: int, stop: int) -> None:
    """Set the bits from `start` to before `stop`, a word of 64 at a time."""
    while start < stop:
        word = start >> 6
        end = min(stop, (word + 1) << 6)
        ones = (np.uint64(2**64 - 1)) >> np.uint64(64 - (end - start))
        words[word] |= ones << np.uint64(start & 63)
        start = end
