"""Where a fill may put balls: its region, and on which side of every obstacle."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spheresim.model.obstacle import Obstacle
from spheresim.model.periodic_space import Open, Periodic, space_of
from spheresim.model.state import Box
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane, walled_room
from spheresim.obstacles.table import Obstacles, pack
from spheresim.scene.schema.balls import Region

_SAMPLES = 8
"""Points along each axis at which a room is probed."""


class Room(NamedTuple):
    """An axis-aligned box to be filled with balls, from `low` to `high`, and its obstacles.

    tube: of each row of obstacles whether balls are to be inside it, if it is a cylinder; space:
    `Open`, or `Periodic` where obstacles have images; periodic: along which axes the room goes all
    round the periodic box, so that it has no walls there.
    """

    low: TVector
    high: TVector
    obstacles: Obstacles
    tube: Booleans
    space: Open | Periodic
    periodic: tuple[bool, bool, bool] = (False, False, False)

    @property
    def volume(self) -> float:
        """The volume of the box, obstacles in it included."""
        size = self.high - self.low
        return float(size.x * size.y * size.z)


def make_room(
    low: TVector,
    high: TVector,
    obstacles: Sequence[Obstacle],
    box: Box | None = None,
    periodic: tuple[bool, bool, bool] = (False, False, False),
) -> Room:
    """A room; a cylinder that encloses more than half of it is a tube, any other a pillar."""
    shapes = [obstacle.shape for obstacle in obstacles]
    packed = pack(shapes, [1.0] * len(shapes))
    # Without obstacles, space is of no matter: taken as open, kernels compile for that alone.
    space = space_of(box if shapes else None)
    tube = [
        isinstance(shape, Cylinder) and _is_tube_to_room(low, high, shape, space)
        for shape in shapes
    ]
    of_rows = np.array(tube, dtype=np.bool_)[packed.owner]
    return Room(low, high, packed, of_rows, space, periodic)


def corners_of(region: Region, largest: float) -> tuple[TVector, TVector]:
    """The corners of a region; along its flat axes it gets room for the largest ball."""
    low, high = ([*corner] for corner in (region.low, region.high))
    for axis in flat_axes(region):
        low[axis], high[axis] = low[axis] - largest, high[axis] + largest
    return TVector(low), TVector(high)


def flat_axes(region: Region | None) -> list[int]:
    """The axes along which a region has no depth."""
    return [] if region is None else [k for k in range(3) if region.low[k] == region.high[k]]


def too_wide(low: TVector, high: TVector, box: Box) -> str | None:
    """Why a region is wider than a periodic box, so that balls in it could overlap images of
    each other; None if it is not."""
    for axis, letter in enumerate("xyz"):
        width, side = high[axis] - low[axis], box.size[axis]
        if box.periodic[axis] and width > side * (1.0 + 1e-12):
            return f"must be no wider along {letter} than the box's period, {side!r}, not {width!r}"
    return None


def points_in(low: TVector, high: TVector) -> Floats:
    """A grid of points in a room, shape (n, 3)."""
    part = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    grid = np.stack(np.meshgrid(part, part, part), axis=-1).reshape(-1, 3)
    return np.array(low) + np.array(high - low) * grid


def _is_tube_to_room(
    low: TVector, high: TVector, cylinder: Cylinder, space: Open | Periodic
) -> bool:
    """Whether a cylinder is a tube to most of a grid of points in the room."""
    points = points_in(low, high)
    turns = np.rint((points - np.array(cylinder.point)) * np.array(space.inverse))
    return cylinder.is_tube_to_most(points - np.array(space.size) * turns)


def enclosed_room(obstacles: Sequence[Obstacle]) -> tuple[TVector, TVector] | str:
    """The corners of the box that axis-aligned planes enclose; if there is none, why."""
    planes = [o.shape for o in obstacles if isinstance(o.shape, Plane)]
    low, high = walled_room(planes)
    for axis, letter in enumerate("xyz"):
        for sign, bound in (("+", low), ("-", high)):
            if not np.isfinite(bound[axis]):
                return f"no plane has its normal along {sign}{letter}"
        if low[axis] >= high[axis]:
            return f"the planes leave no room along {letter}"
    return low, high
