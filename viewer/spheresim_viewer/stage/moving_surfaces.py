"""Surfaces of obstacles that move, where they are at a moment."""

from dataclasses import replace

import numpy as np

from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.frame import Frame
from spheresim_viewer.stage.clip import Array
from spheresim_viewer.stage.surface import Surface


def moved(surface: Surface, frame: Frame) -> Surface:
    """A surface in world coordinates, taken from where it is at t = 0 into a frame."""
    turn = np.array([frame.turned(TVector(axis)) for axis in np.eye(3)]).T
    point, offset = np.array(frame.point), np.array(frame.offset)

    def placed(points: Array) -> Array:
        return offset + point + (points - point) @ turn.T

    return replace(
        surface,
        vertices=placed(surface.vertices),
        outline=placed(surface.outline),
        normals=surface.normals @ turn.T,
        u=None if surface.u is None else turn @ surface.u,
        v=None if surface.v is None else turn @ surface.v,
    )
