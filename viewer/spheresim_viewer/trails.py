"""Trails: the positions of balls at recent times."""

import numpy as np

from spheresim.numerics.arrays import Floats, Integers

_MOMENTS = 90
_MOST_BALLS = 500
_MOST_SEGMENTS = 3_000
"""More would only hide each other."""


class Trails:
    """Positions at the last evenly spaced times, a bounded number of them."""

    def __init__(self, spacing: float) -> None:
        self._spacing = spacing
        self._times: list[float] = []
        self._places: list[Floats] = []

    def remember(self, time: float, position: Floats) -> None:
        """Store positions at a time. Positions at later times are dropped: time went back."""
        while self._times and self._times[-1] > time:
            self._times.pop()
            self._places.pop()
        if self._places and len(self._places[-1]) != min(len(position), _MOST_BALLS):
            self.forget()
        if self._times and time - self._times[-1] < self._spacing * (1.0 - 1e-9):
            return
        self._times.append(time)
        self._places.append(position[:_MOST_BALLS].copy())
        del self._times[:-_MOMENTS], self._places[:-_MOMENTS]

    def last(self, time: float) -> None:
        """From now on trails last so long, in the scene's time."""
        self._spacing = time / _MOMENTS
        self.forget()

    def times_before(self, time: float, begins: float = 0.0) -> list[float]:
        """The times at which positions must be stored for a trail that ends at a time.

        begins: the earliest time.
        """
        times = [time - k * self._spacing for k in range(_MOMENTS, 0, -1)]
        return [before for before in times if before >= begins]

    def forget(self) -> None:
        """Drop all positions."""
        self._times, self._places = [], []

    def paths(self, position: Floats, picked: int | None) -> tuple[Floats, Integers]:
        """Paths (m, k, 3) that end at the present positions, and the indices (k,) of their balls.

        They are of all balls, or of the picked one only.
        """
        whose = np.arange(min(len(position), _MOST_BALLS))
        if picked is not None and picked < len(whose):
            whose = np.array([picked])
        snapshots = max(8, _MOST_SEGMENTS // len(whose))
        places = [place[whose] for place in self._places[-snapshots:]] + [position[whose]]
        return np.stack(places), whose
