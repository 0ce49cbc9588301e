"""What a physicist measures of a state, and how it drifts."""

from typing import Any

import numpy as np

from spheresim.state import State, World
from spheresim.vector import TVector


def kinetic_energy(world: World, state: State) -> float:
    """½ Σ m v²."""
    return 0.5 * float(np.dot(world.mass, np.einsum("ij,ij->i", state.velocity, state.velocity)))


def energy(world: World, state: State) -> float:
    """Kinetic energy plus −Σ m g·x, which is 0 at the origin."""
    heights = state.position @ np.array(world.gravity)
    return kinetic_energy(world, state) - float(np.dot(world.mass, heights))


def momentum(world: World, state: State) -> TVector:
    """Σ m v."""
    return TVector(world.mass @ state.velocity)


def total_speed(world: World, state: State) -> float:
    """Σ m |v|: what a change of momentum is to be held against."""
    return float(np.dot(world.mass, np.linalg.norm(state.velocity, axis=1)))


class Drift:
    """How far energy and momentum have moved since this was made."""

    def __init__(self, world: World, state: State) -> None:
        self._world = world
        self.energy_start = energy(world, state)
        self._kinetic_start = kinetic_energy(world, state)
        self._momentum_start = momentum(world, state)
        self._total_speed_start = total_speed(world, state)

    def figures(self, state: State) -> dict[str, Any]:
        """energy_start, energy_end; energy_drift, of the larger kinetic energy of the two;
        momentum_drift, of the larger Σ m|v| of the two."""
        energy_end = energy(self._world, state)
        kinetic = max(self._kinetic_start, kinetic_energy(self._world, state))
        speed = max(self._total_speed_start, total_speed(self._world, state))
        change = momentum(self._world, state).dist(self._momentum_start)
        return {
            "energy_start": self.energy_start,
            "energy_end": energy_end,
            "energy_drift": (energy_end - self.energy_start) / kinetic if kinetic else 0.0,
            "momentum_drift": change / speed if speed else 0.0,
        }
