"""Sets of boxes to try broad phases on: how objects lie decides which of them is the fastest.

All have a mean width of about 1. `density` is the part of the room that they would fill side by
side: of space, of the plane for "flat", of the line for "line".
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from spheresim.numerics.arrays import Floats


class Boxes(NamedTuple):
    """The corners of n boxes, (n, 3) each."""

    low: Floats
    high: Floats

    def moved(self, by: float, rng: Generator) -> "Boxes":
        """Each box moved by about so much, in a random direction."""
        way = by * rng.standard_normal(self.low.shape)
        return Boxes(self.low + way, self.high + way)


def _around(centers: Floats, widths: float | Floats) -> Boxes:
    half = 0.5 * np.asarray(widths)
    return Boxes(centers - half, centers + half)


def _uniform(n: int, density: float, rng: Generator) -> Boxes:
    centers = rng.uniform(0.0, (n / density) ** (1.0 / 3.0), (n, 3))
    return _around(centers, rng.uniform(0.7, 1.3, (n, 1)) * np.ones(3))


def _clustered(n: int, density: float, rng: Generator) -> Boxes:
    many = max(1, min(20, n // 5))
    room = (n / density / many) ** (1.0 / 3.0)
    places = rng.uniform(0.0, 30.0 * room, (many, 3))
    return _around(places[np.arange(n) % many] + rng.normal(0.0, 0.35 * room, (n, 3)), 1.0)


def _sizes(n: int, density: float, rng: Generator) -> Boxes:
    widths = np.exp(rng.normal(-0.3, 0.8, (n, 1)))
    return _around(rng.uniform(0.0, (n / density) ** (1.0 / 3.0), (n, 3)), widths * np.ones(3))


def _one_huge(n: int, density: float, rng: Generator) -> Boxes:
    side = (n / density) ** (1.0 / 3.0)
    widths = np.ones((n, 3))
    widths[0] = side
    return _around(rng.uniform(0.0, side, (n, 3)), widths)


def _flat(n: int, density: float, rng: Generator) -> Boxes:
    side = (n / density) ** 0.5
    return _around(rng.uniform(0.0, 1.0, (n, 3)) * (side, side, 0.0), 1.0)


def _line(n: int, density: float, rng: Generator) -> Boxes:
    return _around(rng.uniform(0.0, 1.0, (n, 3)) * (n / density, 0.5, 0.5), 1.0)


EXAMPLE_SETS: dict[str, Callable[[int, float, Generator], Boxes]] = {
    "uniform": _uniform,
    "clustered": _clustered,
    "sizes": _sizes,
    "one_huge": _one_huge,
    "flat": _flat,
    "line": _line,
}
"""Each by its name: of so many boxes, at a density, from a generator of random numbers."""
