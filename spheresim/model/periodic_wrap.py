"""Periodic images: positions wrapped into a box, and displacements to the nearest image.

In a sheared box images slide past each other (Lees and Edwards, 1972). For kernels see
`periodic_space`.
"""

import numpy as np

from spheresim.model.state import Box
from spheresim.numerics.arrays import Floats


def slide(box: Box, time: float | Floats) -> float | Floats:
    """How far the image one period above the box is displaced along x at a time, or at many.

    Less whole periods, so that it is half the box at most.
    """
    slid = box.shear_rate * box.size.y * time
    return slid - np.rint(slid / box.size.x) * box.size.x


def wrapped(box: Box, time: float | Floats, position: Floats) -> Floats:
    """Positions (n, 3) at a time, those outside the box moved into it by whole periods."""
    low, size = np.array(box.low), np.where(box.periodic, box.size, np.inf)
    inside = np.array(position)
    if box.is_sheared:
        inside[:, 0] -= np.floor((inside[:, 1] - low[1]) / size[1]) * slide(box, time)
    turns = np.floor((inside - low) / size)
    return inside - turns * np.where(box.periodic, box.size, 0.0)


def to_nearest_images(box: Box, time: float | Floats, apart: Floats) -> Floats:
    """Displacements (n, 3) at a time, or at the times (n,), each to the nearest periodic image."""
    size, nearest = np.where(box.periodic, box.size, np.inf), np.array(apart)
    if box.is_sheared:
        nearest[:, 0] -= np.rint(nearest[:, 1] / size[1]) * slide(box, time)
    return nearest - np.rint(nearest / size) * np.where(box.periodic, box.size, 0.0)
