"""Straight ways to the next frame, in few digits: where one begins, its end, and the speeds there.

The four coefficients of such a way, each a vector, are more than determines it (see
`spheresim.record.chords`). It is written as its start, the way to its end, and three numbers: the
speeds at both ends over the mean speed, and the time that it takes. Starts and ends lie on a grid
too fine to be seen, so a way that begins where the ball's last one ended needs no start.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spheresim.numerics.arrays import Floats, Integers

_GRID = 2e-11
"""Starts and ends are rounded to less than this part of the largest coordinate."""

_SPEEDS = 2.0**-32
"""And the speeds, as parts of the mean one, to multiples of this."""


class Straight(NamedTuple):
    """t: when it begins; goes_on: whether it does where the ball's last one ended, and then
    `start` is 0; way: from start to end; shape: speeds at both ends over the mean speed, and the
    time that it takes."""

    t: float
    ball: int
    goes_on: bool
    start: Floats
    way: Floats
    shape: Floats


class StraightWays:
    """Writes the straight ways of balls, frame after frame."""

    def __init__(self, count: int, size: float) -> None:
        """count: of balls; size: the largest coordinate."""
        self._grid = 2.0 ** np.floor(np.log2(_GRID * size))
        self._until = np.full(count, np.nan)
        self._ends = np.zeros((count, 3))

    def of(self, balls: Integers, since: Floats, ways: Floats, until: float) -> Iterator[Straight]:
        """Those of some balls (m,), from the times `since` (m,) on, with coefficients (m, 4, 3)."""
        span = (until - since)[:, None]
        start, whole = ways[:, 0], np.einsum("mki,mk->mi", ways[:, 1:], span ** np.arange(1, 4))
        square = np.maximum(np.einsum("mi,mi->m", whole, whole), np.finfo(float).tiny)
        last = np.einsum("mki,mk->mi", ways[:, 1:], np.arange(1, 4) * span ** np.arange(3))
        speeds = [
            np.rint(np.einsum("mi,mi->m", velocity, whole) * span[:, 0] / square / _SPEEDS)
            * _SPEEDS
            for velocity in (ways[:, 1], last)
        ]
        start, end = (self._rounded(place) for place in (start, start + whole))
        goes_on = (self._until[balls] == since) & (self._ends[balls] == start).all(axis=1)
        shapes = np.stack([*speeds, span[:, 0]], axis=1)
        self._until[balls], self._ends[balls] = until, end
        kept = np.where(goes_on[:, None], 0.0, start)
        for row in zip(since, balls, goes_on, kept, end - start, shapes, strict=True):
            yield Straight(float(row[0]), int(row[1]), bool(row[2]), *row[3:])

    def _rounded(self, places: Floats) -> Floats:
        return np.rint(places / self._grid) * self._grid
