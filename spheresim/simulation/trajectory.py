"""Where balls have been, as arrays."""

from dataclasses import dataclass

import numpy as np

from spheresim.engines.whole_steps import WHOLE
from spheresim.numerics.arrays import Floats


@dataclass(frozen=True)
class Trajectory:
    """Recorded states of a simulation: the result of `Simulation.record`.

    t: (k,), the times [time]; position, velocity: (k, n, 3), of all n balls [length, length/time].
    The arrays are copies: they do not change when the simulation continues.
    """

    t: Floats
    position: Floats
    velocity: Floats

    def __len__(self) -> int:
        return len(self.t)


def recording_times(start: float, until: float, every: float) -> np.ndarray:
    """The times of a recording, (k,): the start, each multiple of `every` later, and the end.

    A multiple that differs from the end by no more than rounding is the end.
    """
    whole = int((until - start) / every * (1.0 + WHOLE))
    times = start + every * np.arange(whole + 1)
    if until - times[-1] > WHOLE * (until - start):
        return np.append(times, until)
    times[-1] = until
    return times
