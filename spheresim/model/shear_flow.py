"""The flow in a sheared box, and where the images of the box are (Lees and Edwards, 1972).

In a box that is not sheared there is no flow, and images are where they always were.
"""

from typing import Any

import numpy as np

from spheresim.model.state import Box
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector


def is_sheared(box: Box | None) -> bool:
    """Whether there is a box, and it is sheared."""
    return box is not None and box.is_sheared


def checked_gravity(box: Box | None, gravity: TVector) -> TVector:
    """The gravity, which a sheared box must not have; ValueError if it has."""
    if fault := gravity_misfit(box, gravity):
        raise ValueError(f"gravity {fault}")
    return gravity


def gravity_misfit(box: Box | None, gravity: TVector) -> str | None:
    """Why there must be no gravity in a box, as the rest of a sentence; None if there may be."""
    if not is_sheared(box) or not any(gravity):
        return None
    return f"must be (0, 0, 0) in a box with a shear_rate, not {tuple(gravity)}"


def slide(box: Box, time: float | Floats) -> Any:
    """How far the image one period above the box is displaced along x at a time, or at many.

    Less whole periods, so that it is half the box at most.
    """
    slid = box.shear_rate * box.size.y * time
    return slid - np.rint(slid / box.size.x) * box.size.x


def flow(box: Box | None, position: Floats) -> Floats:
    """The velocity of the flow, (…, 3), at positions (…, 3) that are not wrapped into the box."""
    velocity = np.zeros(np.shape(position))
    if box is not None and box.is_sheared:
        velocity[..., 0] = box.shear_rate * np.asarray(position)[..., 1]
    return velocity


def peculiar_velocity(box: Box | None, position: Floats, velocity: Floats) -> Floats:
    """Velocities (…, 3) beside that of the flow, of balls at positions (…, 3), not wrapped."""
    return velocity - flow(box, position) if is_sheared(box) else velocity


def wrapped(box: Box, time: float | Floats, position: Floats) -> Any:
    """Positions (n, 3) at a time, those outside the box moved into it by whole periods."""
    low, size = np.array(box.low), np.where(box.periodic, box.size, np.inf)
    inside = np.array(position)
    if box.is_sheared:
        inside[:, 0] -= np.floor((inside[:, 1] - low[1]) / size[1]) * slide(box, time)
    turns = np.floor((inside - low) / size)
    return inside - turns * np.where(box.periodic, box.size, 0.0)


def to_nearest_images(box: Box, time: float | Floats, apart: Floats) -> Any:
    """Displacements (n, 3) at a time, or at the times (n,), each to the nearest periodic image."""
    size, nearest = np.where(box.periodic, box.size, np.inf), np.array(apart)
    if box.is_sheared:
        nearest[:, 0] -= np.rint(nearest[:, 1] / size[1]) * slide(box, time)
    return nearest - np.rint(nearest / size) * np.where(box.periodic, box.size, 0.0)
