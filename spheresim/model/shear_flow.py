"""The flow in a sheared box (Lees and Edwards, 1972). In any other box there is none."""

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


def flow(box: Box | None, position: Floats) -> Floats:
    """The velocity of the flow, (…, 3), at positions (…, 3) that are not wrapped into the box."""
    velocity = np.zeros(np.shape(position))
    if box is not None and box.is_sheared:
        velocity[..., 0] = box.shear_rate * np.asarray(position)[..., 1]
    return velocity


def peculiar_velocity(box: Box | None, position: Floats, velocity: Floats) -> Floats:
    """Velocities (…, 3) beside that of the flow, of balls at positions (…, 3), not wrapped."""
    return velocity - flow(box, position) if is_sheared(box) else velocity
