"""Ways for which there is no formula, as polynomials.

Balls that slide on what bends go by thousands of slide steps. At four moments, both ends among
them, positions and velocities are taken from there, and the polynomial of degree 7 that has them
all (Hermite's) is the way between: its error falls with the eighth power of the time. Where that is
not near enough the time is halved, and where it is, the next one is twice as long.
"""

from collections.abc import Iterator

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim.record.logged_trajectories import LoggedTrajectories

_NODES = np.linspace(0.0, 1.0, 4)
_MOMENTS = np.array(sorted([*_NODES, 0.16, 0.5]))
_CHECKED = np.flatnonzero(~np.isin(_MOMENTS, _NODES))
COEFFICIENTS = 2 * len(_NODES)
"""Of a polynomial, from the power 0 on."""

_TOLERANCE = 3e-10
"""How far a curve may be from the way, relative to the largest coordinate; twice as far where half
the time does not bring it much nearer, for slide steps stray."""

_SHORTEST = 1e-5
"""Of a flight: a curve for so short a part of it is taken as it is."""


def _hermite() -> Floats:
    """From positions, then velocities, at the nodes to coefficients: shape (8, 8)."""
    powers = np.arange(COEFFICIENTS)
    values = _NODES[:, None] ** powers
    slopes = powers * _NODES[:, None] ** np.maximum(powers - 1, 0)
    return np.linalg.inv(np.vstack([values, slopes]))


_FROM_NODES = _hermite()
_WHERE_CHECKED = _MOMENTS[_CHECKED][:, None] ** np.arange(COEFFICIENTS)


class Curves:
    """Curves of flights. count: so far; deviation: the largest found [length]; size: the largest
    coordinate."""

    def __init__(self, logged: LoggedTrajectories, size: float) -> None:
        self._logged, self._size = logged, size
        self.count, self.deviation = 0, 0.0

    def of(self, row: int, stop: float) -> Iterator[tuple[float, Floats]]:
        """Start and coefficients, (8, 3), of each curve of a flight that lasts until a time."""
        start = float(self._logged.flights.t[row])
        span = whole = stop - start
        before, allowed = np.inf, _TOLERANCE * self._size
        while start < stop:
            end = start + span if start + 1.01 * span < stop else stop
            curve, missed = self._fitted(row, start, end)
            strays = missed <= 2.0 * allowed and missed > 0.1 * before
            if missed > allowed and not strays and end - start > _SHORTEST * whole:
                span, before = 0.5 * (end - start), missed
                continue
            self.deviation = max(self.deviation, missed)
            self.count += 1
            yield start, curve
            start, span, before = end, 2.0 * (end - start), np.inf

    def _fitted(self, row: int, start: float, stop: float) -> tuple[Floats, float]:
        """A curve, and by how much it was found to miss the way at the worst."""
        span = stop - start
        states = []
        for part in _MOMENTS:
            states.append(self._logged.at(row, start + part * span))
            if part == 0.0:
                self._logged.mark(row)
        position, velocity = (np.array(column) for column in zip(*states, strict=True))
        nodes = np.isin(_MOMENTS, _NODES)
        in_spans = _FROM_NODES @ np.concatenate([position[nodes], velocity[nodes] * span])
        missed = np.abs(_WHERE_CHECKED @ in_spans - position[_CHECKED]).max()
        return in_spans / span ** np.arange(COEFFICIENTS)[:, None], float(missed)
