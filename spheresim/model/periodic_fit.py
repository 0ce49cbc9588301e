"""What fits a periodic box, where space comes back to itself.

A plane must run along every periodic axis. A cylinder runs along one of them, or is at right
angles to them all, and then stands once in every period; it and its images may touch, but
not overlap, so that no point is inside two of them, and each is a pillar or a tube. A period
must be longer than LEAST_PERIOD radii of the largest ball.
"""

from typing import NamedTuple

import numpy as np

from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.driven_walls.motions import Piston, SteadyRotation
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.shape import ALIGNED
from spheresim.obstacles.table import AnyShape

LEAST_PERIOD = 4.02
"""A periodic axis must be longer than this, in radii: then a ball meets one image of another."""


class Misfit(NamedTuple):
    """Which field of an obstacle does not fit, and the rest of a sentence that begins with it."""

    field: str
    what: str


def periodic_misfit(shape: AnyShape, box: Box | None) -> Misfit | None:
    """Why a shape does not fit a box, or None if it does."""
    if box is None or not box.is_periodic:
        return None
    if box.is_sheared:
        field = next(iter(shape.fields))
        return Misfit(field, "is in a box with a shear_rate, which may hold nothing but balls")
    if isinstance(shape, Bounded):
        return Misfit(
            next(iter(shape.fields)),
            f"is in a periodic box, where a {shape.kind} has no images: there only planes and "
            "cylinders may be",
        )
    periodic = [axis for axis in range(3) if box.periodic[axis]]
    crossed = [axis for axis in periodic if abs(shape[1][axis]) > ALIGNED]
    if isinstance(shape, Plane):
        return _plane_misfit(shape, periodic) if crossed else None
    return _cylinder_misfit(shape, box, periodic, crossed)


def motion_misfit(obstacle: Obstacle, box: Box | None) -> Misfit | None:
    """Why an obstacle cannot move as it should, or None if it can."""
    shape, motion = obstacle.shape, obstacle.motion
    if isinstance(motion, Piston) and not isinstance(shape, Plane):
        return Misfit(
            "motion", f"must not be a piston, for only planes can be, and not a {shape.kind}"
        )
    if motion is None or box is None or not box.is_periodic:
        return None
    if not isinstance(shape, Plane):
        return Misfit(
            "motion", f"is in a periodic box, where only planes can move, and not a {shape.kind}"
        )
    if isinstance(motion, SteadyRotation):
        return Misfit("motion", "must not be a rotation in a periodic box")
    return None


def _plane_misfit(plane: Plane, periodic: list[int]) -> Misfit:
    """What is wrong with a plane that crosses a periodic axis."""
    hopeless = ": no plane fits a box that is periodic all round" if len(periodic) == 3 else ""
    return Misfit(
        "normal",
        f"must be at right angles to each periodic axis of the box ({_letters(periodic)}), not "
        f"{list(plane.normal)}{hopeless}",
    )


def _cylinder_misfit(
    cylinder: Cylinder, box: Box, periodic: list[int], along: list[int]
) -> Misfit | None:
    """What is wrong with a cylinder; `along`: the periodic axes that its own is not square to."""
    if along and sum(abs(component) > ALIGNED for component in cylinder.axis) > 1:
        across = f", or at right angles to each periodic axis of the box ({_letters(periodic)})"
        choice = across if len(periodic) < 3 else ""
        return Misfit("axis", f"must be along x, y or z{choice}, not {list(cylinder.axis)}")
    for axis in periodic:
        side = float(box.size[axis])
        if axis not in along and 2.0 * cylinder.radius > side * (1.0 + ALIGNED):
            return Misfit(
                "radius",
                f"must be at most {0.5 * side!r}, half the box's period along {'xyz'[axis]}, "
                f"for its images not to overlap, not {cylinder.radius!r}",
            )
    return None


def fitted(obstacle: Obstacle, box: Box | None, name: str) -> Obstacle:
    """An obstacle for a box; ValueError if it does not fit.

    A normal or axis that is at right angles to a periodic axis except for rounding is made exactly
    so: otherwise the obstacle would be tilted for a ball that has gone round the box many times.
    """
    fault = periodic_misfit(obstacle.shape, box) or motion_misfit(obstacle, box)
    if fault is not None:
        raise ValueError(f"{name}: {fault.field} {fault.what}")
    shape = obstacle.shape
    if box is None or not box.is_periodic or isinstance(shape, Bounded):
        return obstacle
    direction = np.array(shape[1])
    direction[(np.abs(direction) <= ALIGNED) & np.array(box.periodic)] = 0.0
    if tuple(direction) == tuple(shape[1]):
        return obstacle
    return obstacle._replace(shape=type(shape)(shape.point, direction, *shape[2:]))


def _letters(axes: list[int]) -> str:
    return ", ".join("xyz"[axis] for axis in axes)
