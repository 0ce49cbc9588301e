"""The periodic images of an obstacle that reach into the box."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from spheresim.model import periodic_wrap
from spheresim.model.state import Box
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.table import AnyShape
from spheresim_viewer.stage.clip import Array


def across(shape: AnyShape, box: Box | None) -> tuple[bool, bool, bool]:
    """Along which axes a shape has images: the periodic axes that a cylinder lies across."""
    if box is None or not isinstance(shape, Cylinder):
        return False, False, False
    x, y, z = (w and abs(a) < 0.5 for w, a in zip(box.periodic, shape.axis, strict=True))
    return x, y, z


def images_of(shape: AnyShape, box: Box | None, offset: float) -> Iterator[Array]:
    """The displacement from a shape to each image that reaches into the box, grown by an offset."""
    repeats = across(shape, box)
    if box is None or not isinstance(shape, Cylinder) or not any(repeats):
        yield np.zeros(3)
        return
    size, reach = np.array(box.size), shape.radius + offset
    to_low, to_high = np.array(box.low - shape.point), np.array(box.low + box.size - shape.point)
    first = np.where(repeats, np.ceil((to_low - reach) / size), 0.0).astype(int)
    last = np.where(repeats, np.floor((to_high + reach) / size), 0.0).astype(int)
    for turns in product(*(range(a, b + 1) for a, b in zip(first, last, strict=True))):
        yield np.array(turns) * size


def nearest_images(apart: Array, box: Box | None) -> Array:
    """Differences (n, 3) of positions, changed to those to the nearest images."""
    if box is None:
        return apart
    size = np.where(box.periodic, box.size, np.inf)
    return apart - np.where(box.periodic, np.rint(apart / size) * box.size, 0.0)


def wrapped(position: Array, box: Box | None, time: float | Floats = 0.0) -> Array:
    """Positions (n, 3), those outside a periodic box moved into it by whole periods.

    time: of all, or of each, (n,): images of a sheared box slide.
    """
    if box is None:
        return position
    return periodic_wrap.wrapped(box, time, position)
