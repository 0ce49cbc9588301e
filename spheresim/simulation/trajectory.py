"""Where balls have been, as arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spheresim.engines.whole_steps import WHOLE


@dataclass(frozen=True)
class Trajectory:
    """t: times (k,) [time]; position, velocity: of all n balls then, (k, n, 3) [length,
    length/time]. The arrays are its own: they do not change when the simulation goes on."""

    t: Any
    position: Any
    velocity: Any

    def __len__(self) -> int:
        return len(self.t)


def recording_times(start: float, until: float, every: float) -> Any:
    """The times of a recording, (k,): the start, each multiple of `every` later, and the end."""
    whole = int((until - start) / every * (1.0 + WHOLE))
    times = start + every * np.arange(whole + 1)
    if until - times[-1] > WHOLE * (until - start):
        times = np.append(times, until)
    times[1:] = np.minimum(times[1:], until)
    return times
