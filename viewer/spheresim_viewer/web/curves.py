"""Ways for which there is no formula, as polynomials between keyframes.

Balls that slide on what bends, or push each other while they do, are simulated once more
(`spheresim.record.replay`). At four moments, both ends among them, positions and velocities are
taken from there, and the polynomial of degree 7 that has them all (Hermite's) is the way between:
its error falls with the eighth power of the time. Where that is not near enough the time is halved.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from spheresim.record.replay import Replay

_NODES = np.linspace(0.0, 1.0, 4)
_MOMENTS = sorted([*_NODES, 0.5])
_MIDDLE = _MOMENTS.index(0.5)
COEFFICIENTS = 2 * len(_NODES)
"""Of a polynomial, from the power 0 on."""

_TOLERANCE = 3e-10
"""How far a curve may be from the way in its middle, relative to the largest coordinate."""

_MOST_PARTS, _MOST_BREAKS = 16, 3
"""Between two frames; and the most times of impacts between which curves are drawn. Where there
are more, balls that are hit are not followed from one impact to the next."""

_CROWDED_PARTS = 2
"""Between two frames where there are more: of balls that are not hit, but may be pushed."""


def _hermite() -> Any:
    """From positions, then velocities, at the nodes to coefficients: shape (8, 8)."""
    powers = np.arange(COEFFICIENTS)
    values = _NODES[:, None] ** powers
    slopes = powers * _NODES[:, None] ** np.maximum(powers - 1, 0)
    return np.linalg.inv(np.vstack([values, slopes]))


_FROM_NODES = _hermite()
_IN_MIDDLE = 0.5 ** np.arange(COEFFICIENTS)


class Curves:
    """Curves of a replay. count: so far; deviation: the largest found [length]."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self.count, self.deviation = 0, 0.0
        self._parts = 1

    def between(
        self, k: int, simulated: dict[int, list[float]]
    ) -> Iterator[tuple[int, float, list[Any]]]:
        """Ball, start and coefficients of each curve from frame k to the next.

        In a crowd only those of balls that nothing hits, if they go smoothly.
        """
        start, end = float(self._replay.times[k]), float(self._replay.times[k + 1])
        breaks = {t for times in simulated.values() for t in times if start < t < end}
        balls = list(simulated)
        is_crowded = len(breaks) > _MOST_BREAKS
        if is_crowded:
            balls, breaks = [i for i, times in simulated.items() if not times], set()
        if not balls:
            return
        # Half as many parts as were needed last time, for the next stretch is mostly alike.
        parts = _CROWDED_PARTS if is_crowded else max(1, self._parts // 2)
        while True:
            times = sorted({*np.linspace(start, end, parts + 1).tolist(), *breaks})
            curves, missed, size = self._fitted(k, balls, times)
            if missed <= _TOLERANCE * size or parts == _MOST_PARTS:
                break
            if is_crowded:
                return
            parts *= 2
        self._parts = parts
        self.deviation = max(self.deviation, missed)
        self.count += len(curves) * len(balls)
        for t, coefficients in zip(times, curves, strict=False):
            for row, ball in enumerate(balls):
                yield ball, t, list(coefficients[:, row])

    def _fitted(
        self, k: int, balls: list[int], times: list[float]
    ) -> tuple[list[Any], float, float]:
        """A curve from each time to the next, the worst error in their middles, and the size."""
        curves, missed, size = [], 0.0, 1e-300
        for start, stop in pairwise(times):
            span = stop - start
            # Up to just before the end, for at an impact the velocity is the one after it.
            last = math.nextafter(stop, -math.inf)
            # In order of time, for going back would mean to simulate all of it again.
            moments = [min(start + part * span, last) for part in _MOMENTS]
            states = [self._replay.simulated_at(k, moment) for moment in moments]
            middle = states.pop(_MIDDLE).position[balls]
            known = [state.position[balls] for state in states]
            known += [state.velocity[balls] * span for state in states]
            in_spans = np.tensordot(_FROM_NODES, np.array(known), axes=1)
            found = np.tensordot(_IN_MIDDLE, in_spans, axes=1)
            missed = max(missed, float(np.abs(found - middle).max()))
            size = max(size, float(np.abs(middle).max()))
            curves.append(in_spans / span ** np.arange(COEFFICIENTS)[:, None, None])
        return curves, missed, size
