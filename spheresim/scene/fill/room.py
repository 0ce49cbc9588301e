"""Where a fill may put balls: its region, and on which side of every obstacle."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spheresim.engines.event_driven.space import space_of
from spheresim.model.state import Box, Obstacle
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane, walled_room
from spheresim.obstacles.table import Obstacles, pack

_SAMPLES = 8


@dataclass(frozen=True)
class Room:
    """A box, the obstacles that reach into it, and which of them are tubes to its balls.

    space: `Open`, or `Periodic` where the obstacles have images; periodic: along which axes
    the room itself has no walls.
    """

    low: TVector
    high: TVector
    obstacles: Obstacles
    tube: Any
    space: Any
    periodic: tuple[bool, bool, bool] = (False, False, False)

    @property
    def volume(self) -> float:
        """That of the box, whatever stands in it."""
        size = self.high - self.low
        return float(size.x * size.y * size.z)


def make_room(
    low: TVector,
    high: TVector,
    obstacles: Sequence[Obstacle],
    box: Box | None = None,
    periodic: tuple[bool, bool, bool] = (False, False, False),
) -> Room:
    """A room; a cylinder that encloses more than half of its box is a tube, any other a pillar."""
    shapes = [obstacle.shape for obstacle in obstacles]
    packed = pack(shapes, [1.0] * len(shapes))
    space = space_of(box if shapes else None)  # one kind less to compile for
    tube = [
        isinstance(shape, Cylinder) and _is_tube_to_room(low, high, shape, space)
        for shape in shapes
    ]
    return Room(low, high, packed, np.array(tube, dtype=np.bool_), space, periodic)


def too_wide(low: TVector, high: TVector, box: Box) -> str | None:
    """Why balls in a region of a periodic box could overlap images of each other, or None."""
    for axis, letter in enumerate("xyz"):
        width, side = high[axis] - low[axis], box.size[axis]
        if box.periodic[axis] and width > side * (1.0 + 1e-12):
            return f"must be no wider along {letter} than the box's period, {side!r}, not {width!r}"
    return None


def _is_tube_to_room(low: TVector, high: TVector, cylinder: Cylinder, space: Any) -> bool:
    """Whether a cylinder is a tube to most of a grid of points in the room."""
    part = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    grid = np.stack(np.meshgrid(part, part, part), axis=-1).reshape(-1, 3)
    points = np.array(low) + np.array(high - low) * grid
    turns = np.rint((points - np.array(cylinder.point)) * np.array(space.inverse))
    return cylinder.is_tube_to_most(points - np.array(space.size) * turns)


def enclosed_room(obstacles: Sequence[Obstacle]) -> tuple[TVector, TVector] | str:
    """The corners of the box that axis-aligned planes enclose, or what it lacks."""
    planes = [o.shape for o in obstacles if isinstance(o.shape, Plane)]
    low, high = walled_room(planes)
    for axis, letter in enumerate("xyz"):
        for sign, bound in (("+", low), ("-", high)):
            if not np.isfinite(bound[axis]):
                return f"no plane has its normal along {sign}{letter}"
        if low[axis] >= high[axis]:
            return f"the planes leave no room along {letter}"
    return low, high
