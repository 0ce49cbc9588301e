"""Ways for which there is no formula, as pieces of cubic curves between keyframes.

Balls that slide on what bends, or push each other while they do, are simulated once more
(`spheresim.record.replay`). At keyframes positions and velocities are taken from there; between
two of them goes the cubic that has both (Hermite's), whose error falls with the fourth power of
the time between them.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from spheresim.record.replay import Replay

_TOLERANCE = 1e-10
"""How far a curve may be from the way in its middle, relative to the largest coordinate."""

_MOST_PARTS = 16
"""Between two frames; and the most impacts of a ball between which curves are drawn."""

Curve = tuple[int, float, tuple[Any, Any, Any, Any]]
"""A ball, a time, and x, v, a and j from then on."""


class Curves:
    """Cubic pieces of a replay. count: so far; deviation: the largest found [length]."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self.count, self.deviation = 0, 0.0

    def between(self, k: int, simulated: dict[int, list[float]]) -> Iterator[Curve]:
        """The curves of the balls that are simulated between frame k and the next."""
        if not simulated:
            return
        balls = list(simulated)
        start, end = self._replay.times[k], self._replay.times[k + 1]
        breaks = {t for times in simulated.values() for t in times if start < t < end}
        if len(breaks) > _MOST_PARTS:
            breaks = set()
        parts = 1
        while True:
            times = sorted({*np.linspace(start, end, parts + 1).tolist(), *breaks})
            pieces, missed, size = self._fitted(balls, times)
            if missed <= _TOLERANCE * size or parts == _MOST_PARTS:
                break
            parts *= 2
        self.deviation = max(self.deviation, missed)
        self.count += len(pieces) * len(balls)
        for t, vectors in zip(times, pieces, strict=False):
            for row, ball in enumerate(balls):
                yield ball, t, tuple(vector[row] for vector in vectors)

    def _fitted(self, balls: list[int], times: list[float]) -> tuple[list[Any], float, float]:
        """A cubic from each time to the next, the worst error in their middles, and the size."""
        pieces, missed, size = [], 0.0, 1e-300
        for start, stop in zip(times, times[1:], strict=False):
            span = stop - start
            x, v = (of[balls] for of in self._replay.at(start))
            middle = self._replay.at(start + 0.5 * span).position[balls]
            # Just before, for at an impact the velocity is the one after it.
            x_end, v_end = (of[balls] for of in self._replay.at(math.nextafter(stop, -math.inf)))
            mean = (x_end - x) / span
            a = (6.0 * mean - 4.0 * v - 2.0 * v_end) / span
            j = (6.0 * (v + v_end) - 12.0 * mean) / (span * span)
            half = 0.5 * span
            found = x + v * half + a * (half**2 / 2.0) + j * (half**3 / 6.0)
            missed = max(missed, float(np.abs(found - middle).max()))
            size = max(size, float(np.abs(middle).max()))
            pieces.append((x, v, a, j))
        return pieces, missed, size
