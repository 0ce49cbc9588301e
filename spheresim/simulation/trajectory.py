"""Where balls have been, as arrays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spheresim.engines.whole_steps import WHOLE

if TYPE_CHECKING:
    from spheresim.simulation.simulation import Simulation


@dataclass(frozen=True)
class Trajectory:
    """t: times (k,) [time]; position, velocity: of all n balls then, (k, n, 3) [length,
    length/time]. The arrays are its own: they do not change when the simulation goes on."""

    t: Any
    position: Any
    velocity: Any

    def __len__(self) -> int:
        return len(self.t)


def recorded(simulation: "Simulation", until: float, every: float) -> Trajectory:
    """Go on to a time; where all balls are now, at each multiple of `every` later, and then."""
    start = simulation.time
    whole = int((until - start) / every * (1.0 + WHOLE))
    times = start + every * np.arange(whole + 1)
    if until - times[-1] > WHOLE * (until - start):
        times = np.append(times, until)
    times[1:] = np.minimum(times[1:], until)
    shape = (len(times), len(simulation.balls), 3)
    position, velocity = np.empty(shape), np.empty(shape)
    for k, time in enumerate(times.tolist()):
        if k:
            simulation.run(until=time)
        state = simulation.current()
        position[k], velocity[k] = state.position, state.velocity
    return Trajectory(times, position, velocity)
