"""Where a ball would fly that joined now: computed piece by piece, so that no picture waits."""

from time import perf_counter

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim.record.files_and_columns import RunError
from spheresim_viewer.timeline.live import Live


class Forecast:
    """The way of the last ball of a playback that is nowhere else."""

    def __init__(self, playback: Live, span: float) -> None:
        """From the start of a playback. span: the time of flight that is asked for."""
        self._playback = playback
        self._last = playback.number_at(playback.time_of(0) + span)
        self._places = [playback.keyframe(0).position[-1]]

    @property
    def way(self) -> Floats:
        """The places so far, one a step, shape (m, 3)."""
        return np.array(self._places)

    def go_on(self, seconds: float) -> None:
        """Compute for about so many seconds, at least a step, if anything is left to do."""
        until = perf_counter() + seconds
        try:
            while len(self._places) <= self._last:
                self._places.append(self._playback.keyframe(len(self._places)).position[-1])
                if perf_counter() >= until:
                    break
        except RunError:
            self._last = 0  # the simulation cannot go on: the way ends here
