"""What fixed steps that are too large add to the energy of a simulation: a word of warning."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from spheresim.analysis.energy import Drift
from spheresim.engines.options import is_stepped
from spheresim.simulation.state import SimulationState


class EnergyGain:
    """What runs of one simulation have gained so far; the caller's own changes do not count."""

    def __init__(self) -> None:
        self._gained, self._moving, self._was_told = 0.0, 0.0, False

    @contextmanager
    def watched(self, simulation: SimulationState, stacklevel: int) -> Iterator[None]:
        """Warn, once, after what is run inside, if it is much; where nothing takes energy away.

        stacklevel: as in `warnings.warn`, of who enters.
        """
        world = simulation.world
        if self._was_told or not (
            world.is_elastic and is_stepped(simulation.engine, world.gravity)
        ):
            yield
            return
        drift = Drift(world, simulation.state)
        yield
        account = drift.account(simulation.state, None)
        self._gained += account.remainder or 0.0
        self._moving = max(self._moving, account.moving)
        so_far = account._replace(remainder=self._gained, moving=self._moving)
        advice = so_far.step_advice(simulation.step)
        if advice is not None:
            self._was_told = True
            warnings.warn(advice, stacklevel=stacklevel + 1)
