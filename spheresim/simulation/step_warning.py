"""The warning that fixed steps are too large: by what they add to the energy of a simulation."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from spheresim.analysis.drift import (
    fall_by_radii,
    kinetic_energy,
    potential_energy,
    step_advice,
)
from spheresim.engines.catalogue import is_stepped
from spheresim.engines.engine_protocol import Engine
from spheresim.model.state import World


class EnergyGain:
    """What runs of one simulation have gained so far; the caller's own changes do not count."""

    def __init__(self) -> None:
        self._gained, self._moving, self._has_warned = 0.0, 0.0, False
        self._world: World | None = None
        self._is_watched, self._least = False, 0.0

    @contextmanager
    def watched(
        self, world: World, engine: Engine, is_driven: bool, stacklevel: int
    ) -> Iterator[None]:
        """Warn, once, after what is run inside, if it is much; where nothing takes energy away or
        gives any.

        is_driven: whether a field or a heat bath does, or a function may that is called meanwhile;
        stacklevel: as in `warnings.warn`, of the caller.
        """
        if world is not self._world:
            self._world, self._least = world, fall_by_radii(world)
            conserves = world.is_lossless and not world.has_walls
            self._is_watched = is_stepped(engine.name, world.gravity) and conserves
        if self._has_warned or is_driven or not self._is_watched:
            yield
            return
        # Make no view of the state: it would have to be kept up to date.
        kinetic, potential = _energies(world, engine)
        yield
        kinetic_now, potential_now = _energies(world, engine)
        fallen = potential_now - potential
        self._gained += kinetic_now - kinetic + fallen
        self._moving = max(self._moving, kinetic, kinetic_now, abs(fallen), self._least)
        advice = step_advice(self._gained, self._moving, engine.step)
        if advice is not None:
            self._has_warned = True
            warnings.warn(advice, stacklevel=stacklevel + 1)


def _energies(world: World, engine: Engine) -> tuple[float, float]:
    """Kinetic and potential energy."""
    state = engine.state.current()
    return kinetic_energy(world, state), potential_energy(world, state)
