"""Space: open, or periodic along some of its axes (minimum-image convention)."""

import math
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, value
from spheresim.model.state import Box
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.table import Obstacles, has_images, point_of


class Images(NamedTuple):
    """The images of an obstacle that a ball can hit from its neighbourhood, as displacements.

    nearest: from the obstacle as it was given to its nearest image; second: along each axis,
    from there to another image within reach, 0 if there is none.
    """

    nearest: TVector
    second: TVector


class _Periods(NamedTuple):
    size: TVector
    inverse: TVector


@value
class Open(_Periods):
    """Space without periodic axes."""

    __slots__ = ()

    def minimum_image(self, a: TVector, b: TVector) -> TVector:
        """The difference a − b."""
        return a - b

    def nearest_image_shift(self, a: TVector, b: TVector) -> TVector:
        """The displacement from b to its image that is nearest to a: none."""
        return ZERO

    def images_within(self, a: TVector, b: TVector, axis: TVector, reach: float) -> Images:
        """The images of a line through b that come within reach of a: the line itself."""
        return Images(ZERO, ZERO)


@value
class Periodic(_Periods):
    """Space with the period `size` along each axis where `size` is not 0."""

    __slots__ = ()

    def minimum_image(self, a: TVector, b: TVector) -> TVector:
        """The difference a − b, with the image of b that is nearest to a."""
        return a - b - self.nearest_image_shift(a, b)

    def nearest_image_shift(self, a: TVector, b: TVector) -> TVector:
        """The displacement from b to its image that is nearest to a."""
        d = a - b
        return TVector(
            self.size.x * np.rint(d.x * self.inverse.x),
            self.size.y * np.rint(d.y * self.inverse.y),
            self.size.z * np.rint(d.z * self.inverse.z),
        )

    def images_within(self, a: TVector, b: TVector, axis: TVector, reach: float) -> Images:
        """The images of a line through b that come within reach of a.

        The reach is less than a period, so along an axis across the line these are at most
        the nearest image and the next one.
        """
        nearest = self.nearest_image_shift(a, b)
        d = a - b - nearest
        return Images(
            nearest,
            TVector(
                _second_image(d.x, self.size.x, axis.x, reach),
                _second_image(d.y, self.size.y, axis.y, reach),
                _second_image(d.z, self.size.z, axis.z, reach),
            ),
        )


@inlined
def _second_image(d: float, period: float, along: float, reach: float) -> float:
    """From the nearest image to the next one on the other side, 0 if that is out of reach.

    `along` is the component of the line's direction: an image along the line is the same line.
    """
    if abs(along) > 0.5 or period - abs(d) > reach:
        return 0.0
    return math.copysign(period, d)


@inlined
def image_near_obstacle(
    space: Open | Periodic, obstacles: Obstacles, k: int, x: TVector
) -> TVector:
    """The image of a point that is nearest to obstacle k as it was given."""
    if not has_images(obstacles, k):
        return x
    shift: TVector = space.nearest_image_shift(x, point_of(obstacles, k))
    return x - shift


@inlined
def has_image(images: Images, part: int) -> bool:
    """Whether there is the image `part`, from 0 to 7: its bits say along which axes it is the
    second image."""
    second = images.second
    absent = (
        (((part & 1) != 0) & (second.x == 0.0))
        | (((part & 2) != 0) & (second.y == 0.0))
        | (((part & 4) != 0) & (second.z == 0.0))
    )
    return not absent


@inlined
def shift_to_image(images: Images, part: int) -> TVector:
    """The displacement from the obstacle as it was given to its image `part`."""
    nearest, second = images.nearest, images.second
    return TVector(
        nearest.x + (second.x if part & 1 else 0.0),
        nearest.y + (second.y if part & 2 else 0.0),
        nearest.z + (second.z if part & 4 else 0.0),
    )


def space_of(box: Box | None) -> Open | Periodic:
    """The space of a world with this box, or with none."""
    if box is None or not box.is_periodic:
        return Open(ZERO, ZERO)
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
