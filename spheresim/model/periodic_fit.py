"""Which obstacles fit a periodic box: those that go on where space comes back to itself.

A plane must run along every periodic axis. A cylinder is endless along one of them, or
lies across them all, and then stands once in every period; it and its images may touch,
but not overlap, so that nothing is inside of two at once, and each is a pillar or a tube.
"""

from typing import NamedTuple

import numpy as np

from spheresim.model.state import Box, Obstacle
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane

ALIGNED = 1e-12
"""A direction of which a component is smaller than this is at right angles to that axis."""


class Misfit(NamedTuple):
    """Which field of an obstacle does not fit, and a sentence that goes on from its name."""

    field: str
    what: str


def misfit(shape: Plane | Cylinder, box: Box | None) -> Misfit | None:
    """Why a shape does not fit a box, or None if it does."""
    if box is None or not any(box.periodic):
        return None
    around = [axis for axis in range(3) if box.periodic[axis]]
    lying = [axis for axis in around if abs(shape[1][axis]) > ALIGNED]
    given = [float(component) for component in shape[1]]
    if isinstance(shape, Plane):
        if not lying:
            return None
        return Misfit(
            "normal",
            f"must be at right angles to each periodic axis of the box ({_letters(around)}), not "
            f"{given}" + (": no plane fits a box that is periodic all round" * (len(around) == 3)),
        )
    if lying and not _is_along(shape, lying[0]):
        across = f", or at right angles to each periodic axis of the box ({_letters(around)})"
        return Misfit("axis", f"must be along x, y or z{across * (len(around) < 3)}, not {given}")
    for axis in around:
        side = float(box.size[axis])
        if axis not in lying and 2.0 * shape.radius > side * (1.0 + ALIGNED):
            return Misfit(
                "radius",
                f"must be at most {0.5 * side!r}, half the box's period along {'xyz'[axis]}, "
                f"for its images not to overlap, not {shape.radius!r}",
            )
    return None


def fitted(obstacle: Obstacle, box: Box | None, name: str) -> Obstacle:
    """An obstacle for a box, its direction freed of rounding; ValueError if it does not fit."""
    fault = misfit(obstacle.shape, box)
    if fault is not None:
        raise ValueError(f"{name}: {fault.field} {fault.what}")
    if box is None or not any(box.periodic):
        return obstacle
    shape = obstacle.shape
    direction = np.array(shape[1])
    direction[(np.abs(direction) <= ALIGNED) & np.array(box.periodic)] = 0.0
    if tuple(direction) == tuple(shape[1]):
        return obstacle
    if isinstance(shape, Plane):
        return obstacle._replace(shape=Plane(shape.point, direction))
    return obstacle._replace(shape=Cylinder(shape.point, direction, shape.radius))


def _is_along(cylinder: Cylinder, axis: int) -> bool:
    return all(abs(cylinder.axis[k]) <= ALIGNED for k in range(3) if k != axis)


def _letters(axes: list[int]) -> str:
    return ", ".join("xyz"[axis] for axis in axes)
