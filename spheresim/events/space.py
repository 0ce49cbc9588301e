"""Space: open, or periodic along some of its axes."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiled import value
from spheresim.state import Box
from spheresim.vector import TVector

NOWHERE = TVector(0.0, 0.0, 0.0)


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


@value
class Periodic(_Sides):
    """Space that comes back to itself after `size` along each axis where `size` is not 0."""

    __slots__ = ()

    def between(self, a: TVector, b: TVector) -> TVector:
        """From the image of b that is nearest to a, to a."""
        d = a - b
        return TVector(
            d.x - self.size.x * np.rint(d.x * self.inverse.x),
            d.y - self.size.y * np.rint(d.y * self.inverse.y),
            d.z - self.size.z * np.rint(d.z * self.inverse.z),
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
