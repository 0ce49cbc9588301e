"""Where balls have been, as arrays."""

from dataclasses import dataclass

import numpy as np

from spheresim.numerics.arrays import Floats, Records
from spheresim.record.files_and_columns import FRAME_COLUMNS


@dataclass(frozen=True, repr=False)
class Trajectory:
    """Recorded states of a simulation: the result of `Simulation.record`.

    t: (k,), the times [time]; position, velocity: (k, n, 3), of all n balls [length, length/time].
    The arrays are copies: they do not change when the simulation continues.
    """

    t: Floats
    position: Floats
    velocity: Floats

    @property
    def table(self) -> Records:
        """A record array with a row for each state and ball, as for `pandas.DataFrame`.

        frame: the index of the state; t: its time; ball: the index of the ball; x, y, z, vx, vy,
        vz: its position and velocity.
        """
        k, n = self.position.shape[:2]
        table: Records = np.recarray(k * n, dtype=np.dtype((np.record, FRAME_COLUMNS)))
        table.frame, table.ball = np.repeat(np.arange(k), n), np.tile(np.arange(n), k)
        table.t = np.repeat(self.t, n)
        table.x, table.y, table.z = self.position.reshape(-1, 3).T
        table.vx, table.vy, table.vz = self.velocity.reshape(-1, 3).T
        return table

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        n, times = self.position.shape[1], ""
        if len(self):
            times = f" from t = {self.t[0]:.7g} to {self.t[-1]:.7g}"
        return f"<Trajectory of {n:,} ball{'s' * (n != 1)}: {len(self):,} states{times}>"
