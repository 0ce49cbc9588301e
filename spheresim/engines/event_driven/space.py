"""Space: open, or periodic along some of its axes."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, value
from spheresim.model.state import Box
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import Obstacles, has_images, point_of

NOWHERE = TVector(0.0, 0.0, 0.0)


class Images(NamedTuple):
    """Where images of an obstacle stand that can be met from a neighbourhood.

    nearest: from where the obstacle was given to its image that is nearest; beside: along
    each axis where it is not 0, from there to another one that is within reach too.
    """

    nearest: TVector
    beside: TVector


class _Sides(NamedTuple):
    size: TVector
    inverse: TVector


@value
class Open(_Sides):
    """Space without an end: a difference is a difference."""

    __slots__ = ()

    def between(self, a: TVector, b: TVector) -> TVector:
        """From b to a."""
        return a - b

    def to_image(self, a: TVector, b: TVector) -> TVector:
        """From b to its image that is nearest to a."""
        return NOWHERE

    def in_reach(self, a: TVector, b: TVector, axis: TVector, reach: float) -> Images:
        """The images of a line through b that come within reach of a."""
        return Images(NOWHERE, NOWHERE)


@value
class Periodic(_Sides):
    """Space that comes back to itself after `size` along each axis where `size` is not 0."""

    __slots__ = ()

    def between(self, a: TVector, b: TVector) -> TVector:
        """From the image of b that is nearest to a, to a."""
        return a - b - self.to_image(a, b)

    def to_image(self, a: TVector, b: TVector) -> TVector:
        """From b to its image that is nearest to a."""
        d = a - b
        return TVector(
            self.size.x * np.rint(d.x * self.inverse.x),
            self.size.y * np.rint(d.y * self.inverse.y),
            self.size.z * np.rint(d.z * self.inverse.z),
        )

    def in_reach(self, a: TVector, b: TVector, axis: TVector, reach: float) -> Images:
        """The images of a line through b that come within reach of a, which is less than a
        period: so along an axis across the line there are the nearest and the next one."""
        nearest = self.to_image(a, b)
        d = a - b - nearest
        return Images(
            nearest,
            TVector(
                _beside(d.x, self.size.x, axis.x, reach),
                _beside(d.y, self.size.y, axis.y, reach),
                _beside(d.z, self.size.z, axis.z, reach),
            ),
        )


@inlined
def _beside(d: float, side: float, along: float, reach: float) -> float:
    """From the nearest image to the next one on the other side, 0 if that is out of reach.

    An image along the line itself is the same line.
    """
    if abs(along) > 0.5 or side - abs(d) > reach:
        return 0.0
    return math.copysign(side, d)


@inlined
def folded(space: Any, obstacles: Obstacles, k: int, x: TVector) -> TVector:
    """That image of a point which is nearest to obstacle k as it was given."""
    if not has_images(obstacles, k):
        return x
    return x - space.to_image(x, point_of(obstacles, k))  # type: ignore[no-any-return]


@inlined
def has_image(images: Images, part: int) -> bool:
    """Whether there is the image `part`, from 0 to 7: a bit for each axis says that it is the
    one beside."""
    beside = images.beside
    absent = (
        (((part & 1) != 0) & (beside.x == 0.0))
        | (((part & 2) != 0) & (beside.y == 0.0))
        | (((part & 4) != 0) & (beside.z == 0.0))
    )
    return not absent


@inlined
def shift_of(images: Images, part: int) -> TVector:
    """From where the obstacle was given to its image `part`."""
    nearest, beside = images.nearest, images.beside
    return TVector(
        nearest.x + (beside.x if part & 1 else 0.0),
        nearest.y + (beside.y if part & 2 else 0.0),
        nearest.z + (beside.z if part & 4 else 0.0),
    )


def space_of(box: Box | None) -> Any:
    """The space of a world with this box, or with none."""
    if box is None or not any(box.periodic):
        return Open(NOWHERE, NOWHERE)
    sides = [side if wraps else 0.0 for side, wraps in zip(box.size, box.periodic, strict=True)]
    return Periodic(TVector(sides), TVector([1.0 / side if side else 0.0 for side in sides]))


def smallest_period(box: Box | None) -> float:
    """The length of the shortest periodic axis; inf if there is none."""
    if box is None:
        return math.inf
    return min(
        (side for side, wraps in zip(box.size, box.periodic, strict=True) if wraps),
        default=math.inf,
    )
