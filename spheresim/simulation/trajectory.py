"""Where balls have been, as arrays."""

from dataclasses import dataclass

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
